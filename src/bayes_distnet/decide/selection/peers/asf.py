"""Selectors of the package asf (MIT): pairwise classifiers, pairwise regressors, and one regression per solver."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from bayes_distnet.decide.selection.peers.base import Peer
from bayes_distnet.decide.selection.peers.inputs import Inputs
from bayes_distnet.decide.selection.procedures import Schedule, Step
from bayes_distnet.decide.solver_runs import SolverRuns
from bayes_distnet.models.peers.comparison import require

#: Classes of asf.selectors by the name of the setting, and the forest inside.
_KINDS: dict[str, tuple[str, Any]] = {
    "classifier": ("PairwiseClassifier", RandomForestClassifier),
    "regressor": ("PairwiseRegressor", RandomForestRegressor),
    "performance": ("PerformanceModel", RandomForestRegressor),
}


class AsfSelector(Peer):
    """A selector of asf on random forests, its other settings by default.

    Parameters
    ----------
    kind : {"classifier", "regressor", "performance"}, default "classifier"
        Which solver of each pair is cheaper, by how much it is, or the cost of each solver.
    n_estimators : int, default 100
        Trees per forest.
    random_state : int, default 0
        Fixes the result.
    """

    def __init__(self, kind: str = "classifier", n_estimators: int = 100, random_state: int = 0) -> None:
        super().__init__(random_state)
        self.kind = kind
        self.n_estimators = n_estimators

    def _fit(self, features: pd.DataFrame, runs: SolverRuns) -> None:
        name, forest = _KINDS[self.kind]
        self.inputs_ = Inputs.fit(features)
        self.selector_ = getattr(require("asf.selectors"), name)(
            estimator=forest(self.n_estimators, random_state=self.random_state), budget=runs.cutoff
        )
        # Short names: whatever the solvers are called, the answer is read back by position.
        costs = pd.DataFrame(runs.par10(), columns=[f"s{number}" for number in range(len(runs.solvers))])
        self.selector_.fit(self._table(features), costs)

    def _table(self, features: pd.DataFrame) -> pd.DataFrame:
        x = self.inputs_.standard(features)
        return pd.DataFrame(x, index=[f"i{row}" for row in range(len(x))], columns=np.arange(x.shape[1]).astype(str))

    def schedules(self, features: pd.DataFrame) -> list[Schedule]:
        """Return the solver that asf chooses, per row of features."""
        table = self._table(features)
        chosen = self.selector_.predict(table)
        return [(Step(self.solvers_[int(chosen[name][0][0][1:])]),) for name in table.index]
