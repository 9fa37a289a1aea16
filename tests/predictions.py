"""Predictions and runs to score, shared by the tests."""

import numpy as np

from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution


def mixtures(n: int = 6, size: int = 4, seed: int = 0) -> RuntimeDistribution:
    """Mixtures of lognormal components, one row per instance."""
    rng = np.random.default_rng(seed)
    return RuntimeDistribution(
        LogNormal(rng.normal(1, 0.7, (n, size)), rng.uniform(0.2, 0.9, (n, size))), rng.uniform(0.1, 1, (n, size))
    )


def with_runs(
    k: int, n: int = 6, cutoff: float = np.inf, seed: int = 0
) -> tuple[RuntimeDistribution, np.ndarray, np.ndarray]:
    """Mixtures and k runs per instance that are 1.3 times as long, some of them cut off."""
    rtd = mixtures(n=n, seed=seed)
    seconds = 1.3 * rtd.sample(k, random_state=seed + 1)
    return rtd, np.minimum(seconds, cutoff), seconds < cutoff


def with_a_censored_run(seconds):
    """The same finished runs, and one more per instance that was cut off after 2 s."""
    finished = np.ones(seconds.shape, dtype=bool)
    return np.pad(seconds, ((0, 0), (0, 1)), constant_values=2.0), np.pad(finished, ((0, 0), (0, 1)))


def grid_integral(function, upto, points=100_001):
    """Integral over [0, upto] on a grid that is fine near 0."""
    x = upto * np.linspace(0, 1, points) ** 3
    y = function(x)
    return np.sum(0.5 * (y[1:] + y[:-1]) * np.diff(x))


def longest(rtd, runtimes, finished=None):
    """A toy score: the longest run of each instance."""
    return np.nanmax(runtimes, axis=1)
