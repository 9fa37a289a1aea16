"""With a lognormal prediction everything is Gaussian: known answers are closed forms, or integrals over the effect."""

import numpy as np
import pytest
from scipy import integrate, stats

from bayes_distnet.distributions.families import LogLogistic, LogNormal
from bayes_distnet.distributions.instance_effect import InstanceEffect
from bayes_distnet.distributions.instance_runtimes import InstanceRuntimes
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import RuntimeDataError, SettingError

LOC, SCALE, RHO = np.array([0.0, 2.0, -1.0]), np.array([1.0, 0.5, 2.0]), np.array([0.36, 0.1, 0.8])
TIMES = np.array([0.05, 0.5, 2.0, 30.0])


@pytest.fixture
def rtd():
    return InstanceRuntimes(RuntimeDistribution(LogNormal(LOC, SCALE)), InstanceEffect.of(RHO, 3))


def given_effect(row, value, times):
    """Survival of an instance with this effect, by the definition."""
    scores = (np.log(times) - LOC[row]) / SCALE[row]
    return stats.norm.sf((scores - np.sqrt(RHO[row]) * value) / np.sqrt(1 - RHO[row]))


def averaged(function):
    return integrate.quad(lambda a: function(a) * stats.norm.pdf(a), -8, 8, epsabs=1e-11, limit=200)[0]


def test_single_runs_are_those_of_the_prediction(rtd):
    for name in ("cdf", "log_sf", "log_pdf", "restricted_mean"):
        np.testing.assert_allclose(getattr(rtd, name)(TIMES), getattr(rtd.marginal, name)(TIMES))
    for name in ("mean", "variance", "median"):
        np.testing.assert_allclose(getattr(rtd, name)(), getattr(rtd.marginal, name)())
    np.testing.assert_array_equal(rtd.sample(5), rtd.marginal.sample(5))
    np.testing.assert_allclose(rtd.given_alive(2.0).cdf(TIMES), rtd.marginal.given_alive(2.0).cdf(TIMES))


@pytest.mark.parametrize(("level", "q"), [(0.9, 0.5), (0.5, 0.9)])
def test_band_of_a_quantile(rtd, level, q):
    reach = np.sqrt(RHO) * stats.norm.ppf(0.5 + level / 2)
    middle = np.sqrt(1 - RHO) * stats.norm.ppf(q)
    low, high = rtd.band(level, q=q)
    np.testing.assert_allclose(low, np.exp(LOC + SCALE * (middle - reach)))
    np.testing.assert_allclose(high, np.exp(LOC + SCALE * (middle + reach)))


def test_band_of_the_cdf(rtd):
    low, high = rtd.band(0.9, t=TIMES)
    for row in range(3):
        np.testing.assert_allclose(low[row], 1 - given_effect(row, 1.6448536, TIMES), rtol=1e-6, atol=1e-12)
        np.testing.assert_allclose(high[row], 1 - given_effect(row, -1.6448536, TIMES), rtol=1e-6, atol=1e-12)
    assert rtd.band(0.9, t=1.0)[0].shape == (3,)
    with pytest.raises(SettingError, match="not both"):
        rtd.band(0.9, q=0.5, t=1.0)


def own_law(end):
    """Location and deviation of log time of instances at an end of the band."""
    return LOC + end * SCALE * np.sqrt(RHO) * 1.6448536269514722, SCALE * np.sqrt(1 - RHO)


def test_band_of_the_mean(rtd):
    for end, found in zip((-1, 1), rtd.band(0.9, mean=True), strict=True):
        loc, scale = own_law(end)
        np.testing.assert_allclose(found, np.exp(loc + 0.5 * scale**2), rtol=1e-6)


def test_band_of_the_mean_of_a_run_that_is_stopped(rtd):
    ends = rtd.band(0.9, mean=True, t=TIMES)
    for end, found in zip((-1, 1), ends, strict=True):
        loc, scale = own_law(end)
        expected = RuntimeDistribution(LogNormal(loc, scale)).restricted_mean(TIMES)
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    same = rtd.band(0.9, mean=True, t=np.tile(TIMES, (3, 1)))
    np.testing.assert_allclose(same, ends)
    np.testing.assert_allclose(rtd.band(0.9, mean=True, t=np.inf), rtd.band(0.9, mean=True), rtol=1e-6)
    np.testing.assert_array_equal(rtd.band(0.9, mean=True, t=0.0), np.zeros((2, 3)))


