"""Runs that a distribution is scored against, in one form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.data.observations import check_seconds
from bayes_distnet.distributions.predicted_runtimes import check_distribution
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import RuntimeDataError


@dataclass(frozen=True)
class Runs:
    """Runs as a matrix (n, k): seconds (1.0 where there is none), and what they are."""

    seconds: FloatArray
    finished: BoolArray
    present: BoolArray

    @property
    def count(self) -> FloatArray:
        return np.asarray(self.present.sum(axis=1), dtype=np.float64)

    @property
    def largest(self) -> FloatArray:
        """(n,) the longest time seen, cutoffs included."""
        return np.asarray(np.where(self.present, self.seconds, 0.0).max(axis=1, initial=0.0))

    @property
    def horizon(self) -> FloatArray:
        """(n,) the smallest cutoff, infinity where every run finished."""
        return np.asarray(np.where(self.present & ~self.finished, self.seconds, np.inf).min(axis=1, initial=np.inf))

    def upto(self, horizon: FloatArray) -> FloatArray:
        """(n, k) times sorted in each row and stopped at the horizon; places without a run are at the horizon too."""
        return np.sort(np.where(self.present, np.minimum(self.seconds, horizon[:, None]), horizon[:, None]), axis=1)

    def average(self, values: FloatArray) -> FloatArray:
        """(n,) mean over the runs of each instance, NaN where there is none."""
        total = np.where(self.present, values, 0.0).sum(axis=1)
        return np.where(self.count > 0, total / np.maximum(self.count, 1.0), np.nan)

    def only_finished(self) -> Runs:
        return Runs(self.seconds, self.finished, self.finished)


def runs_of(rtd: RuntimeDistribution, runtimes: Any, finished: Any) -> Runs:
    """Check the runs of a distribution's rows and bring them into one form."""
    check_distribution(rtd)
    if isinstance(runtimes, list | tuple) and any(isinstance(row, np.ndarray | list | tuple) for row in runtimes):
        sizes = _sizes(runtimes, "runtimes")
        if finished is not None and _sizes(finished, "finished") != sizes:
            raise RuntimeDataError("finished must hold, for every instance, as many flags as runtimes has runs")
        finished = None if finished is None else _padded(finished, sizes, False)
        runtimes = _padded(runtimes, sizes, np.nan)
    seconds, flags = check_seconds(runtimes, finished, what="runtimes")
    if seconds.ndim not in (1, 2) or len(seconds) != len(rtd):
        raise RuntimeDataError(
            f"runtimes have shape {seconds.shape}; for a distribution of {len(rtd)} rows give ({len(rtd)},), one run "
            f"an instance, or ({len(rtd)}, runs)"
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
            f"{what}: expected a list with one list or array an instance, one value a run; found {rows!r:.100}."
        )
    return [int(np.prod(shape)) for shape in shapes]


def _padded(rows: Sequence[Any], sizes: list[int], fill: Any) -> NDArray[np.object_]:
    """Rows of one length. What they hold stays what it is, for `check_seconds` to judge."""
    matrix = np.full((len(sizes), max(1, *sizes)), fill, dtype=object)
    for line, row, size in zip(matrix, rows, sizes, strict=True):
        line[:size] = np.ravel(row)
    return matrix
