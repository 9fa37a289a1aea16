"""Sums without logs of single terms against the general way, which has them."""

import numpy as np
import pytest

from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.lognormal_sums import LogNormalSums
from bayes_distnet.distributions.mixture import Mixture


def mixture_of(n, size, *, shared):
    rng = np.random.default_rng(n + size)
    weights = rng.dirichlet(np.full(size, 0.3), size=1 if shared else n)
    weights[:, 0] = 0.0  # a component may have no weight
    log_weights = np.log(
        weights / weights.sum(axis=1, keepdims=True), where=weights > 0, out=np.full(weights.shape, -np.inf)
    )
    components = LogNormal(3.0 * rng.normal(size=(n, size)), rng.uniform(0.05, 2.0, size=(n, size)))
    return Mixture(components, log_weights, np.zeros(n), np.ones(n), np.ones(n))


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("common", [False, True])
def test_sums_are_those_of_the_general_way(shared, common):
    mixture = mixture_of(7, 12, shared=shared)
    # From where no term of the survival has left one, to where every term underflows.
    x = np.exp(np.linspace(-90.0, 90.0, 400))[None]
    x = x if common else np.repeat(x, 7, axis=0) * np.linspace(0.9, 1.1, 7)[:, None]
    with np.errstate(all="ignore"):
        sums = LogNormalSums(mixture.components, mixture.weights, mixture.log_weights, x)
        log_sf, log_pdf = mixture._mix(mixture._copy_log_sf(x)), mixture._mix_density(x, None)
        np.testing.assert_allclose(sums.log_sf(), log_sf, rtol=1e-12, atol=0)
        np.testing.assert_allclose(sums.log_pdf(), log_pdf, rtol=1e-12, atol=1e-12)
    assert log_sf.min() < -700  # the deep tail is among them
    assert -1e-20 < log_sf.max() <= 0  # and so is the start
