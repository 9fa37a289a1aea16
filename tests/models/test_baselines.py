import numpy as np
import pytest
from scenarios import log_linear, observations

from bayes_distnet import KNearest, Marginal, RandomForest, Ridge
from bayes_distnet.distributions.censored import censored_maximum_likelihood
from bayes_distnet.distributions.families import FAMILIES
from bayes_distnet.models.imputation import schmee_hahn


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_censored_maximum_likelihood_recovers_the_law(family):
    rng = np.random.default_rng(0)
    true = FAMILIES[family].from_raw(np.array([0.3, -0.5]), 1.0, 0.8)
    t = np.asarray(true.sample(rng, 20_000))
    cutoff = np.quantile(t, 0.6)
    fitted = censored_maximum_likelihood(family, np.minimum(t, cutoff), t < cutoff)
    levels = np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(fitted.quantile(levels), true.quantile(levels), rtol=0.06)


def test_one_finished_run_among_many_still_gives_a_distribution():
    seconds, finished = np.r_[1.0, np.full(99, 2.0)], np.r_[True, np.zeros(99, bool)]
    fitted = censored_maximum_likelihood("lognormal", seconds, finished)
    assert np.isfinite(float(fitted.loc))
    assert float(fitted.quantile(0.5)) > 2.0


@pytest.mark.parametrize("model", [RandomForest(), Ridge(), KNearest()], ids=lambda m: type(m).__name__)
def test_baselines_see_past_the_cutoff(model):
    x, t, finished = log_linear(n=1500, cutoff=8.0)
    assert 0.3 < finished.mean() < 0.65
    median = model.fit(x, t, finished=finished).predict([[0.6]])
    naive = model.fit(x, t).predict([[0.6]])
    # The true median is 9.0 s, behind the cutoff of 8 s; counting cut-off runs as finished cannot get there.
    assert abs(np.log(median / 9.0)) < 0.2
    assert abs(np.log(naive / 9.0)) > 0.2


@pytest.mark.parametrize("model", [RandomForest(), Ridge(), KNearest(), Marginal()], ids=lambda m: type(m).__name__)
def test_spread_is_the_runs_own(model):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2))
    rtd = model.fit(x, rng.lognormal(1.0, 0.5, size=(300, 5))).predict_distribution(x[:50])
    spread = np.log(rtd.quantile(0.8413) / rtd.quantile(0.1587)) / 2
    np.testing.assert_allclose(spread.mean(), 0.5, rtol=0.1)


def test_schmee_hahn_is_the_censored_normal_fit_without_features():
    rng = np.random.default_rng(0)
    y = rng.normal(1.0, 0.7, 4000)
    runs = observations(np.arange(4000), np.exp(np.minimum(y, 1.2)), y < 1.2)
    found = {}

    def one_normal(log_times, variance):
        found["loc"] = log_times.mean()
        found["scale"] = np.sqrt(((log_times - found["loc"]) ** 2 + variance).mean())
        return np.full(4000, found["loc"]), np.full(4000, found["scale"])

    schmee_hahn(runs, one_normal, rounds=200)
    assert found["loc"] == pytest.approx(1.0, abs=0.04)
    assert found["scale"] == pytest.approx(0.7, abs=0.04)


def test_neighbours_are_those_of_the_features():
    x = np.arange(20.0)[:, None]
    seconds = np.where(x[:, 0] < 10, 1.0, 100.0)
    low, high = KNearest(n_neighbors=3).fit(x, seconds).predict([[2.0], [17.0]])
    assert low == pytest.approx(1.0, rel=1e-6)
    assert high == pytest.approx(100.0, rel=1e-6)


@pytest.mark.parametrize("share", [0.6, 0.8, 0.95])
def test_the_censored_lognormal_is_the_maximum_however_much_is_cut_off(share):
    log_times = np.random.default_rng(0).normal(size=4000)
    cutoff = np.quantile(log_times, 1 - share)
    fitted = censored_maximum_likelihood("lognormal", np.exp(np.minimum(log_times, cutoff)), log_times < cutoff)
    assert float(fitted.loc) == pytest.approx(0.0, abs=0.25)
    assert float(fitted.scale) == pytest.approx(1.0, rel=0.15)
