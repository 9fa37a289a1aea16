r"""Means, variances and partial means of rows of mixtures by integration: to about 1e-9, and at worst 1e-6.

Integrals run over log time. There a smooth density that fades at both ends is integrated to full accuracy by the
trapezoidal rule with a few dozen points. Rows of other shape (spikes beside broad components, power-law tails, a little
weight far away) are done again, from the survival function and adaptively. See `numeric` for a comparison with SciPy.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from bayes_distnet.arrays import BoolArray, FloatArray, IndexArray
from bayes_distnet.distributions.blocks import blocks
from bayes_distnet.distributions.mixture import Mixture
from bayes_distnet.distributions.numeric import integrate
from bayes_distnet.distributions.quantiles import solve

# Log survival at the lower end of an integral over times and of one over squares; accuracy of the ends.
_FOOT, _DEEP_FOOT = -1e-10, -1e-13
_ROUGH = 1e-2
# Limits of the upper end, in log survival and in seconds (their squares must not overflow).
_DEEPEST = -3000.0
_FARTHEST = 1e140
_EPS = float(np.finfo(np.float64).eps)

# Takes rows (k,) and log times (k, m), returns values (k, m).
Integrand = Callable[[IndexArray, FloatArray], FloatArray]


def expectation(mixture: Mixture, centre: FloatArray | None = None) -> FloatArray:
    """(n,) E[X], or E[(X - centre)^2], for rows where it is finite.

    Parameters
    ----------
    mixture : Mixture
        n rows with a finite moment.
    centre : ndarray, optional
        (n,) points that squares are taken around.

    Returns
    -------
    ndarray
        (n,).
    """
    order = 1 if centre is None else 2
    ends = _Ends.of(mixture, _FOOT if centre is None else _DEEP_FOOT)
    foot = ends.foot
    head, rest = ends.follow(centre)
    survival = mixture.log_sf(foot[:, None])[:, 0]
    if centre is not None:
        rest = rest - (centre - foot) ** 2 * np.expm1(survival)
    low, high = np.log(foot), np.log(head)

    def evaluate(rows: IndexArray, y: FloatArray) -> FloatArray:
        result = np.empty((*y.shape, 3))
        for block in blocks(rows.size, y.shape[1] * mixture.n_components):
            x = np.exp(y[block])
            log_sf, log_pdf = mixture.take(rows[block]).log_sf_pdf(x)
            density, sf = np.exp(log_pdf + y[block]), np.exp(log_sf + y[block])
            result[block, :, 0] = density * (x if centre is None else (x - centre[rows[block], None]) ** 2)
            result[block, :, 1] = density
            result[block, :, 2] = x**order * density - order * x ** (order - 1) * sf
        return result

    # By parts, the third integral is x^order SF(x) at the foot, less next to nothing at the head.
    known = np.stack([np.exp(survival), foot**order * np.exp(survival)], axis=1)
    integral, settled = _trapezoid(evaluate, low, high, ends.rtol, known, order)
    result = np.asarray(integral + rest)
    rows = np.flatnonzero(~settled)
    for block in blocks(rows.size, 64 * mixture.n_components):
        some = rows[block]
        result[some] = _stepwise(mixture.take(some), None if centre is None else centre[some])
    return result


def _stepwise(mixture: Mixture, centre: FloatArray | None) -> FloatArray:
    """The same from the survival function, between many of its quantiles: for rows with spikes or far islands.

    Where a density has spikes, a survival function has steps, which no rule misses.
    """
    ends, n = _Ends.of(mixture, _DEEP_FOOT), len(mixture)
    levels = -np.concatenate([10.0 ** np.arange(-12, 0), np.geomspace(0.2, 100.0, 24)])
    steps = [solve(mixture, np.arange(n), np.full(n, level), close=_ROUGH) for level in levels]
    steps += [ends.foot, np.zeros(n) if centre is None else centre]
    steps += [ends.follow(centre)[0]]
    head, rest = ends.tail(np.max(steps, axis=0), centre)
    edges = np.sort(np.stack([np.clip(step, ends.foot, head) for step in steps], axis=1), axis=1)
    edges = _graded(np.log(edges))

    def step(rows: IndexArray, y: FloatArray) -> FloatArray:
        x = np.exp(y)
        log_sf = mixture.take(rows).log_sf(x)
        if centre is None:
            return np.exp(log_sf + y)
        away = x - centre[rows, None]
        return 2 * away * np.where(away < 0, np.expm1(log_sf), np.exp(log_sf)) * x

    pieces = _adaptive(_in_blocks(step, mixture.n_components), np.arange(n), edges, ends.rtol)
    return np.asarray(pieces.sum(axis=1) + rest + (ends.foot if centre is None else 0.0))


def restricted_integral(mixture: Mixture, times: FloatArray) -> FloatArray:
    """(n, m) E[min(X, x)] at finite times (n, m), by integrating the survival function up to them.

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
    ends = _Ends.of(mixture, _FOOT)
    foot, rows = ends.foot[:, None], np.arange(len(times))
    low, stops = np.log(foot), np.log(np.maximum(times, foot))

    def survival(rows: IndexArray, y: FloatArray) -> FloatArray:
        return np.exp(mixture.take(rows).log_sf(np.exp(y)) + y)

    blocked = _in_blocks(survival, mixture.n_components)
    result = np.zeros(times.shape)
    if times.shape[1] == 1:
        result[:, 0], settled = _clenshaw_curtis(blocked, low[:, 0], stops[:, 0], ends.rtol)
        rows = np.flatnonzero(~settled)
    if rows.size:
        result[rows] = _cumulative(blocked, rows, low[rows], stops[rows], ends.rtol[rows])
    return np.where(times <= foot, times, foot + result)


