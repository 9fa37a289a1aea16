import numpy as np
import pandas as pd
import pytest
from scipy import integrate, optimize, stats

from bayes_distnet import decide
from bayes_distnet.decide.laws.law_table import LawTable, hardness_scores
from bayes_distnet.decide.restarts.best_cutoff import RestartRule, best_cutoff, expected_time
from bayes_distnet.distributions.families import Exponential, LogLogistic, LogNormal, Weibull
from bayes_distnet.distributions.instance_effect import InstanceEffect
from bayes_distnet.distributions.instance_runtimes import InstanceRuntimes
from bayes_distnet.distributions.kernel_estimate import KernelEstimate
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError


def one(family):
    return RuntimeDistribution(family)


def slow_total(sf, cutoff, overhead=0.0):
    """Expected total time by numerical integration of the survival function."""
    spent = integrate.quad(sf, 0.0, cutoff, limit=200)[0]
    return (spent + overhead * sf(cutoff)) / (1.0 - sf(cutoff))


# -- closed forms ----------------------------------------------------------------------------------------------------


def test_restarting_a_run_without_memory_changes_nothing():
    rtd = one(Exponential(scale=[3.0]))
    np.testing.assert_allclose(expected_time(rtd, [1e-4, 0.1, 1.0, 30.0, np.inf]).mean, 3.0, rtol=1e-5)
    assert best_cutoff(rtd).cutoff[0] == np.inf


def test_two_points_have_a_closed_form():
    # Almost deterministic parts at 1 s (probability 0.2) and 100 s: (0.2 + 0.8) / 0.2 with a cutoff between them.
    rtd = RuntimeDistribution(
        LogNormal(loc=[[0.0, np.log(100.0)]], scale=[[1e-3, 1e-3]]), weights=[0.2, 0.8], draws=[0, 0]
    )
    cut = best_cutoff(rtd)
    assert 1.0 < cut.cutoff[0] < 1.3
    np.testing.assert_allclose(cut.expected, 5.0, rtol=0.1)
    np.testing.assert_allclose(cut.without, 80.2, rtol=0.05)
    np.testing.assert_allclose(expected_time(rtd, 10.0).mean, (0.2 * 1.0 + 0.8 * 10.0) / 0.2, rtol=0.02)


@pytest.mark.parametrize("cutoff", [0.01, 0.3, 2.0, 50.0])
@pytest.mark.parametrize("overhead", [0.0, 0.5])
def test_expected_time_is_that_of_numerical_integration(cutoff, overhead):
    families = {
        LogNormal(loc=[0.3], scale=[1.4]): stats.lognorm(1.4, scale=np.exp(0.3)).sf,
        Weibull(scale=[2.0], shape=[0.6]): stats.weibull_min(0.6, scale=2.0).sf,
        LogLogistic(scale=[1.0], shape=[1.3]): stats.fisk(1.3).sf,
    }
    for family, sf in families.items():
        found = expected_time(one(family), cutoff, overhead=overhead).mean[0]
        assert found == pytest.approx(slow_total(sf, cutoff, overhead), rel=3e-3)


def test_the_optimum_of_a_lognormal_is_that_of_an_independent_search():
    for scale in (1.2, 1.6, 2.0):
        sf = stats.lognorm(scale).sf
        best = optimize.minimize_scalar(
            lambda log_c, sf=sf: slow_total(sf, np.exp(log_c)), bounds=(-6, 4), method="bounded"
        )
        cut = best_cutoff(one(LogNormal(loc=[0.0], scale=[scale])))
        assert cut.expected[0] == pytest.approx(best.fun, rel=3e-3)
        assert np.log(cut.cutoff[0]) == pytest.approx(best.x, abs=0.15)  # flat at the optimum
        assert cut.without[0] == pytest.approx(np.exp(0.5 * scale**2), rel=1e-2)


def test_cutoffs_scale_with_time():
    slow, fast = (best_cutoff(one(LogNormal(loc=[loc], scale=[1.8]))) for loc in (np.log(50.0), 0.0))
    np.testing.assert_allclose(slow.cutoff / fast.cutoff, 50.0, rtol=1e-6)
    np.testing.assert_allclose(slow.speed_up, fast.speed_up, rtol=1e-6)


def test_a_falling_hazard_wants_the_shortest_cutoff_and_a_rising_one_none():
    falling = best_cutoff(one(Weibull(scale=[1.0], shape=[0.5])), rule=RestartRule(shortest=0.01))
    assert 0.01 <= falling.cutoff[0] < 0.012
    curve = expected_time(one(Weibull(scale=[1.0], shape=[0.5])), np.geomspace(1e-3, 100, 40)).mean[0]
    assert (np.diff(curve) > 0).all()
    assert best_cutoff(one(Weibull(scale=[1.0], shape=[2.0]))).cutoff[0] == np.inf


