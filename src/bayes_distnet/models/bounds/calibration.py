"""Calibration runs, and the bounds on the time of a new run that follow from them.

The score of a run is the cumulative hazard H = -log S(min(T, cutoff) | x) that a model predicts at its time, the same
order as u = F(min(T, cutoff) | x) without its loss of digits near 1. A run of a new instance has the same distribution
of scores as those of calibration instances, whatever the model: quantiles of the scores bound the new one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.errors import SettingError
from bayes_distnet.models.saving import Arrays
from bayes_distnet.validation import check_level, check_numbers

LEVEL = 0.9
ROUNDING = 1e-9  # of sums of weights: nine of ten equal weights reach the level 0.9


@dataclass(frozen=True)
class Calibration:
    """Scores of runs that a model has not learnt from.

    Parameters
    ----------
    hazards : ndarray of shape (n_runs,)
        Cumulative hazard that the model predicts at the time of each run, or at its cutoff if it comes first.
    instance : ndarray of int of shape (n_runs,)
        Number of the instance of each run, from 0 on.
    cutoff : float or None
        Cutoff of all runs in seconds, infinite if there is none; None if it is a function of the features.
    level : float, default 0.9
        Level of bounds where no other is asked for.

    Examples
    --------
    >>> from bayes_distnet.distributions.families import Exponential
    >>> from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
    >>> rtd = RuntimeDistribution(Exponential(scale=np.array([1.0])))
    >>> of_nine = Calibration(np.arange(1.0, 10.0), np.arange(9), cutoff=20.0)
    >>> of_nine.lower(rtd).round(6).tolist(), of_nine.upper(rtd).round(6).tolist()
    ([1.0], [9.0])
    """

    hazards: FloatArray
    instance: IntArray
    cutoff: float | None
    level: float = LEVEL

    @property
    def n_instances(self) -> int:
        """Number of calibration instances."""
        return int(self.instance.max(initial=-1)) + 1

    def lower(self, rtd: PredictedRuntimes, level: float | None = None, cutoff: ArrayLike | None = None) -> FloatArray:
        """Return times that a run takes at least, each with a given probability.

        Parameters
        ----------
        rtd : PredictedRuntimes
            Predictions of new instances by the calibrated model.
        level : float or None
            Probability of the bound; None takes the level of the calibration.
        cutoff : array-like of shape (n_rows,), optional
            Cutoff of each row, where it is a function of the features.

        Returns
        -------
        ndarray of shape (n_rows,)
            Seconds, at most the cutoff; 0 where there are too few calibration instances.
        """
        limits = self._limits(cutoff, len(rtd))
        hazard = self._least_hazard(self.level if level is None else check_level(level))
        return np.minimum(np.maximum(rtd.time_at_log_sf(-hazard), 0.0), limits) if hazard > 0 else np.zeros(len(rtd))

    def upper(self, rtd: PredictedRuntimes, level: float | None = None, cutoff: ArrayLike | None = None) -> FloatArray:
        """Return times that a run takes at most, each with a given probability.

        Parameters
        ----------
        rtd, level, cutoff : see `lower`
            Predictions, probability of the bound, cutoffs.

        Returns
        -------
        ndarray of shape (n_rows,)
            Seconds; infinite where the run may reach the cutoff, or where there are too few calibration instances.
        """
        limits = self._limits(cutoff, len(rtd))
        times = rtd.time_at_log_sf(-self._largest_hazard(self.level if level is None else check_level(level)))
        return np.where(times < limits, times, np.inf)

    def too_few_for(self, level: float | None = None) -> bool:
        """Whether there are too few instances for any finite upper bound, or any lower one above 0."""
        return bool(self._weights().sum() < (self.level if level is None else level) - ROUNDING)

    def _weights(self) -> FloatArray:
        """Return weights: equal for instances and for the runs of one; one share is left to the new instance."""
        counts = np.bincount(self.instance)
        weights: FloatArray = 1.0 / ((len(counts) + 1) * counts[self.instance])
        return weights

    def _least_hazard(self, level: float) -> float:
        """Return the largest hazard that runs of at least this weight reach or exceed; 0 if there is none."""
        order = np.argsort(self.hazards)
        tail = np.cumsum(self._weights()[order][::-1])[::-1]
        reached = np.flatnonzero(tail >= level - ROUNDING)
        return float(self.hazards[order][reached[-1]]) if reached.size else 0.0

    def _largest_hazard(self, level: float) -> float:
        """Return the least hazard that runs of at least this weight do not exceed; infinite if there is none."""
        order = np.argsort(self.hazards)
        reached = np.flatnonzero(np.cumsum(self._weights()[order]) >= level - ROUNDING)
        return float(self.hazards[order][reached[0]]) if reached.size else np.inf

    def _limits(self, cutoff: ArrayLike | None, rows: int) -> FloatArray:
        if self.cutoff is not None:
            if cutoff is not None and np.any(np.asarray(cutoff) != self.cutoff):
                raise SettingError(
                    f"cutoff={str(cutoff)[:60]}: the calibration runs had a cutoff of {self.cutoff:g} s, and bounds "
                    "hold for that one; leave it out."
                )
            return np.full(rows, self.cutoff)
        if cutoff is None:
            raise SettingError(
                "cutoff: the cutoffs of the calibration runs were a function of the features; give that of each row "
                "(cutoff=..., --cutoff-column)."
            )
        limits = check_numbers("cutoff", cutoff)
        if limits.shape not in ((), (rows,)) or not np.all(limits > 0):
            raise SettingError(f"cutoff={str(cutoff)[:60]}: expected positive seconds, one number per row ({rows}).")
        return np.broadcast_to(limits, (rows,))

    def to_arrays(self) -> Arrays:
        """Return the scores as plain arrays."""
        return {"hazards": self.hazards, "instance": self.instance}

    @classmethod
    def from_arrays(cls, arrays: Arrays, cutoff: float | None, level: float) -> Self:
        """Restore a calibration; a ValueError names what cannot be one."""
        hazards, instance = arrays["hazards"], arrays["instance"]
        if (
            hazards.dtype != np.float64
            or instance.dtype != np.int64
            or not hazards.shape == instance.shape == (hazards.size,)
        ):
            raise ValueError("scores and instances are not two vectors of one length")
        numbers = np.unique(instance)
        if not hazards.size or not np.all(hazards >= 0) or not np.array_equal(numbers, np.arange(len(numbers))):
            raise ValueError("scores or numbers of instances that cannot be")
        if cutoff is not None and not cutoff > 0:
            raise ValueError(f"a cutoff of {cutoff} s")
        return cls(hazards, instance, cutoff, check_level(level))
