"""Scores by likelihood: nllh and kld."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special
import scipy.stats

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.distributions.ticks import log_tick_density
from bayes_distnet.errors import SettingError
from bayes_distnet.scoring.runs import Runs, runs_of
from bayes_distnet.validation import check_positive

#: Smallest bandwidth of the density that `kld` compares with, in log time and multiplied by the number of runs. Single
#: and equal runs get this bandwidth.
KERNEL_FLOOR = 0.1

# The published evaluation uses these points in time divided by the largest runtime, this step and this floor.
_GRID = np.linspace(0.0, 1.5, 200)
_STEP = 1.0 / 200
_EPSILON = 1e-8


def nllh(
    rtd: PredictedRuntimes,
    runtimes: Any,
    finished: Any = None,
    *,
    published: bool = False,
    scale: float | None = None,
    tick: float | None = None,
) -> FloatArray:
    r"""Negative log likelihood: mean of :math:`-\log (f(t)\,t_{\max})`, or :math:`-\log P(T > t)` for a censored run.

    Densities are of the runtime divided by the longest run of the instance, :math:`t_{\max}`, so that instances of
    different lengths can be averaged. With a tick of the timer the density is the mean over the interval that a time
    stands for, :math:`P(t - \tfrac{tick}{2} < T \le t + \tfrac{tick}{2}) / tick`, so that spikes are worth nothing.

    Parameters
    ----------
    rtd : PredictedRuntimes
        Predicted runtimes, one row per instance.
    runtimes, finished : array-like
        Runs of these instances: see `bayes_distnet.scoring.scores`.
    published : bool, default False
        Whether to use the floors of the papers' tables: a density below 1e-6, in time divided by `scale`, counts as
        1e-4.
    scale : float, optional
        Seconds per unit of scaled time, by default the largest of all runtimes. The papers took the largest training
        runtime.
    tick : float, optional
        Tick of the timer in seconds, see `find_tick`; by default times are exact. A time of at most half a tick stands
        for one that the timer showed as 0. Not with `published`.

    Returns
    -------
    ndarray of shape (n_instances,)
        Mean over the runs of each instance; NaN for an instance without a run.

    Examples
    --------
    >>> from bayes_distnet.distributions.families import Exponential
    >>> from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
    >>> rtd = RuntimeDistribution(Exponential([1.0, 1.0]))
    >>> nllh(rtd, [2.0, 3.0], finished=[True, False]).round(4)       # 2 - log 2, and 3
    array([1.3069, 3.    ])
    """
    if published and tick is not None:
        raise SettingError(f"tick={tick!r}: the published score takes times as exact; leave one of the two out.")
    runs = runs_of(rtd, runtimes, finished, tick)
    density, survival = _log_density(rtd, runs, tick), rtd.log_sf(runs.seconds)
    if published:
        unit = np.log(_scale(runs, scale))
        density = np.where(density + unit > np.log(1e-6), density, np.log(1e-4) - unit)
    relative = density + np.log(np.maximum(runs.largest, 1e-300))[:, None]
    return -runs.average(np.where(runs.finished, relative, survival))


def _log_density(rtd: PredictedRuntimes, runs: Runs, tick: float | None) -> FloatArray:
    return rtd.log_pdf(runs.seconds) if tick is None else log_tick_density(rtd, runs.seconds, tick)


def _scale(runs: Runs, scale: float | None) -> float:
    if scale is None:
        return float(runs.largest.max(initial=0.0)) or 1.0
    check_positive("scale", scale)
    return float(scale)


def joint_nllh(rtd: PredictedRuntimes, runtimes: Any, finished: Any = None, *, tick: float | None = None) -> FloatArray:
    """Negative log likelihood of all runs of an instance together, divided by their number.

    Runs of an instance share what the features do not tell about it. `nllh` looks at each run alone and cannot see
    whether a prediction knows how much they share; this score can.

    Parameters
    ----------
    rtd : PredictedRuntimes
        Predicted runtimes, one row per instance.
    runtimes, finished : array-like
        Runs of these instances: see `bayes_distnet.scoring.scores`.
    tick : float, optional
        See `nllh`.

    Returns
    -------
    ndarray of shape (n_instances,)
        In the units of `nllh`, which it equals for one run per instance; NaN for an instance without a run.

    Examples
    --------
    >>> from bayes_distnet.distributions.families import Exponential
    >>> from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
    >>> rtd = RuntimeDistribution(Exponential([[0.1, 10.0]]))               # all runs short, or all runs long
    >>> alike, mixed = [[5.0, 10.0]], [[0.05, 10.0]]
    >>> [float(joint_nllh(rtd, runs)[0].round(2)) for runs in (alike, mixed)]
    [1.1, 0.85]
    """
    runs = runs_of(rtd, runtimes, finished, tick)
    unit = np.log(np.maximum(runs.largest, 1e-300)) * runs.finished.sum(axis=1)
    joint = rtd.log_joint(runs.seconds, runs.finished, runs.present, tick) + unit
    return np.where(runs.count > 0, -joint / np.maximum(runs.count, 1.0), np.nan)


def kld(
    rtd: PredictedRuntimes,
    runtimes: Any,
    finished: Any = None,
    *,
    published: bool = False,
    scale: float | None = None,
) -> FloatArray:
    r"""Kullback-Leibler divergence of the prediction from the runs, :math:`\int p \log (p / q)`.

    p is a Gaussian kernel density estimate in log time with Scott's bandwidth, but at least `KERNEL_FLOOR` (0.1, ten
    percent of a runtime) divided by the number of runs, for single and for equal runs; q is the prediction. Past the
    horizon h only the probability of running past it is compared: kernels are reflected at h, and
    :math:`S \log (S / P(T > h))` is added, with S the share of runs that passed it.

    Parameters
    ----------
    rtd : PredictedRuntimes
        Predicted runtimes, one row per instance.
    runtimes, finished : array-like
        Runs of these instances: see `bayes_distnet.scoring.scores`.
    published : bool, default False
        Whether to compute it as in the papers' tables: the density of the finished runs in plain time, 200 points on
        [0, 1.5] of time divided by `scale`, a step of 1/200 (so two thirds of the integral), and 1e-8 added to both
        densities. An instance with fewer than two different runs has no such estimate and scores NaN.
    scale : float, optional
        See `nllh`.

    Returns
    -------
    ndarray of shape (n_instances,)
        Divergences; NaN for an instance without a run.
    """
    runs = runs_of(rtd, runtimes, finished)
    if published:
        return _published_kld(rtd, runs.only_finished(), _scale(runs, scale))
    horizon = runs.horizon
    before = runs.finished & (runs.seconds <= horizon[:, None])
    passed = 1.0 - before.sum(axis=1) / np.maximum(runs.count, 1.0)
    result = np.where(runs.count > 0, 0.0, np.nan)
    beyond = (passed > 0) & (runs.count > 0)
    if beyond.any():
        gap = np.log(passed[beyond]) - rtd[beyond].log_sf(horizon[beyond, None])[:, 0]
        result[beyond] = passed[beyond] * gap
    rows = np.flatnonzero(before.any(axis=1))
    for some in np.array_split(rows, -(-rows.size // 256) or 1):
        if some.size:
            result[some] += _log_time_kld(rtd[some], runs.seconds[some], before[some], horizon[some], runs.count[some])
    return result


def _log_time_kld(
    rtd: PredictedRuntimes, seconds: FloatArray, chosen: BoolArray, horizon: FloatArray, count: FloatArray
) -> FloatArray:
    """The integral up to the horizon, for kernels at the chosen runs with a weight of 1 / count each."""
    y = np.log(seconds)
    number = chosen.sum(axis=1)
    mean = np.where(chosen, y, 0.0).sum(axis=1) / number
    squares = np.where(chosen, (y - mean[:, None]) ** 2, 0.0).sum(axis=1)
    width = np.sqrt(squares / np.maximum(number - 1, 1)) * number**-0.2
    width = np.maximum(width, KERNEL_FLOOR / number)
    low = np.where(chosen, y, np.inf).min(axis=1) - 8 * width
    high = np.minimum(np.where(chosen, y, -np.inf).max(axis=1) + 8 * width, np.log(horizon))
    # Eight Gauss-Legendre points per two bandwidths are exact to rounding.
    panels = int(np.clip(np.ceil(((high - low) / (2 * width)).max()), 1, 400))
    nodes, weights = np.polynomial.legendre.leggauss(8)
    share = (np.arange(panels)[:, None] + 0.5 + 0.5 * nodes).ravel() / panels
    points = low[:, None] + (high - low)[:, None] * share
    steps = (high - low)[:, None] * np.tile(0.5 * weights, panels) / panels
    density = np.zeros(points.shape)
    for centre, use in zip(y.T[..., None], chosen.T[..., None], strict=True):
        for at in (centre, 2 * np.log(horizon)[:, None] - centre):
            z = (points - at) / width[:, None]
            density += np.where(use, np.exp(-0.5 * np.minimum(z * z, 1400.0)), 0.0)
    density /= np.sqrt(2 * np.pi) * (width * count)[:, None]
    predicted = rtd.log_pdf(np.exp(points)) + points
    integrand = scipy.special.xlogy(density, density) - density * np.maximum(predicted, -1e300)
    return np.asarray((integrand * steps).sum(axis=1))


def _published_kld(rtd: PredictedRuntimes, runs: Runs, scale: float) -> FloatArray:
    result = np.full(len(rtd), np.nan)
    predicted = rtd.pdf(_GRID * scale) * scale
    for i, (seconds, present) in enumerate(zip(runs.seconds, runs.present, strict=True)):
        times = seconds[present] / scale
        if times.size < 2 or np.ptp(times) <= 1e-12 * times.max():
            continue
        density = scipy.stats.gaussian_kde(times)(_GRID)
        result[i] = _STEP * (density * (np.log(density + _EPSILON) - np.log(predicted[i] + _EPSILON))).sum()
    return result
