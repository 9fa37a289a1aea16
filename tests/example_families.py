"""Families to test with: parameters, references in SciPy, and values with JAX."""

import contextlib
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from bayes_distnet.distributions.families import FAMILIES, LogNormal

# Parameters (three rows each) and the same distribution in SciPy.
EXAMPLES = {
    "lognormal": (LogNormal([0.0, -3.0, 4.0], [1.0, 0.2, 1.5]), lambda m, s: stats.lognorm(s, scale=np.exp(m))),
    "inverse-gaussian": (
        FAMILIES["inverse-gaussian"]([1.0, 0.05, 60.0], [2.0, 1.0, 20.0]),
        lambda mu, lam: stats.invgauss(mu / lam, scale=lam),
    ),
    "exponential": (FAMILIES["exponential"]([1.0, 0.05, 60.0]), lambda s: stats.expon(scale=s)),
    "weibull": (
        FAMILIES["weibull"]([1.0, 0.05, 60.0], [1.0, 5.0, 0.6]),
        lambda s, k: stats.weibull_min(k, scale=s),
    ),
    "gamma": (FAMILIES["gamma"]([1.0, 20.0, 0.4], [1.0, 0.002, 90.0]), lambda k, s: stats.gamma(k, scale=s)),
    "loglogistic": (
        FAMILIES["loglogistic"]([1.0, 0.05, 60.0], [2.5, 9.0, 3.0]),
        lambda s, k: stats.fisk(k, scale=s),
    ),
}


every_family = pytest.mark.parametrize("name", FAMILIES)


def example(name):
    family, reference_of = EXAMPLES[name]
    family = type(family)(*(np.asarray(p) for p in family.parameters().values()))
    return family, reference_of(*family.parameters().values())


@functools.cache
def compiled(name):
    """Return log_prob and log_sf and their gradients, as a function of 256 points (256, arguments), compiled."""

    def both(point):
        t, *theta = point
        family = FAMILIES[name](*theta)
        return jnp.stack([family.log_prob(t), family.log_sf(t)])

    def evaluate(points):
        value, pullback = jax.vjp(jax.vmap(both), points)
        ones, zeros = jnp.ones(256, points.dtype), jnp.zeros(256, points.dtype)
        slopes = [pullback(jnp.stack(pair, -1))[0] for pair in ((ones, zeros), (zeros, ones))]
        return value, jnp.stack(slopes, -1)

    return jax.jit(evaluate)


def values_and_slopes(name, points, dtype):
    """Return values (n, 2) and gradients (n, arguments, 2) with JAX in a dtype."""
    with jax.enable_x64(True) if dtype == "float64" else contextlib.nullcontext():
        padded = np.resize(points, (-(-len(points) // 256) * 256, points.shape[1]))
        parts = [compiled(name)(jnp.asarray(part, dtype)) for part in padded.reshape(-1, 256, points.shape[1])]
        values, slopes = (np.concatenate([np.asarray(p[i], float) for p in parts]) for i in (0, 1))
    return values[: len(points)], slopes[: len(points)]
