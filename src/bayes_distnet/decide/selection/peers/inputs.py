"""Features as the peers take them: constant ones left out, missing values filled in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd

from bayes_distnet.arrays import BoolArray, FloatArray


@dataclass(frozen=True)
class Inputs:
    """Means, spreads and ranges of the training features.

    Parameters
    ----------
    kept : ndarray of bool
        Features that vary.
    mean, deviation, low, high : ndarray
        Mean, standard deviation and range of each feature that varies.
    """

    kept: BoolArray
    mean: FloatArray
    deviation: FloatArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def fit(cls, features: pd.DataFrame) -> Self:
        """Learn from one row per instance."""
        values = features.to_numpy(dtype=float)
        known = np.where(np.isnan(values).all(axis=0), 0.0, values)
        low, high = np.nanmin(known, axis=0), np.nanmax(known, axis=0)
        kept = high > low
        if not kept.any():  # nothing to learn from: one column of equal values
            kept[0] = True
        known, low, high = known[:, kept], low[kept], high[kept]
        deviation = np.nanstd(known, axis=0)
        return cls(kept, np.nanmean(known, axis=0), np.where(deviation > 0, deviation, 1.0), low, high)

    def filled(self, features: pd.DataFrame) -> FloatArray:
        """Return the features that vary, with the mean in place of missing values."""
        values = features.to_numpy(dtype=float)[:, self.kept]
        return np.where(np.isnan(values), self.mean, values)

    def standard(self, features: pd.DataFrame) -> FloatArray:
        """Return the same features with mean 0 and standard deviation 1 on the training instances."""
        return (self.filled(features) - self.mean) / self.deviation

    def ranged(self, features: pd.DataFrame) -> FloatArray:
        """Return the features in [-1, 1] on the training instances; a missing value is -1."""
        values = features.to_numpy(dtype=float)[:, self.kept]
        width = np.where(self.high > self.low, self.high - self.low, 1.0)
        return np.where(np.isnan(values), -1.0, 2.0 * (values - self.low) / width - 1.0)
