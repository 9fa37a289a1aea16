import numpy as np
import pytest
from scipy import stats

from bayes_distnet.decide.laws.law_table import LawTable, hardness_scores
from bayes_distnet.distributions.families import Exponential, LogLogistic, LogNormal, Weibull
from bayes_distnet.distributions.instance_effect import InstanceEffect
from bayes_distnet.distributions.instance_runtimes import InstanceRuntimes
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution


def test_an_exponential_is_tabulated_exactly():
    table = LawTable.of(RuntimeDistribution(Exponential(scale=[2.0])), hardness=[0.0])
    np.testing.assert_allclose(table.spent[0, 0], 2.0 * -np.expm1(-table.times[0] / 2.0), rtol=1e-9)
    np.testing.assert_allclose(table.mean, 2.0, rtol=1e-4)


@pytest.mark.parametrize("family", [LogNormal(loc=[1.0], scale=[1.5]), Weibull(scale=[3.0], shape=[0.5])])
def test_restricted_means_are_those_of_the_distribution(family):
    rtd = RuntimeDistribution(family)
    table = LawTable.of(rtd, hardness=[0.0])
    np.testing.assert_allclose(table.spent[0, 0], rtd.restricted_mean(table.times[0])[0], rtol=2e-3)
    np.testing.assert_allclose(table.mean[0, 0], rtd.mean()[0], rtol=5e-3)


def test_a_mean_that_does_not_exist_is_infinite():
    table = LawTable.of(RuntimeDistribution(LogLogistic(scale=[1.0], shape=[0.9])), hardness=[0.0])
    assert np.isposinf(table.mean).all()
    assert np.isfinite(table.spent).all()


def test_distributions_run_from_easy_to_hard_and_average_to_the_prediction():
    marginal = RuntimeDistribution(LogNormal(loc=[0.0, 3.0], scale=[1.0, 2.0]))
    rtd = InstanceRuntimes(marginal, InstanceEffect.of([0.36, 0.8], 2))
    table = LawTable.of(rtd)
    assert (np.diff(table.mean, axis=1) > 0).all()
    np.testing.assert_allclose(table.sf.mean(axis=1), rtd.sf(table.times), atol=4e-3)
    scale = np.sqrt(1 - 0.36)
    expected = stats.norm.sf((np.log(table.times[0]) - 0.6 * hardness_scores()[3]) / scale)
    np.testing.assert_allclose(table.sf[0, 3], expected, atol=1e-9)


def test_almost_deterministic_laws_and_wide_ones_stay_finite():
    table = LawTable.of(RuntimeDistribution(LogNormal(loc=[0.0, 300.0], scale=[1e-9, 20.0])), hardness=[0.0])
    np.testing.assert_allclose(table.mean[0], 1.0, rtol=1e-3)
    assert not np.isnan(table.mean).any()
    assert (np.diff(table.times) > 0).all()
