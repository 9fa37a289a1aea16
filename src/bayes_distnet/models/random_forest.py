"""Random forest on log runtime."""

from __future__ import annotations

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.forest.trees import Forest, fit_forest
from bayes_distnet.models.imputation import FOREST_ROUNDS, schmee_hahn
from bayes_distnet.models.saving import Arrays, with_prefix, without_prefix
from bayes_distnet.models.scaling import RankGauss
from bayes_distnet.validation import check_at_least, check_positive, check_seed


class RandomForest(RuntimeEstimator):
    """Random forest on log runtime (Hutter et al. 2014): mean and variance over the leaves of all trees.

    Parameters: `trees`, how many; `least_instances` in a leaf; `max_features`, the share of features a split may
    choose from; `seed`.
    """

    def __init__(
        self, n_estimators: int = 100, min_samples_leaf: int = 3, max_features: float = 0.5, random_state: int = 0
    ) -> None:
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.random_state = random_state

    def _fit(self, features: FloatArray, observations: Observations) -> None:
        check_at_least("n_estimators", self.n_estimators, 1)
        check_at_least("min_samples_leaf", self.min_samples_leaf, 1)
        check_max_features(self.max_features)
        check_seed("random_state", self.random_state)
        self.scaler_ = RankGauss.fit(features)
        x = self.scaler_.transform(features)

        def fit(log_times: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
            self.forest_, out_of_bag = fit_forest(
                x,
                observations,
                log_times[None],
                variance,
                n_estimators=self.n_estimators,
                min_samples_leaf=self.min_samples_leaf,
                max_features=self.max_features,
                random_share=0.0,
                random_state=self.random_state,
            )
            return mean_and_deviation(out_of_bag.components, out_of_bag.weights)

        schmee_hahn(observations, fit, FOREST_ROUNDS)

    def _predict(self, features: FloatArray) -> RuntimeDistribution:
        components = self.forest_.components(self.forest_.leaves(self.scaler_.transform(features)))
        loc, scale = mean_and_deviation(components, np.ones_like(components.loc))
        return RuntimeDistribution(LogNormal(loc[:, None], scale[:, None]))

    def _to_arrays(self) -> Arrays:
        return with_prefix("scaler", vars(self.scaler_)) | with_prefix("forest", vars(self.forest_))

    def _from_arrays(self, arrays: Arrays) -> None:
        self.scaler_ = RankGauss(**without_prefix("scaler", arrays))
        self.forest_ = Forest(**without_prefix("forest", arrays))
        self.forest_.check_inputs(len(self.scaler_.keep))


def check_max_features(share: float) -> None:
    """Raise an error unless it is a share of the features."""
    check_positive("max_features", share)
    if share > 1:
        raise SettingError(f"max_features={share!r}: expected a share, at most 1.")


def mean_and_deviation(components: LogNormal, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Collapse the lognormals of all trees into one of the same mean and variance of log time."""
    weight = weights / weights.sum(axis=1, keepdims=True)
    loc = (weight * components.loc).sum(axis=1)
    variance = (weight * (components.scale**2 + (components.loc - loc[:, None]) ** 2)).sum(axis=1)
    return loc, np.sqrt(variance)
