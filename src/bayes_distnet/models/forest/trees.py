"""A forest of lognormals: every tree's leaf predicts a lognormal, the forest their mixture.

Trees are grown by scikit-learn on each instance's mean log runtime, weighted by its number of runs: runs of one
instance share their features, so that no split can separate them and the trees are those grown on all runs, at a
fraction of the cost. Fitted trees are plain arrays, walked by NumPy: scikit-learn offers no way to save trees without
pickle, and a forest from a file must neither run code nor read out of bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.models.saving import check_array

PRIOR_RUNS = 2.0  # runs of typical variance that every leaf starts with
LEAST_VARIANCE = 1e-4  # of log time
WALKING = 256  # rows that walk together: their places stay in the processor's cache


@dataclass(frozen=True)
class Forest:
    """Trees laid end to end: an inner node sends a row left if x[feature] <= threshold; a leaf has feature -1.

    Parameters
    ----------
    roots : array of int
        First node of every tree.
    feature, left, right : array of int
        Per node: the feature it splits on, and its children.
    threshold, loc, scale : array
        Per node: the threshold, and the lognormal of the runs that reach it.
    """

    roots: IntArray
    feature: IntArray
    threshold: FloatArray
    left: IntArray
    right: IntArray
    loc: FloatArray
    scale: FloatArray

    def __post_init__(self) -> None:
        for name in ("roots", "feature", "left", "right"):
            check_array(f"forest: {name}", getattr(self, name), "i")
        for name in ("threshold", "loc", "scale"):
            check_array(f"forest: {name}", getattr(self, name), "f", positive=name == "scale")
        nodes = len(self.feature)
        inner = self.feature >= 0
        for name in ("threshold", "left", "right", "loc", "scale"):
            if getattr(self, name).shape != (nodes,):
                raise ValueError(f"forest: {name} has another length than feature")
        if not len(self.roots):
            raise ValueError("forest: no tree")
        children = np.concatenate([self.left[inner], self.right[inner]])
        parents = np.tile(np.flatnonzero(inner), 2)
        # Children come after their parent: walking always ends, whatever a file contains.
        roots_inside = (self.roots >= 0) & (self.roots < nodes)
        if np.any(children <= parents) or np.any(children >= nodes) or not roots_inside.all():
            raise ValueError("forest: a node points outside its tree")

    def check_inputs(self, n_inputs: int) -> None:
        """Raise a ValueError if a node splits on a feature that rows do not have."""
        if self.feature.max(initial=-1) >= max(n_inputs, 1):
            raise ValueError("forest: a node splits on a feature that does not exist")

    def leaves(self, x: FloatArray) -> IntArray:
        """Return the leaf that every row falls into, (rows, trees)."""
        # Trees were grown on float32 values: a comparison in float64 could send a row the other way.
        x32 = x.astype(np.float32)
        children = np.stack([self.right, self.left], axis=1).ravel()
        out = np.empty((len(x), len(self.roots)), dtype=np.int64)
        for start in range(0, len(x), WALKING):
            rows = slice(start, start + WALKING)
            out[rows] = self._walk(x32[rows], children)
        return out

    def _walk(self, x: NDArray[np.float32], children: IntArray) -> IntArray:
        """Walk all trees at once: one step per level moves every row in every tree that has not reached its leaf."""
        node = np.tile(self.roots, len(x))
        first = np.repeat(np.arange(len(x)) * x.shape[1], len(self.roots))  # of a row, in the flat array
        values, active = x.ravel(), np.arange(len(node))
        at, feature = node, self.feature.take(node)
        while True:
            inner = np.flatnonzero(feature >= 0)
            if not inner.size:
                return node.reshape(len(x), -1)
            active, at = active.take(inner), at.take(inner)
            goes_left = values.take(first.take(active) + feature.take(inner)) <= self.threshold.take(at)
            at = children.take(2 * at + goes_left)
            node[active] = at
            feature = self.feature.take(at)

    def components(self, leaves: IntArray) -> LogNormal:
        """Return the lognormals of leaves."""
        return LogNormal(self.loc[leaves], self.scale[leaves])


@dataclass(frozen=True)
class OutOfBag:
    """Predictions of the training instances by the trees that have not seen them, and without their own runs."""

    components: LogNormal  # (instances, trees)
    weights: FloatArray  # (instances, trees), 0 for a tree that has seen the instance
    drawn: FloatArray  # (instances, trees): number of times that the tree drew the instance


@dataclass(frozen=True)
class Grown:
    """Trees without statistics in their leaves."""

    trees: list[Any]  # scikit-learn's
    leaves: IntArray  # (instances, trees): the leaf of every instance, as a node of its tree
    drawn: FloatArray  # (instances, trees): number of times that the tree drew the instance

    def fill(
        self, observations: Observations, log_times: FloatArray, variance: FloatArray | None = None
    ) -> tuple[Forest, OutOfBag]:
        """Put lognormals of log runtimes into the leaves: of all runs, and without those of each instance itself.

        Parameters
        ----------
        observations : Observations
            Runs of all instances.
        log_times : array
            (imputations, runs); the trees are divided among several imputations.
        variance : array or None
            Variance of each log runtime itself, of expectations in place of censored runs.

        Returns
        -------
        forest : Forest
            The fitted trees.
        unseen : OutOfBag
            Predictions of the training instances by trees that have not seen them.
        """
        counts = observations.runs_of_each().astype(float)
        sums = [instance_moments(observations, values, variance) for values in log_times]
        offsets = np.cumsum([0] + [tree.node_count for tree in self.trees])
        nodes = int(offsets[-1])
        count, loc, square = np.zeros(nodes), np.zeros(nodes), np.zeros(nodes)
        own_loc, own_square, own_count = (np.zeros(self.drawn.shape) for _ in range(3))
        for t, tree in enumerate(self.trees):
            mean, within = sums[t % len(sums)]
            leaf, size = self.leaves[:, t], tree.node_count
            runs = np.bincount(leaf, counts, size)
            first = np.bincount(leaf, counts * mean, size)
            center = first / np.maximum(runs, 1.0)
            spread = np.bincount(leaf, within + counts * (mean - center[leaf]) ** 2, size)
            here = slice(offsets[t], offsets[t + 1])
            count[here], loc[here], square[here] = runs, center, spread
            rest = runs[leaf] - counts
            own_count[:, t] = rest
            # Alone in its leaf, an instance is predicted as all together are.
            alone = np.average(mean, weights=counts)
            own_loc[:, t] = np.where(rest > 0, (first[leaf] - counts * mean) / np.maximum(rest, 1.0), alone)
            # Removing a group from a sum of squares: its own part and its pull on the mean.
            pull = counts * runs[leaf] / np.maximum(rest, 1.0) * (mean - center[leaf]) ** 2
            own_square[:, t] = np.maximum(spread[leaf] - within - pull, 0.0)
        used = (self.drawn == 0) & (own_count > 0)
        typical = np.median((own_square / np.maximum(own_count, 1.0))[used]) if used.any() else 1.0
        typical = max(float(typical), LEAST_VARIANCE)
        scale = np.sqrt((square + PRIOR_RUNS * typical) / (count + PRIOR_RUNS))
        own_scale = np.sqrt((own_square + PRIOR_RUNS * typical) / (own_count + PRIOR_RUNS))
        # An instance that every tree has seen is predicted by all of them.
        weights = np.where(used.any(axis=1, keepdims=True), used, True).astype(float)
        return _laid_out(self.trees, offsets, loc, scale), OutOfBag(LogNormal(own_loc, own_scale), weights, self.drawn)


def grow(
    x: FloatArray,
    observations: Observations,
    log_times: FloatArray,
    *,
    n_estimators: int = 100,
    min_samples_leaf: int = 3,
    max_features: float = 1.0,
    random_share: float = 0.5,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Grown:
    """Grow trees on log runtimes.

    Parameters
    ----------
    x : array
        Scaled features, one row per instance.
    observations : Observations
        Runs of all instances.
    log_times : array
        (imputations, runs); the trees are divided among several imputations.
    n_estimators : int
        Number of trees.
    min_samples_leaf : int
        Least number of instances in a leaf.
    max_features : float
        Fraction of the features that a split may choose from; trees with random thresholds choose from all.
    random_share : float
        Fraction of the trees with random thresholds (extra trees).
    random_state : int
        Fixes the result.
    n_jobs : int or None
        Threads, as in scikit-learn.

    Returns
    -------
    Grown
        Trees without statistics.
    """
    rng = np.random.default_rng(random_state)
    counts = observations.runs_of_each().astype(float)
    means = [instance_moments(observations, values)[0] for values in log_times]
    n = len(x)
    # Without a feature that varies every tree is one leaf; scikit-learn needs a column all the same.
    x32 = x.astype(np.float32) if x.shape[1] else np.zeros((n, 1), np.float32)

    drawn = np.stack([np.bincount(rng.integers(n, size=n), minlength=n) for _ in range(n_estimators)], axis=1)
    states = rng.integers(2**31, size=n_estimators)
    random_tree = (np.arange(n_estimators) // len(means)) / max(n_estimators / len(means), 1) < random_share

    def fitted(tree: int) -> Any:
        kind = ExtraTreeRegressor if random_tree[tree] else DecisionTreeRegressor
        fraction = 1.0 if random_tree[tree] else float(max_features)
        state = int(states[tree])
        model = kind(min_samples_leaf=min(min_samples_leaf, n), max_features=fraction, random_state=state)
        model.fit(x32, means[tree % len(means)], sample_weight=drawn[:, tree] * counts)
        return model.tree_

    trees = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(fitted)(tree) for tree in range(n_estimators))
    return Grown(trees, np.stack([tree.apply(x32) for tree in trees], axis=1), drawn.astype(float))


def instance_moments(
    observations: Observations, log_times: FloatArray, variance: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the mean of log time, and the sum of squared deviations from it, of every instance."""
    n, at = observations.n_instances, observations.instance
    mean = np.bincount(at, log_times, n) / observations.runs_of_each()
    deviation = (log_times - mean[at]) ** 2
    spread = deviation if variance is None else deviation + variance
    return mean, np.bincount(at, spread, n).astype(float)


def _laid_out(trees: list[Any], offsets: IntArray, loc: FloatArray, scale: FloatArray) -> Forest:
    """Turn scikit-learn's trees into arrays."""
    return Forest(
        roots=offsets[:-1].astype(np.int64),
        feature=np.concatenate([np.where(tree.children_left < 0, -1, tree.feature) for tree in trees]).astype(np.int64),
        threshold=np.concatenate([tree.threshold for tree in trees]),
        left=_shifted([tree.children_left for tree in trees], offsets),
        right=_shifted([tree.children_right for tree in trees], offsets),
        loc=loc,
        scale=scale,
    )


def _shifted(children: list[IntArray], offsets: IntArray) -> IntArray:
    return np.concatenate(
        [np.where(c < 0, -1, c + offset) for c, offset in zip(children, offsets, strict=False)]
    ).astype(np.int64)