class _Ends:
    """Ends of the integrals over the rows of a mixture."""

    def __init__(self, mixture: Mixture, foot: FloatArray, median: FloatArray) -> None:
        self.mixture, self.foot, self.median = mixture, foot, median

    @classmethod
    def of(cls, mixture: Mixture, level: float) -> _Ends:
        n = len(mixture)
        foot, median = (
            solve(mixture, np.arange(n), np.full(n, log_sf), close=_ROUGH) for log_sf in (level, np.log(0.5))
        )
        # Log time may reach far down. This far below the median one time is as good as another.
        return cls(mixture, np.maximum(foot, 1e-13 * median), median)

    @property
    def rtol(self) -> FloatArray:
        """(n,) relative accuracy to ask for, 1e-9 unless rounding forbids it.

        Far out in a tail, a survival relative to the one so far is the difference of two large logarithms, and a
        remaining time the difference of two long ones. The integrand is rough then, and no rule gets below that.
        """
        mixture = self.mixture
        if mixture.log_alive is None:
            return np.full(self.foot.size, 1e-9)
        alive = -np.sum(mixture.weights * np.maximum(mixture.log_alive, -1e300), axis=1)
        rough: FloatArray = 100 * _EPS * (mixture.start / self.median + mixture.power * mixture.copies * alive)
        return np.clip(rough, 1e-9, 1e-2)

    def follow(self, centre: FloatArray | None) -> tuple[FloatArray, FloatArray]:
        """Upper ends (n,), and the part of E[X] or E[(X - centre)^2] beyond."""
        mixture, n = self.mixture, self.foot.size
        scale = self.median
        if centre is not None:
            quarter = solve(mixture, np.arange(n), np.full(n, np.log(0.25)), close=_ROUGH)
            scale = 0.1 * (quarter - self.median) ** 2
        head, rest = np.empty((2, n))
        rows, level = np.arange(n), -24.0
        while rows.size:
            part = _Ends(mixture.take(rows), self.foot[rows], self.median[rows])
            x = solve(mixture, rows, np.full(rows.size, level), close=_ROUGH)
            head[rows], beyond = part.tail(x, None if centre is None else centre[rows])
            x, sf = head[rows], np.exp(part.mixture.log_sf(head[rows, None])[:, 0])
            # E[X; X > x] is x SF(x) and the integral of SF from x on; the same holds for the squares.
            rest[rows] = beyond + sf * (x if centre is None else (x - centre[rows]) ** 2)
            rows = rows[(rest[rows] > 1e-11 * scale[rows]) & (level > _DEEPEST) & (x < _FARTHEST)]
            level *= 1.4 if level > -100 else 3.0
        return head, rest

    def tail(self, x: FloatArray, centre: FloatArray | None) -> tuple[FloatArray, FloatArray]:
        """Ends (n,) near x, and the integral of SF, or of 2 (x - centre) SF, beyond, as if it were a power law."""
        x = np.minimum(x, _FARTHEST)
        log_sf, log_pdf = (value[:, 0] for value in self.mixture.log_sf_pdf(x[:, None]))
        index = np.exp(log_pdf - log_sf) * x
        if centre is None:
            beyond = x / np.maximum(index - 1, 1e-6)
        else:
            beyond = 2 * x**2 / np.maximum(index - 2, 1e-6) - 2 * centre * x / np.maximum(index - 1, 1e-6)
        return x, np.exp(log_sf) * beyond


