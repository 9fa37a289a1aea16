"""One regression per solver: ridge and random forests on penalised runtimes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import RidgeCV

from bayes_distnet.arrays import FloatArray
from bayes_distnet.decide.selection.peers.base import ScoringPeer
from bayes_distnet.decide.selection.peers.inputs import Inputs
from bayes_distnet.decide.solver_runs import PENALTY, SolverRuns
from bayes_distnet.models.scaling import RankGauss, scaled_inputs


def log_par10(runs: SolverRuns) -> FloatArray:
    """Return the mean over runs of the log cost (n, S); a run without an answer costs ten times the cutoff."""
    cost = np.where(runs.finished, runs.seconds, np.where(np.isnan(runs.seconds), np.nan, PENALTY * runs.cutoff))
    return np.asarray(np.nanmean(np.log(cost), axis=2))


class RidgeSelector(ScoringPeer):
    """Ridge regression on the log cost per solver, the penalty chosen by leave-one-out."""

    def _fit(self, features: pd.DataFrame, runs: SolverRuns) -> None:
        self.scaler_ = RankGauss.fit(features.to_numpy(dtype=float))
        # One penalty per solver.
        self.model_ = RidgeCV(alphas=np.logspace(-3, 5, 33), alpha_per_target=True)
        self.model_.fit(scaled_inputs(self.scaler_, features.to_numpy(dtype=float)), log_par10(runs))

    def scores(self, features: pd.DataFrame) -> FloatArray:
        """Return predicted log costs."""
        x = scaled_inputs(self.scaler_, features.to_numpy(dtype=float))
        return np.asarray(self.model_.predict(x)).reshape(len(x), len(self.solvers_))


class ForestSelector(ScoringPeer):
    """A random forest per solver on the cost, or on its log.

    Parameters
    ----------
    log : bool, default False
        Whether forests learn the log of the cost (of each run) instead of the cost.
    n_estimators : int, default 100
        Trees per solver.
    n_jobs : int or None, default None
        Threads, as in scikit-learn.
    random_state : int, default 0
        Fixes the result.
    """

    def __init__(
        self, log: bool = False, n_estimators: int = 100, n_jobs: int | None = None, random_state: int = 0
    ) -> None:
        super().__init__(random_state)
        self.log = log
        self.n_estimators = n_estimators
        self.n_jobs = n_jobs

    def _fit(self, features: pd.DataFrame, runs: SolverRuns) -> None:
        self.inputs_ = Inputs.fit(features)
        x, targets = self.inputs_.filled(features), log_par10(runs) if self.log else runs.par10()
        self.forests_: list[Any] = [
            RandomForestRegressor(
                self.n_estimators, max_features=1 / 3, n_jobs=self.n_jobs, random_state=self.random_state
            ).fit(x, target)
            for target in targets.T
        ]

    def scores(self, features: pd.DataFrame) -> FloatArray:
        """Return predicted costs, or their logs."""
        x = self.inputs_.filled(features)
        return np.stack([forest.predict(x) for forest in self.forests_], axis=1)
