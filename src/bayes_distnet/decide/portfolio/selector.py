"""Choice of one solver: predicted distributions, similar instances and votes of pairs, weighted on unseen instances.

Each of the three sees something else. Distributions use censored runs and extrapolate; similar instances see which
solvers are good together; forests per pair see only what decides between two solvers. Their costs are centred per
instance, brought to one scale, and added with weights. Weights other than the usual ones, and a threshold below which
the choice falls back to the single best solver, are taken only if predictions of unseen instances clearly say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from bayes_distnet.arrays import FloatArray, IndexArray
from bayes_distnet.decide.portfolio.neighbours import Neighbours
from bayes_distnet.decide.portfolio.pairwise import PairwiseVotes
from bayes_distnet.decide.portfolio.trees import Inputs
from bayes_distnet.models.saving import Arrays, check_array, with_prefix, without_prefix

#: Weights of distributions, similar instances and votes: the usual ones first, then those that are tried.
WEIGHTS = (
    (1.0, 1.0, 0.5),
    (1.0, 0.0, 0.0),
    (0.0, 1.0, 0.0),
    (1.0, 0.0, 1.0),
    (0.0, 1.0, 1.0),
    (2.0, 1.0, 0.5),
    (1.0, 2.0, 0.5),
)
#: Quantiles of the advantage over the single best solver that are tried as thresholds.
THRESHOLDS = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
#: Standard errors by which something must be better than the usual to take its place.
CLEARLY = 2.0


@dataclass(frozen=True)
class Selector:
    """The learnt choice between S solvers under one objective.

    Parameters
    ----------
    inputs : Inputs
        Features to columns of trees.
    neighbours : Neighbours
        Forest of similar instances.
    votes : PairwiseVotes
        Forests per pair of solvers.
    costs : array
        (n, S) costs of the training runs under the objective.
    scales, weights : array
        (3,) scale and weight of each source.
    threshold : float
        Least advantage over the single best solver, on the common scale; infinite: always the single best solver.
    """

    inputs: Inputs
    neighbours: Neighbours
    votes: PairwiseVotes
    costs: FloatArray
    scales: FloatArray
    weights: FloatArray
    threshold: float

    @classmethod
    def fit(
        cls,
        features: FloatArray,
        costs: FloatArray,
        predicted: FloatArray,
        *,
        fallback: bool = True,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> tuple[Self, Unseen]:
        """Learn from the runs, and from predictions of unseen instances.

        Parameters
        ----------
        features : array
            One row per instance.
        costs : array
            (n, S) costs of the runs.
        predicted : array
            (n, S) expected costs by predicted distributions of the same instances as if they had not been seen.
        fallback : bool, default True
            Whether a threshold of the fallback may be learnt.
        random_state : int, default 0
            Fixes the result.
        n_jobs : int or None, default None
            Threads, as in scikit-learn.

        Returns
        -------
        selector : Selector
            The choice.
        unseen : Unseen
            What it would have chosen on the training instances, had it not seen them.
        """
        inputs = Inputs.fit(features)
        x = inputs.transform(features)
        neighbours, shares = Neighbours.fit(x, costs, random_state=random_state, n_jobs=n_jobs)
        votes, counted = PairwiseVotes.fit(x, costs, random_state=random_state, n_jobs=n_jobs)
        sources = np.stack([_centred(predicted), _centred(shares @ costs), _centred(-counted)])
        scales = np.maximum(np.sqrt((sources**2).mean(axis=(1, 2))), 1e-300)
        best = int(costs.mean(axis=0).argmin())
        weights = _best_weights(sources / scales[:, None, None], costs)
        scores = np.tensordot(weights, sources / scales[:, None, None], axes=1)
        threshold = _best_threshold(scores, costs, best) if fallback else 0.0
        selector = cls(inputs, neighbours, votes, costs, scales, weights, threshold)
        return selector, Unseen(selector._pick(scores, best), shares, scores)

    def __post_init__(self) -> None:
        check_array("selector: scales", self.scales, "f", 3, positive=True)
        check_array("selector: weights", self.weights, "f", 3)
        if self.costs.shape != (self.neighbours.n_instances, self.votes.n_solvers):
            raise ValueError("selector: costs do not fit the training instances and solvers")

    @property
    def single_best(self) -> int:
        """Number of the solver with the least mean cost on the training instances."""
        return int(self.costs.mean(axis=0).argmin())

    def score(self, features: FloatArray, predicted: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Score the solvers on new instances.

        Parameters
        ----------
        features : array
            One row per instance.
        predicted : array
            (n, S) expected costs by predicted distributions.

        Returns
        -------
        scores : array
            (n, S) weighted sums; less is better.
        similar : array
            (n, S) mean costs on similar training instances.
        votes : array
            (n, S) fractions of votes.
        """
        x = self.inputs.transform(features)
        similar, votes = self.neighbours.weights(x) @ self.costs, self.votes.votes(x)
        sources = np.stack([_centred(predicted), _centred(similar), _centred(-votes)]) / self.scales[:, None, None]
        return np.tensordot(self.weights, sources, axes=1), similar, votes

    def pick(self, scores: FloatArray, allowed: IndexArray) -> tuple[IndexArray, FloatArray]:
        """Return the solver (n,) to run among those allowed, and its advantage over the single best of them."""
        within = np.full(scores.shape[1], np.inf)
        within[allowed] = 0.0
        best = int((self.costs.mean(axis=0) + within).argmin())
        open_scores = scores + within
        advantage = open_scores[:, best] - open_scores.min(axis=1)
        return self._pick(open_scores, best), advantage

    def _pick(self, scores: FloatArray, best: int) -> IndexArray:
        advantage = scores[:, best] - scores.min(axis=1)
        return np.where(advantage < self.threshold, best, scores.argmin(axis=1)).astype(np.intp)

    def to_arrays(self) -> Arrays:
        """Return the selector as plain arrays."""
        own = {
            "costs": self.costs,
            "scales": self.scales,
            "weights": self.weights,
            "threshold": np.array([self.threshold]),
        }
        return (
            own
            | with_prefix("inputs", vars(self.inputs))
            | with_prefix("neighbours", self.neighbours.to_arrays())
            | with_prefix("votes", self.votes.to_arrays())
        )

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Restore a selector from the result of `to_arrays`."""
        inputs = Inputs(**without_prefix("inputs", arrays))
        return cls(
            inputs,
            Neighbours.from_arrays(without_prefix("neighbours", arrays), inputs.width),
            PairwiseVotes.from_arrays(without_prefix("votes", arrays), inputs.width),
            arrays["costs"],
            arrays["scales"],
            arrays["weights"],
            float(arrays["threshold"][0]),
        )


@dataclass(frozen=True)
class Unseen:
    """Choices on the training instances by parts that have not seen them.

    Parameters
    ----------
    chosen : array of int
        (n,) solvers.
    shares : array
        (n, n) weights of similar instances.
    scores : array
        (n, S) weighted sums; less is better.
    """

    chosen: IndexArray
    shares: FloatArray
    scores: FloatArray


def _centred(costs: FloatArray) -> FloatArray:
    finite = np.where(np.isfinite(costs), costs, np.nanmax(np.where(np.isfinite(costs), costs, 0.0)))
    return np.asarray(finite - finite.mean(axis=1, keepdims=True))


def _best_weights(sources: FloatArray, costs: FloatArray) -> FloatArray:
    """Return the weights with the least cost of choices; others than the usual only if they are clearly better."""
    tried = [costs[np.arange(len(costs)), np.tensordot(w, sources, axes=1).argmin(axis=1)] for w in WEIGHTS]
    return np.array(WEIGHTS[_clearly_best(tried)])


def _best_threshold(scores: FloatArray, costs: FloatArray, best: int) -> float:
    """Return the threshold of the advantage over the single best solver."""
    advantage = scores[:, best] - scores.min(axis=1)
    chosen, usual = costs[np.arange(len(costs)), scores.argmin(axis=1)], costs[:, best]
    if usual.mean() <= chosen.mean():  # nothing was learnt: no doubt is needed to stay with the single best solver
        return np.inf
    levels = np.quantile(advantage[advantage > 0], THRESHOLDS)
    tried = [chosen, *(np.where(advantage < level, usual, chosen) for level in levels)]
    return float([0.0, *levels][_clearly_best(tried)])


def _clearly_best(tried: list[FloatArray]) -> int:
    """Return the number of the least mean cost, if it is clearly less than the first; else 0."""
    best = int(np.argmin([cost.mean() for cost in tried]))
    gain = tried[0] - tried[best]
    error = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else np.inf
    return best if gain.mean() > CLEARLY * error else 0