# -- rules: integrands take rows (k,) and points (k, m) --------------------------------------------------------------


def _in_blocks(evaluate: Integrand, size: int) -> Integrand:
    """Evaluate in blocks of a size that suits mixtures of `size` components."""

    def blocked(rows: IndexArray, y: FloatArray) -> FloatArray:
        result = np.empty(y.shape)
        for block in blocks(rows.size, y.shape[1] * size):
            result[block] = evaluate(rows[block], y[block])
        return result

    return blocked


def _trapezoid(
    evaluate: Integrand, low: FloatArray, high: FloatArray, rtol: FloatArray, known: FloatArray, order: int
) -> tuple[FloatArray, BoolArray]:
    """Integrals (n,) by halving the step of the trapezoidal rule, and whether they settled.

    The integrand has values (k, m, 3). The first fades at both ends and is the one wanted. The other two have known
    integrals (n, 2), and reveal spikes between the points: the density those of some weight, the difference between two
    ways to write a moment those of little weight far away. The latter starts with -order exp(order y).
    """
    points = 16
    rows, step = np.arange(low.size), (high - low) / points
    sums = evaluate(rows, low[:, None] + step[:, None] * np.arange(1, points)).sum(axis=1)
    result, settled = np.zeros(low.size), np.zeros(low.size, dtype=bool)
    mass, moment = known.T
    while rows.size and points < 256:
        middle = low[rows, None] + step[rows, None] * (np.arange(points) + 0.5)
        finer = sums[rows] + evaluate(rows, middle).sum(axis=1)
        sums[rows], step[rows], points = finer, 0.5 * step[rows], 2 * points
        h, new = step[rows], finer[:, 0] * step[rows]
        # Halving the step about squares the error: from 3e-5 to 1e-9.
        close = np.abs(new - result[rows]) <= np.sqrt(rtol[rows]) * np.abs(new)
        close &= np.abs(finer[:, 1] * h - mass[rows]) <= rtol[rows]
        # Its lower end adds half a step, and the Euler-Maclaurin terms of an exponential.
        u = order * h
        ends = order * moment[rows] * h * (0.5 + u / 12 - u**3 / 720)
        size = np.abs(new) + np.abs(moment[rows])
        close &= ~(np.abs(finer[:, 2] * h - ends - moment[rows]) > 1e3 * rtol[rows] * size)
        result[rows], settled[rows] = new, close
        rows = rows[~close]
    return result, settled


