"""Runs of several solvers on the same instances, in the form that portfolios are learnt from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.statuses import INTERRUPTED, SOLVED, UNREADABLE
from bayes_distnet.decide.laws.objectives import Objective
from bayes_distnet.decide.solver_runs import SolverRuns, arranged
from bayes_distnet.errors import RuntimeDataError
from bayes_distnet.validation import check_positive

LEAST_INSTANCES = 5  # with a run, of a solver that can be chosen
LEAST_FINISHED = 3  # runs
EARLY = 0.98  # of the cutoff: a run stopped before was not stopped by the cutoff


@dataclass(frozen=True)
class PortfolioRuns(SolverRuns):
    """Runs of solvers that can be chosen, with features. Not every solver needs a run on every instance.

    A run that failed (out of memory, crashed) counts as cut off at the cutoff: on that instance the solver would not
    have given an answer before it.

    Parameters
    ----------
    instances, solvers, seconds, finished, cutoff : as for `SolverRuns`
        The runs.
    left_out : dict
        Solvers that cannot be chosen, with the reason.
    features : DataFrame
        One row per instance.
    feature_cost : array or None
        (n,) seconds that computing the features took.
    overhead : float, default 0.0
        Seconds that a decision by features costs besides.
    """

    left_out: dict[str, str]
    features: pd.DataFrame
    feature_cost: FloatArray | None = None
    overhead: float = 0.0

    @classmethod
    def of(cls, data: Dataset, cutoff: float | None = None, overhead: float = 0.0) -> Self:
        """Arrange the runs of a data set.

        Parameters
        ----------
        data : Dataset
            Runs of one or more solvers.
        cutoff : float or None
            Seconds after which runs are stopped; by default the cutoff of most runs, the largest cutoff if no value has
            more than half of them, or if they have none the largest runtime.
        overhead : float, default 0.0
            Seconds that a decision by features costs besides.

        Returns
        -------
        PortfolioRuns
            The runs of all instances with features and a run.

        Raises
        ------
        RuntimeDataError
            No solver has enough finished runs.
        """
        data = data.matched()
        frame = data.runs.frame
        frame = frame[~frame["status"].isin([INTERRUPTED, UNREADABLE]) & frame["instance"].isin(data.features.index)]
        limit = _cutoff(frame, cutoff)
        solved = ((frame["status"] == SOLVED) & (frame["seconds"] <= limit)).to_numpy(bool)
        failed = ~frame["status"].isin(["solved", "timeout"]).to_numpy(bool)
        seconds = np.minimum(np.where(failed, limit, frame["seconds"].to_numpy(float)), limit)
        frame = frame.assign(finished=solved, seconds=seconds)
        kept, left_out = _enough(frame)
        if not kept:
            reason = next(iter(left_out.items()), ("", "there are no runs"))
            raise RuntimeDataError(
                f"no solver can be chosen; {reason[0]}: {reason[1]}. Collect runs with a higher cutoff."
            )
        cost = None if data.feature_cost is None else data.feature_cost.reindex(data.features.index).fillna(0.0)
        names = data.features.index
        seconds, finished = arranged(frame[frame["solver"].isin(kept)], names, kept)
        costs = None if cost is None else np.asarray(cost, dtype=np.float64)
        return cls(names, tuple(kept), seconds, finished, limit, left_out, data.features, costs, overhead)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the features."""
        return tuple(map(str, self.features.columns))

    @property
    def fee(self) -> FloatArray:
        """(n,) seconds of a decision by features; features of which nothing is known cost none."""
        return self.overhead + (np.zeros(len(self.features)) if self.feature_cost is None else self.feature_cost)

    def take(self, rows: ArrayLike) -> PortfolioRuns:
        """Return the runs on some instances, given by their row numbers."""
        chosen = np.asarray(rows, dtype=np.intp)
        cost = None if self.feature_cost is None else self.feature_cost[chosen]
        names, features = self.instances[chosen], self.features.iloc[chosen]
        seconds, finished = self.seconds[chosen], self.finished[chosen]
        return replace(self, instances=names, features=features, seconds=seconds, finished=finished, feature_cost=cost)

    def charged(self) -> PortfolioRuns:
        """Return the same runs with the seconds of the features added; some are cut off then."""
        total = self.seconds + self.fee[:, None, None]
        return replace(self, seconds=np.minimum(total, self.cutoff), finished=self.finished & (total <= self.cutoff))

    def costs(self, objective: Objective) -> FloatArray:
        """Return the mean cost (n, S) of the runs of each solver per instance; where there is none, of all its runs."""
        # A run that was stopped before the cutoff has the mean cost of the solver's runs that took longer.
        assert objective.of_runs is not None
        present = ~np.isnan(self.seconds)
        each = np.where(present, objective.of_runs(np.where(present, self.seconds, 1.0), self.finished), 0.0)
        early = present & ~self.finished & (self.seconds < EARLY * self.cutoff)
        for row, s, k in np.argwhere(early):
            longer = (present & ~early)[:, s] & (self.seconds[:, s] > self.seconds[row, s, k])
            if longer.any():
                each[row, s, k] = each[:, s][longer].mean()
        count = present.sum(axis=2)
        mean = each.sum(axis=2) / np.maximum(count, 1)
        usual = np.array([mean[count[:, s] > 0, s].mean() for s in range(len(self.solvers))])
        return np.where(count > 0, mean, usual)


def _cutoff(frame: pd.DataFrame, cutoff: float | None) -> float:
    if cutoff is not None:
        check_positive("cutoff", cutoff)
        return float(cutoff)
    limits = frame["cutoff"].to_numpy(float)
    finite = limits[np.isfinite(limits)]
    if not finite.size:
        return float(frame["seconds"].max())
    values, counts = np.unique(finite, return_counts=True)
    # Among collected runs there may be some that were stopped by a plan, each at its own time.
    return float(values[counts.argmax()] if 2 * counts.max() > len(frame) else finite.max())


def _enough(frame: pd.DataFrame) -> tuple[list[str], dict[str, str]]:
    """Return the solvers with enough runs, and the reasons why others are left out."""
    kept, left_out = [], {}
    for solver, runs in frame.groupby("solver", sort=True):
        finished, instances = int(runs["finished"].sum()), runs["instance"].nunique()
        if finished == 0:
            left_out[str(solver)] = f"none of its {len(runs)} runs finished"
        elif finished < LEAST_FINISHED or instances < LEAST_INSTANCES:
            left_out[str(solver)] = (
                f"only {finished} finished runs on {instances} instances; "
                f"{LEAST_FINISHED} and {LEAST_INSTANCES} are needed"
            )
        else:
            kept.append(str(solver))
    return kept, left_out