def test_band_of_the_mean_holds_simulated_instances(rtd):
    rng = np.random.default_rng(0)
    effects, luck = rng.standard_normal(4000), rng.standard_normal((4000, 400))
    runs = np.exp(LOC[0] + SCALE[0] * (np.sqrt(RHO[0]) * effects[:, None] + np.sqrt(1 - RHO[0]) * luck))
    for stop in (np.inf, 1.5):
        low, high = rtd[0].band(0.8, mean=True, t=stop)
        means = np.minimum(runs, stop).mean(axis=1)
        # The noise of a mean of 400 runs adds 0.4 % outside; the band of the median would hold 66 %.
        assert np.mean((means >= low) & (means <= high)) == pytest.approx(0.8, abs=0.02)


def test_band_of_the_mean_after_waiting_runs_and_copies(rtd):
    runs = np.array([[3.0], [7.0], [0.2]])
    for law, power, waited in ((rtd.given_alive(0.5), 1, 0.5), (rtd.given_runs(runs).minimum_of(3), 3, 0.0)):
        values = law._mixture.with_belief().effect.quantiles((0.05, 0.95))
        for value, found in zip(values, law.band(0.9, mean=True), strict=True):
            for row in range(2):

                def left(y, row=row, value=value, waited=waited, power=power):
                    alive = given_effect(row, value[row], waited) if waited else 1.0
                    return np.exp(y) * (given_effect(row, value[row], waited + np.exp(y)) / alive) ** power

                assert found[row] == pytest.approx(integrate.quad(left, -25, 8, limit=200)[0], rel=1e-6)


def test_means_of_instances_may_be_finite_where_the_mean_of_all_is_not():
    # Survival falls like t^-0.9 for a run of any instance, and like t^-(0.9 / (1 - size)) for runs of one.
    marginal = RuntimeDistribution(LogLogistic(scale=[1.0, 1.0], shape=[0.9, 0.9]))
    rtd = InstanceRuntimes(marginal, InstanceEffect.of([0.05, 0.5], 2))
    low, high = rtd.band(0.9, mean=True)
    assert np.isinf(low[0])
    assert np.isinf(high[0])
    assert 0 < low[1] < high[1] < np.inf
    assert np.all(np.isfinite(rtd.band(0.9, mean=True, t=100.0)))


def test_ignorance_of_two_humps_is_that_of_the_integral():
    humps = LogNormal(loc=[[0.0, 2.0], [-1.0, 4.0], [0.0, 0.1]], scale=[[0.2, 0.5], [1.0, 0.3], [2.0, 0.1]])
    rtd = InstanceRuntimes(RuntimeDistribution(humps, [0.7, 0.3]), InstanceEffect.of([0.05, 0.4, 0.8], 3))
    np.testing.assert_allclose(rtd.unsure_share(), rtd._mixture.share_between(np.log), atol=0.01)


def share_of_steps(values, cdf, size):
    """Fraction between instances, by the definition, of log times `values` with these probabilities up to each."""
    effects = np.linspace(-8.0, 8.0, 801)
    weights = stats.norm.pdf(effects) / stats.norm.pdf(effects).sum()
    passed = stats.norm.cdf((stats.norm.ppf(cdf) - np.sqrt(size) * effects[:, None]) / np.sqrt(1 - size))
    means = np.diff(passed, axis=1, prepend=0.0) @ values
    variance, mean = np.diff(cdf, prepend=0.0) @ values**2, np.diff(cdf, prepend=0.0) @ values
    return (weights @ means**2 - (weights @ means) ** 2) / (variance - mean**2)


