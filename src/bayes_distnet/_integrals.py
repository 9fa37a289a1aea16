r"""Means, variances and partial means of rows of mixtures by integration, good to about 1e-9.

Integrals run on an :class:`Axis` (log time). There a smooth integrand that fades at both ends is integrated to full
accuracy by the trapezoidal rule with a few dozen points; what that cannot do (spikes beside broad components, power-law
tails, integrals that stop in the middle) goes to an adaptive rule.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bayes_distnet._inverse import Axis, solve
from bayes_distnet._mixture import Array, Mixture, blocks
from bayes_distnet._numeric import Index, integrate

# Log survival at the lower end of an integral over times and of one over squares, and how exactly ends are placed.
_FOOT, _DEEP_FOOT = -1e-8, -1e-13
_ROUGH = 1e-2
# How far the upper end is followed, in log survival and in seconds (their squares must not overflow).
_DEEPEST = -3000.0
_FARTHEST = 1e140
_EPS = float(np.finfo(np.float64).eps)

# Takes rows (k,) and points (k, m) on their axes, returns values (k, m).
Integrand = Callable[[Index, Array], Array]


def expectation(mixture: Mixture, centre: Array | None = None) -> Array:
    """(n,) E[X], or E[(X - centre)^2], for rows where it is finite."""
    ends = _Ends.of(mixture, _FOOT if centre is None else _DEEP_FOOT)
    head, rest, complete = ends.follow(centre)
    survival = mixture.log_sf(ends.foot[:, None])[:, 0]
    if centre is not None:
        rest = rest - (centre - ends.foot) ** 2 * np.expm1(survival)
    axis = ends.axis
    low, high = axis.y(ends.foot[:, None])[:, 0], axis.y(head[:, None])[:, 0]

    def density(rows: Index, y: Array) -> Array:
        part, part_axis = mixture.take(rows), axis.take(rows)
        return np.exp(part.log_pdf(part_axis.x(y)) + part_axis.log_slope(y))

    blocked = _in_blocks(density, mixture.n_components)

    def with_density(rows: Index, y: Array) -> Array:
        found, x = blocked(rows, y), axis.take(rows).x(y)
        return np.stack([(x if centre is None else (x - centre[rows, None]) ** 2) * found, found], axis=-1)

    # The density has a known integral. A spike between the points shows there.
    integral, settled = _trapezoid(with_density, low, high, ends.rtol, np.exp(survival))
    result = np.asarray(integral + rest)
    rows = np.flatnonzero(~(settled & complete))
    for block in blocks(rows.size, mixture.n_components):
        some = rows[block]
        result[some] = _stepwise(mixture.take(some), None if centre is None else centre[some])
    return result


def _stepwise(mixture: Mixture, centre: Array | None) -> Array:
    """The same from the survival function, between many of its quantiles: for rows with spikes or far islands.

    Where a density has spikes, a survival function has steps, which no rule can fail to see.
    """
    ends, n = _Ends.of(mixture, _DEEP_FOOT), len(mixture.start)
    levels = -np.concatenate([10.0 ** np.arange(-12, 0), np.geomspace(0.2, 100.0, 24)])
    steps = [solve(mixture, np.arange(n), np.full(n, level), close=_ROUGH) for level in levels]
    steps += [ends.foot, np.zeros(n) if centre is None else centre]
    farthest = np.max(steps, axis=0)
    head, rest = ends.tail(farthest, centre)
    axis = ends.axis
    edges = np.sort(np.stack([np.clip(step, ends.foot, head) for step in [*steps, head]], axis=1), axis=1)
    edges = _graded(axis.y(edges))

    def step(rows: Index, y: Array) -> Array:
        part, part_axis = mixture.take(rows), axis.take(rows)
        x = part_axis.x(y)
        log_sf, log_slope = part.log_sf(x), part_axis.log_slope(y)
        if centre is None:
            return np.exp(log_sf + log_slope)
        away = x - centre[rows, None]
        return 2 * away * np.where(away < 0, np.expm1(log_sf), np.exp(log_sf)) * np.exp(log_slope)

    pieces = _adaptive(_in_blocks(step, mixture.n_components), np.arange(n), edges, ends.rtol)
    return np.asarray(pieces.sum(axis=1) + rest + (ends.foot if centre is None else 0.0))


def restricted_integral(mixture: Mixture, times: Array) -> Array:
    """(n, m) E[min(X, x)] at finite times (n, m), by integrating the survival function from one time to the next."""
    n, m = times.shape
    ends = _Ends.of(mixture, _DEEP_FOOT)
    axis, foot = ends.axis, ends.foot[:, None]
    order = np.argsort(times, axis=1)
    stops = axis.y(np.maximum(np.take_along_axis(times, order, axis=1), foot))
    edges = np.concatenate([axis.y(foot), stops], axis=1)
    finer = -(-8 // m)  # at least eight pieces a row
    inner = edges[:, :-1, None] + np.diff(edges, axis=1)[..., None] * (np.arange(finer) / finer)
    edges = np.concatenate([inner.reshape(n, -1), edges[:, -1:]], axis=1)

    def survival(rows: Index, y: Array) -> Array:
        part, part_axis = mixture.take(rows), axis.take(rows)
        return np.exp(part.log_sf(part_axis.x(y)) + part_axis.log_slope(y))

    pieces = _adaptive(_in_blocks(survival, mixture.n_components), np.arange(n), edges, ends.rtol)
    sums = np.empty(times.shape)
    steps = pieces.reshape(n, m, finer).sum(axis=2)
    np.put_along_axis(sums, order, foot + np.cumsum(steps, axis=1), axis=1)
    return np.where(times <= foot, times, sums)


def overlap(mixture: Mixture, horizon: Array) -> tuple[Array, Array]:
    r"""(n,) the integral of F(x) SF(x) up to the horizon or to where it has faded, and (n,) that end.

    With it :math:`\int SF^2 = \int SF - \int F\,SF` up to that end, where the first term usually has a closed form,
    and the second fades at both ends. NaN where the upper tail does not fade fast enough for that to be of use.
    """
    ends = _Ends.of(mixture, _FOOT)
    head, rest, complete = ends.follow(None, deepest=-60.0)
    axis = ends.axis
    unlimited = horizon >= head
    hopeless = unlimited & ~(complete & (rest <= 1e-10 * np.abs(ends.median)))
    stop = np.where(unlimited, head, np.maximum(horizon, ends.foot))
    low, high = axis.y(ends.foot[:, None])[:, 0], axis.y(stop[:, None])[:, 0]

    def product(rows: Index, y: Array) -> Array:
        part, part_axis = mixture.take(rows), axis.take(rows)
        log_sf = part.log_sf(part_axis.x(y))
        return -np.expm1(log_sf) * np.exp(log_sf + part_axis.log_slope(y))

    blocked = _in_blocks(product, mixture.n_components)
    result, settled = np.zeros(low.size), np.zeros(low.size, dtype=bool)
    rows = np.flatnonzero(unlimited & ~hopeless)
    if rows.size:
        result[rows], settled[rows] = _trapezoid(
            lambda i, y: blocked(rows[i], y)[..., None], low[rows], high[rows], ends.rtol[rows], None
        )
    rows = np.flatnonzero(~unlimited)
    if rows.size:
        result[rows], settled[rows] = _gauss(blocked, rows, low[rows], high[rows], ends.rtol[rows])
    rows = np.flatnonzero(~settled & ~hopeless)
    if rows.size:
        edges = np.linspace(low[rows], high[rows], 9, axis=1)
        result[rows] = _adaptive(blocked, rows, edges, ends.rtol[rows]).sum(axis=1)
    return np.where(hopeless, np.nan, result), np.minimum(stop, horizon)


class _Ends:
    """Where the integrals over the rows of a mixture start, and how far they have to go."""

    def __init__(self, mixture: Mixture, axis: Axis, foot: Array, median: Array) -> None:
        self.mixture, self.axis, self.foot, self.median = mixture, axis, foot, median

    @classmethod
    def of(cls, mixture: Mixture, level: float) -> _Ends:
        n = len(mixture.start)
        foot, median = (
            solve(mixture, np.arange(n), np.full(n, log_sf), close=_ROUGH) for log_sf in (level, np.log(0.5))
        )
        # Log time may reach far down. This far below the median one time is as good as another.
        foot = np.where(mixture.starts_at_zero, np.maximum(foot, 1e-13 * median), foot)
        return cls(mixture, Axis.of(mixture), foot, median)

    @property
    def rtol(self) -> Array:
        """(n,) the relative accuracy to ask for, 1e-9 unless rounding forbids it.

        Far out in a tail, a survival relative to that so far is the difference of two large logarithms, and a remaining
        time the difference of two long ones. The integrand is rough then, and no rule gets below that.
        """
        mixture = self.mixture
        if mixture.log_alive is None:
            return np.full(self.foot.size, 1e-9)
        alive = -np.sum(mixture.weights * np.maximum(mixture.log_alive, -1e300), axis=1)
        waited = np.where(mixture.starts_at_zero, mixture.start, 0.0) / np.abs(self.median)
        rough: Array = 100 * _EPS * (waited + mixture.power * mixture.copies * alive)
        return np.clip(rough, 1e-9, 1e-2)

    def follow(self, centre: Array | None, *, deepest: float = _DEEPEST) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Where to stop (n,), the part of E[X] or E[(X - centre)^2] beyond, and whether that can be all there is."""
        mixture, n = self.mixture, self.foot.size
        scale = np.abs(self.median)
        if centre is not None:
            quarter = solve(mixture, np.arange(n), np.full(n, np.log(0.25)), close=_ROUGH)
            scale = 0.1 * (quarter - self.median) ** 2
        head, rest = np.empty((2, n))
        rows, level = np.arange(n), -24.0
        while rows.size:
            part = _Ends(mixture.take(rows), self.axis, self.foot[rows], self.median[rows])
            x = solve(mixture, rows, np.full(rows.size, level), close=_ROUGH)
            head[rows], beyond = part.tail(x, None if centre is None else centre[rows])
            x, sf = head[rows], np.exp(part.mixture.log_sf(head[rows, None])[:, 0])
            # E[X; X > x] is x SF(x) and the integral of SF from there on; so for the squares.
            rest[rows] = beyond + np.where(part.mixture.starts_at_zero, sf, 0.0) * (
                x if centre is None else (x - centre[rows]) ** 2
            )
            rows = rows[(rest[rows] > 1e-11 * scale[rows]) & (level > deepest) & (x < _FARTHEST)]
            level *= 1.4 if level > -100 else 3.0
        return head, rest, self._no_islands(head, 1e-10 * scale, 1 if centre is None else 2)

    def tail(self, x: Array, centre: Array | None) -> tuple[Array, Array]:
        """Ends (n,) near x, and the integral of SF, or of 2 (x - centre) SF, beyond, as if it were a power law."""
        x = np.minimum(x, _FARTHEST)
        log_sf, log_pdf = (value[:, 0] for value in self.mixture.log_sf_pdf(x[:, None]))
        index = np.exp(log_pdf - log_sf) * np.abs(x)
        if centre is None:
            beyond = x / np.maximum(index - 1, 1e-6)
        else:
            beyond = 2 * x**2 / np.maximum(index - 2, 1e-6) - 2 * centre * x / np.maximum(index - 1, 1e-6)
        # Kernels on the whole line have no tails worth following.
        return x, np.where(self.mixture.starts_at_zero, np.exp(log_sf) * beyond, 0.0)

    def _no_islands(self, head: Array, least: Array, order: int) -> NDArray[np.bool_]:
        """(n,) False where a component of little weight lies so far behind the head that it matters all the same."""
        mixture = self.mixture
        result = np.ones(head.size, dtype=bool)
        if mixture.n_components == 1 or not mixture.components.positive:
            return result
        log_sf = np.concatenate(
            [
                mixture.take(block).component_log_sf(head[block, None])[:, 0]
                for block in blocks(head.size, mixture.n_components)
            ]
        )
        weights = np.broadcast_to(mixture.log_weights, log_sf.shape)
        rows, columns = np.nonzero((log_sf > np.log(0.01)) & (weights > -700.0))
        if rows.size:
            islands = mixture.components.take((rows, columns))
            alive = 0.0 if mixture.log_alive is None else mixture.log_alive[rows, columns]
            log_x = islands.log_isf(alive + np.log(1e-3) / mixture.copies[rows])
            adds = mixture.power[rows] * (weights + log_sf)[rows, columns] + order * log_x
            result[rows[adds > np.log(least[rows])]] = False
        return result


