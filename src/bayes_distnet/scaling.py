"""Feature scaling, learnt on training rows only.

Two ways from a feature table to network inputs. `RankGauss` is the default: solver features span many orders of
magnitude and have long tails, and ranks do not care. `Standard` is the published setting. Both impute a missing
value (NaN) by the column's training median, drop columns that never vary, and turn into plain arrays and back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

FloatArray = NDArray[np.float64]

MAX_KNOTS = 512
CLIP = 8.0
TWIN_CORRELATION = 0.999


@dataclass(frozen=True)
class Standard:
    """Mean 0 and standard deviation 1 on the training rows; constant columns dropped.

    >>> x = np.array([[1.0, 5.0], [3.0, 5.0]])
    >>> Standard.fit(x).transform(x)
    array([[-1.],
           [ 1.]])
    """

    keep: NDArray[np.int64]
    median: FloatArray
    mean: FloatArray
    scale: FloatArray

    @classmethod
    def fit(cls, x: FloatArray) -> Standard:
        """Learn the scaling from one row an instance."""
        median = _column_median(x)
        filled = np.where(np.isnan(x), median, x)
        keep = np.flatnonzero(np.ptp(filled, axis=0) > 1e-9)
        kept = filled[:, keep]
        return cls(keep, median[keep], kept.mean(axis=0), kept.std(axis=0))

    def transform(self, x: FloatArray) -> FloatArray:
        """Scale a feature table with the columns of the training table."""
        kept = x[:, self.keep]
        kept = np.where(np.isnan(kept), self.median, kept)
        return np.asarray((kept - self.mean) / self.scale)


@dataclass(frozen=True)
class RankGauss:
    """Each column through its own ranks to a normal score; far outside the training range stays far.

    Inside the training range a value is interpolated between the normal scores of the training values' mid-ranks.
    Outside, sign * log1p(distance / sd) is added to the score at the edge, so that a shift of eight deviations is
    seen as one and uncertainty can widen. Columns that are constant, or correlate above 0.999 with an earlier one
    after scaling, are dropped; the result is standardised and clipped at +-8.

    >>> x = np.array([[1.0], [10.0], [100.0], [1000.0], [10_000.0]])
    >>> RankGauss.fit(x).transform(x).round(2).ravel()
    array([-1.51, -0.62,  0.  ,  0.62,  1.51])
    """

    keep: NDArray[np.int64]
    median: FloatArray
    knots: FloatArray
    scores: FloatArray
    offsets: NDArray[np.int64]
    spread: FloatArray
    mean: FloatArray
    scale: FloatArray

    @classmethod
    def fit(cls, x: FloatArray) -> RankGauss:
        """Learn the scaling from one row an instance."""
        median = _column_median(x)
        filled = np.where(np.isnan(x), median, x)
        varying = np.flatnonzero(np.ptp(filled, axis=0) > 0.0)
        columns = [_normal_scores(filled[:, j]) for j in varying]
        offsets = np.cumsum([0] + [len(knots) for knots, _ in columns])
        raw = cls(
            keep=varying,
            median=median[varying],
            knots=np.concatenate([k for k, _ in columns] or [np.empty(0)]),
            scores=np.concatenate([s for _, s in columns] or [np.empty(0)]),
            offsets=offsets.astype(np.int64),
            # Halved before the standard deviation: a column near the float limit must not overflow.
            spread=np.maximum(2.0 * (filled[:, varying] / 2.0).std(axis=0), np.finfo(float).tiny),
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
            distance = np.abs(column / self.spread[j] - inside / self.spread[j])
            out[:, j] = np.interp(inside, knots, scores) + np.sign(column - inside) * np.log1p(distance)
        return out


def _column_median(x: FloatArray) -> FloatArray:
    observed = ~np.isnan(x)
    median = np.zeros(x.shape[1])
    some = observed.any(axis=0)
    median[some] = np.nanmedian(x[:, some], axis=0)
    return median


def _normal_scores(column: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return distinct values (thinned to at most MAX_KNOTS) and the normal scores of their mid-ranks."""
    values, counts = np.unique(column, return_counts=True)
    mid_rank = (np.cumsum(counts) - 0.5 * counts) / counts.sum()
    if len(values) > MAX_KNOTS:
        picked = np.unique(np.linspace(0, len(values) - 1, MAX_KNOTS).round().astype(int))
        values, mid_rank = values[picked], mid_rank[picked]
    return values, ndtri(np.clip(mid_rank, 0.001, 0.999))


def _without_twins(z: FloatArray) -> NDArray[np.int64]:
    """Return the columns that do not repeat an earlier one."""
    if z.shape[1] == 0:
        return np.empty(0, dtype=np.int64)
    correlation = np.abs(z.T @ z) / len(z)
    kept: list[int] = []
    for j in range(z.shape[1]):
        if not kept or correlation[j, kept].max() <= TWIN_CORRELATION:
            kept.append(j)
    return np.array(kept, dtype=np.int64)
