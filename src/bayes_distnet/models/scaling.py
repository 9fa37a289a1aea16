"""Feature scaling, learnt on training rows only.

There are two ways from a feature table to network inputs. `RankGauss` is the default: solver features span many orders
of magnitude and have long tails, which ranks are not sensitive to. `Standard` is the published setting. Both impute a
missing value (NaN) by the column's training median, drop columns that never vary, and are saved as plain arrays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.models.saving import check_array

MAX_KNOTS = 512  # largest number of values per column that ranks are interpolated between
CLIP = 8.0  # largest scaled value, in deviations
TWIN_CORRELATION = 0.999  # above it, a column repeats an earlier one
LEAST_RANGE = 1e-9  # least range of a column that varies, relative to its largest magnitude
FAR = 1e6  # largest standardised value, in deviations
TINY = np.finfo(float).tiny


@dataclass(frozen=True)
class Standard:
    """Mean 0 and standard deviation 1 on the training rows; constant columns dropped.

    A column is constant if its range is at most 1e-9 of its largest magnitude. (The published rule is a range of at
    most 1e-9, which depends on the unit.) Rows more than a million deviations away are taken as a million away, where
    no training row can lie, so that no model overflows on them.

    Parameters
    ----------
    keep : array of int
        Columns that are used.
    median, mean, scale : array
        Statistics of these columns.

    Examples
    --------
    >>> x = np.array([[1.0, 5.0], [3.0, 5.0]])
    >>> Standard.fit(x).transform(x)
    array([[-1.],
           [ 1.]])
    """

    keep: IntArray
    median: FloatArray
    mean: FloatArray
    scale: FloatArray

    def __post_init__(self) -> None:
        _check_columns(self.keep, median=self.median, mean=self.mean, scale=self.scale)

    @classmethod
    def fit(cls, x: FloatArray) -> Standard:
        """Learn the scaling from one row per instance."""
        median = _column_median(x)
        filled = np.where(np.isnan(x), median, x)
        unit = _unit(filled)
        scaled = filled / unit
        keep = np.flatnonzero(np.ptp(scaled, axis=0) > LEAST_RANGE * np.abs(scaled).max(axis=0))
        mean, scale = unit * scaled.mean(axis=0), np.maximum(unit * scaled.std(axis=0), TINY)
        return cls(keep, median[keep], mean[keep], scale[keep])

    def transform(self, x: FloatArray) -> FloatArray:
        """Scale a feature table with the columns of the training table."""
        kept = x[:, self.keep]
        kept = np.where(np.isnan(kept), self.median, kept)
        with np.errstate(over="ignore"):  # infinitely far is clipped; halved, a difference inside the range is finite
            return np.clip((kept / 2.0 - self.mean / 2.0) / (self.scale / 2.0), -FAR, FAR)


@dataclass(frozen=True)
class RankGauss:
    """Normal scores of the ranks of each column; values far outside the training range stay far outside.

    Inside the training range a value is interpolated between the normal scores of the training values' mid-ranks.
    Outside, sign * log1p(distance / sd) is added to the score at the edge, so that a shift of eight deviations remains
    visible and uncertainty can widen. Columns that are constant, or correlate above 0.999 with an earlier one after
    scaling, are dropped; the result is standardised and clipped at +-8.

    Parameters
    ----------
    keep : array of int
        Columns that are used.
    median, spread : array
        Training median and deviation of these columns.
    knots, scores : array
        Training values and their normal scores, column after column.
    offsets : array of int
        First knot of every column, and the number of knots.
    mean, scale : array
        Standardisation of the scores.

    Examples
    --------
    >>> x = np.array([[1.0], [10.0], [100.0], [1000.0], [10_000.0]])
    >>> RankGauss.fit(x).transform(x).round(2).ravel()
    array([-1.46, -0.6 ,  0.  ,  0.6 ,  1.46])
    """

    keep: IntArray
    median: FloatArray
    knots: FloatArray
    scores: FloatArray
    offsets: IntArray
    spread: FloatArray
    mean: FloatArray
    scale: FloatArray

    def __post_init__(self) -> None:
        _check_columns(self.keep, median=self.median, mean=self.mean, scale=self.scale, spread=self.spread)
        check_array("scaler: knots", self.knots, "f")
        check_array("scaler: scores", self.scores, "f", len(self.knots))
        check_array("scaler: offsets", self.offsets, "i", len(self.keep) + 1)
        if self.offsets[0] != 0 or self.offsets[-1] != len(self.knots) or np.any(np.diff(self.offsets) < 1):
            raise ValueError("scaler: offsets do not divide the knots into columns")

    @classmethod
    def fit(cls, x: FloatArray) -> RankGauss:
        """Learn the scaling from one row per instance."""
        median = _column_median(x)
        filled = np.where(np.isnan(x), median, x)
        varying = np.flatnonzero(filled.max(axis=0) > filled.min(axis=0))
        unit = _unit(filled)
        spread = np.maximum(unit * (filled / unit).std(axis=0), TINY)
        columns = [_normal_scores(filled[:, j]) for j in varying]
        offsets = np.cumsum([0] + [len(knots) for knots, _ in columns])
        raw = cls(
            keep=varying,
            median=median[varying],
            knots=np.concatenate([k for k, _ in columns] or [np.empty(0)]),
            scores=np.concatenate([s for _, s in columns] or [np.empty(0)]),
            offsets=offsets.astype(np.int64),
            spread=spread[varying],
            mean=np.zeros(len(varying)),
            scale=np.ones(len(varying)),
        )
        scored = raw._score(x)
        mean, scale = scored.mean(axis=0), scored.std(axis=0)
        chosen = _without_twins((scored - mean) / scale)
        return cls(
            keep=varying[chosen],
            median=raw.median[chosen],
            knots=np.concatenate([columns[j][0] for j in chosen] or [np.empty(0)]),
            scores=np.concatenate([columns[j][1] for j in chosen] or [np.empty(0)]),
            offsets=np.cumsum([0] + [len(columns[j][0]) for j in chosen]).astype(np.int64),
            spread=raw.spread[chosen],
            mean=mean[chosen],
            scale=scale[chosen],
        )

    def transform(self, x: FloatArray) -> FloatArray:
        """Scale a feature table with the columns of the training table."""
        return np.clip((self._score(x) - self.mean) / self.scale, -CLIP, CLIP)

    def _score(self, x: FloatArray) -> FloatArray:
        out = np.empty((len(x), len(self.keep)))
        for j, source in enumerate(self.keep):
            column = np.where(np.isnan(x[:, source]), self.median[j], x[:, source])
            knots = self.knots[self.offsets[j] : self.offsets[j + 1]]
            scores = self.scores[self.offsets[j] : self.offsets[j + 1]]
            inside = np.clip(column, knots[0], knots[-1])
            with np.errstate(over="ignore"):  # infinitely far is clipped
                distance = np.abs(column / self.spread[j] - inside / self.spread[j])
                side = np.sign(column - inside)
            out[:, j] = np.interp(inside, knots, scores) + side * np.log1p(distance)
        return out


def scaled_inputs(scaler: RankGauss, features: FloatArray) -> FloatArray:
    """Return the scaled features; a column of zeros where no feature varies, since other packages need a column."""
    x = scaler.transform(features)
    return x if x.shape[1] else np.zeros((len(x), 1))


def _column_median(x: FloatArray) -> FloatArray:
    observed = ~np.isnan(x)
    median = np.zeros(x.shape[1])
    some = observed.any(axis=0)
    # Halved: the mean of the middle two must not overflow.
    median[some] = 2.0 * np.nanmedian(x[:, some] / 2.0, axis=0)
    return median


def _unit(x: FloatArray) -> FloatArray:
    """Power of two near the largest magnitude of each column: dividing by it is exact, and squares do not overflow."""
    _, exponent = np.frexp(np.abs(x).max(axis=0))
    return np.asarray(np.ldexp(1.0, exponent - 1))


def _check_columns(keep: IntArray, **numbers: FloatArray) -> None:
    check_array("scaler: keep", keep, "i")
    if np.any(keep < 0):
        raise ValueError("scaler: keep holds a negative column")
    for name, array in numbers.items():
        check_array(f"scaler: {name}", array, "f", len(keep), positive=name in ("scale", "spread"))


def _normal_scores(column: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return distinct values (thinned to at most MAX_KNOTS) and the normal scores of their mid-ranks."""
    values, counts = np.unique(column, return_counts=True)
    mid_rank = (np.cumsum(counts) - 0.5 * counts) / counts.sum()
    if len(values) > MAX_KNOTS:
        picked = np.unique(np.linspace(0, len(values) - 1, MAX_KNOTS).round().astype(int))
        values, mid_rank = values[picked], mid_rank[picked]
    return values, ndtri(np.clip(mid_rank, 0.001, 0.999))


def _without_twins(z: FloatArray) -> IntArray:
    """Return the columns that do not repeat an earlier one."""
    if z.shape[1] == 0:
        return np.empty(0, dtype=np.int64)
    correlation = np.abs(z.T @ z) / len(z)
    kept: list[int] = []
    for j in range(z.shape[1]):
        if not kept or correlation[j, kept].max() <= TWIN_CORRELATION:
            kept.append(j)
    return np.array(kept, dtype=np.int64)
