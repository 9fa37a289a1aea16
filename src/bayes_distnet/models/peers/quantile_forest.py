"""A quantile regression forest (Meinshausen 2006) on log time: no family at all."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import log_ndtr, ndtri_exp

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.data.splits import folds_by_instance
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.forest.leaf_runs import LEVELS, WIDTHS, kernels
from bayes_distnet.models.forest.trees import fit_forest
from bayes_distnet.models.imputation import FOREST_ROUNDS, schmee_hahn
from bayes_distnet.models.peers.comparison import ComparisonModel, StandardLogTime, require
from bayes_distnet.models.random_forest import check_max_features, mean_and_deviation
from bayes_distnet.models.scaling import RankGauss, scaled_inputs
from bayes_distnet.scoring.likelihood import nllh
from bayes_distnet.validation import check_at_least, check_seed

IMPUTING_TREES = 50


class QuantileForest(ComparisonModel):
    """quantile-forest's `RandomForestQuantileRegressor` on log time.

    A cut-off run is drawn from what is left past its cutoff under a lognormal of its instance, the one that Schmee and
    Hahn's scheme settles on with a random forest (out of bag): put in place of each, its expectation alone would bunch
    up the upper quantiles. A density needs a width: the prediction is a mixture of lognormals at 40 predicted
    quantiles, as wide as Scott's rule says or a multiple of that, the one under which held-out instances are most
    likely; what lies past the outermost quantiles follows the lognormal of all runs.

    Parameters: `trees`; `least_instances` in a leaf; `max_features`, the share of features a split may choose from;
    `folds` over instances that choose the width; `threads`; `seed`.
    """

    def __init__(
        self,
        n_estimators: int = 100,
        min_samples_leaf: int = 3,
        max_features: float = 0.5,
        cv: int = 3,
        n_jobs: int = 1,
        random_state: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, features: FloatArray, observations: Observations) -> None:
        for name in ("n_estimators", "min_samples_leaf", "n_jobs"):
            check_at_least(name, getattr(self, name), 1)
        check_at_least("cv", self.cv, 2)
        check_max_features(self.max_features)
        check_seed("random_state", self.random_state)
        self.scaler_ = RankGauss.fit(features)
        self.time_ = StandardLogTime.of(observations)
        x, of = scaled_inputs(self.scaler_, features), observations.instance
        log_times = self._imputed(x, observations)
        seconds, finished = observations.matrix()
        center, spread = self.time_.center, self.time_.spread
        losses = np.zeros(len(WIDTHS))
        for train, test in folds_by_instance(len(x), min(self.cv, len(x)), self.random_state):
            chosen = np.isin(of, train)
            quantiles = self._quantiles(self._grown(x, of[chosen], log_times[chosen]), x[test])
            predicted = [kernels(quantiles, width, center, spread) for width in WIDTHS]
            losses += [nllh(rtd, seconds[test], finished[test]).sum() for rtd in predicted]
        self.width_ = WIDTHS[int(np.argmin(losses))]
        self.forest_ = self._grown(x, of, log_times)

    def _predict(self, features: FloatArray) -> RuntimeDistribution:
        quantiles = self._quantiles(self.forest_, scaled_inputs(self.scaler_, features))
        return kernels(quantiles, self.width_, self.time_.center, self.time_.spread)

    def _grown(self, x: FloatArray, instance: IntArray, log_times: FloatArray) -> Any:
        runs_each = len(instance) / len(np.unique(instance))
        forest = require("quantile_forest").RandomForestQuantileRegressor(
            n_estimators=self.n_estimators,
            min_samples_leaf=max(1, round(self.min_samples_leaf * runs_each)),
            max_features=float(self.max_features),
            max_samples_leaf=None,  # keep all runs of a leaf, not one drawn from it
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        )
        return forest.fit(x[instance], log_times)

    def _quantiles(self, forest: Any, x: FloatArray) -> FloatArray:
        return np.asarray(forest.predict(x, quantiles=list(LEVELS))).reshape(len(x), len(LEVELS))

    def _imputed(self, x: FloatArray, observations: Observations) -> FloatArray:
        """Log runtimes, those of cut-off runs drawn from past their cutoff."""
        law: dict[str, FloatArray] = {}

        def fit(log_times: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
            _, unseen = fit_forest(
                x,
                observations,
                log_times[None],
                variance,
                n_estimators=min(self.n_estimators, IMPUTING_TREES),
                min_samples_leaf=self.min_samples_leaf,
                max_features=self.max_features,
                random_share=0.0,
                random_state=self.random_state,
            )
            law["loc"], law["scale"] = mean_and_deviation(unseen.components, unseen.weights)
            return law["loc"], law["scale"]

        log_times, cut = np.log(observations.seconds), ~observations.finished
        if not cut.any():
            return log_times
        schmee_hahn(observations, fit, FOREST_ROUNDS)
        loc, scale = (law[name][observations.instance[cut]] for name in ("loc", "scale"))
        # An exponential variate is minus the log of a uniform one: the log of the survival left past the cutoff.
        left = log_ndtr((loc - log_times[cut]) / scale) - np.random.default_rng(self.random_state).exponential(
            size=cut.sum()
        )
        log_times[cut] = np.maximum(loc - scale * ndtri_exp(left), log_times[cut])
        return log_times
