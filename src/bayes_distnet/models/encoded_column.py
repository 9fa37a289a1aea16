"""One column of a user's table as numbers: what is learnt about it from training rows, and its encoding."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.columns import Kind, recognise
from bayes_distnet.data.values import as_dates, as_floats, as_text, as_truth

ONE_HOT = 16  # most levels that have a column of their own each
HASHES = 8  # columns of a hash, of columns with more levels
UNSEEN, ABSENT = "(unseen)", "(missing)"
_DAY = np.timedelta64(1, "D")


@dataclass(frozen=True)
class EncodedColumn:
    """A column and its encoding, learnt without a look at runtimes.

    Parameters
    ----------
    name : str
        Name of the column.
    kind : Kind
        What its values are.
    levels : dict
        Number of training rows per level, the most frequent first; only of levels.
    clock : bool
        Whether dates have a time of day.
    """

    name: str
    kind: Kind
    levels: dict[str, int]
    clock: bool = False

    @classmethod
    def learn(cls, column: pd.Series, *, categorical: bool = False) -> Self:
        """Learn the encoding of a column from training rows."""
        name, kind = str(column.name), Kind.LEVELS if categorical else recognise(column)
        if kind is Kind.LEVELS:
            counts = Counter(ABSENT if text is None else text for text in as_text(column))
            return cls(name, kind, dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))))
        if kind is Kind.DATE:
            dates, _ = as_dates(column)
            known = dates[~np.isnat(dates)]
            return cls(name, kind, {}, bool((known != known.astype("datetime64[D]")).any()))
        return cls(name, kind, {})

    @property
    def outputs(self) -> list[str]:
        """Names of the numbers that the column becomes."""
        if self.kind is Kind.DATE:
            return [f"{self.name}.day", f"{self.name}.weekday", *([f"{self.name}.hour"] if self.clock else [])]
        if self.kind is not Kind.LEVELS:
            return [self.name]
        hashed = [f"{self.name}.frequency", *(f"{self.name}.hash{bit}" for bit in range(HASHES))] if self._many else []
        return [*(f"{self.name}={level}" for level in self._own), *hashed, f"{self.name}={UNSEEN}"]

    @property
    def _own(self) -> list[str]:
        """Levels with a column of their own."""
        return list(self.levels)[:ONE_HOT]

    @property
    def _many(self) -> bool:
        return len(self.levels) > ONE_HOT

    def encode(self, column: pd.Series) -> FloatArray:
        """Encode values.

        Parameters
        ----------
        column : Series
            Values of this column, in training or new rows.

        Returns
        -------
        ndarray of shape (n_rows, n_outputs)
            Numbers in the order of `outputs`; NaN where a value is missing or cannot be read.
        """
        if self.kind is Kind.LEVELS:
            return self._encode_levels(column)
        if self.kind is Kind.DATE:
            dates, _ = as_dates(column)
            day = np.where(np.isnat(dates), np.nan, (dates - np.datetime64("1970-01-01")) / _DAY)
            parts = [day, (np.floor(day) + 3) % 7, 24 * (day - np.floor(day))]  # 1970-01-01 was a Thursday; Monday is 0
            return np.stack(parts[: len(self.outputs)], axis=1)
        return (as_truth if self.kind is Kind.TRUTH else as_floats)(column)[0][:, None]

    def _encode_levels(self, column: pd.Series) -> FloatArray:
        """Encode each level once, and take its row for every value."""
        values = as_text(column)
        codes, different = pd.factorize(np.array([ABSENT if one is None else one for one in values], dtype=object))
        table = np.array([self._encode_level(str(level)) for level in different])
        return np.asarray(table.reshape(len(different), len(self.outputs))[codes])

    def _encode_level(self, level: str) -> list[float]:
        seen = level in self.levels
        if level == ABSENT and not seen:  # a value that was never missing in training
            return [np.nan] * len(self.outputs)
        own = [float(level == one) for one in self._own]
        hashed = [np.log1p(self.levels.get(level, 0)), *(_bits(self.name, level) if seen else [0.5] * HASHES)]
        return [*own, *(hashed if self._many else []), float(not seen)]

    def to_dict(self) -> dict[str, Any]:
        """Return the encoding as JSON can hold it."""
        return {"name": self.name, "kind": str(self.kind), "levels": self.levels, "clock": self.clock}

    @classmethod
    def from_dict(cls, plain: Any) -> Self:
        """Restore an encoding; a ValueError or TypeError reports contents that are none."""
        name, kind, levels, clock = (plain[key] for key in ("name", "kind", "levels", "clock"))
        counted = isinstance(levels, dict) and all(
            isinstance(level, str) and type(count) is int and count > 0 for level, count in levels.items()
        )
        if not isinstance(name, str) or not isinstance(clock, bool) or not counted:
            raise ValueError(f"encoding of column {name!r:.60}")
        return cls(name, Kind(kind), levels, clock)


def _bits(name: str, level: str) -> list[float]:
    """Return a few bits that differ between levels, the same on every machine."""
    (byte,) = hashlib.blake2b(f"{name}\0{level}".encode(), digest_size=1).digest()
    return [float(byte >> bit & 1) for bit in range(HASHES)]
