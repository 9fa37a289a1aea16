"""Runs of several solvers on the same instances: choices are learnt from them, and replayed on others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayes_distnet.arrays import BoolArray, FloatArray, IndexArray
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.statuses import INTERRUPTED, SOLVED
from bayes_distnet.errors import RuntimeDataError

PENALTY = 10.0  # cost of a run without an answer, in cutoffs (PAR10)


@dataclass(frozen=True)
class SolverRuns:
    """Runs of S solvers on n instances, at most k per solver and instance.

    Parameters
    ----------
    instances : Index
        Names of the instances.
    solvers : tuple of str
        Names of the solvers.
    seconds : ndarray of shape (n, S, k)
        CPU seconds; NaN where there are fewer than k runs. A run without an answer has the cutoff.
    finished : ndarray of bool, shape (n, S, k)
        Whether each run gave an answer by the cutoff.
    cutoff : float
        Seconds after which a run is stopped.
    """

    instances: pd.Index
    solvers: tuple[str, ...]
    seconds: FloatArray
    finished: BoolArray
    cutoff: float

    @classmethod
    def of(cls, data: Dataset) -> Self:
        """Arrange the runs of a data set.

        A run that failed, for instance out of memory, counts as one that never answers. Interrupted runs are left out.

        Parameters
        ----------
        data : Dataset
            Runs of several solvers.

        Returns
        -------
        SolverRuns
            Runs of all instances of `data.features`.

        Raises
        ------
        RuntimeDataError
            An instance lacks runs of a solver, or the runs have no cutoff or several ones.
        """
        frame = data.runs.frame
        frame = frame[frame["instance"].isin(data.features.index) & (frame["status"] != INTERRUPTED)]
        limits = frame["cutoff"].unique()
        if len(limits) != 1 or not np.isfinite(limits[0]):
            found = f"{len(limits)} different cutoffs" if np.isfinite(limits).all() else "no cutoff"
            raise RuntimeDataError(
                f"the runs have {found}: "
                "costs of runs without an answer are multiples of one cutoff of all runs. Collect with one cutoff."
            )
        cutoff = float(limits[0])
        solvers = tuple(str(solver) for solver in sorted(frame["solver"].unique(), key=str))
        solved = (frame["status"] == SOLVED).to_numpy(bool)
        frame = frame.assign(finished=solved, seconds=np.where(solved, frame["seconds"].to_numpy(float), cutoff))
        seconds, finished = arranged(frame, data.features.index, solvers)
        missing = np.isnan(seconds).all(axis=2)
        if missing.any():
            row, column = np.argwhere(missing)[0]
            raise RuntimeDataError(
                f"no run of {solvers[column]!r} on {data.features.index[row]!r} ({int(missing.sum())} such pairs): "
                "choices are compared on instances with runs of all solvers. Collect them, or select other instances."
            )
        return cls(data.features.index, solvers, seconds, finished, cutoff)

    def __len__(self) -> int:
        return len(self.instances)

    @property
    def counts(self) -> IndexArray:
        """Number of runs (n, S)."""
        return np.asarray((~np.isnan(self.seconds)).sum(axis=2), dtype=np.intp)

    def take(self, rows: ArrayLike) -> SolverRuns:
        """Return the runs on some instances, given by their row numbers."""
        chosen: IndexArray = np.asarray(rows, dtype=np.intp)
        return replace(
            self, instances=self.instances[chosen], seconds=self.seconds[chosen], finished=self.finished[chosen]
        )

    @property
    def times(self) -> FloatArray:
        """(n, S, k) seconds of the runs; infinite where a run did not finish, NaN where there is none."""
        return np.where(self.finished | np.isnan(self.seconds), self.seconds, np.inf)

    def par10(self) -> FloatArray:
        """Return the cost (n, S), mean over runs: seconds of a run with an answer, else ten times the cutoff."""
        return np.asarray(np.nanmean(np.where(self.finished, self.seconds, PENALTY * self._limits()), axis=2))

    def solved(self) -> FloatArray:
        """Return the fraction (n, S) of the runs that gave an answer."""
        return np.asarray(self.finished.sum(axis=2) / self.counts)

    def mean_log_seconds(self) -> FloatArray:
        """Return the mean (n, S) of the log seconds; a run without an answer has the cutoff."""
        return np.asarray(np.nanmean(np.log(self.seconds), axis=2))

    def solvable(self) -> BoolArray:
        """Return whether any run of any solver gave an answer, per instance."""
        return np.asarray(self.finished.any(axis=(1, 2)))

    def single_best(self) -> int:
        """Return the number of the solver with the least mean cost."""
        return int(np.argmin(self.par10().mean(axis=0)))

    def _limits(self) -> FloatArray:
        return np.where(np.isnan(self.seconds), np.nan, self.cutoff)


def arranged(frame: pd.DataFrame, instances: pd.Index, solvers: Sequence[str]) -> tuple[FloatArray, BoolArray]:
    """Arrange rows of runs as arrays.

    Parameters
    ----------
    frame : DataFrame
        Columns instance, solver, seconds and finished; every instance and solver is one of those given.
    instances : Index
        Names of the n instances.
    solvers : sequence of str
        Names of the S solvers.

    Returns
    -------
    seconds, finished : array
        (n, S, k), the runs of a solver on an instance in the order of the rows; NaN where there are fewer than k.
    """
    rows = instances.get_indexer(pd.Index(frame["instance"]))
    columns = pd.Index(solvers).get_indexer(pd.Index(frame["solver"]))
    places = frame.groupby(["instance", "solver"], sort=False).cumcount().to_numpy()
    shape = (len(instances), len(solvers), int(places.max(initial=0)) + 1)
    seconds, finished = np.full(shape, np.nan), np.zeros(shape, dtype=bool)
    seconds[rows, columns, places] = frame["seconds"].to_numpy(float)
    finished[rows, columns, places] = frame["finished"].to_numpy(bool)
    return seconds, finished
