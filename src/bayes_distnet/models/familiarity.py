r"""Familiarity: how far instances lie from those that a model was trained on.

A model holds the range of every feature on its training instances. The *excess* of a value is its distance from that
range, in units of its width. The excess of an instance is the root of the sum of squares over all features: one feature
far out counts, however many others are inside (a mean over features would hide it), and so do many that are a little
out.

A new instance of the same kind leaves the ranges a little, since they grow with every instance. How much is usual, the
training instances show: each is compared with the ranges of all others. Two in a hundred are past the *tolerance*,
which is at least half of a width. The distance

.. math:: d = \frac{1 + 2\, excess}{1 + 2\, tolerance}

is 1 at the edge of the training data, that is at the end of the ranges, widened by the tolerance on both sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

import numpy as np
import pandas as pd

from bayes_distnet.arrays import BoolArray, FloatArray, IndexArray
from bayes_distnet.models.saving import Arrays, check_array, with_prefix, without_prefix

LEAST_TOLERANCE, LARGEST_TOLERANCE = 0.5, 20.0  # in widths of a range
UNUSUAL_FRACTION = 0.02  # of the training instances, each compared with all others, past the tolerance
OUTSIDE = 4.0  # distance from which on an instance is outside
ALL_MISSING = 20.0  # excess of an instance that lacks all features, none of which was ever missing
NEW_VALUE = 1.0  # excess of a feature that was always 0 or always missing, and now has another value: it has no unit
LEAST_WIDTH = 1e-9  # least width of a feature that varies, relative to its largest magnitude
FARTHEST = 1e6  # largest excess of a feature
PREFIX = "training_range"  # of the arrays in a saved model
SHOWN = 3  # features that are shown with their values


class Verdict(StrEnum):
    """Whether an instance resembles the training instances."""

    FAMILIAR = "familiar"
    UNUSUAL = "unusual"
    OUTSIDE = "outside"


@dataclass(frozen=True)
class TrainingRange:
    """The ranges of the training features.

    Parameters
    ----------
    low, high : array
        Smallest and largest value of every feature; NaN if it was always missing.
    missing : array of bool
        Whether a feature was missing for some training instance.
    tolerance : float
        Usual excess of a new instance of the same kind, in widths.

    Examples
    --------
    >>> x = np.random.default_rng(0).uniform(0.0, 10.0, (200, 4))
    >>> trained = TrainingRange.fit(x)
    >>> trained.excess(np.array([[30.0, 5.0, 5.0, -10.0]])).round(1)
    array([[2., 0., 0., 1.]])
    >>> trained.distance(np.array([[5.0, 5.0, 5.0, 5.0], [5.0, 5.0, 5.0, 30_000.0]])).round(1)
    array([5.000e-01, 3.022e+03])
    """

    low: FloatArray
    high: FloatArray
    missing: BoolArray
    tolerance: float

    @classmethod
    def fit(cls, x: FloatArray) -> Self:
        """Learn the ranges from one row per instance."""
        low, next_low = _two_smallest(x)
        high, next_high = (-end for end in _two_smallest(-x))
        absent = np.isnan(x)
        # Without a row, the ends that it alone holds move inwards, and what it alone lacks was never missing.
        excess = _excess(x, np.where(x == low, next_low, low), np.where(x == high, next_high, high))
        total = _total(excess, absent & (absent.sum(axis=0) == 1))
        usual = np.sort(total)[len(x) - 1 - int(UNUSUAL_FRACTION * len(x))]
        return cls(low, high, np.asarray(absent.any(axis=0)), float(np.clip(usual, LEAST_TOLERANCE, LARGEST_TOLERANCE)))

    def excess(self, x: FloatArray) -> FloatArray:
        """Return the distances of values (n, features) from their ranges, in widths; 0 where a value is missing."""
        return _excess(x, self.low, self.high)

    def newly_missing(self, x: FloatArray) -> BoolArray:
        """Return which values (n, features) are missing that never were in training."""
        return np.isnan(x) & ~self.missing

    def distance(self, x: FloatArray) -> FloatArray:
        """Return the distance (n,) of rows from the training data; 1 is their edge."""
        total = _total(self.excess(x), self.newly_missing(x))
        return np.asarray((1.0 + 2.0 * total) / (1.0 + 2.0 * self.tolerance))

    def table(self, x: FloatArray, names: Sequence[object] | None = None) -> pd.DataFrame:
        """Return verdicts on rows and their reasons.

        Parameters
        ----------
        x : array
            Features, one row per instance.
        names : sequence or None
            Names of the features; None numbers them.

        Returns
        -------
        DataFrame
            verdict, distance, n_out_of_range, out_of_range (names, the farthest first) and farthest (the first few
            with their values and ranges, as text).
        """
        named = [f"feature {j}" for j in range(x.shape[1])] if names is None else [str(name) for name in names]
        # A missing value has no place in its range: it is listed behind values that have one.
        order_by = np.where(self.newly_missing(x), 0.5 / FARTHEST, self.excess(x))
        counts = (order_by > 0).sum(axis=1)
        columns = [
            np.argsort(-row, kind="stable")[:count] if count else ()
            for row, count in zip(order_by, counts, strict=True)
        ]
        return pd.DataFrame(
            {
                "verdict": verdicts(self.distance(x)),
                "distance": self.distance(x),
                "n_out_of_range": counts,
                "out_of_range": [tuple(named[j] for j in some) for some in columns],
                "farthest": [
                    ", ".join(self._described(named[j], j, row[j]) for j in some[:SHOWN])
                    for row, some in zip(x, columns, strict=True)
                ],
            }
        )

    def _described(self, name: str, column: int, value: float) -> str:
        if np.isnan(value):
            return f"{name} missing (never in training)"
        if np.isnan(self.low[column]):
            return f"{name} {value:.4g} (always missing in training)"
        return f"{name} {value:.4g} (trained: {self.low[column]:.4g} to {self.high[column]:.4g})"

    def to_arrays(self) -> Arrays:
        """Return the ranges as plain arrays, with names that no model has."""
        return with_prefix(PREFIX, vars(self) | {"tolerance": np.array([self.tolerance])})

    @classmethod
    def from_arrays(cls, arrays: Arrays, n_features: int) -> tuple[Self, Arrays]:
        """Restore ranges from the arrays of a model, and return the others."""
        own = without_prefix(PREFIX, arrays)
        new = cls(own["low"], own["high"], own["missing"], float(own["tolerance"][0]))
        if new.missing.dtype != bool or new.missing.shape != (n_features,):
            raise ValueError(f"training range: missing is {new.missing.dtype} of shape {new.missing.shape}")
        known = ~np.isnan(new.low)
        for name, end in (("low", new.low), ("high", new.high)):
            check_array(f"training range: {name}", np.where(known, end, 0.0), "f", n_features)
        if np.any(new.low[known] > new.high[known]) or not LEAST_TOLERANCE <= new.tolerance <= LARGEST_TOLERANCE:
            raise ValueError("training range: ends in the wrong order, or no tolerance")
        return new, {name: arrays[name] for name in arrays.keys() - with_prefix(PREFIX, own).keys()}


@dataclass(frozen=True)
class RowFamiliarity:
    """The familiarity of predicted rows, computed when it is asked for.

    Parameters
    ----------
    trained : TrainingRange
        Ranges of the training features.
    features : array
        Features of the rows.
    """

    trained: TrainingRange
    features: FloatArray

    def take(self, rows: IndexArray | slice) -> RowFamiliarity:
        """Return that of some rows."""
        return RowFamiliarity(self.trained, self.features[rows])

    def verdicts(self) -> list[str]:
        """Return one verdict per row: familiar, unusual or outside."""
        return verdicts(self.trained.distance(self.features))


def verdicts(distance: FloatArray) -> list[str]:
    """Return the verdicts on instances at distances (n,) from the training data."""
    return [
        str(Verdict.OUTSIDE if far > OUTSIDE else Verdict.UNUSUAL if far > 1.0 else Verdict.FAMILIAR)
        for far in distance
    ]


def unfamiliar_note(table: pd.DataFrame) -> str | None:
    """Return a sentence about the instances that are not familiar; None if all are.

    Parameters
    ----------
    table : DataFrame
        The result of a model's `familiarity`.

    Returns
    -------
    str or None
        Counts, and the features that are out of range most often.
    """
    tally = FamiliarityTally()
    tally.add(table)
    return tally.note()


class FamiliarityTally:
    """Counts of instances that are not familiar, over tables that are added one by one."""

    def __init__(self) -> None:
        self._rows = 0
        self._verdicts: Counter[str] = Counter()
        self._out_of_range: Counter[str] = Counter()

    def add(self, table: pd.DataFrame) -> None:
        """Count the instances of one more table: the result of a model's `familiarity`."""
        strange = table[table["verdict"] != Verdict.FAMILIAR]
        self._rows += len(table)
        self._verdicts.update(strange["verdict"])
        self._out_of_range.update(name for names in strange["out_of_range"] for name in names)

    def note(self) -> str | None:
        """Return a sentence about the instances that are not familiar; None if all are."""
        if not self._verdicts:
            return None
        named = ", ".join(f"{name} ({count})" for name, count in self._out_of_range.most_common(SHOWN))
        return (
            f"{self._verdicts.total()} of {self._rows} instances are not familiar ({self._verdicts[Verdict.UNUSUAL]} "
            f"unusual, {self._verdicts[Verdict.OUTSIDE]} outside the training data). Most often out of range: {named}."
        )


def _two_smallest(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Smallest and second smallest value of every column, equal where two rows share it; NaN where there is none."""
    padded = np.concatenate([np.sort(x, axis=0)[:2], np.full((2, x.shape[1]), np.nan)])  # NaN comes last
    return padded[0], padded[1]


def _excess(x: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    with np.errstate(all="ignore"):  # halved, the width of any range is finite
        width, size = high / 2 - low / 2, np.maximum(np.abs(low), np.abs(high)) / 2
        unit = np.where(width > LEAST_WIDTH * size, width, size)  # a constant feature has its magnitude as unit
        beyond = np.maximum(np.maximum(low / 2 - x / 2, x / 2 - high / 2), 0.0)
        ratio = np.where(unit > 0, beyond / unit, np.where(beyond == 0, 0.0, NEW_VALUE))
    return np.where(np.isnan(x), 0.0, np.minimum(ratio, FARTHEST))


def _total(excess: FloatArray, newly_missing: BoolArray) -> FloatArray:
    """(n,) excess of rows: of all their features, and for values that are missing."""
    lacking = ALL_MISSING * newly_missing.mean(axis=1)
    return np.asarray(np.sqrt((excess**2).sum(axis=1) + lacking**2))
