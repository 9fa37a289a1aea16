r"""Moments of rows of mixtures: closed forms where a family has one, else integrals good to about 1e-9.

The integrals run over the density on an :class:`Axis` (log time). There a smooth density that fades at both ends is
integrated by the trapezoidal rule to full accuracy with a few dozen points; rows for which that is not so (spikes
beside broad components, power-law tails) are passed on to an adaptive rule.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bayes_distnet._inverse import Axis, solve
from bayes_distnet._mixture import Array, Mixture, blocks
from bayes_distnet._numeric import Index, integrate

# Probability left out below an integral, and how far the upper end is followed, in log sf and in seconds.
_LOG_FOOT = -1e-20
_DEEPEST = -3000.0
_FARTHEST = 1e140
_EPS = float(np.finfo(np.float64).eps)
_FAR = np.array([1e290, 1e300])


def component_moments(mixture: Mixture, order: int) -> Array:
    """(n, S) means (order 1) or variances (order 2) of the components, conditioned and with their copies."""
    plain = (mixture.copies == 1) & ~(mixture.starts_at_zero & (mixture.start != 0))
    if not mixture.components.positive:
        plain &= ~mixture.starts_at_zero
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


def _residual_means(mixture: Mixture) -> Array:
    """E[T - start | T > start] of every component by its partial expectation; NaN where that would cancel."""
    if mixture.log_alive is None or not mixture.components.positive:
        return np.full((len(mixture.start), mixture.n_components), np.nan)
    start = mixture.start[:, None]
    with np.errstate(all="ignore"):
        total = np.exp(mixture.components.log_mean_beyond(start) - mixture.log_alive)
        return np.where((total - start > 1e-4 * start) & (mixture.copies[:, None] == 1), total - start, np.nan)


def _single_moments(mixture: Mixture, negligible: NDArray[np.bool_], order: int) -> Array:
    """(n,) moments of rows of one component; as of an exponential where nobody can tell the difference.

    That is where a component has lost its weight, and so far out in its tail that log survival times have no
    digits left for what happens next; there the hazard hardly changes before the run ends.
    """
    rough, hazard = negligible, np.ones(len(mixture.start))
    if mixture.log_alive is not None:
        start = np.maximum(mixture.start, 1e-300)[:, None]
        with np.errstate(all="ignore"):
            log_hazard = mixture.components.log_prob(start) - mixture.components.log_sf(start)
            hazard = mixture.copies * np.exp(log_hazard[:, 0])
        rough = rough | (_EPS * (mixture.start * hazard - mixture.copies * mixture.log_alive[:, 0]) > 1e-6)
        rough &= np.isfinite(hazard) & (mixture.start > 0) & (_tail_index(mixture) > order)
    else:
        rough = np.zeros(len(hazard), dtype=bool)
    with np.errstate(all="ignore"):
        result = hazard ** float(-order)
    rows = np.flatnonzero(~rough)
    result[rows] = _expectation(mixture.take(rows), order)
    return result


def mixture_moment(mixture: Mixture, order: int) -> Array:
    """(n,) mean (order 1) or variance (order 2) of every row, `inf` where it is infinite."""
    result = np.empty(len(mixture.start))
    linear = mixture.power == 1
    rows = np.flatnonzero(linear)
    if rows.size:
        part = mixture if linear.all() else mixture.take(rows)
        result[rows] = _pooled(part, order)
    rows = np.flatnonzero(~linear)
    if rows.size:
        result[rows] = _expectation(mixture.take(rows), order)
    return result


def _pooled(mixture: Mixture, order: int) -> Array:
    means = component_moments(mixture, 1)
    if order == 1:
        return weighted(mixture.weights, means)
    return variance_of_means(mixture, means) + weighted(mixture.weights, component_moments(mixture, 2))


def variance_of_means(mixture: Mixture, means: Array) -> Array:
    """(n,) variance across components of their means; 0 for a single component."""
    if mixture.n_components == 1:
        return np.zeros(len(means))
    centre = weighted(mixture.weights, means)
    with np.errstate(over="ignore"):
        spread = np.where(np.isfinite(means), means, 0.0) - np.where(np.isfinite(centre), centre, 0.0)[:, None]
        return np.where(np.isfinite(centre), weighted(mixture.weights, spread**2), np.inf)


def weighted(weights: Array, values: Array) -> Array:
    """Sum over components, in which a component of weight 0 counts nothing, even an infinite one."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(np.where(weights > 0, weights * values, 0.0).sum(axis=1))