def test_ignorance_in_log_time_is_that_of_the_definition():
    rng = np.random.default_rng(0)
    smooth = LogNormal(rng.normal(size=(8, 30)), rng.uniform(0.2, 1.5, size=(8, 30)))
    marginal, sizes = RuntimeDistribution(smooth, rng.dirichlet(np.full(30, 0.3), size=8)), np.linspace(0.1, 0.9, 8)
    found = InstanceRuntimes(marginal, InstanceEffect.of(sizes, 8)).unsure_share()
    log_times = np.linspace(-12.0, 12.0, 4001)
    for row, size in enumerate(sizes):
        cdf = marginal[row].cdf(np.exp(log_times + 0.003))[0]
        assert found[row] == pytest.approx(share_of_steps(log_times, cdf, size), abs=2e-4)


def test_ignorance_about_spikes_is_that_of_the_definition():
    places, sizes = np.array([0.0, 3.0, 7.3]), [0.05, 0.3, 0.9]
    spikes = RuntimeDistribution(LogNormal(np.tile(places, (3, 1)), 1e-5), [0.5, 0.3, 0.2])
    found = InstanceRuntimes(spikes, InstanceEffect.of(sizes, 3)).unsure_share()
    expected = [share_of_steps(places, np.array([0.5, 0.8, 1.0]), size) for size in sizes]
    np.testing.assert_allclose(found, expected, atol=3e-3)


def test_variance_splits_into_ignorance_and_luck(rtd):
    np.testing.assert_allclose(rtd.unsure_share(), RHO, rtol=1e-6)
    expected = np.exp(2 * LOC + SCALE**2) * np.expm1(RHO * SCALE**2)
    np.testing.assert_allclose(rtd.epistemic()[:2], expected[:2], rtol=1e-4)
    np.testing.assert_allclose(rtd.epistemic() + rtd.aleatoric(), rtd.variance())


def test_copies_share_the_instance(rtd):
    fastest = rtd.minimum_of(4)
    for row in range(3):
        expected = [averaged(lambda a, t=t, row=row: given_effect(row, a, t) ** 4) for t in TIMES]
        np.testing.assert_allclose(fastest.sf(TIMES)[row], expected, rtol=1e-6, atol=1e-9)
    assert np.all(fastest.sf(TIMES) >= rtd.minimum_of(4, independent=True).sf(TIMES) - 1e-12)
    np.testing.assert_allclose(fastest.cdf(fastest.quantile([0.01, 0.5, 0.99])), [[0.01, 0.5, 0.99]] * 3, rtol=1e-6)
    np.testing.assert_allclose(rtd.minimum_of(2).minimum_of(2).cdf(TIMES), fastest.cdf(TIMES), rtol=1e-9)
    np.testing.assert_allclose(rtd.minimum_of(1).median(), rtd.median(), rtol=1e-6)


def test_moments_of_a_minimum_are_integrals_of_its_survival(rtd):
    fastest = rtd[:2].minimum_of(3)
    for row in range(2):
        one = fastest[row]
        grid = np.linspace(0, float(one.quantile(0.999999)[0]), 40_001)
        assert one.mean()[0] == pytest.approx(integrate.simpson(one.sf(grid)[0], x=grid), rel=1e-4)
        inside = np.linspace(0, 0.7, 4001)
        assert one.restricted_mean(0.7)[0] == pytest.approx(integrate.simpson(one.sf(inside)[0], x=inside), rel=1e-2)
    assert fastest.sample(4000).mean(axis=1) == pytest.approx(fastest.mean(), rel=0.1)


def test_waiting_before_and_after_a_minimum(rtd):
    def both_alive(row, a, t):
        return (given_effect(row, a, 0.5 + t) / given_effect(row, a, 0.5)) ** 2

    # Runs that wait first: one run has survived 0.5 s, then its law starts in two fresh copies of the time left.
    waited = rtd.given_alive(0.5).minimum_of(2)
    # Copies first: both have survived.
    copied = rtd.minimum_of(2).given_alive(0.5)
    for row in range(2):
        for law, power in ((waited, 1), (copied, 2)):
            weight = averaged(lambda a, row=row, p=power: given_effect(row, a, 0.5) ** p)
            expected = averaged(lambda a, row=row, p=power: given_effect(row, a, 0.5) ** p * both_alive(row, a, 0.7))
            assert law.sf(0.7)[row] == pytest.approx(expected / weight, rel=1e-5)


