"""Quantiles of rows of mixtures: where the log survival function of a :class:`Mixture` reaches given levels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayes_distnet.arrays import FloatArray, IndexArray
from bayes_distnet.distributions.mixture import Mixture, blocks
from bayes_distnet.distributions.numeric import find_roots

# From this many components on, a root is first sought with a few of them.
_MANY = 64


@dataclass(frozen=True)
class Axis:
    """The coordinate y in which a row's distribution is about as wide as one: times are x(y).

    Log time for rows on [0, inf); for rows on the whole line (kernel density estimates) the standardised time.
    """

    logarithmic: FloatArray
    centre: FloatArray
    unit: FloatArray

    @classmethod
    def of(cls, mixture: Mixture) -> Axis:
        logarithmic = mixture.starts_at_zero[:, None]
        centre, unit = np.zeros((2, *logarithmic.shape))
        if not logarithmic.all():
            mean, weights = mixture.components.mean(), mixture.weights
            centre = (weights * mean).sum(axis=1, keepdims=True)
            second = mixture.components.variance() + (mean - centre) ** 2
            unit = np.sqrt((weights * second).sum(axis=1, keepdims=True))
        return cls(logarithmic, centre, unit)

    def take(self, rows: IndexArray | slice) -> Axis:
        return Axis(self.logarithmic[rows], self.centre[rows], self.unit[rows])

    def x(self, y: FloatArray) -> FloatArray:
        """Times (n, m) from coordinates (n, m)."""
        if self.logarithmic.all():
            return np.exp(y)
        return np.where(self.logarithmic, np.exp(y), self.centre + self.unit * y)

    def y(self, x: FloatArray) -> FloatArray:
        """Coordinates (n, m) from times (n, m)."""
        if self.logarithmic.all():
            return np.log(x)
        return np.where(self.logarithmic, np.log(np.abs(x)), (x - self.centre) / self.unit)

    def log_slope(self, y: FloatArray) -> FloatArray:
        """Log of dx/dy."""
        if self.logarithmic.all():
            return y
        return np.where(self.logarithmic, y, np.log(self.unit))


def solve(mixture: Mixture, rows: IndexArray, log_sf: FloatArray, *, close: float = 1e-7) -> FloatArray:
    """Times (k,) at which rows (k,) of the mixture reach the finite, negative levels log_sf (k,).

    Exact to rounding in the argument of the families' own functions; levels far beyond the range of exp are fine.
    A larger `close` (see `find_roots`) saves work where a rough answer will do.
    """
    result = np.empty(rows.size)
    with np.errstate(all="ignore"):
        for block in blocks(rows.size, mixture.n_components):
            result[block] = _solve_block(mixture.take(rows[block]), log_sf[block], close)
    return result


def _solve_block(mixture: Mixture, log_sf: FloatArray, close: float) -> FloatArray:
    if mixture.n_components == 1 and mixture.log_alive is None:
        level = (log_sf / (mixture.power * mixture.copies))[:, None]
        times: FloatArray = mixture.components.quantile(-np.expm1(level))
        deep = level < -1.0
        if mixture.components.positive and deep.any():
            times = np.where(deep, np.exp(mixture.components.log_isf(np.where(deep, level, -1.0))), times)
        return times[:, 0]
    axis = Axis.of(mixture)
    return axis.x(_solve_axis(mixture, axis, log_sf, close)[:, None])[:, 0]


def _solve_axis(mixture: Mixture, axis: Axis, log_sf: FloatArray, close: float) -> FloatArray:
    if mixture.n_components > _MANY:
        few = mixture.thin(max(8, mixture.n_components // 16))
        guess = _solve_axis(few, axis, log_sf, 1e-2)
    else:
        guess = _guess(mixture, axis, log_sf)

    def evaluate(index: IndexArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        everything = index.size == len(log_sf)
        part, part_axis = (mixture, axis) if everything else (mixture.take(index), axis.take(index))
        y = y[:, None]
        log_survival, log_density = part.log_sf_pdf(part_axis.x(y))
        hazard = np.exp(log_density - log_survival + part_axis.log_slope(y))
        # log(-log sf) grows from minus to plus infinity, without flat ends for any family: good for Newton.
        return np.log(-log_survival)[:, 0], (hazard / -log_survival)[:, 0]

    return find_roots(evaluate, guess, np.log(-log_sf), close=close)


def _guess(mixture: Mixture, axis: Axis, log_sf: FloatArray) -> FloatArray:
    """The weighted mean of the components' own answers, on the axis."""
    level = (log_sf / (mixture.power * mixture.copies))[:, None]
    if mixture.log_alive is not None:
        level = level + mixture.log_alive
    if mixture.components.positive:
        y = mixture.components.log_isf(level)
        if mixture.log_alive is not None:
            start = mixture.start[:, None]
            y = np.log(np.maximum(np.exp(y) - start, 1e-12 * start + 1e-300))
    else:
        # The kernel of density estimates only: far out, any point on the right side will do to start from.
        x = mixture.components.quantile(-np.expm1(np.clip(level, -30.0, -1e-16)))
        if mixture.log_alive is not None:
            x = np.maximum(x - np.where(mixture.starts_at_zero, mixture.start, 0.0)[:, None], 1e-12)
        y = axis.y(x)
    y = np.clip(y, -700.0, 700.0)
    return np.asarray((mixture.weights * np.where(mixture.weights > 0, y, 0.0)).sum(axis=1))
