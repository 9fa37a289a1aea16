"""XGBoost's accelerated failure time model (Barnwal, Cho and Hocking 2022): boosted trees on log time."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import effective_n_jobs

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.data.splits import folds_by_instance
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.base import seed_of
from bayes_distnet.models.peers.comparison import ComparisonModel, StandardLogTime, best_scale, require
from bayes_distnet.models.scaling import RankGauss, scaled_inputs
from bayes_distnet.validation import check_at_least, check_positive

PASSES = 3  # each chooses the rounds given the spread, then the spread given the rounds


class XGBoostAFT(ComparisonModel):
    """XGBoost `survival:aft` with normal errors of log time: a lognormal, one spread for all instances.

    A censored run is an interval without an upper end. Number of rounds and spread are those under which held-out
    instances are most likely, found in turns: rounds given the spread, spread given the rounds.

    Parameters
    ----------
    n_estimators : int, default 200
        Largest number of rounds.
    learning_rate : float, default 0.05
        Step of a round.
    max_depth : int, default 4
        Depth of the trees.
    cv : int, default 3
        Folds over instances that choose rounds and spread.
    n_jobs : int or None, default None
        Threads, as in scikit-learn.
    random_state : int, RandomState instance, Generator or None, default 0
        Fixes the result.
    """

    def __init__(
        self,
        n_estimators: int = 200,
        learning_rate: float = 0.05,
        max_depth: int = 4,
        cv: int = 3,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, features: FloatArray, observations: Observations) -> None:
        xgboost = require("xgboost")
        self._check_settings()
        self.scaler_ = RankGauss.fit(features)
        self.time_ = StandardLogTime.of(observations)
        x = scaled_inputs(self.scaler_, features)
        z, finished, of = self.time_.standard(observations.seconds), observations.finished, observations.instance

        def table(runs: IntArray) -> Any:
            times = np.exp(z[runs])
            matrix = xgboost.DMatrix(x[of[runs]], nthread=effective_n_jobs(self.n_jobs))
            matrix.set_float_info("label_lower_bound", times)
            matrix.set_float_info("label_upper_bound", np.where(finished[runs], times, np.inf))
            return matrix

        folds = folds_by_instance(len(x), min(self.cv, len(x)), self.seed_)
        parts = [(np.flatnonzero(np.isin(of, train)), np.flatnonzero(np.isin(of, test))) for train, test in folds]
        tables = [(table(train), table(test)) for train, test in parts]
        loc, self.scale_ = np.empty_like(z), 1.0
        for _ in range(PASSES):
            grown = [self._grown(xgboost, *pair) for pair in tables]
            losses = sum(len(test) * curve for (_, test), (_, curve) in zip(parts, grown, strict=True))
            self.rounds_ = int(np.argmin(losses)) + 1
            for (_, test), (_, held_out), (booster, _) in zip(parts, tables, grown, strict=True):
                loc[test] = booster.predict(held_out, output_margin=True, iteration_range=(0, self.rounds_))
            self.scale_ = best_scale(z, finished, loc)
        self.booster_ = xgboost.train(self._settings(), table(np.arange(len(z))), self.rounds_)

    def _grown(self, xgboost: Any, table: Any, held_out: Any) -> tuple[Any, FloatArray]:
        """Return a booster of all rounds, and the loss on held-out runs after each round."""
        losses: dict[str, Any] = {}
        booster = xgboost.train(
            self._settings(),
            table,
            self.n_estimators,
            evals=[(held_out, "unseen")],
            evals_result=losses,
            verbose_eval=False,
        )
        return booster, np.array(losses["unseen"]["aft-nloglik"])

    def _predict(self, features: FloatArray) -> RuntimeDistribution:
        xgboost = require("xgboost")
        matrix = xgboost.DMatrix(scaled_inputs(self.scaler_, features), nthread=effective_n_jobs(self.n_jobs))
        loc = self.booster_.predict(matrix, output_margin=True).astype(float)
        return self.time_.lognormal(loc, np.full(len(loc), self.scale_))

    def _settings(self) -> dict[str, Any]:
        return {
            "objective": "survival:aft",
            "eval_metric": "aft-nloglik",
            "aft_loss_distribution": "normal",
            "aft_loss_distribution_scale": self.scale_,
            "base_score": 1.0,  # in time: standard log time starts at 0
            "tree_method": "hist",
            "learning_rate": self.learning_rate,
            "max_depth": self.max_depth,
            "subsample": 0.7,
            "colsample_bytree": 0.5,
            "nthread": effective_n_jobs(self.n_jobs),
            "seed": self.seed_,
            "verbosity": 0,
        }

    def _check_settings(self) -> None:
        for name in ("n_estimators", "max_depth"):
            check_at_least(name, getattr(self, name), 1)
        check_at_least("cv", self.cv, 2)
        check_positive("learning_rate", self.learning_rate)
        self.seed_ = seed_of(self.random_state)
