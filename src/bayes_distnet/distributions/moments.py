"""Moments of rows of mixtures: closed forms where a family has one, else integrals (see `integrals`)."""

from __future__ import annotations

import numpy as np

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.distributions.blocks import blocks
from bayes_distnet.distributions.integrals import expectation, restricted_integral
from bayes_distnet.distributions.mixture import Mixture

_EPS = float(np.finfo(np.float64).eps)
# Two times so far out that a power-law tail is a straight line between them, in log scales.
_FAR = np.array([1e290, 1e300])


def component_moments(mixture: Mixture, order: int) -> FloatArray:
    """(n, S) means (order 1) or variances (order 2) of the components, conditioned and with their copies.

    Parameters
    ----------
    mixture : Mixture
        n rows of S components.
    order : int
        1 or 2.

    Returns
    -------
    ndarray
        (n, S); `inf` where infinite.
    """
    plain = (mixture.copies == 1) & (mixture.start == 0)
    closed = mixture.components.mean() if order == 1 else mixture.components.variance()
    result = np.array(np.broadcast_to(closed, (len(plain), mixture.n_components)))
    if plain.all():
        return result
    rows = np.flatnonzero(~plain)
    part = mixture.take(rows)
    values = _residual_means(part) if order == 1 else np.full((rows.size, mixture.n_components), np.nan)
    todo = np.isnan(values)
    weights = np.broadcast_to(part.weights, todo.shape)
    values[todo] = _single_moments(part.split().take(np.flatnonzero(todo)), weights[todo] < 1e-17, order)
    result[rows] = values
    return result


def draw_moments(mixture: Mixture, order: int) -> FloatArray:
    """(n, D) means (order 1) or variances (order 2) of the draws, conditioned and with their copies.

    Parameters
    ----------
    mixture : Mixture
        n rows of D draws.
    order : int
        1 or 2.

    Returns
    -------
    ndarray
        (n, D); `inf` where infinite.
    """
    if mixture.draws is None:
        return component_moments(mixture, order)
    return mixture_moment(mixture.split_draws(), order).reshape(len(mixture), mixture.n_draws)


def _residual_means(mixture: Mixture) -> FloatArray:
    """E[T - start | T > start] of every component by its partial expectation; NaN where that would cancel."""
    if mixture.log_alive is None:
        return np.full((len(mixture), mixture.n_components), np.nan)
    start = mixture.start[:, None]
    with np.errstate(all="ignore"):
        total = np.exp(mixture.components.log_mean_beyond(start) - mixture.log_alive)
        return np.where((total - start > 1e-4 * start) & (mixture.copies[:, None] == 1), total - start, np.nan)


def _single_moments(mixture: Mixture, negligible: BoolArray, order: int) -> FloatArray:
    """(n,) moments of rows of one component; those of an exponential where the difference does not show.

    That is where a component has lost its weight, and so far out in its tail that log survival has no digits left for
    the time that follows. In both cases the hazard hardly changes before the run ends.
    """
    rough, hazard = negligible, np.ones(len(mixture))
    if mixture.log_alive is not None:
        start = np.maximum(mixture.start, 1e-300)[:, None]
        with np.errstate(all="ignore"):
            log_hazard = mixture.components.log_prob(start) - mixture.components.log_sf(start)
            hazard = mixture.copies * np.exp(log_hazard[:, 0])
        rough = rough | (_EPS * (mixture.start * hazard - mixture.copies * mixture.log_alive[:, 0]) > 1e-6)
        rough &= np.isfinite(hazard) & (mixture.start > 0) & (tail_index(mixture) > order)
    else:
        rough = np.zeros(len(hazard), dtype=bool)
    with np.errstate(all="ignore"):
        result = hazard ** float(-order)
    rows = np.flatnonzero(~rough)
    result[rows] = _expectation(mixture.take(rows), order)
    return result


def mixture_moment(mixture: Mixture, order: int) -> FloatArray:
    """(n,) mean (order 1) or variance (order 2) of every row, `inf` where it is infinite.

    Parameters
    ----------
    mixture : Mixture
        n rows.
    order : int
        1 or 2.

    Returns
    -------
    ndarray
        (n,) seconds, or seconds squared.
    """
    result = np.empty(len(mixture))
    linear = mixture.power == 1
    rows = np.flatnonzero(linear)
    if rows.size:
        part = mixture if linear.all() else mixture.take(rows)
        result[rows] = _pooled(part, order)
    rows = np.flatnonzero(~linear)
    if rows.size:
        result[rows] = _expectation(mixture.take(rows), order)
    return result


def _pooled(mixture: Mixture, order: int) -> FloatArray:
    # Components have closed forms, draws of several have none; copies that share a draw need its moments.
    moments = draw_moments if mixture.shares_draws else component_moments
    weights = mixture.draw_weights if mixture.shares_draws else mixture.weights
    means = moments(mixture, 1)
    if order == 1:
        return weighted_sum(weights, means)
    return variance_of_means(weights, means) + weighted_sum(weights, moments(mixture, 2))