# -- rules: integrands take rows (k,) and points (k, m) --------------------------------------------------------------


def _in_blocks(evaluate: Integrand, size: int) -> Integrand:
    """Evaluate in blocks of a size that suits mixtures of `size` components."""

    def blocked(rows: Index, y: Array) -> Array:
        result = np.empty(y.shape)
        for block in blocks(rows.size, y.shape[1] * size):
            result[block] = evaluate(rows[block], y[block])
        return result

    return blocked


def _trapezoid(
    evaluate: Integrand, low: Array, high: Array, rtol: Array, check: Array | None
) -> tuple[Array, NDArray[np.bool_]]:
    """Integrals (n,) by halving the step of the trapezoidal rule, and whether they settled.

    The integrand has values (k, m, 2): what is asked for, and something whose integral `check` is known; or (k, m, 1)
    with no check.
    """
    points = 12
    rows, step = np.arange(low.size), (high - low) / points
    sums = evaluate(rows, low[:, None] + step[:, None] * np.arange(1, points)).sum(axis=1)
    result, settled, moved = np.zeros(low.size), np.zeros(low.size, dtype=bool), np.ones(low.size)
    while rows.size and points < 96:
        middle = low[rows, None] + step[rows, None] * (np.arange(points) + 0.5)
        finer = sums[rows] + evaluate(rows, middle).sum(axis=1)
        old, new = sums[rows] * step[rows, None], 0.5 * finer * step[rows, None]
        # Halving the step about squares the error: what was 1e-5 off before is 1e-10 off now.
        move = np.abs(new - old)[:, 0] / (np.abs(new[:, 0]) + 1e-300)
        close = move <= np.sqrt(0.1 * rtol[rows])
        if check is not None:
            close &= np.abs(new[:, 1] - check[rows]) <= rtol[rows]
        else:
            # Or it does not, and there is a spike. Then the last two moves are of about the same size.
            close &= (move <= moved[rows] ** 1.5) & (moved[rows] < 1)
        result[rows], settled[rows], moved[rows] = new[:, 0], close, move
        sums[rows], step[rows] = finer, 0.5 * step[rows]
        rows, points = rows[~close], 2 * points
    return result, settled


