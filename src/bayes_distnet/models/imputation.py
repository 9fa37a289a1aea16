"""Values in place of runs that were cut off."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import log_ndtr

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.censored import log_location_and_spread

ROUNDS, FOREST_ROUNDS = 200, 15  # at most


SETTLED = 3e-3  # of the spread of log time


def schmee_hahn(
    observations: Observations, fit: Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]], rounds: int
) -> None:
    """Impute cut-off runs by their expected log runtime past the cutoff, fit, and again until that settles.

    The first round takes one censored lognormal for all runs. `fit` takes log runtimes and their variances, and returns
    location and scale of every instance, best from data without it. The variance is what an imputed value still leaves
    open: without it every round would shrink the spread, and a model would be surest where it knows least.
    """
    log_times = np.log(observations.seconds)
    variance = np.zeros_like(log_times)
    cut = ~observations.finished
    if not cut.any():
        fit(log_times, variance)
        return
    at, cutoff = observations.instance[cut], log_times[cut]
    overall = log_location_and_spread(observations.seconds, observations.finished)
    loc, scale = (np.full(observations.n_instances, value) for value in overall)
    tolerance = SETTLED * overall[1]
    for _ in range(rounds):
        z = (cutoff - loc[at]) / scale[at]
        # Mean and variance of a normal beyond z, through the inverse Mills ratio.
        mills = np.exp(-0.5 * z**2 - 0.5 * np.log(2 * np.pi) - log_ndtr(-z))
        expected = np.maximum(loc[at] + scale[at] * mills, cutoff)
        moved = float(np.abs(expected - log_times[cut]).mean())
        log_times[cut] = expected
        variance[cut] = scale[at] ** 2 * np.maximum(1.0 + z * mills - mills**2, 0.0)
        loc, scale = fit(log_times, variance)
        if moved < tolerance:
            return
