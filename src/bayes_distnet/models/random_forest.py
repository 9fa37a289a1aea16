"""Random forest on log runtime."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError
from bayes_distnet.models.base import RuntimeEstimator, seed_of
from bayes_distnet.models.forest.trees import Forest, Grown, grow
from bayes_distnet.models.imputation import FOREST_ROUNDS, Moments, expected_beyond, one_for_all, schmee_hahn
from bayes_distnet.models.moment_matching import match_moments
from bayes_distnet.models.saving import Arrays, with_prefix, without_prefix
from bayes_distnet.models.scaling import RankGauss
from bayes_distnet.models.shared_draws import SharedDraws
from bayes_distnet.validation import check_at_least, check_positive

IMPUTING_TREES, REGROWN = 30, 2  # trees that imputed values settle in before the forest is grown, and how often


class RandomForest(RuntimeEstimator):
    """Random forest on log runtime (Hutter et al. 2014): mean and variance over the leaves of all trees.

    Censored runs are imputed by the scheme of Schmee and Hahn.

    Parameters
    ----------
    n_estimators : int, default 100
        Number of trees.
    min_samples_leaf : int, default 3
        Least number of instances in a leaf.
    max_features : float, default 0.5
        Fraction of the features that a split may choose from.
    n_jobs : int or None, default None
        Threads, as in scikit-learn.
    random_state : int, RandomState instance, Generator or None, default 0
        Fixes the result; None draws a new seed per fit.
    """

    def __init__(
        self,
        n_estimators: int = 100,
        min_samples_leaf: int = 3,
        max_features: float = 0.5,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, features: FloatArray, observations: Observations) -> None:
        check_at_least("n_estimators", self.n_estimators, 1)
        check_at_least("min_samples_leaf", self.min_samples_leaf, 1)
        check_max_features(self.max_features)
        seed = seed_of(self.random_state)
        self.scaler_ = RankGauss.fit(features)
        x = self.scaler_.transform(features)

        def grown(log_times: FloatArray, trees: int) -> Grown:
            return grow(
                x,
                observations,
                log_times[None],
                n_estimators=trees,
                min_samples_leaf=self.min_samples_leaf,
                max_features=self.max_features,
                random_share=0.0,
                random_state=seed,
                n_jobs=self.n_jobs,
            )

        moments = one_for_all(observations)
        few = [] if observations.finished.all() else [min(IMPUTING_TREES, self.n_estimators)] * REGROWN
        for trees in [*few, self.n_estimators]:
            # Growing takes nearly all the time: values settle in trees that stay as they are, and few trees will do.
            structure = grown(expected_beyond(observations, moments)[0], trees)
            moments = schmee_hahn(observations, partial(self._fill, structure, observations), FOREST_ROUNDS, moments)

    def _fill(self, grown: Grown, observations: Observations, log_times: FloatArray, variance: FloatArray) -> Moments:
        self.forest_, unseen = grown.fill(observations, log_times[None], variance)
        loc, scale = match_moments(unseen.components.loc, unseen.components.scale, unseen.weights)
        return loc[:, 0], scale[:, 0]

    def _predict(self, features: FloatArray) -> RuntimeDistribution:
        trees = self.forest_.components(self.forest_.leaves(self.scaler_.transform(features)))
        return RuntimeDistribution(LogNormal(*match_moments(trees.loc, trees.scale, np.ones(trees.loc.shape[1]))))

    def _shared_draws(self, features: FloatArray) -> SharedDraws:
        leaves = self.forest_.leaves(self.scaler_.transform(features))
        return SharedDraws.of(RuntimeDistribution(self.forest_.components(leaves)))

    def _to_arrays(self) -> Arrays:
        return with_prefix("scaler", vars(self.scaler_)) | with_prefix("forest", vars(self.forest_))

    def _from_arrays(self, arrays: Arrays) -> None:
        self.scaler_ = RankGauss(**without_prefix("scaler", arrays))
        self.forest_ = Forest(**without_prefix("forest", arrays))
        self.forest_.check_inputs(len(self.scaler_.keep))


def check_max_features(fraction: float) -> None:
    """Raise a `SettingError` unless this is a fraction of the features."""
    check_positive("max_features", fraction)
    if fraction > 1:
        raise SettingError(f"max_features={fraction!r}: expected a fraction, at most 1.")
