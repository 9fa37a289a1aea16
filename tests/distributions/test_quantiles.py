"""Quantiles of mixtures."""

import numpy as np
import pytest
import scipy.stats
from example_mixtures import LEVELS, derived, tame, wild

from bayes_distnet.distributions.families import FAMILIES, Gamma, LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution


@pytest.mark.parametrize("make", [tame, wild])
@pytest.mark.parametrize("name", FAMILIES)
def test_quantile_inverts_cdf(name, make):
    for label, rtd in derived(make(name)).items():
        q = rtd.quantile(LEVELS)
        assert np.all(np.isfinite(q) & (q >= 0)), label
        assert np.all(np.diff(q, axis=1) >= 0), label
        assert np.abs(rtd.cdf(q) - LEVELS).max() < 1e-9, label
        if label in ("as it is", "minimum", "shared minimum"):
            assert rtd.cdf(q)[:, 0] == pytest.approx(np.full(len(rtd), 1e-9), rel=1e-9), label


def test_quantile_of_one_component_is_that_of_the_family():
    rtd = RuntimeDistribution(Gamma(shape=[0.5, 3.0], scale=[2.0, 1.0]))
    exact = scipy.stats.gamma.ppf([[0.01, 0.5]], [[0.5], [3.0]], scale=[[2.0], [1.0]])
    assert rtd.quantile([0.01, 0.5]) == pytest.approx(exact, rel=1e-10)


def test_quantile_in_a_gap_between_components_lies_in_the_gap():
    rtd = RuntimeDistribution(LogNormal(loc=[[-10.0, 10.0]], scale=1e-3))
    assert np.exp(-9.9) < rtd.median()[0] < np.exp(9.9)
    assert np.log(rtd.quantile([0.25, 0.75])[0]) == pytest.approx([-10.0, 10.0], abs=1e-12)


def test_quantile_with_many_components_and_uneven_weights():
    rng = np.random.default_rng(3)
    weights = rng.dirichlet(np.full(300, 0.05), size=20)  # most of the weight on a few of 300
    rtd = RuntimeDistribution(LogNormal(rng.normal(0, 3, (20, 300)), rng.uniform(0.01, 2, (20, 300))), weights)
    assert np.abs(rtd.cdf(rtd.quantile(LEVELS)) - LEVELS).max() < 1e-12
