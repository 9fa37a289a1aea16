"""Baselines with the same face, all aware of censoring.

A baseline that takes a cut-off run for a finished one is a straw man. The marginal fits its family by censored
maximum likelihood; the others follow Schmee and Hahn (1979): fit, replace every cut-off run by its expected log
runtime beyond the cutoff under the fit, and fit again until that settles. All but the marginal predict a lognormal.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr
from sklearn.linear_model import RidgeCV
from sklearn.neighbors import NearestNeighbors

from bayes_distnet.base import RuntimeEstimator
from bayes_distnet.distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError, check_at_least, check_positive, check_seed
from bayes_distnet.families import LogNormal, get_family
from bayes_distnet.forest import Forest, fit_forest, instance_moments
from bayes_distnet.marginal import LEAST_SPREAD, censored_maximum_likelihood, log_location_and_spread
from bayes_distnet.observations import Observations
from bayes_distnet.scaling import RankGauss, Standard, scaled_inputs
from bayes_distnet.storage import Arrays, with_prefix, without_prefix

FloatArray = NDArray[np.float64]

ROUNDS, FOREST_ROUNDS = 200, 15  # at most
SETTLED = 3e-3  # of the spread of log time


class Marginal(RuntimeEstimator):
    """One distribution for all instances: features are ignored.

    Parameters: `family`, the name of the distribution.

    >>> x, seconds = np.zeros((4, 1)), np.array([1.0, 2.0, 4.0, 8.0])
    >>> Marginal().fit(x, seconds).predict(x[:1]).round(2)
    array([2.83])
    """

    _least_instances = 1

    def __init__(self, family: str = "lognormal") -> None:
        self.family = family

    def _fit(self, features: FloatArray, observations: Observations) -> None:
        self.fitted_ = censored_maximum_likelihood(self.family, observations.seconds, observations.finished)

    def _predict(self, features: FloatArray) -> RuntimeDistribution:
        shape = (len(features), 1)
        parameters = {name: np.full(shape, value) for name, value in self.fitted_.parameters().items()}
        return RuntimeDistribution(type(self.fitted_)(**parameters))

    def _to_arrays(self) -> Arrays:
        return {name: np.asarray(value) for name, value in self.fitted_.parameters().items()}

    def _from_arrays(self, arrays: Arrays) -> None:
        self.fitted_ = get_family(self.family)(**arrays)


class RandomForest(RuntimeEstimator):
    """Random forest on log runtime (Hutter et al. 2014): mean and variance over the leaves of all trees.

    Parameters: `trees`, how many; `least_instances` in a leaf; `max_features`, the share of features a split may
    choose from; `seed`.
    """

    def __init__(self, trees: int = 100, least_instances: int = 3, max_features: float = 0.5, seed: int = 0) -> None:
        self.trees = trees
        self.least_instances = least_instances
        self.max_features = max_features
        self.seed = seed

    def _fit(self, features: FloatArray, observations: Observations) -> None:
        check_at_least("trees", self.trees, 1)
        check_at_least("least_instances", self.least_instances, 1)
        check_max_features(self.max_features)
        check_seed("seed", self.seed)
        self.scaler_ = RankGauss.fit(features)
        x = self.scaler_.transform(features)

        def fit(log_times: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
            self.forest_, out_of_bag = fit_forest(
                x,
                observations,
                log_times[None],
                variance,
                trees=self.trees,
                least_instances=self.least_instances,
                max_features=self.max_features,
                random_share=0.0,
                seed=self.seed,
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


class Ridge(RuntimeEstimator):
    """Ridge regression on log runtime, the penalty chosen by leave-one-out (SATzilla's model).

    One spread for all instances: the deviation of the leave-one-out residuals.
    """

    def _fit(self, features: FloatArray, observations: Observations) -> None:
        self.scaler_ = RankGauss.fit(features)
        x = scaled_inputs(self.scaler_, features)
        counts = observations.runs_of_each().astype(float)

        def fit(log_times: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
            mean, square = instance_moments(observations, log_times, variance)
            model = RidgeCV(alphas=np.logspace(-3, 5, 33), store_cv_results=True)
            model.fit(x, mean, sample_weight=counts)
            chosen = int(np.argmin(model.cv_results_.mean(axis=0)))
            # cv_results_ hold squared leave-one-out errors, already weighted by the square root of the weights.
            between = float(model.cv_results_[:, chosen].sum() / counts.sum())
            scale = max(float(np.sqrt(square.sum() / counts.sum() + between)), LEAST_SPREAD)
            self.coefficients_, self.intercept_, self.scale_ = model.coef_, float(model.intercept_), scale
            return model.predict(x), np.full(len(x), scale)

        schmee_hahn(observations, fit, ROUNDS)

    def _predict(self, features: FloatArray) -> RuntimeDistribution:
        x = scaled_inputs(self.scaler_, features)
        loc = x @ self.coefficients_ + self.intercept_
        return RuntimeDistribution(LogNormal(loc[:, None], np.full((len(x), 1), self.scale_)))

    def _to_arrays(self) -> Arrays:
        own = {"coefficients": self.coefficients_, "line": np.array([self.intercept_, self.scale_])}
        return with_prefix("scaler", vars(self.scaler_)) | own

    def _from_arrays(self, arrays: Arrays) -> None:
        self.scaler_ = RankGauss(**without_prefix("scaler", arrays))
        self.coefficients_ = arrays["coefficients"]
        self.intercept_, self.scale_ = map(float, arrays["line"])


class KNearest(RuntimeEstimator):
    """The runs of the k nearest training instances, distances on standardised features (ArgoSmArT's model).

    Parameters: `neighbours`, how many instances.
    """

    def __init__(self, neighbours: int = 10) -> None:
        self.neighbours = neighbours

    def _fit(self, features: FloatArray, observations: Observations) -> None:
        check_at_least("neighbours", self.neighbours, 1)
        self.scaler_ = Standard.fit(features)
        self.points_ = self.scaler_.transform(features)
        self.k_ = min(self.neighbours, len(features))
        near = _nearest(self.points_, self.points_, min(self.neighbours, len(features) - 1), exclude_self=True)
        counts = observations.runs_of_each().astype(float)

        def fit(log_times: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
            self.count_ = counts
            self.mean_, self.square_ = instance_moments(observations, log_times, variance)
            return self._pool(near)

        schmee_hahn(observations, fit, ROUNDS)

    def _pool(self, near: NDArray[np.int64]) -> tuple[FloatArray, FloatArray]:
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


def schmee_hahn(
    observations: Observations, fit: Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]], rounds: int
) -> None:
    """Impute cut-off runs by their expected log runtime past the cutoff, fit, and again until that settles.

    The first round takes one censored lognormal for all runs. `fit` takes log runtimes and their variances, and returns
    location and scale of every instance, best from data without it. The variance is what an imputed value still leaves
    open: without it every round would shrink the spread, and a model would be surest where it knows least.
    """
    log_times = np.log(observations.seconds)
    variance = np.zeros_like(log_times)
    cut = ~observations.finished
    if not cut.any():
        fit(log_times, variance)
        return
    at, cutoff = observations.instance[cut], log_times[cut]
    overall = log_location_and_spread(observations.seconds, observations.finished)
    loc, scale = (np.full(observations.n_instances, value) for value in overall)
    tolerance = SETTLED * overall[1]
    for _ in range(rounds):
        z = (cutoff - loc[at]) / scale[at]
        # Mean and variance of a normal beyond z, through the inverse Mills ratio.
        mills = np.exp(-0.5 * z**2 - 0.5 * np.log(2 * np.pi) - log_ndtr(-z))
        expected = np.maximum(loc[at] + scale[at] * mills, cutoff)
        moved = float(np.abs(expected - log_times[cut]).mean())
        log_times[cut] = expected
        variance[cut] = scale[at] ** 2 * np.maximum(1.0 + z * mills - mills**2, 0.0)
        loc, scale = fit(log_times, variance)
        if moved < tolerance:
            return


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


def _nearest(points: FloatArray, queries: FloatArray, k: int, exclude_self: bool = False) -> NDArray[np.int64]:
    if points.shape[1] == 0:  # constant features: every instance is as near as any other
        return np.tile(np.arange(len(points)), (len(queries), 1))
    search = NearestNeighbors(n_neighbors=k).fit(points)
    found = search.kneighbors(None if exclude_self else queries, return_distance=False)
    return np.asarray(found, dtype=np.int64)
