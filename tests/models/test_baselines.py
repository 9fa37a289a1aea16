import numpy as np
import pytest
from scenarios import log_linear

from bayes_distnet import KNearest, Marginal, RandomForest, Ridge
from bayes_distnet.distributions.censored import censored_maximum_likelihood


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
