"""Curves of predicted distributions over log time, for figures: cdf with its band, and density."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.special
from numpy.typing import ArrayLike

from bayes_distnet.arrays import FloatArray
from bayes_distnet.distributions.checks import check_times
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.validation import check_at_least, check_level

ENDS = (0.001, 0.999)  # levels of the first and the last time of a curve
WIDEST = 1e9  # largest ratio of the last time to the first


@dataclass(frozen=True)
class Curves:
    """Curves of n predicted distributions.

    Parameters
    ----------
    times : ndarray
        (n, m) seconds, evenly spaced in log time.
    cdf : ndarray
        (n, m) probability of having finished.
    density : ndarray
        (n, m) density of the natural logarithm of the runtime.
    low, high : ndarray or None
        (n, m) ends of the band of the cdf: the instance's own lies in between with probability `level`, at each time.
        None where the prediction does not separate ignorance from luck.
    level : float
        Probability of the band.
    """

    times: FloatArray
    cdf: FloatArray
    density: FloatArray
    low: FloatArray | None
    high: FloatArray | None
    level: float


def curves(rtd: PredictedRuntimes, *, times: ArrayLike | None = None, points: int = 120, level: float = 0.9) -> Curves:
    """Tabulate predicted distributions over log time.

    Parameters
    ----------
    rtd : PredictedRuntimes
        Predicted runtimes, one row per instance.
    times : array-like or None
        Seconds, (m,) or (n, m); None takes times of which 0.1 % and 99.9 % of the runs are over, and between.
    points : int, default 120
        Number of times, where they are not given.
    level : float, default 0.9
        Probability of the band of the cdf.

    Returns
    -------
    Curves
        The curves.

    Examples
    --------
    >>> from bayes_distnet.distributions.families import LogNormal
    >>> from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
    >>> drawn = curves(RuntimeDistribution(LogNormal(loc=[0.0], scale=[1.0])), points=3)
    >>> drawn.times.round(3), drawn.cdf.round(3), drawn.density.round(3)
    (array([[ 0.045,  1.   , 21.982]]), array([[0.001, 0.5  , 0.999]]), array([[0.003, 0.399, 0.003]]))
    """
    level = check_level(level)
    check_at_least("points", points, 2)
    at = _likely(rtd, points) if times is None else np.atleast_2d(check_times(times))
    at = np.array(np.broadcast_to(at, (len(rtd), at.shape[1])))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        density = np.nan_to_num(np.exp(rtd.log_pdf(at) + np.log(at)), posinf=0.0)
    low = high = None
    if rtd.splits:
        score = float(scipy.special.ndtri(0.5 + 0.5 * level))
        ends = -np.expm1(rtd.log_sf_given([score, -score], at))
        low, high = ends[:, 0], ends[:, 1]
    return Curves(at, rtd.cdf(at), density, low, high, level)


def _likely(rtd: PredictedRuntimes, points: int) -> FloatArray:
    first, last = rtd.quantile(list(ENDS)).T
    last = np.maximum(last, 1e-12)
    first = np.clip(first, last / WIDEST, last * (1 - 1e-6))
    return np.geomspace(first, last, points).T