def _clenshaw_curtis(
    evaluate: Integrand, low: FloatArray, high: FloatArray, rtol: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Integrals (n,) over [low, high] by doubling the Clenshaw-Curtis points, and whether they settled."""
    result, settled = np.full(low.size, np.nan), np.zeros(low.size, dtype=bool)
    rows, points = np.arange(low.size), 16
    middle, half = 0.5 * (high + low)[:, None], 0.5 * (high - low)[:, None]
    values = evaluate(rows, middle + half * np.cos(np.pi * np.arange(17) / 16))
    while rows.size and points < 128:
        points *= 2
        new_nodes = np.cos(np.pi * np.arange(1, points, 2) / points)
        finer = np.empty((rows.size, points + 1))
        finer[:, ::2], finer[:, 1::2] = values, evaluate(rows, middle[rows] + half[rows] * new_nodes)
        new = (finer * _curtis_weights(points)).sum(axis=1) * half[rows, 0]
        close = np.abs(new - result[rows]) <= 1e3 * rtol[rows] * np.abs(new)
        result[rows], settled[rows] = new, close
        rows, values = rows[~close], finer[~close]
    return result, settled


@lru_cache
def _curtis_weights(points: int) -> FloatArray:
    """Weights of the points cos(pi k / points), k = 0 ... points, an even number."""
    k, j = np.arange(points + 1), np.arange(1, points // 2 + 1)
    factor = np.where(j == points // 2, 1.0, 2.0) / (4 * j * j - 1)
    weights = (2.0 / points) * (1 - np.cos(2 * np.pi * np.outer(k, j) / points) @ factor)
    weights[[0, -1]] *= 0.5
    return np.asarray(weights)


def _graded(edges: FloatArray) -> FloatArray:
    """Sorted edges (n, m) with more of them, so that intervals next to each other are of similar length.

    Next to a short interval lies a step, and part of it may reach into a long one, close to its end.
    """
    length = np.diff(edges, axis=1)
    beside = np.pad(length, ((0, 0), (1, 1)), constant_values=np.inf)
    growth = 8.0 ** np.arange(7)
    half = 0.5 * length[..., None]
    from_left = edges[:, :-1, None] + np.minimum(beside[:, :-2, None] * growth, half)
    from_right = edges[:, 1:, None] - np.minimum(beside[:, 2:, None] * growth, half)
    return np.sort(np.concatenate([edges, *(new.reshape(len(edges), -1) for new in (from_left, from_right))], axis=1))


def _cumulative(
    evaluate: Integrand, rows: IndexArray, low: FloatArray, stops: FloatArray, rtol: FloatArray
) -> FloatArray:
    """Integrals (k, m) from low (k, 1) to the stops (k, m) of rows (k,), each stretch done once."""
    order = np.argsort(stops, axis=1)
    edges = np.concatenate([low, np.take_along_axis(stops, order, axis=1)], axis=1)
    finer = -(-8 // stops.shape[1])  # at least eight pieces per row
    inner = edges[:, :-1, None] + np.diff(edges, axis=1)[..., None] * (np.arange(finer) / finer)
    edges = np.concatenate([inner.reshape(rows.size, -1), edges[:, -1:]], axis=1)
    pieces = _adaptive(evaluate, rows, edges, rtol).reshape(*stops.shape, finer)
    result = np.empty(stops.shape)
    np.put_along_axis(result, order, np.cumsum(pieces.sum(axis=2), axis=1), axis=1)
    return result


def _adaptive(evaluate: Integrand, rows: IndexArray, edges: FloatArray, rtol: FloatArray) -> FloatArray:
    """Integrals (k, m) between the edges (k, m + 1) of rows (k,)."""
    pieces = edges.shape[1] - 1
    owner = np.repeat(np.arange(rows.size), pieces)
    parts = integrate(lambda i, y: evaluate(rows[i], y), owner, edges[:, :-1].ravel(), edges[:, 1:].ravel(), rtol)
    return parts.reshape(rows.size, pieces)
