"""Nearest neighbours."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import NearestNeighbors

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.censored import LEAST_SPREAD
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.forest.trees import instance_moments
from bayes_distnet.models.imputation import ROUNDS, schmee_hahn
from bayes_distnet.models.saving import Arrays, with_prefix, without_prefix
from bayes_distnet.models.scaling import Standard
from bayes_distnet.validation import check_at_least


class KNearest(RuntimeEstimator):
    """The runs of the k nearest training instances, with distances of standardised features (ArgoSmArT's model).

    Censored runs are imputed by the scheme of Schmee and Hahn.

    Parameters
    ----------
    n_neighbors : int, default 10
        Number of instances.
    """

    def __init__(self, n_neighbors: int = 10) -> None:
        self.n_neighbors = n_neighbors

    def _fit(self, features: FloatArray, observations: Observations) -> None:
        check_at_least("n_neighbors", self.n_neighbors, 1)
        self.scaler_ = Standard.fit(features)
        self.points_ = self.scaler_.transform(features)
        self.k_ = min(self.n_neighbors, len(features))
        near = _nearest(self.points_, self.points_, min(self.n_neighbors, len(features) - 1), exclude_self=True)
        counts = observations.runs_of_each().astype(float)

        def fit(log_times: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
            self.count_ = counts
            self.mean_, self.square_ = instance_moments(observations, log_times, variance)
            return self._pool(near)

        schmee_hahn(observations, fit, ROUNDS)

    def _pool(self, near: IntArray) -> tuple[FloatArray, FloatArray]:
        count = self.count_[near]
        total = count.sum(axis=1)
        loc = (count * self.mean_[near]).sum(axis=1) / total
        square = (self.square_[near] + count * (self.mean_[near] - loc[:, None]) ** 2).sum(axis=1)
        return loc, np.maximum(np.sqrt(square / total), LEAST_SPREAD)

    def _predict(self, features: FloatArray) -> RuntimeDistribution:
        near = _nearest(self.points_, self.scaler_.transform(features), self.k_)
        loc, scale = self._pool(near)
        return RuntimeDistribution(LogNormal(loc[:, None], scale[:, None]))

    def _to_arrays(self) -> Arrays:
        own = {"points": self.points_, "count": self.count_, "mean": self.mean_, "square": self.square_}
        own["k"] = np.array([self.k_])
        return with_prefix("scaler", vars(self.scaler_)) | own

    def _from_arrays(self, arrays: Arrays) -> None:
        self.scaler_ = Standard(**without_prefix("scaler", arrays))
        self.points_, self.count_ = arrays["points"], arrays["count"]
        self.mean_, self.square_, self.k_ = arrays["mean"], arrays["square"], int(arrays["k"][0])
        if not 1 <= self.k_ <= len(self.points_) == len(self.count_) == len(self.mean_) == len(self.square_):
            raise ValueError("points and runs of the instances do not match")


def _nearest(points: FloatArray, queries: FloatArray, k: int, exclude_self: bool = False) -> IntArray:
    if points.shape[1] == 0:  # constant features: every instance is as near as any other
        return np.tile(np.arange(len(points)), (len(queries), 1))
    search = NearestNeighbors(n_neighbors=k).fit(points)
    found = search.kneighbors(None if exclude_self else queries, return_distance=False)
    return np.asarray(found, dtype=np.int64)
