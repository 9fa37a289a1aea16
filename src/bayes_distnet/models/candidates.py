"""The pool of the hybrid: named candidates, and the one function that combines them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.pooling import pool_weights, run_scores
from bayes_distnet.models.saving import Arrays, check_array, with_prefix, without_prefix
from bayes_distnet.models.shape import Shape, fit_shape

MOST_OF_RUNS = 0.5  # largest weight of the runs in the leaves: no score tests them where no training run lies

#: Candidates that are mixtures of lognormals and get the common shape.
SHAPED = ("network", "forest", "average")
#: All candidates, in the order in which weights are saved.
CANDIDATES = (*SHAPED, "runs")


@dataclass(frozen=True)
class Candidates:
    """Predictions of the same rows by the parts of the hybrid."""

    network: RuntimeDistribution
    """One lognormal per network."""
    forest: RuntimeDistribution
    """Lognormals of the trees."""
    runs: RuntimeDistribution
    """The runs in the leaves of the forest, smoothed: no family."""

    @cached_property
    def average(self) -> RuntimeDistribution:
        """The network's components moved halfway to the forest: mean location, geometric mean scale."""
        near, far = self.network.components.parameters(), self.forest.components.parameters()
        weights = self.forest.weights
        loc = (weights * far["loc"]).sum(axis=1, keepdims=True)
        log_scale = (weights * np.log(far["scale"])).sum(axis=1, keepdims=True)
        halfway = LogNormal((near["loc"] + loc) / 2, np.exp((np.log(near["scale"]) + log_scale) / 2))
        return RuntimeDistribution(halfway, self.network.weights)

    def __getitem__(self, rows: slice | IntArray) -> Self:
        return type(self)(self.network[rows], self.forest[rows], self.runs[rows])

    def mixed(self, weights: dict[str, float]) -> RuntimeDistribution:
        """Return the mixture of those candidates that get the common shape."""
        return RuntimeDistribution.mixture([(getattr(self, name), weights[name]) for name in SHAPED])


@dataclass(frozen=True)
class Combined:
    """One prediction from several candidates, made for the rows that are asked for: all at once need much memory."""

    candidates: Candidates
    combine: Callable[[Candidates], RuntimeDistribution]

    def __getitem__(self, rows: slice | IntArray) -> RuntimeDistribution:
        return self.combine(self.candidates[rows])


@dataclass(frozen=True)
class Pool:
    """Weights of the candidates, and the shape of all except the runs.

    Parameters
    ----------
    weights : dict
        Weight of every candidate; they sum to one.
    shape : Shape
        Common shape of the runtime distributions.
    """

    weights: dict[str, float]
    shape: Shape

    def combine(self, candidates: Candidates) -> RuntimeDistribution:
        """Return the pooled prediction."""
        share = self.weights["runs"]
        shaped = self.shape.of(candidates.mixed(self.weights))
        return RuntimeDistribution.mixture([(shaped, 1.0 - share), (candidates.runs, share)])

    @classmethod
    def fit(cls, candidates: Candidates, observations: Observations, seed: int) -> Self:
        """Learn weights and shape from out-of-fold predictions of the training instances.

        Parameters
        ----------
        candidates : Candidates
            Predictions of the training instances by parts that have not seen them.
        observations : Observations
            Runs of the training instances.
        seed : int
            Fixes the choice of runs that the shape is learnt from.

        Returns
        -------
        Pool
            Weights by the log score, in two steps: lognormal candidates, then these in their shape against the runs.
        """
        scores = [run_scores(getattr(candidates, name), observations) for name in SHAPED]
        weights = dict(zip(SHAPED, map(float, pool_weights(scores)), strict=True))
        shape = fit_shape(Combined(candidates, lambda some: some.mixed(weights)), observations, seed)
        shaped = Combined(candidates, lambda some: shape.of(some.mixed(weights)))
        _, share = pool_weights([run_scores(rtd, observations) for rtd in (shaped, candidates.runs)])
        share = min(float(share), MOST_OF_RUNS) * float(observations.finished.mean())  # censored runs test it least
        return cls({name: (1.0 - share) * weight for name, weight in weights.items()} | {"runs": share}, shape)

    def to_arrays(self) -> Arrays:
        """Return weights and shape as plain arrays."""
        return {"weights": np.array([self.weights[name] for name in CANDIDATES])} | with_prefix(
            "shape", vars(self.shape)
        )

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Restore a pool from the result of `to_arrays`."""
        weights: FloatArray = arrays["weights"]
        check_array("pool: weights", weights, "f", len(CANDIDATES))
        return cls(dict(zip(CANDIDATES, map(float, weights), strict=True)), Shape(**without_prefix("shape", arrays)))
