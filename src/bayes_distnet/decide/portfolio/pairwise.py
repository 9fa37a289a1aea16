"""Votes of cost-sensitive forests, one per pair of solvers (SATzilla 2011).

Every forest separates the instances on which one solver of the pair is cheaper from those on which the other is, and an
instance is drawn into a tree as often as the choice matters on it. A solver's votes are summed over its pairs.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeRegressor

from bayes_distnet.arrays import FloatArray
from bayes_distnet.decide.portfolio.trees import Trees
from bayes_distnet.models.saving import Arrays, check_array

MOST_TREES = 100  # per pair
ALL_TREES = 4_000  # of all pairs together: with many solvers there are many pairs, and each needs fewer trees
LEAST_TREES = 10
KEPT = 0.65  # fraction of the instances that a tree may see: about as many as there are in a bootstrap sample


@dataclass(frozen=True)
class PairwiseVotes:
    """Forests that vote for one solver of each pair.

    Parameters
    ----------
    trees : Trees
        Trees of all pairs, `per_pair` of each.
    value : array
        Per node: weighted fraction of training instances on which the first solver of the pair is cheaper.
    n_solvers, per_pair : int
        Numbers of solvers and of trees per pair.
    """

    trees: Trees
    value: FloatArray
    n_solvers: int
    per_pair: int

    @classmethod
    def fit(
        cls, x: NDArray[np.float32], costs: FloatArray, *, random_state: int = 0, n_jobs: int | None = None
    ) -> tuple[Self, FloatArray]:
        """Grow the forests.

        Parameters
        ----------
        x : array
            Inputs, one row per instance.
        costs : array
            (n, S) costs of at least two solvers.
        random_state : int, default 0
            Fixes the result.
        n_jobs : int or None, default None
            Threads, as in scikit-learn.

        Returns
        -------
        votes : PairwiseVotes
            The forests.
        unseen : array
            (n, S) votes on the training instances, by trees that have not seen them; between 0 and 1.
        """
        pairs = list(itertools.combinations(range(costs.shape[1]), 2))
        per_pair = int(np.clip(ALL_TREES // len(pairs), LEAST_TREES, MOST_TREES))
        columns = int(np.log2(x.shape[1])) + 1

        def grow(pair: int) -> tuple[list[Any], FloatArray]:
            first, second = pairs[pair]
            return _forest(x, costs[:, first] - costs[:, second], per_pair, columns, (random_state, pair))

        parts = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(grow)(pair) for pair in range(len(pairs)))
        grown = [tree for trees, _ in parts for tree in trees]
        value = np.concatenate([tree.value.reshape(-1) for tree in grown])
        votes = cls(Trees.of(grown), value, costs.shape[1], per_pair)
        return votes, _counted(np.stack([unseen for _, unseen in parts], axis=1), costs.shape[1])

    def __post_init__(self) -> None:
        check_array("votes: value", self.value, "f", len(self.trees.feature))
        pairs = self.n_solvers * (self.n_solvers - 1) // 2
        if self.n_solvers < 2 or len(self.trees.roots) != pairs * self.per_pair:
            raise ValueError("votes: the number of trees does not fit the number of solvers")

    def votes(self, x: NDArray[np.float32]) -> FloatArray:
        """Return the fraction (rows, S) of votes that each solver gets in its pairs."""
        chosen = self.value[self.trees.leaves(x)] > 0.5
        return _counted(chosen.reshape(len(x), -1, self.per_pair).mean(axis=2), self.n_solvers)

    def to_arrays(self) -> Arrays:
        """Return the forests as plain arrays."""
        return self.trees.to_arrays() | {"value": self.value, "sizes": np.array([self.n_solvers, self.per_pair])}

    @classmethod
    def from_arrays(cls, arrays: Arrays, width: int) -> Self:
        """Restore forests from the result of `to_arrays`."""
        trees = Trees(*(arrays[name] for name in ("roots", "feature", "left", "right", "threshold")))
        trees.check_inputs(width)
        check_array("votes: sizes", arrays["sizes"], "i", 2, positive=True)
        return cls(trees, arrays["value"], int(arrays["sizes"][0]), int(arrays["sizes"][1]))


def _forest(
    x: NDArray[np.float32], difference: FloatArray, count: int, columns: int, seed: tuple[int, int]
) -> tuple[list[Any], FloatArray]:
    """Trees of one pair, and the fraction (n,) of votes for the first solver by trees that have not seen the row."""
    rng = np.random.default_rng(seed)
    weight, label = np.abs(difference), (difference < 0).astype(float)
    rows = np.flatnonzero(weight > 0)
    if not rows.size:  # no difference on any instance: a vote for neither
        rows, weight, label = np.arange(len(x)), np.ones(len(x)), np.full(len(x), 0.5)
    grown, votes, voters = [], np.zeros(len(x)), np.zeros(len(x))
    for _ in range(count):
        # Drawn by weight, not weighed: trees that all see the same few heavy instances are too much alike. Some are
        # left out before, so that there are trees for each instance that have not seen it, however heavy it is.
        kept = rows[rng.random(len(rows)) < KEPT]
        kept = kept if kept.size else rows
        chosen = rng.choice(kept, size=len(rows), p=weight[kept] / weight[kept].sum())
        drawn = np.bincount(chosen, minlength=len(x)).astype(float)
        inside = drawn > 0
        model = DecisionTreeRegressor(max_features=columns, random_state=int(rng.integers(2**31)))
        model.fit(x[inside], label[inside], sample_weight=drawn[inside], check_input=False)
        votes[~inside] += model.predict(x[~inside], check_input=False) > 0.5 if (~inside).any() else 0.0
        voters[~inside] += 1
        grown.append(model.tree_)
    return grown, np.where(voters > 0, votes / np.maximum(voters, 1.0), 0.5)


def _counted(first_wins: FloatArray, n_solvers: int) -> FloatArray:
    """(n, S) votes from the fractions (n, pairs) of votes for the first solver of each pair."""
    votes = np.zeros((len(first_wins), n_solvers))
    for pair, (first, second) in enumerate(itertools.combinations(range(n_solvers), 2)):
        votes[:, first] += first_wins[:, pair]
        votes[:, second] += 1.0 - first_wins[:, pair]
    return votes / (n_solvers - 1)
