"""NGBoost (Duan et al. 2020): natural gradient boosting of a lognormal's two parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.data.splits import folds_by_instance
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.base import seed_of
from bayes_distnet.models.peers.comparison import LOG_SCALE_RANGE, ComparisonModel, StandardLogTime, require
from bayes_distnet.models.scaling import RankGauss, scaled_inputs
from bayes_distnet.validation import check_at_least, check_positive

LEAST_INSTANCES = 10  # per leaf, or a tenth of all instances if that is less
FEW = 10  # least number of instances and of columns per round


class NGBoost(ComparisonModel):
    """NGBoost with a lognormal and the censored likelihood; the number of rounds is chosen on held-out instances.

    Trees are grown on one row per instance, weighted by its number of runs, with the mean gradient of these: they are
    the trees grown on all runs, at a fraction of the cost.

    Parameters
    ----------
    n_estimators : int, default 150
        Largest number of rounds.
    learning_rate : float, default 0.05
        Step of a round.
    max_depth : int, default 3
        Depth of the trees.
    subsample, colsample : float, default 0.5 and 0.3
        Fraction of the instances and of the features per round.
    cv : int, default 3
        Folds over instances that choose the number of rounds.
    random_state : int, RandomState instance, Generator or None, default 0
        Fixes the result.
    """

    def __init__(
        self,
        n_estimators: int = 150,
        learning_rate: float = 0.05,
        max_depth: int = 3,
        subsample: float = 0.5,
        colsample: float = 0.3,
        cv: int = 3,
        random_state: Any = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.subsample = subsample
        self.colsample = colsample
        self.cv = cv
        self.random_state = random_state

    def _fit(self, features: FloatArray, observations: Observations) -> None:
        require("ngboost")
        from bayes_distnet.models.peers.ngboost_lognormal import packed

        check_at_least("n_estimators", self.n_estimators, 1)
        check_at_least("max_depth", self.max_depth, 1)
        check_at_least("cv", self.cv, 2)
        check_positive("learning_rate", self.learning_rate)
        self.seed_ = seed_of(self.random_state)
        self.scaler_ = RankGauss.fit(features)
        self.time_ = StandardLogTime.of(observations)
        x = scaled_inputs(self.scaler_, features)
        seconds, finished = observations.matrix()
        y = packed(self.time_.standard(seconds), finished)
        counts = observations.runs_of_each().astype(float)
        losses = np.zeros(self.n_estimators)
        for train, test in folds_by_instance(len(x), min(self.cv, len(x)), self.seed_):
            losses += counts[test].sum() * self._losses(x, y, counts, train, test)
        self.rounds_ = int(np.argmin(losses)) + 1
        self.model_ = self._boosted(self.rounds_, x).fit(x, y, sample_weight=counts)

    def _predict(self, features: FloatArray) -> RuntimeDistribution:
        loc, log_scale = self.model_.pred_param(scaled_inputs(self.scaler_, features)).T
        return self.time_.lognormal(loc, np.exp(np.clip(log_scale, *LOG_SCALE_RANGE)))

    def _boosted(self, n_estimators: int, x: FloatArray) -> Any:
        from ngboost import NGBoost as Boosting
        from ngboost.scores import LogScore

        from bayes_distnet.models.peers.ngboost_lognormal import RunsLogNormal

        instances, columns = x.shape
        # A leaf of few instances would learn its spread from their luck.
        least = max(1, min(LEAST_INSTANCES, instances // 10))
        tree = DecisionTreeRegressor(max_depth=self.max_depth, min_samples_leaf=least, random_state=self.seed_)
        return Boosting(
            Dist=RunsLogNormal,
            Score=LogScore,
            Base=tree,
            n_estimators=n_estimators,
            learning_rate=self.learning_rate,
            minibatch_frac=self.subsample if instances >= FEW else 1.0,
            col_sample=min(1.0, max(self.colsample, FEW / columns)),
            verbose=False,
            random_state=self.seed_,
        )

    def _losses(self, x: FloatArray, y: FloatArray, counts: FloatArray, train: IntArray, test: IntArray) -> FloatArray:
        """Return the loss on held-out instances after every round; the last is repeated where boosting ended early."""
        model = self._boosted(self.n_estimators, x[train]).fit(
            x[train],
            y[train],
            X_val=x[test],
            Y_val=y[test],
            sample_weight=counts[train],
            val_sample_weight=counts[test],
        )
        losses = np.array(model.evals_result["val"]["LOGSCORE"])
        return np.pad(losses, (0, self.n_estimators - len(losses)), mode="edge")
