"""Runs that a distribution is scored against, in one form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.data.observations import check_seconds
from bayes_distnet.data.targets import split_target
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes, check_distribution
from bayes_distnet.errors import RuntimeDataError
from bayes_distnet.validation import check_positive


@dataclass(frozen=True)
class Runs:
    """Runs as matrices of shape (n_instances, n_runs).

    Parameters
    ----------
    seconds : ndarray
        Runtimes; 1.0 where there is no run.
    finished : ndarray
        False for a run that was cut off.
    present : ndarray
        False where there is no run.
    """

    seconds: FloatArray
    finished: BoolArray
    present: BoolArray

    @property
    def count(self) -> FloatArray:
        """Number of runs per instance."""
        return np.asarray(self.present.sum(axis=1), dtype=np.float64)

    @property
    def largest(self) -> FloatArray:
        """Longest runtime or cutoff per instance."""
        return np.asarray(np.where(self.present, self.seconds, 0.0).max(axis=1, initial=0.0))

    @property
    def horizon(self) -> FloatArray:
        """Smallest cutoff per instance, infinity where every run finished."""
        return np.asarray(np.where(self.present & ~self.finished, self.seconds, np.inf).min(axis=1, initial=np.inf))

    def upto(self, horizon: FloatArray) -> FloatArray:
        """Sort the times of each instance and end them at a horizon.

        Parameters
        ----------
        horizon : ndarray of shape (n_instances,)
            Time past which nothing counts.

        Returns
        -------
        ndarray of shape (n_instances, n_runs)
            Sorted times; entries without a run are at the horizon.
        """
        return np.sort(np.where(self.present, np.minimum(self.seconds, horizon[:, None]), horizon[:, None]), axis=1)

    def average(self, values: FloatArray) -> FloatArray:
        """Average over the runs of each instance.

        Parameters
        ----------
        values : ndarray of shape (n_instances, n_runs)
            One value per run.

        Returns
        -------
        ndarray of shape (n_instances,)
            Means; NaN for an instance without a run.
        """
        total = np.where(self.present, values, 0.0).sum(axis=1)
        return np.where(self.count > 0, total / np.maximum(self.count, 1.0), np.nan)

    def only_finished(self) -> Runs:
        """Return the finished runs alone."""
        return Runs(self.seconds, self.finished, self.finished)


def runs_of(rtd: PredictedRuntimes, runtimes: Any, finished: Any, tick: float | None = None) -> Runs:
    """Check the runs of a distribution's rows and bring them into one form.

    Parameters
    ----------
    rtd : PredictedRuntimes
        Predicted runtimes, one row per instance.
    runtimes, finished : array-like
        Runs in one of the forms that `bayes_distnet.scoring.scores` lists.
    tick : float, optional
        Tick of their timer in seconds.

    Returns
    -------
    Runs
        The runs as matrices.

    Raises
    ------
    RuntimeDataError
        Runs that do not match the rows, or are no runtimes.
    """
    check_distribution(rtd)
    if tick is not None:
        check_positive("tick", tick)
    runtimes, finished = split_target(runtimes, finished, what="runtimes")
    if isinstance(runtimes, list | tuple) and any(isinstance(row, np.ndarray | list | tuple) for row in runtimes):
        sizes = _sizes(runtimes, "runtimes")
        if finished is not None and _sizes(finished, "finished") != sizes:
            raise RuntimeDataError("finished must hold, for every instance, as many flags as runtimes has runs")
        finished = None if finished is None else _padded(finished, sizes, False)
        runtimes = _padded(runtimes, sizes, np.nan)
    seconds, flags = check_seconds(runtimes, finished, what="runtimes", tick=tick)
    if seconds.ndim not in (1, 2) or len(seconds) != len(rtd):
        raise RuntimeDataError(
            f"runtimes have shape {seconds.shape}; for a distribution of {len(rtd)} rows give ({len(rtd)},), one run "
            f"per instance, or ({len(rtd)}, runs)"
        )
    if seconds.ndim == 1:
        seconds, flags = seconds[:, None], flags[:, None]
    present = ~np.isnan(seconds)
    return Runs(np.where(present, seconds, 1.0), flags, present)


def _sizes(rows: Any, what: str) -> list[int]:
    try:
        shapes = [np.shape(row) for row in rows]
    except (TypeError, ValueError):
        shapes = []
    if not shapes or max(map(len, shapes)) > 1:
        raise RuntimeDataError(
            f"{what}: expected a list with one list or array per instance, one value per run; found {rows!r:.100}."
        )
    return [int(np.prod(shape)) for shape in shapes]


def _padded(rows: Sequence[Any], sizes: list[int], fill: Any) -> NDArray[np.object_]:
    """Rows of one length. Values keep their types: `check_seconds` checks them."""
    matrix = np.full((len(sizes), max(1, *sizes)), fill, dtype=object)
    for line, row, size in zip(matrix, rows, sizes, strict=True):
        line[:size] = np.ravel(row)
    return matrix
