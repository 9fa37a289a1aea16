import numpy as np
import pytest
from scenarios import observations

from bayes_distnet import RuntimeDistribution
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.models.imputation import draw_beyond, schmee_hahn


def test_imputed_runs_follow_the_prediction_past_the_cutoff():
    rtd = RuntimeDistribution(LogNormal(np.zeros((1, 1)), np.ones((1, 1))))
    runs = observations(np.zeros(2001, int), np.r_[0.5, np.full(2000, 2.0)], np.r_[True, np.zeros(2000, bool)])
    imputed = draw_beyond(rtd, runs, spread=10.0, seed=0)
    assert imputed.shape == (10, 2001)
    assert (imputed[:, 0] == np.log(0.5)).all()
    drawn = imputed[:, 1:].ravel()
    assert drawn.min() >= np.log(2.0)
    expected = rtd.given_alive(2.0).quantile([0.25, 0.5, 0.75])[0] + 2.0
    np.testing.assert_allclose(np.quantile(drawn, [0.25, 0.5, 0.75]), np.log(expected), atol=0.02)


def test_imputed_runs_stay_within_reach():
    rtd = RuntimeDistribution(LogNormal(np.full((1, 1), 50.0), np.ones((1, 1))))
    runs = observations([0, 0], [1.0, 2.0], [True, False])
    assert draw_beyond(rtd, runs, spread=0.5, seed=0).max() == pytest.approx(np.log(2.0) + 1.5)


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
