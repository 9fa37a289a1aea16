"""Values in place of censored runs: expectations, and draws."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.censored import log_location_and_spread
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.distributions.special.normal import normal_beyond

ROUNDS, FOREST_ROUNDS = 200, 15  # at most
SETTLED = 3e-3  # mean change per round, in spreads of log time, below which the scheme stops
IMPUTATIONS = 10
IMPUTED_REACH = 3.0  # spreads of log time between the largest observed runtime and the largest draw


def schmee_hahn(
    observations: Observations, fit: Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]], rounds: int
) -> None:
    """Fit, replace every censored run by its expected log runtime past the cutoff, and repeat until that settles.

    The scheme is that of Schmee and Hahn (1979). The first round takes one censored lognormal for all runs.

    Parameters
    ----------
    observations : Observations
        Runs of all instances.
    fit : callable
        Takes log runtimes and their variances; returns location and scale of every instance, preferably from data
        without that instance. The variance is the uncertainty that an imputed value leaves: without it every round
        would shrink the spread, and a model would be surest where it has the least information.
    rounds : int
        Largest number of rounds.
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
    for _ in range(rounds):
        beyond, left_open = normal_beyond((cutoff - loc[at]) / scale[at])
        expected = np.maximum(loc[at] + scale[at] * beyond, cutoff)
        moved = float(np.abs(expected - log_times[cut]).mean())
        log_times[cut] = expected
        variance[cut] = scale[at] ** 2 * left_open
        loc, scale = fit(log_times, variance)
        if moved < SETTLED * overall[1]:
            return


def draw_beyond(rtd: RuntimeDistribution, observations: Observations, spread: float, seed: int) -> FloatArray:
    """Return log runtimes in which censored runs are drawn from predictions past their cutoff.

    Parameters
    ----------
    rtd : RuntimeDistribution
        Predictions, one row per instance.
    observations : Observations
        Runs of all instances.
    spread : float
        Spread of log time of all runs.
    seed : int
        Fixes the draws.

    Returns
    -------
    array
        (imputations, runs); a single row where all runs finished.
    """
    log_times = np.log(observations.seconds)
    cut = ~observations.finished
    if not cut.any():
        return log_times[None]
    rows, cutoff = observations.instance[cut], observations.seconds[cut]
    left = rtd[rows].given_alive(cutoff).sample(IMPUTATIONS, random_state=seed)
    imputed = np.tile(log_times, (IMPUTATIONS, 1))
    ceiling = log_times.max() + IMPUTED_REACH * spread
    imputed[:, cut] = np.minimum(np.log(cutoff[:, None] + left), ceiling).T
    return imputed
