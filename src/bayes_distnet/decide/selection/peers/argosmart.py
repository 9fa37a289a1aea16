"""ArgoSmArT k-NN: the solver that is best on the nearest instances (Nikolic, Maric and Janicic 2013)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bayes_distnet.arrays import FloatArray
from bayes_distnet.decide.selection.peers.base import ScoringPeer
from bayes_distnet.decide.selection.peers.inputs import Inputs
from bayes_distnet.decide.solver_runs import SolverRuns


class ArgoSmArT(ScoringPeer):
    """The solver with the least PAR10 on the k nearest training instances runs.

    The published distance, the sum over features of |x - y| / (sqrt(|x y|) + 10), needs no scaling of features.

    Parameters
    ----------
    k : int, default 9
        Number of neighbours, as published.
    random_state : int, default 0
        Not used: the result is not random.
    """

    def __init__(self, k: int = 9, random_state: int = 0) -> None:
        super().__init__(random_state)
        self.k = k

    def _fit(self, features: pd.DataFrame, runs: SolverRuns) -> None:
        self.inputs_ = Inputs.fit(features)
        self.x_, self.costs_ = self.inputs_.filled(features), runs.par10()

    def scores(self, features: pd.DataFrame) -> FloatArray:
        """Return the mean cost on the neighbours; the mean over all training instances breaks ties."""
        k, usual = min(self.k, len(self.x_)), self.costs_.mean(axis=0)
        nearest = [np.argsort(self._distances(row), kind="stable")[:k] for row in self.inputs_.filled(features)]
        return np.asarray([self.costs_[rows].mean(axis=0) for rows in nearest] + 1e-9 * usual)

    def _distances(self, row: FloatArray) -> FloatArray:
        scale = np.sqrt(np.abs(self.x_)) * np.sqrt(np.abs(row)) + 10.0
        return np.asarray((np.abs(self.x_ - row) / scale).sum(axis=1))
