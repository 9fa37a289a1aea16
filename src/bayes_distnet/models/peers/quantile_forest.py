"""A quantile regression forest (Meinshausen 2006) on log time: no family at all."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import log_ndtr, ndtri_exp

from bayes_distnet.arrays import BoolArray, FloatArray, IntArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.data.splits import folds_by_instance
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.base import seed_of
from bayes_distnet.models.forest.leaf_runs import LEVELS, WIDTHS, kernels
from bayes_distnet.models.forest.trees import grow
from bayes_distnet.models.imputation import FOREST_ROUNDS, schmee_hahn
from bayes_distnet.models.moment_matching import match_moments
from bayes_distnet.models.peers.comparison import ComparisonModel, StandardLogTime, require
from bayes_distnet.models.random_forest import check_max_features
from bayes_distnet.models.scaling import RankGauss, scaled_inputs
from bayes_distnet.validation import check_at_least

IMPUTING_TREES = 50


class QuantileForest(ComparisonModel):
    """quantile-forest's `RandomForestQuantileRegressor` on log time.

    A censored run is drawn from the lognormal of its instance past the cutoff, the one that Schmee and Hahn's scheme
    settles on with a random forest (out of bag): its expectation alone would concentrate the upper quantiles. A density
    needs a width: the prediction is a mixture of lognormals at 40 predicted quantiles, with the multiple of Scott's
    width under which held-out instances are most likely; past the outermost quantiles it follows the lognormal of all
    runs.

    Parameters
    ----------
    n_estimators : int, default 100
        Number of trees.
    min_samples_leaf : int, default 3
        Least number of instances in a leaf.
    max_features : float, default 0.5
        Fraction of the features that a split may choose from.
    cv : int, default 3
        Folds over instances that choose the width.
    n_jobs : int or None, default None
        Threads, as in scikit-learn.
    random_state : int, RandomState instance, Generator or None, default 0
        Fixes the result.
    """

    def __init__(
        self,
        n_estimators: int = 100,
        min_samples_leaf: int = 3,
        max_features: float = 0.5,
        cv: int = 3,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, features: FloatArray, observations: Observations) -> None:
        for name in ("n_estimators", "min_samples_leaf"):
            check_at_least(name, getattr(self, name), 1)
        check_at_least("cv", self.cv, 2)
        check_max_features(self.max_features)
        self.seed_ = seed_of(self.random_state)
        self.scaler_ = RankGauss.fit(features)
        self.time_ = StandardLogTime.of(observations)
        x, of = scaled_inputs(self.scaler_, features), observations.instance
        log_times = self._imputed(x, observations)
        seconds, finished = observations.matrix()
        center, spread = self.time_.center, self.time_.spread
        losses = np.zeros(len(WIDTHS))
        for train, test in folds_by_instance(len(x), min(self.cv, len(x)), self.seed_):
            chosen = np.isin(of, train)
            quantiles = self._quantiles(self._grown(x, of[chosen], log_times[chosen]), x[test])
            predicted = [kernels(quantiles, width, center, spread) for width in WIDTHS]
            losses += [held_out_loss(rtd, seconds[test], finished[test]) for rtd in predicted]
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
            random_state=self.seed_,
        )
        return forest.fit(x[instance], log_times)

    def _quantiles(self, forest: Any, x: FloatArray) -> FloatArray:
        return np.asarray(forest.predict(x, quantiles=list(LEVELS))).reshape(len(x), len(LEVELS))

    def _imputed(self, x: FloatArray, observations: Observations) -> FloatArray:
        """Return log runtimes in which censored runs are drawn from past their cutoff."""
        settled: dict[str, FloatArray] = {}

        def fit(log_times: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
            grown = grow(
                x,
                observations,
                log_times[None],
                n_estimators=min(self.n_estimators, IMPUTING_TREES),
                min_samples_leaf=self.min_samples_leaf,
                max_features=self.max_features,
                random_share=0.0,
                random_state=self.seed_,
            )
            _, unseen = grown.fill(observations, log_times[None], variance)
            loc, scale = match_moments(unseen.components.loc, unseen.components.scale, unseen.weights)
            settled["loc"], settled["scale"] = loc[:, 0], scale[:, 0]
            return settled["loc"], settled["scale"]

        log_times, cut = np.log(observations.seconds), ~observations.finished
        if not cut.any():
            return log_times
        schmee_hahn(observations, fit, FOREST_ROUNDS)
        loc, scale = (settled[name][observations.instance[cut]] for name in ("loc", "scale"))
        # An exponential variate is minus the log of a uniform one: here, the log of the survival past the cutoff.
        left = log_ndtr((loc - log_times[cut]) / scale) - np.random.default_rng(self.seed_).exponential(size=cut.sum())
        log_times[cut] = np.maximum(loc - scale * ndtri_exp(left), log_times[cut])
        return log_times


def held_out_loss(rtd: RuntimeDistribution, seconds: FloatArray, finished: BoolArray) -> float:
    """Return the negative log likelihood of runs (instances x runs, NaN = no run): means over runs, summed."""
    present = ~np.isnan(seconds)
    times = np.where(present, seconds, 1.0)
    scores = np.where(finished, rtd.log_pdf(times), rtd.log_sf(times))
    return float(-(np.where(present, scores, 0.0).sum(axis=1) / np.maximum(present.sum(axis=1), 1)).sum())
