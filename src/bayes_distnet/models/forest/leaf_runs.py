"""A forest without a family: the runs in the leaves that a row falls into, smoothed.

Lognormals in the leaves cannot show two humps or a hard start that only some instances have; the runs themselves can.
Every leaf keeps a few quantiles of the runs its tree drew; a prediction is a kernel estimate over those of all trees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayes_distnet.arrays import BoolArray, FloatArray, IntArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.censored import LEAST_SPREAD
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.forest.trees import Forest, OutOfBag
from bayes_distnet.models.pooling import run_scores
from bayes_distnet.models.saving import check_array

KEPT = 8  # quantiles per leaf
KERNELS = 40  # per prediction
LEVELS = (np.arange(KERNELS) + 0.5) / KERNELS  # quantile levels at which the kernels stand
WIDTHS = (0.5, 0.7, 1.0, 1.4, 2.0)  # candidates, in units of Scott's rule
ROWS = 1000  # per block: bounds the memory of sorting


@dataclass(frozen=True)
class LeafRuns:
    """Quantiles of log time in every leaf, and the smoothing of them.

    Parameters
    ----------
    quantiles : array
        `KEPT` quantiles per leaf, leaf after leaf.
    width : array
        One number: the width of a kernel in units of Scott's rule.
    center, spread : array
        One number each: location and spread of log time of all runs.
    """

    quantiles: FloatArray
    width: FloatArray
    center: FloatArray
    spread: FloatArray

    def __post_init__(self) -> None:
        check_array("leaf runs: quantiles", self.quantiles, "f")
        for name in ("width", "center", "spread"):
            check_array(f"leaf runs: {name}", getattr(self, name), "f", 1, positive=name != "center")

    def check_forest(self, forest: Forest) -> None:
        """Raise a ValueError unless there are quantiles for every leaf of the forest."""
        check_array("leaf runs: quantiles", self.quantiles, "f", KEPT * int(np.sum(forest.feature < 0)))

    def of(self, forest: Forest, leaves: IntArray) -> RuntimeDistribution:
        """Predict rows by the runs in their leaves, (rows, trees)."""
        leaves = _leaf_numbers(forest)[leaves]
        quantiles = _pooled_quantiles(self.quantiles.reshape(-1, KEPT), leaves, np.ones(leaves.shape, bool))
        return kernels(quantiles, self.width[0], self.center[0], self.spread[0])


def fit_leaf_runs(
    forest: Forest, unseen: OutOfBag, x: FloatArray, observations: Observations, log_times: FloatArray
) -> tuple[LeafRuns, RuntimeDistribution]:
    """Learn the quantiles of the runs in the leaves, and predict the training instances out of bag.

    Parameters
    ----------
    forest, unseen : Forest, OutOfBag
        The fitted trees.
    x : array
        Scaled features, one row per instance.
    observations : Observations
        Runs of all instances.
    log_times : array
        (imputations, runs) that the forest was grown on.

    Returns
    -------
    learnt : LeafRuns
        With the width under which the runs are most likely out of bag.
    rtd : RuntimeDistribution
        Out-of-bag predictions, one row per instance.
    """
    leaves = _leaf_numbers(forest)[forest.leaves(x)]
    quantiles = np.zeros((int(leaves.max()) + 1, KEPT))
    by_time = np.argsort(log_times, axis=1, kind="stable")
    for tree, drawn in enumerate(unseen.drawn.T):
        order = by_time[tree % len(log_times)]
        order = order[drawn[observations.instance[order]] > 0]
        instance = observations.instance[order]
        mine, rows = grouped_quantiles(
            log_times[tree % len(log_times), order], drawn[instance], leaves[instance, tree], KEPT
        )
        quantiles[mine] = rows
    seen = np.asarray(unseen.drawn.min(axis=1) > 0)
    pooled = _pooled_quantiles(quantiles, leaves, (unseen.drawn == 0) | seen[:, None])
    # With few trees, all may have seen an instance: it is predicted by all runs then, not by its own.
    pooled[seen] = np.quantile(log_times, LEVELS)
    center, spread = float(log_times.mean()), max(float(log_times.std()), LEAST_SPREAD)
    scores = [run_scores(kernels(pooled, width, center, spread), observations).mean() for width in WIDTHS]
    width = WIDTHS[int(np.argmax(scores))]
    learned = LeafRuns(quantiles.ravel(), np.array([width]), np.array([center]), np.array([spread]))
    return learned, kernels(pooled, width, center, spread)


def kernels(log_times: FloatArray, width: float, center: float, spread: float) -> RuntimeDistribution:
    """Return a mixture of lognormals at the log times of each row, and one more of the same weight for values outside.

    Quantiles carry no information about values past the outermost: that weight goes to the lognormal of all runs,
    without which a single run out there could cost as much as all others together. The kernels of a row are one
    prediction and count as one draw.

    Parameters
    ----------
    log_times : array
        (rows, kernels).
    width : float
        In units of Scott's rule.
    center, spread : float
        Location and spread of log time of all runs.

    Returns
    -------
    RuntimeDistribution
        One row per row of `log_times`.
    """
    scott = log_times.std(axis=1, ddof=1, keepdims=True) * log_times.shape[1] ** -0.2
    scale = np.broadcast_to(np.maximum(width * scott, LEAST_SPREAD), log_times.shape)
    outside = np.ones((len(log_times), 1))
    components = LogNormal(np.hstack([log_times, center * outside]), np.hstack([scale, spread * outside]))
    return RuntimeDistribution(components, draws=np.zeros(log_times.shape[1] + 1, dtype=np.int64))


def grouped_quantiles(
    values: FloatArray, weights: FloatArray, groups: IntArray, count: int
) -> tuple[IntArray, FloatArray]:
    """Return the existing groups and `count` evenly spaced quantiles of the weighted values of each, ascending."""
    order = np.argsort(groups, kind="stable")
    present, start = np.unique(groups[order], return_index=True)
    reached = np.cumsum(weights[order])
    end = reached[np.r_[start[1:] - 1, len(order) - 1]]
    begin = np.r_[0.0, end[:-1]]
    levels = (np.arange(count) + 0.5) / count
    wanted = begin[:, None] + (end - begin)[:, None] * levels
    return present, values[order][np.searchsorted(reached, wanted)]


def _pooled_quantiles(quantiles: FloatArray, leaves: IntArray, used: BoolArray) -> FloatArray:
    """Return quantiles, (rows, KERNELS), of all values in the leaves (rows, trees) of the used trees."""
    out = np.empty((len(leaves), KERNELS))
    quantiles = quantiles.astype(np.float32)  # sorted in half the time; seven digits of a log time are enough
    for start in range(0, len(leaves), ROWS):
        rows = slice(start, start + ROWS)
        kept = np.where(used[rows, :, None], quantiles[leaves[rows]], np.float32(np.inf))  # infinity sorts past the end
        values = np.sort(kept.reshape(len(kept), -1), axis=1)
        size = used[rows].sum(axis=1, keepdims=True) * quantiles.shape[1]
        out[rows] = np.take_along_axis(values, (LEVELS * size).astype(np.int64), axis=1)
    return out


def _leaf_numbers(forest: Forest) -> IntArray:
    """Return the number of leaves before each node: the place of a leaf among the leaves."""
    return np.cumsum(forest.feature < 0) - 1
