"""Quantiles of rows of mixtures, and of weighted values."""

from __future__ import annotations

import numpy as np

from bayes_distnet.arrays import FloatArray, IndexArray
from bayes_distnet.distributions.blocks import blocks
from bayes_distnet.distributions.mixture import Mixture
from bayes_distnet.distributions.numeric import find_roots

# From this many components on, a root is first sought with a few of them.
_MANY = 64
# Range of log time, so that exp neither overflows nor underflows.
_LOG_TIME = (-700.0, 700.0)


def solve(mixture: Mixture, rows: IndexArray, log_sf: FloatArray, *, close: float = 1e-7) -> FloatArray:
    """Find the times at which rows of a mixture have given log survival.

    Exact to rounding in the argument of the families' own functions; values far beyond the range of exp are fine.

    Parameters
    ----------
    mixture : Mixture
        n rows.
    rows : ndarray
        (k,) row numbers.
    log_sf : ndarray
        (k,) finite, negative values.
    close : float, default 1e-7
        See `find_roots`; a larger value saves work where a rough answer suffices.

    Returns
    -------
    ndarray
        (k,) seconds.
    """
    result = np.empty(rows.size)
    with np.errstate(all="ignore"):
        for block in blocks(rows.size, mixture.n_components):
            result[block] = _solve_block(mixture.take(rows[block]), log_sf[block], close)
    return result


def _solve_block(mixture: Mixture, log_sf: FloatArray, close: float) -> FloatArray:
    if mixture.n_components > 1 or mixture.log_alive is not None:
        return np.exp(_solve_log_time(mixture, log_sf, close))
    level = (log_sf / (mixture.power * mixture.copies))[:, None]
    times: FloatArray = mixture.components.quantile(-np.expm1(level))
    deep = level < -1.0
    if deep.any():
        times = np.where(deep, np.exp(mixture.components.log_isf(np.where(deep, level, -1.0))), times)
    return times[:, 0]


def _solve_log_time(mixture: Mixture, log_sf: FloatArray, close: float) -> FloatArray:
    if mixture.n_components > _MANY:
        guess = _solve_log_time(mixture.thin(max(8, mixture.n_components // 16)), log_sf, 1e-2)
    else:
        guess = _guess(mixture, log_sf)

    def evaluate(index: IndexArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        part = mixture if index.size == len(log_sf) else mixture.take(index)
        y = y[:, None]
        log_survival, log_density = part.log_sf_pdf(np.exp(y))
        hazard = np.exp(log_density - log_survival + y)
        # log(-log sf) grows from minus to plus infinity, without flat ends for any family: good for Newton.
        return np.log(-log_survival)[:, 0], (hazard / -log_survival)[:, 0]

    return find_roots(evaluate, guess, np.log(-log_sf), close=close)


def _guess(mixture: Mixture, log_sf: FloatArray) -> FloatArray:
    """The weighted mean of the components' own answers, in log time."""
    level = (log_sf / (mixture.power * mixture.copies))[:, None]
    if mixture.log_alive is None:
        y = mixture.components.log_isf(level)
    else:
        y = mixture.components.log_isf(level + mixture.log_alive)
        start = mixture.start[:, None]
        y = np.log(np.maximum(np.exp(y) - start, 1e-12 * start + 1e-300))
    y = np.clip(y, *_LOG_TIME)
    return np.asarray((mixture.weights * np.where(mixture.weights > 0, y, 0.0)).sum(axis=1))


def weighted_quantiles(
    values: FloatArray, weights: FloatArray, levels: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Return two weighted quantiles along the last axis.

    Parameters
    ----------
    values : ndarray
        (..., m) values in any order.
    weights : ndarray
        Weights that broadcast to the values.
    levels : pair of float
        Probability levels.

    Returns
    -------
    low, high : ndarray
        The smallest value that has, together with all below it, at least the weight fraction of its level.
    """
    order = np.argsort(values, axis=-1)
    values = np.take_along_axis(values, order, axis=-1)
    cumulative = np.cumsum(np.take_along_axis(np.broadcast_to(weights, values.shape), order, axis=-1), axis=-1)
    low, high = (
        np.take_along_axis(
            values, np.argmax(cumulative >= level * cumulative[..., -1:] - 1e-12, axis=-1)[..., None], -1
        )
        for level in levels
    )
    return low[..., 0], high[..., 0]