def _gauss(evaluate: Integrand, rows: Index, low: Array, high: Array, rtol: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Integrals (k,) over [low, high] of rows (k,) by more and more Gauss-Legendre points, and whether they settled."""
    result, settled = np.full(rows.size, np.nan), np.zeros(rows.size, dtype=bool)
    for points in (24, 48, 96):
        open_ = np.flatnonzero(~settled)
        nodes, weights = np.polynomial.legendre.leggauss(points)
        half = 0.5 * (high - low)[open_, None]
        new = (evaluate(rows[open_], low[open_, None] + half * (1 + nodes)) * weights * half).sum(axis=1)
        settled[open_] = np.abs(new - result[open_]) <= 100 * rtol[open_] * np.abs(new)
        result[open_] = new
    return result, settled


def _graded(edges: Array) -> Array:
    """Sorted edges (n, m) with more of them, so that intervals next to each other are of similar length.

    Next to a short interval there is a step, and part of it may lie in a long one, close to its end.
    """
    length = np.diff(edges, axis=1)
    beside = np.pad(length, ((0, 0), (1, 1)), constant_values=np.inf)
    growth = 8.0 ** np.arange(7)
    half = 0.5 * length[..., None]
    from_left = edges[:, :-1, None] + np.minimum(beside[:, :-2, None] * growth, half)
    from_right = edges[:, 1:, None] - np.minimum(beside[:, 2:, None] * growth, half)
    return np.sort(np.concatenate([edges, *(new.reshape(len(edges), -1) for new in (from_left, from_right))], axis=1))


def _adaptive(evaluate: Integrand, rows: Index, edges: Array, rtol: Array) -> Array:
    """Integrals (k, m) between the edges (k, m + 1) of rows (k,)."""
    pieces = edges.shape[1] - 1
    owner = np.repeat(np.arange(rows.size), pieces)
    parts = integrate(lambda i, y: evaluate(rows[i], y), owner, edges[:, :-1].ravel(), edges[:, 1:].ravel(), rtol)
    return parts.reshape(rows.size, pieces)