# -- by integration ------------------------------------------------------------------------------------------------


def _expectation(mixture: Mixture, order: int) -> Array:
    """(n,) mean or variance by integration over the density."""
    result = np.full(len(mixture.start), np.inf)
    rows = np.flatnonzero(_tail_index(mixture) > order + 1e-9)
    # The rows of a block move on together, so keep blocks small enough to leave the cache to their 64 nodes.
    for block in blocks(rows.size, 32 * mixture.n_components):
        part = mixture.take(rows[block])
        with np.errstate(all="ignore"):
            mean = _integral(part, None)
            result[rows[block]] = mean if order == 1 else _integral(part, mean)
    return result


def _tail_index(mixture: Mixture) -> Array:
    """(n,) the a in SF(x) ~ x^-a for rows with a component of infinite variance, else infinity.

    Only power laws have infinite moments; their index is the slope of the log survival function far out, where it
    is constant. A moment of order r is finite if a > r.
    """
    heavy = np.isinf(np.broadcast_to(mixture.components.variance(), (len(mixture.start), mixture.n_components)))
    heavy = heavy & (mixture.weights > 0)
    result = np.full(len(mixture.start), np.inf)
    rows = np.flatnonzero(heavy.any(axis=1))
    if rows.size:
        near, far = (mixture.components.take(rows).log_sf(t) for t in _FAR)
        index = (near - far) / np.log(_FAR[1] / _FAR[0])
        index = np.where(heavy[rows], index, np.inf).min(axis=1)
        result[rows] = index * mixture.copies[rows] * mixture.power[rows]
    return result


def _integral(mixture: Mixture, centre: Array | None) -> Array:
    """(n,) E[X], or E[(X - centre)^2]."""
    n = len(mixture.start)
    everyone = np.arange(n)
    axis = Axis.of(mixture)
    foot = solve(mixture, everyone, np.full(n, _LOG_FOOT))
    body = [solve(mixture, everyone, np.full(n, np.log(q))) for q in (0.5, 0.25)]
    scale = np.abs(body[0]) if centre is None else 0.1 * (body[1] - body[0]) ** 2
    head, rest = _head(mixture, centre, scale)
    # Log time may reach far down. This far below the median all times are zero; only their number counts.
    foot = np.where(mixture.starts_at_zero, np.maximum(foot, 1e-13 * body[0]), foot)
    if centre is not None:
        rest = rest - centre**2 * np.expm1(mixture.log_sf(foot[:, None])[:, 0])
    mass = np.exp(mixture.log_sf(foot[:, None])[:, 0])
    low, high = axis.y(foot[:, None])[:, 0], axis.y(head[:, None])[:, 0]

    def evaluate(rows: Index, y: Array) -> Array:
        """(k, m, 2): the integrand, and the density to see whether the points have missed something."""
        part, part_axis = mixture.take(rows), axis.take(rows)
        x = part_axis.x(y)
        density = np.exp(part.log_pdf(x) + part_axis.log_slope(y))
        value = x if centre is None else (x - centre[rows, None]) ** 2
        return np.stack([value * density, density], axis=-1)

    rtol = _attainable(mixture, body[0])
    integral, converged = _trapezoid(evaluate, low, high, mass, rtol)
    rows = np.flatnonzero(~converged)
    if rows.size:
        edges = np.linspace(low[rows], high[rows], 9, axis=1)
        integral[rows] = _adaptive(lambda i, y: evaluate(i, y)[..., 0], mixture, rows, edges, rtol[rows]).sum(1)
    return np.asarray(integral + rest)


