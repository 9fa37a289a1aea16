import numpy as np
import pytest
from scenarios import observations

from bayes_distnet import RuntimeDistribution
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.models.pooling import pool_weights, run_scores


def test_pool_weights_find_the_better_predictor():
    rng = np.random.default_rng(0)
    good, bad = rng.normal(0.0, 0.1, 500), rng.normal(-1.0, 0.1, 500)
    weights = pool_weights([good, bad])
    assert weights.sum() == pytest.approx(1.0)
    assert weights[0] > 0.95


def test_pool_weights_maximise_the_log_score():
    rng = np.random.default_rng(1)
    # Two experts, each right about a part of the runs: the optimum is inside.
    a = np.where(rng.random(4000) < 0.7, np.log(1.0), np.log(0.1))
    b = np.where(a == 0.0, np.log(0.1), np.log(1.0))
    best = max(np.linspace(0.01, 0.99, 99), key=lambda w: np.log(w * np.exp(a) + (1 - w) * np.exp(b)).sum())
    assert pool_weights([a, b])[0] == pytest.approx(best, abs=0.02)


def test_run_scores_take_density_or_survival():
    rtd = RuntimeDistribution(LogNormal(np.zeros((2, 1)), np.ones((2, 1))))
    runs = observations([0, 1, 1], [1.0, 2.0, 3.0], [True, False, True])
    expected = [rtd.log_pdf(1.0)[0], rtd.log_sf(2.0)[1], rtd.log_pdf(3.0)[1]]
    np.testing.assert_allclose(run_scores(rtd, runs), expected)
