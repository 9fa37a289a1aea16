r"""The fraction of the variance of log time that the runs of an instance share, from values of the cdf alone.

With the normal score :math:`Z(y)` of log time y, and orthonormal Hermite polynomials :math:`h_k` under the normal
density :math:`\varphi`, Mehler's formula gives the variance between instances of effect size :math:`\rho`, and
Stein's identity its coefficients without a single quantile:

.. math:: \sum_k \rho^k c_k^2, \qquad c_k = \frac{1}{\sqrt k} \int h_{k-1}(Z(y))\, \varphi(Z(y))\, dy.

The integrands fade at both ends, so that the trapezoidal rule converges faster than any power of its step.
"""

from __future__ import annotations

import numpy as np
import scipy.special

from bayes_distnet.arrays import FloatArray, IndexArray
from bayes_distnet.distributions.instance_effect import normal_scores
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes

_END = 6.0  # normal score at both ends of the integrals: 1e-9 lies beyond
_INTERVALS, _HALVINGS = 32, 4  # of the rule; spikes are off by 1e-3 at most or so after the last halving
# Change of the result when the step is halved, below which the smaller step is good enough: off by 1e-4 at most or so.
_SETTLED = 1e-3
_DEGREES = 64


def log_share_between(marginal: PredictedRuntimes, size: FloatArray) -> FloatArray:
    """Return the fraction of the variance of log time that lies between instances.

    Parameters
    ----------
    marginal : PredictedRuntimes
        Distribution of one run of each instance.
    size : array
        (n,) size of the instance effect.

    Returns
    -------
    array
        (n,) fractions; NaN where log times span nothing that numbers can tell apart.
    """
    n = len(marginal)
    ends = scipy.special.log_ndtr(np.array([_END, -_END]))
    share = np.full(n, np.nan)
    low, high = np.log(marginal.time_at_log_sf(ends)).T
    rows = np.flatnonzero(np.isfinite(low) & np.isfinite(high) & (high > low))
    places = np.linspace(0.0, 1.0, _INTERVALS + 1)
    log_sf = _at(marginal, rows, low, high, places)
    for _ in range(_HALVINGS + 1):
        rough, fine = (_share(log_sf[:, ::every], size[rows]) for every in (2, 1))
        share[rows], done = fine, np.abs(fine - rough) <= _SETTLED
        rows, log_sf = rows[~done], log_sf[~done]
        if not rows.size:
            break
        between = 0.5 * (places[1:] + places[:-1])
        halved = np.empty((len(rows), 2 * len(places) - 1))
        halved[:, ::2], halved[:, 1::2] = log_sf, _at(marginal, rows, low, high, between)
        places, log_sf = np.linspace(0.0, 1.0, halved.shape[1]), halved
    return share


def _at(
    marginal: PredictedRuntimes, rows: IndexArray, low: FloatArray, high: FloatArray, places: FloatArray
) -> FloatArray:
    """Log survival (rows, places) at places between the ends of log time, from 0 to 1."""
    times = np.exp(low[rows, None] + (high - low)[rows, None] * places)
    some = marginal if len(rows) == len(marginal) else marginal[rows]
    return some.log_sf(times)


def _share(log_sf: FloatArray, size: FloatArray) -> FloatArray:
    """Share (n,) from log survival (n, points) at even steps of log time, which are the unit of time here."""
    points = log_sf.shape[1]
    scores = normal_scores(log_sf)
    # Of the time left to the upper end, in steps: the integrand of the square has slope -1 there, which the rule
    # overlooks by 1/12.
    cdf = -np.expm1(log_sf)
    cdf[:, [0, -1]] *= 0.5
    mean, square = cdf.sum(axis=1), 2.0 * (cdf @ np.arange(points - 1, -1.0, -1.0) + 1.0 / 12.0)
    with np.errstate(under="ignore"):
        before, term = np.zeros_like(scores), np.exp(-0.5 * scores**2) / np.sqrt(2.0 * np.pi)
    term[:, [0, -1]] *= 0.5
    shared, power = np.zeros(len(size)), np.ones(len(size))
    for degree in range(1, _DEGREES + 1):
        power = power * size
        shared += power * term.sum(axis=1) ** 2 / degree
        before, term = term, (scores * term - np.sqrt(degree - 1.0) * before) / np.sqrt(degree)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(shared / (square - mean**2))