def _attainable(mixture: Mixture, median: Array) -> Array:
    """(n,) the relative accuracy to ask for, 1e-9 unless rounding forbids it.

    Far out in a tail, a survival relative to that so far is the difference of two large logarithms, and a remaining
    time the difference of two long ones. The integrand is rough then, and no rule gets below that.
    """
    if mixture.log_alive is None:
        return np.full(len(mixture.start), 1e-9)
    alive = -weighted(mixture.weights, np.maximum(mixture.log_alive, -1e300))
    waited = np.where(mixture.starts_at_zero, mixture.start, 0.0) / np.abs(median)
    return np.clip(100 * _EPS * (waited + mixture.power * mixture.copies * alive), 1e-9, 1e-2)


def _head(mixture: Mixture, centre: Array | None, scale: Array) -> tuple[Array, Array]:
    """Where to stop an integral (n,), and what lies beyond, taking the tail for a power law from there on."""
    order = 1 if centre is None else 2
    n = len(mixture.start)
    head, rest = np.empty((2, n))
    rows, level = np.arange(n), -40.0
    while rows.size:
        part = mixture.take(rows)
        x = np.minimum(solve(mixture, rows, np.full(rows.size, level)), _FARTHEST)
        log_sf, log_pdf = (value[:, 0] for value in part.log_sf_pdf(x[:, None]))
        index = np.exp(log_pdf - log_sf) * np.abs(x)
        index = np.maximum(index, order * (1 + 1e-6))
        if centre is None:
            tail = x * index / (index - 1)
        else:
            ratio = centre[rows] / x
            tail = x**2 * (index / (index - 2) - 2 * ratio * index / (index - 1) + ratio**2)
        # Kernels on the whole line have no tails worth following.
        head[rows], rest[rows] = x, np.where(part.starts_at_zero, tail * np.exp(log_sf), 0.0)
        rows = rows[(rest[rows] > 1e-12 * scale[rows]) & (level > _DEEPEST) & (x < _FARTHEST)]
        level *= 2
    return head, rest


def _trapezoid(
    evaluate: Callable[[Index, Array], Array], low: Array, high: Array, mass: Array, rtol: Array
) -> tuple[Array, NDArray[np.bool_]]:
    """Integrals (n,) by halving the step of the trapezoidal rule, and whether they settled.

    The integrand comes with the density, whose integral `mass` is known: a spike between the points shows there.
    """
    n = low.size
    rows, step = np.arange(n), (high - low) / 16
    inner = low[:, None] + step[:, None] * np.arange(1, 16)
    sums = evaluate(rows, inner).sum(axis=1)
    result, settled = np.zeros(n), np.zeros(n, dtype=bool)
    points = 16
    while rows.size and points <= 64:
        middle = low[rows, None] + step[rows, None] * (np.arange(points) + 0.5)
        finer = sums[rows] + evaluate(rows, middle).sum(axis=1)
        old, new = sums[rows] * step[rows, None], 0.5 * finer * step[rows, None]
        # The error is about squared by halving the step: what was 1e-6 off before is 1e-12 off now.
        close = (np.abs(new - old)[:, 0] <= 1e3 * rtol[rows] * np.abs(new[:, 0])) & (
            np.abs(new[:, 1] - mass[rows]) <= rtol[rows]
        )
        result[rows], settled[rows] = new[:, 0], close
        sums[rows], step[rows] = finer, 0.5 * step[rows]
        rows, points = rows[~close], 2 * points
    return result, settled


def _adaptive(
    evaluate: Callable[[Index, Array], Array], mixture: Mixture, rows: Index, edges: Array, rtol: Array
) -> Array:
    """Integrals (k, m) between the edges (k, m + 1) of rows (k,)."""

    def in_blocks(owner: Index, y: Array) -> Array:
        result = np.empty(y.shape)
        for block in blocks(owner.size, y.shape[1] * mixture.n_components):
            result[block] = evaluate(rows[owner[block]], y[block])
        return result

    pieces = edges.shape[1] - 1
    owner = np.repeat(np.arange(rows.size), pieces)
    parts = integrate(in_blocks, owner, edges[:, :-1].ravel(), edges[:, 1:].ravel(), rtol)
    return parts.reshape(rows.size, pieces)


