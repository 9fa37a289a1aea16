"""SATzilla'11: cost-sensitive pairwise forests that vote (Xu, Hutter, Hoos and Leyton-Brown 2011)."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

from bayes_distnet.arrays import FloatArray
from bayes_distnet.decide.selection.peers.base import ScoringPeer
from bayes_distnet.decide.selection.peers.inputs import Inputs
from bayes_distnet.decide.solver_runs import SolverRuns


class SATzilla11(ScoringPeer):
    """One forest per pair of solvers decides which of the two is cheaper; the solver with most votes runs.

    An instance weighs as much as the costs of the two solvers differ on it. Each tree has a vote, as in the published
    system; ties are broken by the mean cost on the training instances.

    Parameters
    ----------
    n_estimators : int, default 100
        Trees per pair.
    n_jobs : int or None, default None
        Threads, as in scikit-learn.
    random_state : int, default 0
        Fixes the result.
    """

    def __init__(self, n_estimators: int = 100, n_jobs: int | None = None, random_state: int = 0) -> None:
        super().__init__(random_state)
        self.n_estimators = n_estimators
        self.n_jobs = n_jobs

    def _fit(self, features: pd.DataFrame, runs: SolverRuns) -> None:
        costs = runs.par10()
        self.inputs_ = Inputs.fit(features)
        self.mean_costs_ = costs.mean(axis=0)
        x = self.inputs_.filled(features)
        pairs = itertools.combinations(range(len(self.solvers_)), 2)
        self.forests_ = {pair: self._forest(x, costs[:, pair[0]] - costs[:, pair[1]]) for pair in pairs}

    def _forest(self, x: FloatArray, difference: FloatArray) -> RandomForestClassifier | bool:
        """Grow a forest that answers whether the first solver is cheaper; a bool if it always or never is."""
        matters = difference != 0
        first = difference[matters] < 0
        if not matters.any() or first.all() or not first.any():
            return bool(matters.any() and first.all())
        forest = RandomForestClassifier(
            self.n_estimators,
            max_features=min(int(np.log2(x.shape[1])) + 1, x.shape[1]),  # as published
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        )
        return forest.fit(x[matters], first, sample_weight=np.abs(difference[matters]))

    def scores(self, features: pd.DataFrame) -> FloatArray:
        """Return minus the votes; the mean training cost breaks ties."""
        x = self.inputs_.filled(features)
        votes = np.zeros((len(x), len(self.solvers_)))
        for (first, second), forest in self.forests_.items():
            wins = np.full(len(x), float(forest)) if isinstance(forest, bool) else _share(forest, x)
            votes[:, first] += wins
            votes[:, second] += 1.0 - wins
        order = self.mean_costs_ / max(float(self.mean_costs_.max()), 1e-300)
        return np.asarray(1e-9 * order - votes)


def _share(forest: RandomForestClassifier, x: FloatArray) -> FloatArray:
    """Return the fraction of trees that vote for the first solver."""
    x32 = x.astype(np.float32)
    votes = [tree.predict_proba(x32, check_input=False)[:, 1] > 0.5 for tree in forest.estimators_]
    return np.asarray(np.mean(votes, axis=0))
