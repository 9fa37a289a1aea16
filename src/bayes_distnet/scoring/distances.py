"""Scores by distance between distribution functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.scoring.runs import Runs, runs_of


def ks(rtd: PredictedRuntimes, runtimes: Any, finished: Any = None, *, published: bool = False) -> FloatArray:
    r"""Kolmogorov-Smirnov distance :math:`\sup_{t \le h} |F(t) - F_{runs}(t)|`, both sides of every jump.

    Parameters
    ----------
    rtd : PredictedRuntimes
        Predicted runtimes, one row per instance.
    runtimes, finished : array-like
        Runs of these instances: see `bayes_distnet.scoring.scores`.
    published : bool, default False
        Whether to compute it as the published code does, over the finished runs only: the two-sample distance between
        the runs and the centres of the kernels if the prediction is a kernel estimate on the whole line (the published
        Bayes DistNet), else the one-sample distance.

    Returns
    -------
    ndarray of shape (n_instances,)
        Distances, 0 to 1; NaN for an instance without a run.
    """
    runs = runs_of(rtd, runtimes, finished)
    if published:
        runs = runs.only_finished()
        if rtd.samples is not None:
            return _two_sample_ks(runs, rtd.samples)
    horizon = runs.horizon
    times, rank = runs.upto(horizon), np.arange(runs.seconds.shape[1])
    # Beyond the last run of an instance, and for runs past the horizon, there is no jump.
    jumps = (rank < (runs.finished & (runs.seconds <= horizon[:, None])).sum(axis=1)[:, None]) & np.isfinite(times)
    count = np.maximum(runs.count, 1.0)[:, None]
    cdf = rtd.cdf(np.where(jumps, times, 1.0))
    distance = np.maximum(np.abs(cdf - rank / count), np.abs(cdf - (rank + 1) / count))
    distance = np.where(jumps, distance, 0.0).max(axis=1, initial=0.0)
    at_end = np.abs(rtd.cdf(horizon[:, None])[:, 0] - jumps.sum(axis=1) / count[:, 0])
    return np.where(runs.count > 0, np.maximum(distance, at_end), np.nan)


def _two_sample_ks(runs: Runs, centres: FloatArray) -> FloatArray:
    result = np.full(len(centres), np.nan)
    for i, (seconds, present, centre) in enumerate(zip(runs.seconds, runs.present, centres, strict=True)):
        if present.any():
            first, second = np.sort(seconds[present]), np.sort(centre)
            both = np.concatenate([first, second])
            shares = (np.searchsorted(sample, both, side="right") / sample.size for sample in (first, second))
            result[i] = np.abs(np.subtract(*shares)).max()
    return result


def mass(rtd: PredictedRuntimes, runtimes: Any, finished: Any = None) -> FloatArray:
    """Predicted probability outside [0, 1.5 x the longest run].

    Parameters
    ----------
    rtd : PredictedRuntimes
        Predicted runtimes, one row per instance.
    runtimes, finished : array-like
        Runs of these instances: see `bayes_distnet.scoring.scores`.

    Returns
    -------
    ndarray of shape (n_instances,)
        Probabilities; zero where runs were cut off, as their length is not known. NaN for an instance without a run.

    Examples
    --------
    >>> from bayes_distnet.distributions.families import Exponential
    >>> from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
    >>> mass(RuntimeDistribution(Exponential([1.0])), [[0.5, 2.0]]).round(4)       # exp(-3)
    array([0.0498])
    """
    runs = runs_of(rtd, runtimes, finished)
    outside = rtd.cdf(0.0) + rtd.sf(1.5 * runs.largest[:, None])[:, 0]
    outside = np.where(np.isfinite(runs.horizon), 0.0, outside)
    return np.where(runs.count > 0, outside, np.nan)


def crps(
    rtd: PredictedRuntimes, runtimes: Any, finished: Any = None, *, horizon: FloatArray | None = None
) -> FloatArray:
    r"""Continuous ranked probability score in seconds: mean over runs of :math:`\int_0^h (F(x) - 1\{t \le x\})^2 dx`.

    Without censored runs this is :math:`E|T - t| - \frac12 E|T - T'|`. It is computed from E[min(T, t)] and the mean of
    the faster of two independent runs.

    Parameters
    ----------
    rtd : PredictedRuntimes
        Predicted runtimes, one row per instance.
    runtimes, finished : array-like
        Runs of these instances: see `bayes_distnet.scoring.scores`.
    horizon : ndarray of shape (n_instances,), optional
        Seconds past which nothing counts, such as the cutoff; by default only the cutoffs of censored runs.

    Returns
    -------
    ndarray of shape (n_instances,)
        Seconds; infinite where the mean of the faster of two predicted runs is. NaN for an instance without a run.
    """
    runs = runs_of(rtd, runtimes, finished)
    horizon = runs.horizon if horizon is None else np.minimum(runs.horizon, horizon)
    times = np.minimum(runs.seconds, horizon[:, None])
    faster = rtd.minimum_of(2, independent=True).restricted_mean(horizon[:, None])
    with np.errstate(invalid="ignore"):
        return runs.average(np.maximum(times - 2 * rtd.restricted_mean(times) + faster, 0.0))


def wasserstein(rtd: PredictedRuntimes, runtimes: Any, finished: Any = None) -> FloatArray:
    r"""Wasserstein distance in seconds, :math:`\int_0^h |F(x) - F_{runs}(x)|\,dx`.

    Between two runs, the share finished is constant and F crosses it at most once, at a quantile of the prediction; the
    integrals on both sides of that point are differences of E[min(T, x)].

    Parameters
    ----------
    rtd : PredictedRuntimes
        Predicted runtimes, one row per instance.
    runtimes, finished : array-like
        Runs of these instances: see `bayes_distnet.scoring.scores`.

    Returns
    -------
    ndarray of shape (n_instances,)
        Seconds; infinite where the predicted mean is. NaN for an instance without a run.
    """
    runs = runs_of(rtd, runtimes, finished)
    horizon, count = runs.horizon, np.maximum(runs.count, 1.0)[:, None]
    finite = np.minimum(horizon, np.where(np.isfinite(horizon), np.inf, runs.largest))
    stops = runs.upto(finite)
    low, high = np.hstack([np.zeros((len(rtd), 1)), stops]), np.hstack([stops, finite[:, None]])
    share = np.minimum(np.arange(low.shape[1]) / count, 1.0)
    # Crossing points: where F is still below the share at the left end and above it at the right end.
    crossing = low.copy()
    left, right = rtd.cdf(low), rtd.cdf(high)
    crossing[right <= share] = high[right <= share]
    rows, columns = np.nonzero((left < share) & (right > share))
    crossing[rows, columns] = rtd[rows].quantile(share[rows, columns, None])[:, 0]
    crossing = np.clip(crossing, low, high)

    below = rtd.restricted_mean(np.hstack([low, crossing, finite[:, None]]))
    width = low.shape[1]
    at_low, at_crossing, at_high = below[:, :width], below[:, width:-1], np.hstack([below[:, 1:width], below[:, -1:]])
    pieces = 2 * at_crossing - at_low - at_high - (1 - share) * (2 * crossing - low - high)
    total = np.maximum(pieces, 0.0).sum(axis=1)
    unlimited = np.isinf(horizon)
    if unlimited.any():
        total[unlimited] += rtd[unlimited].mean() - below[unlimited, -1]
    return np.where(runs.count > 0, total, np.nan)
