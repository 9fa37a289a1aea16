import numpy as np
import pytest
from scipy import stats

from bayes_distnet.distributions.families import LogNormal, Weibull
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution


def test_share_between_lognormal_draws_is_that_of_their_locations():
    rtd = RuntimeDistribution(LogNormal([[0.0, 2.0]], [[1.0, 2.0]]), [[0.25, 0.75]])
    between, within = 0.25 * 0.75 * 4.0, 0.25 * 1.0 + 0.75 * 4.0
    assert rtd.unsure_share() == pytest.approx(between / (between + within))


def test_components_of_one_draw_do_not_disagree():
    rtd = RuntimeDistribution(LogNormal([[0.0, 2.0]], [[1.0, 1.0]]), draws=[0, 0])
    assert rtd.unsure_share() == pytest.approx(0.0)


def test_share_between_draws_of_other_families():
    scale, shape = np.array([1.0, 4.0]), np.array([0.8, 3.0])
    logs = np.log(stats.weibull_min.rvs(shape, scale=scale, size=(400_000, 2), random_state=0))
    between, within = logs.mean(axis=0).var(), logs.var(axis=0).mean()
    rtd = RuntimeDistribution(Weibull(scale[None], shape[None]))
    assert rtd.unsure_share() == pytest.approx(between / (between + within), rel=0.01)


def test_runs_are_independent_given_the_draw():
    rtd = RuntimeDistribution(LogNormal([[0.0, 2.0]], [[1.0, 0.5]]), [[0.3, 0.7]])
    runs, present = np.array([[1.0, 5.0, 1.0]]), np.array([[True, True, False]])
    finished = np.array([[True, False, False]])
    by_draw = [stats.lognorm(1.0), stats.lognorm(0.5, scale=np.exp(2.0))]
    expected = np.log(sum(w * law.pdf(1.0) * law.sf(5.0) for w, law in zip((0.3, 0.7), by_draw, strict=True)))
    assert rtd.log_joint(runs, finished, present) == pytest.approx(expected)