def test_a_pareto_tail_without_a_mean_is_worth_restarting():
    cut = best_cutoff(one(LogLogistic(scale=[1.0], shape=[0.9])))
    assert np.isposinf(cut.without[0])
    assert np.isposinf(cut.speed_up[0])
    assert np.isfinite(cut.expected[0])
    assert "instead of inf s" in cut.why[0]


# -- the instance is fixed -------------------------------------------------------------------------------------------


def effect(rho, scale=2.0):
    return InstanceRuntimes(one(LogNormal(loc=[0.0], scale=[scale])), InstanceEffect.of(rho, 1))


def test_ignorance_is_not_luck():
    # All of these predict the same single run: the more of its spread is ignorance, the less restarting helps.
    cuts = [best_cutoff(effect(rho)) for rho in (0.001, 0.3, 0.6, 0.9)]
    assert (np.diff([cut.cutoff[0] for cut in cuts]) > 0).all()
    assert (np.diff([cut.speed_up[0] for cut in cuts]) < 0).all()
    assert cuts[-1].cutoff[0] == np.inf
    assert cuts[0].speed_up[0] > 9


def test_the_mean_over_draws_is_inside_the_ratio():
    rho, scale, cutoff = 0.5, 1.5, 0.7
    laws = [stats.lognorm(scale * np.sqrt(1 - rho), scale=np.exp(scale * np.sqrt(rho) * h)) for h in hardness_scores()]
    each = np.array([slow_total(law.sf, cutoff) for law in laws])
    found = expected_time(effect(rho, scale), cutoff, level=0.9)
    assert found.mean[0] == pytest.approx(each.mean(), rel=1e-2)
    assert found.low[0] == pytest.approx(np.quantile(each, 0.05, method="inverted_cdf"), rel=1e-2)
    assert found.high[0] == pytest.approx(np.quantile(each, 0.95, method="inverted_cdf"), rel=1e-2)
    ratio_of_averages = expected_time(one(LogNormal(loc=[0.0], scale=[scale])), cutoff).mean[0]
    assert found.mean[0] > 1.3 * ratio_of_averages


def test_expected_time_per_draw_is_that_of_simulation():
    rho, scale, cutoff, overhead = 0.4, 1.5, 0.5, 0.2
    table = LawTable.of(effect(rho, scale))
    for draw in (4, 16, 27):
        law = stats.lognorm(scale * np.sqrt(1 - rho), scale=np.exp(scale * np.sqrt(rho) * hardness_scores()[draw]))
        rng = np.random.default_rng(draw)
        totals = []
        for _ in range(4000):
            total = 0.0
            while (t := law.rvs(random_state=rng)) > cutoff:
                total += cutoff + overhead
            totals.append(total + t)
        log_sf, spent = table.at(np.array([[cutoff]]))
        found = (spent[0, draw, 0] + overhead * np.exp(log_sf[0, draw, 0])) / -np.expm1(log_sf[0, draw, 0])
        assert found == pytest.approx(np.mean(totals), abs=4 * np.std(totals) / np.sqrt(len(totals)))


def test_the_band_holds_the_speed_up_of_each_draw():
    cut = best_cutoff(effect(0.3), level=0.8)
    low, high = cut.band
    rho, scale = 0.3, 2.0
    gains = [
        np.exp(0.5 * scale**2 * (1 - rho))
        * np.exp(scale * np.sqrt(rho) * h)
        / slow_total(stats.lognorm(scale * np.sqrt(1 - rho), scale=np.exp(scale * np.sqrt(rho) * h)).sf, cut.cutoff[0])
        for h in hardness_scores()
    ]
    assert low[0] == pytest.approx(np.quantile(gains, 0.1, method="inverted_cdf"), rel=0.02)
    assert high[0] == pytest.approx(np.quantile(gains, 0.9, method="inverted_cdf"), rel=0.02)


# -- where restarting does not pay -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rtd", "why"),
    [
        (one(LogNormal(loc=[0.0], scale=[1e-9])), "no cutoff"),  # almost deterministic
        (one(LogNormal(loc=[0.0], scale=[0.3])), "no cutoff"),
        (one(LogNormal(loc=[0.0], scale=[0.75])), "not a safe gain"),
    ],
)
def test_no_restart_without_a_safe_gain(rtd, why):
    cut = best_cutoff(rtd)
    assert cut.cutoff[0] == np.inf
    assert cut.speed_up[0] == 1.0
    assert cut.expected[0] == cut.without[0]
    assert cut.band[0][0] == cut.band[1][0] == 1.0
    assert why in cut.why[0]


