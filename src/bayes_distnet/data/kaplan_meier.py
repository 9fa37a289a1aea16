"""The estimate of Kaplan and Meier (1958): the distribution of runtimes of which some were cut off."""

from __future__ import annotations

import numpy as np

from bayes_distnet.arrays import BoolArray, FloatArray, IndexArray


def kaplan_meier(times: FloatArray, finished: BoolArray) -> FloatArray:
    """Compute the probability that the estimate puts on each run.

    Parameters
    ----------
    times : ndarray of shape (n_runs,)
        Runtimes, or any increasing function of them, such as their logarithm.
    finished : ndarray of bool of shape (n_runs,)
        Whether each run finished; the others were cut off at their time.

    Returns
    -------
    ndarray of shape (n_runs,)
        Probability of each run; zero for runs that were cut off. The sum is less than 1 if the longest run was cut off.

    Examples
    --------
    >>> kaplan_meier(np.array([1.0, 2.0, 3.0]), np.array([True, False, True]))
    array([0.33333333, 0.        , 0.66666667])
    """
    order, survival = _survival(times, finished)
    mass = np.empty(len(times))
    mass[order] = np.concatenate([[1.0], survival[:-1]]) - survival
    return mass


def median_runtime(seconds: FloatArray, finished: BoolArray) -> float:
    """Estimate the median of runtimes of which some were cut off.

    Parameters
    ----------
    seconds : ndarray of shape (n_runs,)
        Runtimes.
    finished : ndarray of bool of shape (n_runs,)
        Whether each run finished; the others were cut off at their seconds.

    Returns
    -------
    float
        The sample median if all runs finished, else the first time at which the estimated probability to run longer
        is at most one half; NaN if it stays above that.

    Examples
    --------
    >>> median_runtime(np.array([1.0, 1.0, 5.0, 20.0]), np.array([False, False, True, True]))
    5.0
    """
    if finished.all():
        return float(np.median(seconds))
    order, survival = _survival(seconds, finished)
    half = survival <= 0.5 + 1e-12  # one half may come out of the product a rounding error too large
    return float(seconds[order][half][0]) if half.any() else float("nan")


def _survival(times: FloatArray, finished: BoolArray) -> tuple[IndexArray, FloatArray]:
    """Return the order of the runs by time, and the probability to run longer than each, in that order."""
    # Of equal times the finished ones come first: a run that was cut off then had not finished yet.
    order = np.lexsort((~finished, times))
    at_risk = np.arange(len(times), 0, -1)
    return order, np.cumprod((at_risk - finished[order]) / at_risk, dtype=np.float64)
