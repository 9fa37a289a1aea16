"""Data with a known answer, shared by the tests."""

import numpy as np

from bayes_distnet.data.observations import Observations


def log_linear(n, cutoff=np.inf, seed=0):
    """One feature x in [0, 1], log T ~ N(3.664 x, 0.5^2): the median at x = 0.6 is 9.0 s."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=(n, 1))
    t = np.exp(3.662 * x[:, 0] + 0.5 * rng.normal(size=n))
    return x, np.minimum(t, cutoff), t <= cutoff


def observations(instance, seconds, finished=None):
    instance, seconds = np.asarray(instance), np.asarray(seconds, dtype=float)
    flags = np.ones(len(seconds), dtype=bool) if finished is None else np.asarray(finished)
    return Observations(instance, seconds, flags, int(instance.max()) + 1)