def test_a_gain_from_the_slowest_runs_alone_is_not_trusted():
    # One run in fifty takes 30 times as long: 1.5 times as fast with restarts, if that is true.
    family = LogNormal(loc=[[0.0, np.log(30.0)]], scale=[[0.2, 0.2]])
    rtd = RuntimeDistribution(family, weights=[0.98, 0.02], draws=[0, 0])
    assert best_cutoff(rtd).cutoff[0] == np.inf
    bold = best_cutoff(rtd, rule=RestartRule(tail=0.0))
    assert bold.speed_up[0] > 1.4


def test_a_huge_overhead_forbids_restarts():
    rtd = one(LogNormal(loc=[0.0], scale=[2.0]))
    assert np.isfinite(best_cutoff(rtd, overhead=0.01).cutoff[0])
    assert best_cutoff(rtd, overhead=1e6).cutoff[0] == np.inf


def test_overhead_makes_cutoffs_longer():
    rtd = one(LogNormal(loc=[0.0], scale=[2.0]))
    assert best_cutoff(rtd, overhead=1.0).cutoff[0] > 3 * best_cutoff(rtd).cutoff[0]


def test_probability_at_zero_seconds_gives_the_shortest_cutoff():
    rtd = KernelEstimate(np.array([[-5.0, -4.0, 50.0, 60.0]]), 0.5)
    cut = best_cutoff(rtd, overhead=0.1)
    assert cut.cutoff[0] == pytest.approx(1e-3, rel=0.6)
    assert cut.expected[0] == pytest.approx(0.1, rel=0.1)  # half of the runs take no time, so one restart is expected


def test_one_distribution_has_a_band_without_width():
    low, high = best_cutoff(one(LogNormal(loc=[0.0], scale=[2.0]))).band
    assert low[0] == pytest.approx(high[0], rel=1e-9)


# -- face ------------------------------------------------------------------------------------------------------------


def test_rows_are_answered_as_if_alone():
    rows = [0.4, 1.0, 2.0, 1.5] * 30
    together = best_cutoff(one(LogNormal(loc=np.zeros(120), scale=rows)))
    alone = [best_cutoff(one(LogNormal(loc=[0.0], scale=[scale]))).cutoff[0] for scale in rows[:4]]
    np.testing.assert_allclose(together.cutoff, alone * 30)
    assert len(together) == len(together.why) == 120


def test_the_answer_as_text_and_table():
    cut = best_cutoff(one(LogNormal(loc=[0.0, 0.0], scale=[0.3, 2.0])))
    assert repr(cut).startswith("Cutoffs(2 rows, 1 restarted after 0.05")
    frame = cut.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame) == ["cutoff", "expected", "without", "speed_up", "low", "high", "chance", "why"]
    assert repr(best_cutoff(one(LogNormal(loc=[0.0], scale=[0.3])))) == "Cutoffs(1 rows, none restarted)"
    empty = best_cutoff(one(LogNormal(loc=[0.0], scale=[1.0]))[np.array([], dtype=int)])
    assert len(empty) == 0
    assert empty.to_frame().empty


def test_shapes_of_expected_time():
    rtd = one(LogNormal(loc=[0.0, 1.0, 2.0], scale=[1.0, 1.0, 1.0]))
    assert expected_time(rtd, 1.0).mean.shape == (3,)
    assert expected_time(rtd, [1.0, 2.0]).mean.shape == (3, 2)
    own = expected_time(rtd, [[1.0], [2.0], [3.0]])
    assert own.mean.shape == own.low.shape == (3, 1)


@pytest.mark.parametrize(
    "call",
    [
        lambda rtd: best_cutoff(rtd, overhead=-1.0),
        lambda rtd: best_cutoff(rtd, overhead=np.nan),
        lambda rtd: best_cutoff(rtd, level=1.0),
        lambda rtd: best_cutoff("no prediction"),
        lambda rtd: expected_time(rtd, 0.0),
        lambda rtd: RestartRule(objective="median"),
        lambda rtd: RestartRule(margin=-0.1),
        lambda rtd: RestartRule(confidence=2.0),
        lambda rtd: RestartRule(tail=1.0),
    ],
)
def test_bad_arguments_are_refused(call):
    with pytest.raises(SettingError):
        call(one(LogNormal(loc=[0.0], scale=[1.0])))


def test_the_package_names_them():
    assert decide.best_cutoff is best_cutoff
    assert decide.expected_time is expected_time


def test_the_log_objective_weighs_hard_instances_less():
    rtd = effect(0.4)
    mean, log = (best_cutoff(rtd, rule=RestartRule(objective=name)) for name in ("mean", "log"))
    assert log.cutoff[0] < mean.cutoff[0]
    assert log.expected[0] > mean.expected[0]