def variance_of_means(weights: FloatArray, means: FloatArray) -> FloatArray:
    """(n,) variance across components, or draws, of their means; 0 for a single one.

    Parameters
    ----------
    weights : ndarray
        (n, S) or (1, S).
    means : ndarray
        (n, S) means of components or draws.

    Returns
    -------
    ndarray
        (n,).
    """
    if means.shape[1] == 1:
        return np.zeros(len(means))
    centre = weighted_sum(weights, means)
    with np.errstate(over="ignore"):
        spread = np.where(np.isfinite(means), means, 0.0) - np.where(np.isfinite(centre), centre, 0.0)[:, None]
        return np.where(np.isfinite(centre), weighted_sum(weights, spread**2), np.inf)


def weighted_sum(weights: FloatArray, values: FloatArray) -> FloatArray:
    """Sum over components or draws; one of weight 0 counts nothing, even if its value is infinite.

    Parameters
    ----------
    weights : ndarray
        (n, S) or (1, S).
    values : ndarray
        (n, S).

    Returns
    -------
    ndarray
        (n,).
    """
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(np.where(weights > 0, weights * values, 0.0).sum(axis=1))


def _expectation(mixture: Mixture, order: int) -> FloatArray:
    """(n,) mean or variance by integration, `inf` where it is infinite."""
    result = np.full(len(mixture), np.inf)
    rows = np.flatnonzero(tail_index(mixture) > order + 1e-9)
    for block in blocks(rows.size, max(64, mixture.n_components)):
        part = mixture.take(rows[block])
        with np.errstate(all="ignore"):
            mean = expectation(part)
            result[rows[block]] = mean if order == 1 else expectation(part, mean)
    return result


def tail_index(mixture: Mixture) -> FloatArray:
    """(n,) exponent a in SF(x) ~ x^-a for rows with a component of infinite variance, else infinity.

    Only power-law tails have infinite moments; their index is the slope of the log survival function far out, where it
    is constant. A moment of order r is finite if a > r.

    Parameters
    ----------
    mixture : Mixture
        n rows.

    Returns
    -------
    ndarray
        (n,).
    """
    heavy = np.isinf(np.broadcast_to(mixture.components.variance(), (len(mixture), mixture.n_components)))
    heavy = heavy & (mixture.weights > 0)
    result = np.full(len(mixture), np.inf)
    rows = np.flatnonzero(heavy.any(axis=1))
    if rows.size:
        near, far = (mixture.components.take(rows).log_sf(t) for t in _FAR)
        index = (near - far) / np.log(_FAR[1] / _FAR[0])
        index = np.where(heavy[rows], index, np.inf).min(axis=1)
        result[rows] = index * mixture.copies[rows] * mixture.power[rows]
    return result


# -- mean of a run that is stopped -----------------------------------------------------------------------------


def restricted_mean(mixture: Mixture, times: FloatArray) -> FloatArray:
    """(n, m) E[min(X, x)] at positive, finite times (n, m).

    Parameters
    ----------
    mixture : Mixture
        n rows.
    times : ndarray
        (n, m) seconds, positive and finite.

    Returns
    -------
    ndarray
        (n, m) seconds.
    """
    result = np.full(times.shape, np.nan)
    simple = np.flatnonzero((mixture.copies == 1) & (mixture.power == 1))
    with np.errstate(all="ignore"):
        for block in blocks(simple.size, times.shape[1] * mixture.n_components):
            rows = simple[block]
            result[rows] = _restricted_closed(mixture.take(rows), times[rows])
        rows = np.flatnonzero(np.isnan(result).any(axis=1))
        for block in blocks(rows.size, max(64, mixture.n_components)):
            chosen = rows[block]
            integral = restricted_integral(mixture.take(chosen), times[chosen])
            result[chosen] = np.where(np.isnan(result[chosen]), integral, result[chosen])
    return result


def _restricted_closed(mixture: Mixture, times: FloatArray) -> FloatArray:
    """By the families' partial expectations; NaN where an infinite or far larger mean would cancel."""
    family = mixture.components.take(np.s_[:, None, :])
    alive: FloatArray | float = 0.0 if mixture.log_alive is None else mixture.log_alive[:, None, :]
    start = mixture.start[:, None, None]
    until = start + times[..., None]
    survival = np.exp(family.log_sf(until) - alive)
    whole = family.mean() if mixture.log_alive is None else np.exp(family.log_mean_beyond(start) - alive)
    beyond = np.exp(family.log_mean_beyond(until) - alive)
    weights = mixture.weights[:, None, :]
    value = np.vecdot(weights, np.where(weights > 0, whole - beyond + until * survival, 0.0)) - start[..., 0]
    size = np.vecdot(weights, np.where(weights > 0, whole, 0.0))
    return np.where(value > 1e-4 * size, np.minimum(value, times), np.nan)
