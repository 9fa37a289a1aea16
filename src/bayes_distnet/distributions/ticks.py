"""Times of a timer that ticks: each stands for an interval, and its likelihood is the mean density over it."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from bayes_distnet.arrays import BoolArray, FloatArray

# A difference of log survival keeps ten digits if it is at least this part of its terms.
_RESOLVED = 1e-6
# Relative error of log survival, which bounds the probability of an interval that a difference cannot resolve.
_ROUNDING = 1e-12
_NEAR_ZERO = 1e-300  # distributions are evaluated at positive times only
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(5)


class Distribution(Protocol):
    """Rows of distributions, evaluated at positive times (n, m)."""

    def log_sf(self, x: FloatArray, /) -> FloatArray:
        """(n, m) log survival."""

    def log_pdf(self, x: FloatArray, /) -> FloatArray:
        """(n, m) log density."""


def tick_ends(seconds: FloatArray, tick: float) -> tuple[FloatArray, FloatArray]:
    """Return the interval of runtimes that a timer shows as each time: half a tick to both sides, above 0.

    Parameters
    ----------
    seconds : ndarray
        Times, positive. Half a tick or less stands for a time that the timer showed as 0.
    tick : float
        Tick of the timer in seconds.

    Returns
    -------
    low, high : ndarray
        Ends in seconds.
    """
    zero = seconds <= 0.5 * tick * (1 + 1e-6)
    return np.where(zero, 0.0, seconds - 0.5 * tick), np.where(zero, 0.5 * tick, seconds + 0.5 * tick)


def log_tick_density(rtd: Distribution, seconds: FloatArray, tick: float) -> FloatArray:
    """Return the log of the mean density over the ticks of a timer.

    The mean density of an interval is its probability divided by its width. A spike that is narrower than the tick has
    no more of it than a flat density of the same probability.

    Parameters
    ----------
    rtd : Distribution
        n rows of predicted runtimes.
    seconds : ndarray of shape (n, m)
        Times that the timer showed, positive: see `tick_ends`.
    tick : float
        Tick of the timer in seconds.

    Returns
    -------
    ndarray of shape (n, m)
        Logs of densities per second.

    Examples
    --------
    >>> from bayes_distnet.distributions.families import Exponential
    >>> from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
    >>> rtd = RuntimeDistribution(Exponential(scale=[1.0]))
    >>> log_tick_density(rtd, np.array([[2.0, 0.5]]), 1.0).round(4)      # 1.5 to 2.5 s, and 0 to 0.5 s
    array([[-1.9587, -0.2396]])
    """
    low, high = tick_ends(seconds, tick)
    low = np.maximum(low, _NEAR_ZERO)
    with np.errstate(all="ignore"):
        above, below = rtd.log_sf(low), rtd.log_sf(high)
        log_mass, lost = log_difference(above, below)
        result = log_mass - np.log(high - low)
        if lost.any():
            width = np.where(low > _NEAR_ZERO, tick, 0.5 * tick)  # not from ends that may have become equal
            most = _log_largest_difference(above, below) - np.log(width)
            result = np.where(lost, np.minimum(_mean_of_densities(rtd, low, high), most), result)
        return np.asarray(result)


def log_difference(above: FloatArray, below: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return the log of a difference of survival probabilities, and where rounding has eaten it.

    Parameters
    ----------
    above, below : ndarray
        Log survival at the lower and at the upper end of intervals.

    Returns
    -------
    log_mass : ndarray
        Logs of the probabilities of the intervals.
    lost : ndarray of bool
        Whether fewer than ten digits of the difference are left.
    """
    # Log survival has all digits near 0 too, so that the difference is exact in both tails.
    with np.errstate(all="ignore"):
        gap = above - below
        return above + np.log(-np.expm1(-gap)), ~(gap > _RESOLVED * np.abs(above))


def _log_largest_difference(above: FloatArray, below: FloatArray) -> FloatArray:
    """Bound the log probability of intervals, given the rounding of log survival; infinity where that underflows."""
    largest = above + np.log(np.maximum(above - below, 0.0) + _ROUNDING * np.abs(above))
    return np.where(np.isfinite(above) & (below < 0), largest, np.inf)


def _mean_of_densities(rtd: Distribution, low: FloatArray, high: FloatArray) -> FloatArray:
    """Average the density over narrow intervals, or over those whose probability underflows."""
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    each = np.stack([rtd.log_pdf(middle + half * node) for node in _NODES])
    top = np.maximum(each.max(axis=0), -1e300)
    return np.asarray(top + np.log((0.5 * _WEIGHTS[:, None, None] * np.exp(each - top)).sum(axis=0)))
