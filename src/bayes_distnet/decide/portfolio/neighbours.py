"""Costs of all solvers on training instances that are like a new one: one forest for all solvers.

Models that are fitted per solver do not look at differences between solvers. The trees of this forest do: they split
instances by the whole vector of costs, centred per instance, so that the instances in a leaf are those on which the
same solvers are good. A prediction is an average of the costs on the instances that share leaves with the new one. It
can be taken of any cost of runs, since what is stored are weights of training instances.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeRegressor

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.decide.portfolio.trees import Trees
from bayes_distnet.models.saving import Arrays, check_array

TREES = 300
LEAST_LEAF = 2
MAX_FEATURES = 0.3


@dataclass(frozen=True)
class Neighbours:
    """A forest whose leaves hold training instances.

    Parameters
    ----------
    trees : Trees
        The trees.
    data, indices, indptr : array
        Weights of the training instances in every node, as a sparse matrix nodes x instances whose leaves sum to 1.
    n_instances : int
        Number of training instances.
    """

    trees: Trees
    data: FloatArray
    indices: IntArray
    indptr: IntArray
    n_instances: int

    @classmethod
    def fit(
        cls,
        x: NDArray[np.float32],
        costs: FloatArray,
        *,
        count: int = TREES,
        least_leaf: int = LEAST_LEAF,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> tuple[Self, FloatArray]:
        """Grow the forest.

        Parameters
        ----------
        x : array
            Inputs, one row per instance.
        costs : array
            (n, S) costs of the solvers.
        count : int, default 300
            Number of trees.
        least_leaf : int, default 2
            Least number of instances in a leaf.
        random_state : int, default 0
            Fixes the result.
        n_jobs : int or None, default None
            Threads, as in scikit-learn.

        Returns
        -------
        neighbours : Neighbours
            The forest.
        unseen : array
            (n, n) weights of the other instances, for each training instance, by trees that have not seen it.
        """
        # Square roots: a timeout must not hide all differences between runs that finish.
        above = costs - costs.min()
        targets = np.sqrt(above / max(float(above.max()), 1e-300))
        targets = targets - targets.mean(axis=1, keepdims=True)
        n, rng = len(x), np.random.default_rng(random_state)
        drawn = np.stack([np.bincount(rng.integers(n, size=n), minlength=n) for _ in range(count)], axis=1)
        states = rng.integers(2**31, size=count)

        def grow(tree: int) -> object:
            inside = drawn[:, tree] > 0
            model = DecisionTreeRegressor(
                min_samples_leaf=min(least_leaf, n), max_features=MAX_FEATURES, random_state=int(states[tree])
            )
            return model.fit(x[inside], targets[inside], sample_weight=drawn[inside, tree].astype(float)).tree_

        grown = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(grow)(tree) for tree in range(count))
        trees = Trees.of(grown)
        leaves = trees.leaves(x)
        weights = scipy.sparse.csr_matrix(
            (drawn.ravel().astype(float), (leaves.ravel(), np.repeat(np.arange(n), count))),
            shape=(len(trees.feature), n),
        )
        weights.eliminate_zeros()
        total = np.asarray(weights.sum(axis=1)).ravel()
        weights = scipy.sparse.diags(1.0 / np.maximum(total, 1.0)) @ weights
        weights = scipy.sparse.csr_matrix(weights)
        found = cls(trees, weights.data, weights.indices.astype(np.int64), weights.indptr.astype(np.int64), n)
        return found, found._average(leaves, drawn == 0)

    def __post_init__(self) -> None:
        check_array("neighbours: data", self.data, "f")
        for name in ("indices", "indptr"):
            check_array(f"neighbours: {name}", getattr(self, name), "i")
        steps = np.diff(self.indptr)
        inside = self.indices.min(initial=0) >= 0 and self.indices.max(initial=0) < self.n_instances
        if len(self.indptr) != len(self.trees.feature) + 1 or steps.min(initial=0) < 0 or not inside:
            raise ValueError("neighbours: weights point outside the training instances")
        if self.indptr[0] != 0 or self.indptr[-1] != len(self.data) or len(self.data) != len(self.indices):
            raise ValueError("neighbours: weights have another length than their places")

    def weights(self, x: NDArray[np.float32]) -> FloatArray:
        """Return the weights (rows, n) of the training instances for new rows; they sum to 1."""
        leaves = self.trees.leaves(x)
        return self._average(leaves, np.ones(leaves.shape, dtype=bool))

    def leaf_means(self, costs: FloatArray) -> FloatArray:
        """Return the mean (nodes, S) of costs (n, S) over the training instances of every leaf."""
        return np.asarray(self._held() @ costs)

    def _held(self) -> scipy.sparse.csr_matrix:
        shape = (len(self.trees.feature), self.n_instances)
        return scipy.sparse.csr_matrix((self.data, self.indices, self.indptr), shape=shape)

    def _average(self, leaves: IntArray, used: NDArray[np.bool_]) -> FloatArray:
        held = self._held()
        rows = np.repeat(np.arange(len(leaves)), used.sum(axis=1))
        picked = scipy.sparse.csr_matrix((np.ones(len(rows)), (rows, leaves[used])), shape=(len(leaves), held.shape[0]))
        total = (picked @ held).toarray()
        size = total.sum(axis=1, keepdims=True)
        # An instance that every tree has seen is like all others alike.
        return np.where(size > 0, total / np.maximum(size, 1e-300), 1.0 / self.n_instances)

    def to_arrays(self) -> Arrays:
        """Return the forest as plain arrays."""
        own = {"data": self.data, "indices": self.indices, "indptr": self.indptr}
        return own | self.trees.to_arrays() | {"n_instances": np.array([self.n_instances])}

    @classmethod
    def from_arrays(cls, arrays: Arrays, width: int) -> Self:
        """Restore a forest from the result of `to_arrays`."""
        trees = Trees(*(arrays[name] for name in ("roots", "feature", "left", "right", "threshold")))
        trees.check_inputs(width)
        size = arrays["n_instances"]
        check_array("neighbours: n_instances", size, "i", 1, positive=True)
        return cls(trees, arrays["data"], arrays["indices"], arrays["indptr"], int(size[0]))
