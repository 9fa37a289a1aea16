"""The common part of peers: they use all features, and choose one solver or one schedule per instance."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Self

import numpy as np
import pandas as pd

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.decide.selection.procedures import Procedure, Schedule, Selector, Step
from bayes_distnet.decide.solver_runs import SolverRuns


class Peer(Selector):
    """A selector that learns from features and runs, and makes one schedule per instance.

    Parameters
    ----------
    random_state : int, default 0
        Fixes the result.
    """

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in vars(self).items() if not name.endswith("_"))
        return f"{type(self).__name__}({settings})"

    def fit(self, data: Dataset, runs: SolverRuns) -> Self:
        """Learn from training instances; see `Selector.fit`."""
        self.solvers_ = runs.solvers
        self._fit(data.features, runs)
        return self

    def procedures(self, features: pd.DataFrame) -> dict[str, Procedure]:
        """Decide on unseen instances; see `Selector.procedures`."""
        return {"": Procedure([(schedule,) for schedule in self.schedules(features)])}

    @abstractmethod
    def _fit(self, features: pd.DataFrame, runs: SolverRuns) -> None:
        """Learn from features and runs of the same instances."""

    @abstractmethod
    def schedules(self, features: pd.DataFrame) -> Sequence[Schedule]:
        """Return one schedule per row of features."""


class ScoringPeer(Peer):
    """A peer that scores all solvers and runs the one with the least score."""

    def schedules(self, features: pd.DataFrame) -> list[Schedule]:
        """Return the solver with the least score, per row of features."""
        return [(Step(self.solvers_[best]),) for best in np.argmin(self.scores(features), axis=1)]

    def parallel(self, features: pd.DataFrame, cores: int) -> dict[str, Procedure]:
        """Run the solvers with the least scores side by side; with more cores than solvers, the first get copies."""
        ranked = np.argsort(self.scores(features), axis=1, kind="stable")
        plans = [tuple((Step(self.solvers_[order[core % len(order)]]),) for core in range(cores)) for order in ranked]
        return {"": Procedure(plans)}

    @abstractmethod
    def scores(self, features: pd.DataFrame) -> FloatArray:
        """Return one score per row of features and solver; the least is the best."""
