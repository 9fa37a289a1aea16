"""Disagreement of the draws of a mixture: in log time, and about all runs of an instance together."""

from __future__ import annotations

import numpy as np
import scipy.special

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.distributions.blocks import blocks
from bayes_distnet.distributions.mixture import Mixture
from bayes_distnet.distributions.moments import variance_of_means, weighted_sum
from bayes_distnet.distributions.quantiles import solve
from bayes_distnet.distributions.special.elementary import log_sum_exp
from bayes_distnet.distributions.ticks import log_tick_density

# Gauss-Hermite nodes of means and variances of log time: exact for a lognormal, whose log quantiles are a line.
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(16)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


def share_between_draws(mixture: Mixture) -> FloatArray:
    """(n,) fraction of the variance of log time that lies between the draws.

    Parameters
    ----------
    mixture : Mixture
        n rows of D draws.

    Returns
    -------
    ndarray
        Between 0 and 1.
    """
    draws = mixture.split_draws()
    rows, levels = np.repeat(np.arange(len(draws)), _NODES.size), np.tile(scipy.special.log_ndtr(-_NODES), len(draws))
    with np.errstate(divide="ignore"):
        log_times = np.log(solve(draws, rows, levels)).reshape(len(draws), -1)
    means = log_times @ _WEIGHTS
    within = (log_times - means[:, None]) ** 2 @ _WEIGHTS
    weights, shape = mixture.draw_weights, (len(mixture), mixture.n_draws)
    between = variance_of_means(weights, means.reshape(shape))
    return np.asarray(between / (between + weighted_sum(weights, within.reshape(shape))))


def log_sf_given(mixture: Mixture, hardness: FloatArray, times: FloatArray) -> FloatArray:
    """(n, k, m) log survival of the draws of given hardness: normal scores among the draws, ordered by their medians.

    Parameters
    ----------
    mixture : Mixture
        n rows of D draws.
    hardness : ndarray
        (n, k) normal scores.
    times : ndarray
        (n, m) positive seconds.

    Returns
    -------
    ndarray
        Logs of probabilities.
    """
    draws, n = mixture.split_draws(), len(mixture)
    medians = solve(draws, np.arange(len(draws)), np.full(len(draws), -np.log(2.0))).reshape(n, -1)
    order = np.argsort(medians, axis=1)
    weights = np.broadcast_to(mixture.draw_weights, medians.shape)
    reached = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    levels = scipy.special.ndtr(hardness) * reached[:, -1:]
    places = np.minimum((reached[:, None, :] < levels[..., None]).sum(axis=2), medians.shape[1] - 1)
    chosen = np.arange(n)[:, None] * mixture.n_draws + np.take_along_axis(order, places, axis=1)
    log_sf = draws.take(chosen.ravel()).log_sf(np.repeat(times, hardness.shape[1], axis=0))
    return log_sf.reshape(*hardness.shape, times.shape[1])


def log_joint(
    mixture: Mixture, seconds: FloatArray, finished: BoolArray, present: BoolArray, tick: float | None = None
) -> FloatArray:
    """(n,) log density of all runs of an instance together: runs are independent given the draw.

    Parameters
    ----------
    mixture : Mixture
        n rows of D draws.
    seconds, finished, present : ndarray
        Runs, (n, k); where there is none, any positive seconds.
    tick : float, optional
        Tick of the timer that showed the seconds; densities are then means over ticks.

    Returns
    -------
    ndarray
        Logs of densities per second for each finished run, of probabilities for each other run.
    """
    result = np.empty(len(mixture))
    for rows in blocks(len(mixture), mixture.n_draws * seconds.shape[1]):
        result[rows] = _log_joint(mixture.take(rows), seconds[rows], finished[rows], present[rows], tick)
    return result


def _log_joint(
    mixture: Mixture, seconds: FloatArray, finished: BoolArray, present: BoolArray, tick: float | None
) -> FloatArray:
    draws, repeat = mixture.split_draws(), np.repeat(np.arange(len(mixture)), mixture.n_draws)
    times = seconds[repeat]
    density = draws.log_pdf(times) if tick is None else log_tick_density(draws, times, tick)
    each = np.where(finished[repeat], density, draws.log_sf(times))
    joint = np.where(present[repeat], each, 0.0).sum(axis=1).reshape(len(mixture), -1)
    with np.errstate(divide="ignore"):
        return log_sum_exp(joint + np.log(mixture.draw_weights))
