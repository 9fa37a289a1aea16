"""Values in place of censored runs: expectations, and draws."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.censored import log_location_and_spread
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.distributions.special.normal import normal_beyond

#: Location and scale of log time, one number each per instance; or log times and their variances.
Moments = tuple[FloatArray, FloatArray]

ROUNDS, FOREST_ROUNDS = 200, 15  # at most
SETTLED = 3e-3  # mean change per round, in spreads of log time, below which the scheme stops
IMPUTATIONS = 10
IMPUTED_REACH = 3.0  # spreads of log time between the largest observed runtime and the largest draw


def schmee_hahn(
    observations: Observations,
    fit: Callable[[FloatArray, FloatArray], Moments],
    rounds: int,
    start: Moments | None = None,
) -> Moments:
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
    start : pair of arrays or None
        Location and scale of every instance that the first round takes instead.

    Returns
    -------
    pair of arrays
        Location and scale of every instance after the last round.
    """
    overall = log_location_and_spread(observations.seconds, observations.finished)
    moments = one_for_all(observations) if start is None else start
    cut = ~observations.finished
    if not cut.any():
        return fit(*expected_beyond(observations, moments))
    last = np.log(observations.seconds[cut])
    for _ in range(rounds):
        log_times, variance = expected_beyond(observations, moments)
        moved, last = float(np.abs(log_times[cut] - last).mean()), log_times[cut]
        moments = fit(log_times, variance)
        if moved < SETTLED * overall[1]:
            break
    return moments


def one_for_all(observations: Observations) -> Moments:
    """Return location and scale of one censored lognormal of all runs, once per instance."""
    overall = log_location_and_spread(observations.seconds, observations.finished)
    loc, scale = (np.full(observations.n_instances, value) for value in overall)
    return loc, scale


def expected_beyond(observations: Observations, moments: Moments) -> Moments:
    """Replace every censored run by its expectation past the cutoff.

    Parameters
    ----------
    observations : Observations
        Runs of all instances.
    moments : pair of arrays
        Location and scale of every instance.

    Returns
    -------
    log_times, variance : array
        Log runtimes, and the variance that each of them leaves: 0 of a finished run.
    """
    log_times = np.log(observations.seconds)
    variance = np.zeros_like(log_times)
    cut = ~observations.finished
    loc, scale = (values[observations.instance[cut]] for values in moments)
    beyond, left_open = normal_beyond((log_times[cut] - loc) / scale)
    variance[cut] = scale**2 * left_open
    log_times[cut] = np.maximum(loc + scale * beyond, log_times[cut])
    return log_times, variance


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