def test_a_run_that_goes_on_is_evidence_of_a_hard_instance(rtd):
    low, high = rtd.band(0.9)
    later_low, later_high = rtd.given_alive(3.0).band(0.9)
    assert np.all((later_low[[0, 2]] > low[[0, 2]]) & (later_high[[0, 2]] > high[[0, 2]]))


def test_finished_runs_update_a_gaussian(rtd):
    runs = np.array([[3.0, 5.0, np.nan], [7.0, np.nan, np.nan], [0.1, 0.2, 0.4]])
    after = rtd.given_runs(runs)
    scores = (np.log(runs) - LOC[:, None]) / SCALE[:, None]
    count = (~np.isnan(runs)).sum(axis=1)
    spread = 1 / (1 + count * RHO / (1 - RHO))
    mean = spread * np.sqrt(RHO) * np.nansum(scores, axis=1) / (1 - RHO)
    loc, scale = LOC + SCALE * np.sqrt(RHO) * mean, SCALE * np.sqrt(1 - RHO + RHO * spread)
    for q in (0.05, 0.5, 0.95):
        np.testing.assert_allclose(after.quantile(q), stats.lognorm.ppf(q, scale, scale=np.exp(loc)), rtol=1e-5)
    np.testing.assert_allclose(after.mean(), np.exp(loc + scale**2 / 2), rtol=1e-5)
    np.testing.assert_allclose(np.exp(after.log_pdf(2.0)), stats.lognorm.pdf(2.0, scale, scale=np.exp(loc)), rtol=1e-5)
    np.testing.assert_allclose(after.unsure_share(), RHO * spread / (1 - RHO + RHO * spread), rtol=1e-4)
    again = rtd.given_runs(runs[:, :1]).given_runs(runs[:, 1:])
    np.testing.assert_allclose(again.median(), after.median(), rtol=1e-9)


def test_censored_runs_count_with_their_survival(rtd):
    after = rtd.given_runs(np.full((3, 2), 4.0), np.array([[False, True]] * 3))

    def evidence(row, a):
        density = stats.norm.pdf((np.log(4.0) - LOC[row]) / SCALE[row], np.sqrt(RHO[row]) * a, np.sqrt(1 - RHO[row]))
        return given_effect(row, a, 4.0) * density

    for row in range(3):
        weight = averaged(lambda a, row=row: evidence(row, a))
        expected = averaged(lambda a, row=row: evidence(row, a) * given_effect(row, a, 2.0)) / weight
        assert after.sf(2.0)[row] == pytest.approx(expected, rel=1e-5)


def test_the_joint_density_is_that_of_correlated_normals(rtd):
    runs = np.array([[3.0, 5.0, 0.4], [7.0, 6.0, 9.0], [0.1, 0.2, 0.4]])
    every = np.ones(runs.shape, dtype=bool)
    for row, value in enumerate(rtd.log_joint(runs, every, every)):
        covariance = SCALE[row] ** 2 * (RHO[row] + (1 - RHO[row]) * np.eye(3))
        expected = stats.multivariate_normal.logpdf(np.log(runs[row]), np.full(3, LOC[row]), covariance)
        assert value == pytest.approx(expected - np.log(runs[row]).sum(), rel=1e-7)


def test_rows_and_words(rtd):
    np.testing.assert_allclose(rtd.given_runs(np.full((3, 1), 2.0))[[2]].median(), rtd[2].given_runs([[2.0]]).median())
    assert repr(rtd).endswith("instance effect 0.1 to 0.8)")
    assumed = InstanceRuntimes(rtd.marginal, InstanceEffect.of(0.12, 3, assumed=True))
    assert repr(assumed).endswith("instance effect 0.12, assumed)")
    assert len(rtd[:0]) == 0
    assert "none" in repr(rtd[:0])


def test_a_mean_that_is_infinite_stays_so():
    heavy = InstanceRuntimes(RuntimeDistribution(LogLogistic(scale=[1.0], shape=[0.9])), InstanceEffect.of(0.3, 1))
    assert np.isinf(heavy.mean()[0])
    assert np.isinf(heavy.given_runs([[2.0]]).mean()[0])