# -- the mean of a run that is stopped -----------------------------------------------------------------------------


def restricted_mean(mixture: Mixture, times: Array) -> Array:
    """(n, m) E[min(X, x)] at times (n, m): positive and finite where a row starts at zero, any where not."""
    result = np.full(times.shape, np.nan)
    simple = np.flatnonzero((mixture.copies == 1) & (mixture.power == 1))
    with np.errstate(all="ignore"):
        for block in blocks(simple.size, times.shape[1] * mixture.n_components):
            rows = simple[block]
            result[rows] = _restricted_closed(mixture.take(rows), times[rows])
        rows = np.flatnonzero(np.isnan(result).any(axis=1))
        for block in blocks(rows.size, 32 * mixture.n_components):
            chosen = rows[block]
            integral = _restricted_integral(mixture.take(chosen), times[chosen])
            result[chosen] = np.where(np.isnan(result[chosen]), integral, result[chosen])
    return result


def _restricted_closed(mixture: Mixture, times: Array) -> Array:
    """By the families' partial expectations; NaN where an infinite or far larger mean would cancel."""
    family = mixture.components.take(np.s_[:, None, :])
    alive: Array | float = 0.0 if mixture.log_alive is None else mixture.log_alive[:, None, :]
    start = np.where(mixture.starts_at_zero, mixture.start, 0.0)[:, None, None]
    until = start + times[..., None]
    survival = np.exp(family.log_sf(until) - alive)
    if mixture.components.positive:
        whole = family.mean() if mixture.log_alive is None else np.exp(family.log_mean_beyond(start) - alive)
        beyond = np.exp(family.log_mean_beyond(until) - alive)
    elif mixture.log_alive is None:
        whole, beyond = family.mean(), family.mean_beyond(until)
    else:
        return np.full(times.shape, np.nan)
    weights = mixture.weights[:, None, :]
    value = np.vecdot(weights, np.where(weights > 0, whole - beyond + until * survival, 0.0)) - start[..., 0]
    size = np.vecdot(weights, np.where(weights > 0, np.abs(whole), 0.0))
    return np.where(np.abs(value) > 1e-4 * size, np.minimum(value, times), np.nan)


def _restricted_integral(mixture: Mixture, times: Array) -> Array:
    """By integrating the survival function from one time to the next."""
    n, everyone = len(mixture.start), np.arange(len(mixture.start))
    axis = Axis.of(mixture)
    foot = solve(mixture, everyone, np.full(n, -1e-13))[:, None]
    median = solve(mixture, everyone, np.full(n, np.log(0.5)))
    foot = np.where(axis.logarithmic, np.maximum(foot, 1e-13 * median[:, None]), foot)
    order = np.argsort(times, axis=1)
    ends = axis.y(np.maximum(np.take_along_axis(times, order, axis=1), foot))
    edges = np.concatenate([axis.y(foot), ends], axis=1)
    finer = -(-8 // times.shape[1])
    share = np.arange(finer) / finer
    edges = np.concatenate(
        [(edges[:, :-1, None] + np.diff(edges, axis=1)[..., None] * share).reshape(n, -1), edges[:, -1:]], axis=1
    )

    def evaluate(rows: Index, y: Array) -> Array:
        part, part_axis = mixture.take(rows), axis.take(rows)
        return np.exp(part.log_sf(part_axis.x(y)) + part_axis.log_slope(y))

    rtol = _attainable(mixture, median)
    parts = _adaptive(evaluate, mixture, everyone, edges, rtol).reshape(n, times.shape[1], finer).sum(axis=2)
    sums = np.empty(times.shape)
    np.put_along_axis(sums, order, foot + np.cumsum(parts, axis=1), axis=1)
    return np.where(times <= foot, times, sums)
