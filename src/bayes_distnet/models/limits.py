"""Limits: scores of predictions that have seen the test runs themselves.

`best_lognormal` is the best that any lognormal can do, `empirical` about the best that any prediction can. Neither is a
model: they take the runs they are scored on.
"""

from __future__ import annotations

import numpy as np

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.data.kaplan_meier import kaplan_meier
from bayes_distnet.data.observations import check_seconds
from bayes_distnet.distributions.bandwidth import log_time_bandwidth
from bayes_distnet.distributions.censored import log_location_and_spread
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import RuntimeDataError


def best_lognormal(seconds: FloatArray, finished: BoolArray) -> RuntimeDistribution:
    """Return the lognormal of each instance under which its own runs are most likely.

    An instance none of whose runs finished has no such lognormal: it gets the spread of all runs, located one spread
    past its largest cutoff. An instance without runs gets the lognormal of all runs.

    Parameters
    ----------
    seconds, finished : array
        Test runs, instances x runs; NaN where there is no run.

    Returns
    -------
    RuntimeDistribution
        One row per instance.

    Examples
    --------
    >>> runs = np.random.default_rng(0).lognormal(1.0, 0.5, size=(1, 5000))
    >>> best_lognormal(np.minimum(runs, 4.0), runs < 4.0).median().round(1)
    array([2.7])
    """
    seconds, finished = _checked(seconds, finished)
    overall = _overall(seconds, finished)
    fitted = np.array([_lognormal(*row, overall) for row in zip(seconds, finished, strict=True)])
    return RuntimeDistribution(LogNormal(fitted[:, :1], fitted[:, 1:]))


def _lognormal(seconds: FloatArray, finished: BoolArray, overall: tuple[float, float]) -> tuple[float, float]:
    present = ~np.isnan(seconds)
    if not present.any():
        return overall
    if not finished.any():
        return float(np.log(seconds[present].max())) + overall[1], overall[1]
    return log_location_and_spread(seconds[present], finished[present])


def empirical(seconds: FloatArray, finished: BoolArray) -> RuntimeDistribution:
    """Return the runs of each instance as a distribution: kernels in log time.

    A kernel sits on every finished run, as wide as those that the score kld compares with (Scott's rule), and has the
    weight that Kaplan and Meier's estimate gives the run. The remaining weight past the last finished run is one wide
    lognormal, one spread past the largest cutoff: nothing is known there. An instance without runs gets the lognormal
    of all runs.

    Parameters
    ----------
    seconds, finished : array
        Test runs, instances x runs; NaN where there is no run.

    Returns
    -------
    RuntimeDistribution
        One row per instance.

    Examples
    --------
    >>> empirical(np.array([[1.0, 2.0, 4.0]]), np.array([[True, True, True]])).median().round(2)
    array([2.])
    """
    seconds, finished = _checked(seconds, finished)
    overall = _overall(seconds, finished)
    n, runs = seconds.shape
    loc, scale, weights = np.zeros((n, runs + 1)), np.ones((n, runs + 1)), np.zeros((n, runs + 1))
    for i in range(n):
        present = ~np.isnan(seconds[i])
        log_times, known = np.log(seconds[i][present]), finished[i][present]
        loc[i, -1], scale[i, -1] = _lognormal(seconds[i], finished[i] & False, overall)
        if known.any():
            mass = kaplan_meier(log_times, known)
            count, at = int(known.sum()), np.flatnonzero(known)
            deviation = float(log_times[known].std(ddof=1)) if count > 1 else 0.0
            loc[i, :count], weights[i, :count] = log_times[at], mass[at]
            scale[i, :count] = log_time_bandwidth(np.array(deviation), np.array(float(count)))
        weights[i, -1] = max(1.0 - weights[i].sum(), 0.0)
    return RuntimeDistribution(LogNormal(loc, scale), weights, draws=np.zeros(runs + 1))  # kernels are its shape


def _checked(seconds: FloatArray, finished: BoolArray) -> tuple[FloatArray, BoolArray]:
    seconds, finished = check_seconds(seconds, finished, what="seconds")
    if seconds.ndim != 2 or not finished.any():
        raise RuntimeDataError(
            f"seconds: expected instances x runs with at least one finished run; found shape {seconds.shape}, "
            f"{int(finished.sum())} finished."
        )
    return seconds, finished


def _overall(seconds: FloatArray, finished: BoolArray) -> tuple[float, float]:
    present = ~np.isnan(seconds)
    return log_location_and_spread(seconds[present], finished[present])