def test_many_rows_are_taken_in_blocks():
    n = 300
    rtd = InstanceRuntimes(RuntimeDistribution(LogNormal(np.zeros(n), np.ones(n))), InstanceEffect.of(0.3, n))
    runs = np.exp(np.linspace(-1, 1, n))[:, None]
    after, last = rtd.given_runs(runs), rtd[[n - 1]].given_runs(runs[-1:])
    for ask in ("median", "mean", "unsure_share", "epistemic"):
        np.testing.assert_allclose(getattr(after, ask)()[-1:], getattr(last, ask)())


def test_bad_input_is_refused(rtd):
    for runs in ([1.0, 2.0, 3.0], [[1.0]], np.full((3, 1), -1.0), np.full((3, 1), np.inf)):
        with pytest.raises(RuntimeDataError, match="runs"):
            rtd.given_runs(runs)
    for flags in ([[1.0]] * 3, [[True, False]] * 3):
        with pytest.raises(RuntimeDataError, match="expected booleans of shape"):
            rtd.given_runs(np.ones((3, 1)), flags)
    for later in (rtd.given_alive(1.0), rtd.minimum_of(2)):
        with pytest.raises(SettingError, match="condition on runs first"):
            later.given_runs(np.ones((3, 1)))
    with pytest.raises(SettingError, match="before given_runs"):
        rtd.minimum_of(2).minimum_of(2, independent=True)
    with pytest.raises(SettingError, match="expected a RuntimeDistribution of 2 rows"):
        InstanceRuntimes(rtd.marginal, InstanceEffect.of(0.1, 2))


def test_survival_of_a_harder_instance(rtd):
    log_sf = rtd.log_sf_given([-1.0, 0.5], TIMES)
    for row in range(3):
        expected = [given_effect(row, -1.0, TIMES), given_effect(row, 0.5, TIMES)]
        np.testing.assert_allclose(np.exp(log_sf[row]), expected, rtol=1e-9)
    assert rtd.log_sf_given(np.zeros((3, 1)), 2.0).shape == (3, 1)
    assert (rtd.log_sf_given([0.0], [0.0, np.inf]) == [0.0, -np.inf]).all()


@pytest.mark.parametrize(
    "seen",
    [
        lambda r: r,
        lambda r: r.given_runs([[5.0, 7.0]] * 3, [[True, False]] * 3),
        lambda r: r.given_alive(1.5),
        lambda r: r.given_alive(0.5).minimum_of(3),
    ],
)
def test_instances_of_all_hardness_average_to_the_prediction(rtd, seen):
    hardness = stats.norm.ppf((np.arange(4000) + 0.5) / 4000)
    average = np.exp(seen(rtd).log_sf_given(hardness, TIMES)).mean(axis=1)
    np.testing.assert_allclose(average, seen(rtd).sf(TIMES), atol=1e-3)


@pytest.mark.parametrize("bad", ["hard", [[0.0], [0.0]], 0.0, [np.nan]])
def test_hardness_is_normal_scores_of_each_row(rtd, bad):
    with pytest.raises(SettingError, match="hardness"):
        rtd.log_sf_given(bad, 1.0)


def test_concat_keeps_the_effect_of_each_row(rtd):
    seen = rtd[[0]].given_runs([[5.0, 7.0]])
    joined = InstanceRuntimes.concat([seen, rtd[[1, 2]]])
    for part, whole in ((seen, joined[[0]]), (rtd[[1, 2]], joined[[1, 2]])):
        np.testing.assert_allclose(whole.cdf(TIMES), part.cdf(TIMES), atol=1e-8)
        # After `given_runs` of one row, the belief about every row is on a grid of the effect, 1/8 apart.
        np.testing.assert_allclose(whole.band(0.9), part.band(0.9), rtol=5e-3)
    with pytest.raises(SettingError, match="call given_alive or minimum_of afterwards"):
        InstanceRuntimes.concat([rtd, rtd.given_alive(1.0)])
    with pytest.raises(SettingError, match="found RuntimeDistribution"):
        InstanceRuntimes.concat([rtd, rtd.marginal])
