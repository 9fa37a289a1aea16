"""Restart cutoffs and what they are expected to bring: the answer of `best_cutoff`, and curves for figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import pandas as pd

from bayes_distnet.arrays import BoolArray, FloatArray


@dataclass(frozen=True, repr=False)
class Cutoffs:
    """Restart cutoffs, one entry per row of the prediction.

    Parameters
    ----------
    cutoff : ndarray
        (n,) seconds after which a run is stopped and started again; infinite: do not restart.
    expected : ndarray
        (n,) expected total seconds with that cutoff.
    without : ndarray
        (n,) expected seconds without restarts; infinite where the mean of the runtime does not exist.
    low, high : ndarray
        (n,) ends of the credible band of the speed-up; both are 1 where the answer is not to restart.
    chance : ndarray
        (n,) probability that the instance is one on which restarting at the best cutoff helps.
    best : ndarray
        (n,) cutoff of the least expected time, also where the advice is not to restart.
    best_speed_up : ndarray
        (n,) speed-up that would be expected of `best`.
    level : float
        Probability of the band.
    """

    cutoff: FloatArray
    expected: FloatArray
    without: FloatArray
    low: FloatArray
    high: FloatArray
    chance: FloatArray
    best: FloatArray
    best_speed_up: FloatArray
    level: float

    def __len__(self) -> int:
        return len(self.cutoff)

    def __repr__(self) -> str:
        restarted = self.restarts
        if not restarted.any():
            return f"Cutoffs({len(self)} rows, none restarted)"
        least, most = self.cutoff[restarted].min(), self.cutoff[restarted].max()
        finite = self.speed_up[np.isfinite(self.speed_up)]
        middle = f", speed-up {np.exp(np.log(finite).mean()):.3g} in geometric mean" if finite.size else ""
        return f"Cutoffs({len(self)} rows, {restarted.sum()} restarted after {least:.3g} to {most:.3g} s{middle})"

    @property
    def restarts(self) -> BoolArray:
        """(n,) whether the advice is to restart."""
        return np.isfinite(self.cutoff)

    @property
    def speed_up(self) -> FloatArray:
        """(n,) expected time without restarts over expected time with them; 1 where the advice is not to restart."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.restarts, self.without / self.expected, 1.0)

    @property
    def band(self) -> tuple[FloatArray, FloatArray]:
        """Ends, (n,) each, of the range in which the instance's own speed-up lies with probability `level`."""
        return self.low, self.high

    @property
    def why(self) -> list[str]:
        """One sentence per row."""
        return [self._sentence(row) for row in range(len(self))]

    def _sentence(self, row: int) -> str:
        if self.restarts[row]:
            return (
                f"Restart after {self.cutoff[row]:.3g} s: {self.expected[row]:.3g} s are expected instead of "
                f"{self.without[row]:.3g} s, and restarting helps with probability {self.chance[row]:.2g}."
            )
        if not self.best_speed_up[row] > 1.0:
            return "Do not restart: no cutoff is expected to be faster than running on."
        return (
            f"Do not restart: the best cutoff, {self.best[row]:.3g} s, is expected to be "
            f"{self.best_speed_up[row]:.2f} times as fast and helps with probability {self.chance[row]:.2g}, "
            "which is not a safe gain."
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the answer as a table, one row per instance."""
        columns = {"cutoff": self.cutoff, "expected": self.expected, "without": self.without, "speed_up": self.speed_up}
        return pd.DataFrame(
            columns | {"low": self.low, "high": self.high, "chance": self.chance, "why": pd.Series(self.why, dtype=str)}
        )

    @classmethod
    def joined(cls, parts: Sequence[Cutoffs], level: float) -> Cutoffs:
        """Join the answers for consecutive rows."""
        names = [field.name for field in fields(cls) if field.name != "level"]
        values = {name: np.concatenate([np.empty(0), *(getattr(part, name) for part in parts)]) for name in names}
        return cls(**values, level=level)


@dataclass(frozen=True)
class ExpectedTime:
    """Expected total time under fixed cutoffs, for figures.

    Parameters
    ----------
    cutoff : ndarray
        Seconds, (n,) or (n, m).
    mean : ndarray
        Expected total seconds, of the same shape.
    low, high : ndarray
        Ends of the range in which the instance's own expected time lies with probability `level`.
    level : float
        Probability of the band.
    """

    cutoff: FloatArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
