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
from bayes_distnet.models.crps_pooling import crps_weights
from bayes_distnet.models.moment_matching import draw_starts, match_moments
from bayes_distnet.models.pooling import Rows, pool_weights, run_scores
from bayes_distnet.models.saving import Arrays, check_array, with_prefix, without_prefix
from bayes_distnet.models.shape import Shape, fit_shape

MOST_OF_RUNS = 0.5  # largest weight of the runs in the leaves: no score tests them where no training run lies

#: Scores that weights can be learnt for.
SCORES = ("log", "crps")

#: All candidates, in the order in which weights are saved.
CANDIDATES = ("network", "forest", "average", "runs")


@dataclass(frozen=True)
class Candidates:
    """Predictions of the same rows by the parts of the hybrid."""

    network: RuntimeDistribution
    """Lognormals, the parts of each network side by side and one draw."""
    forest: RuntimeDistribution
    """Lognormals of the trees."""
    runs: RuntimeDistribution
    """The runs in the leaves of the forest, smoothed: no family."""

    @cached_property
    def average(self) -> RuntimeDistribution:
        """The prediction of each network moved halfway to the forest: mean location, geometric mean spread."""
        near, far = self.network.components.parameters(), self.forest.components.parameters()
        starts = draw_starts(self.network)
        sizes = np.diff(np.r_[starts, self.network.n_components])
        middle, spread = match_moments(near["loc"], near["scale"], self.network.weights, starts)
        weights = self.forest.weights
        loc = (weights * far["loc"]).sum(axis=1, keepdims=True)
        log_scale = (weights * np.log(far["scale"])).sum(axis=1, keepdims=True)
        by = np.repeat(np.exp((log_scale - np.log(spread)) / 2), sizes, axis=1)
        middle = np.repeat(middle, sizes, axis=1)
        halfway = LogNormal((middle + loc) / 2 + by * (near["loc"] - middle), by * near["scale"])
        return RuntimeDistribution(halfway, self.network.weights, self.network.draws)

    def __getitem__(self, rows: slice | IntArray) -> Self:
        return type(self)(self.network[rows], self.forest[rows], self.runs[rows])


@dataclass(frozen=True)
class Combined:
    """One prediction from several candidates, made for the rows that are asked for: all at once need much memory."""

    candidates: Candidates
    combine: Callable[[Candidates], RuntimeDistribution]

    def __getitem__(self, rows: slice | IntArray) -> RuntimeDistribution:
        return self.combine(self.candidates[rows])


@dataclass(frozen=True)
class Pool:
    """Weights of the candidates, and the shape of the forest's lognormals.

    Parameters
    ----------
    weights : dict
        Weight of every candidate; they sum to one.
    shape : Shape
        Common shape of the runtime distributions, in place of that of the forest's lognormals. Networks have learnt
        theirs, and runs have none.
    """

    weights: dict[str, float]
    shape: Shape

    def combine(self, candidates: Candidates) -> RuntimeDistribution:
        """Return the pooled prediction."""
        parts = {name: getattr(candidates, name) for name in CANDIDATES} | {"forest": self.shape.of(candidates.forest)}
        return RuntimeDistribution.mixture([(parts[name], self.weights[name]) for name in CANDIDATES])

    @classmethod
    def fit(cls, candidates: Candidates, observations: Observations, seed: int, score: str = "log") -> Self:
        """Learn weights and shape from out-of-fold predictions of the training instances.

        Parameters
        ----------
        candidates : Candidates
            Predictions of the training instances by parts that have not seen them.
        observations : Observations
            Runs of the training instances.
        seed : int
            Fixes the choice of runs that the shape is learnt from.
        score : str, default "log"
            Score that the weights are the best for: "log" or "crps".

        Returns
        -------
        Pool
            The shape that makes the forest most likely, and weights by the score.
        """
        shape = fit_shape(candidates.forest, observations, seed)
        shaped = Combined(candidates, lambda some: shape.of(some.forest))
        parts: list[Rows] = [candidates.network, shaped, candidates.average, candidates.runs]
        by_score = (
            crps_weights(parts, observations)
            if score == "crps"
            else pool_weights([run_scores(part, observations) for part in parts])
        )
        *weights, share = map(float, by_score)
        kept = min(share, MOST_OF_RUNS) * float(observations.finished.mean())  # censored runs test it least
        others = [(1.0 - kept) * weight / (1.0 - share) for weight in weights]
        return cls(dict(zip(CANDIDATES, (*others, kept), strict=True)), shape)

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
