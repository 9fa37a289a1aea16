"""Decision trees as plain arrays: saved without pickle, and walked all at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.models.saving import Arrays, check_array

BLOCK = 2**21  # rows times trees that are walked together


@dataclass(frozen=True)
class Inputs:
    """Features as trees take them: missing values filled in, and one column per pattern of missing values.

    Parameters
    ----------
    median : array
        Value that replaces a missing one, per feature.
    marked : array of int
        Features whose missing values get a column of their own: 1 where the value is missing, 0 elsewhere.
    """

    median: FloatArray
    marked: IntArray

    @classmethod
    def fit(cls, features: FloatArray) -> Self:
        """Learn from one row per instance."""
        missing = np.isnan(features)
        known = np.where(missing.all(axis=0), 0.0, features)
        patterns = np.unique(missing, axis=1, return_index=True)[1]
        varies = [int(c) for c in np.sort(patterns) if 0 < missing[:, c].sum() < len(features)]
        return cls(np.nanmedian(known, axis=0), np.array(varies, dtype=np.int64))

    def __post_init__(self) -> None:
        check_array("inputs: median", self.median, "f")
        check_array("inputs: marked", self.marked, "i")
        if self.marked.size and not (self.marked.min() >= 0 and self.marked.max() < len(self.median)):
            raise ValueError("inputs: marked points outside the features")

    def transform(self, features: FloatArray) -> NDArray[np.float32]:
        """Return inputs of the trees."""
        missing = np.isnan(features)
        filled = np.where(missing, self.median, features)
        limit = np.finfo(np.float32).max
        return np.concatenate([np.clip(filled, -limit, limit), missing[:, self.marked]], axis=1).astype(np.float32)

    @property
    def width(self) -> int:
        """Number of columns that trees see."""
        return len(self.median) + len(self.marked)


@dataclass(frozen=True)
class Trees:
    """Trees laid end to end. A node sends a row left if x[feature] <= threshold; a leaf leads to itself.

    Parameters
    ----------
    roots : array of int
        First node of every tree.
    feature, left, right : array of int
        Per node: the feature it splits on, and its children.
    threshold : array
        Per node.
    """

    roots: IntArray
    feature: IntArray
    left: IntArray
    right: IntArray
    threshold: FloatArray

    @classmethod
    def of(cls, grown: Sequence[Any]) -> Self:
        """Copy trees of scikit-learn (`tree_`)."""
        offsets = np.cumsum([0] + [tree.node_count for tree in grown])
        own = np.arange(offsets[-1])
        left, right = (
            np.concatenate(
                [np.where(side < 0, -1, side + offset) for side, offset in zip(sides, offsets, strict=False)]
            )
            for sides in ([tree.children_left for tree in grown], [tree.children_right for tree in grown])
        )
        leaf = left < 0
        feature = np.concatenate([tree.feature for tree in grown])
        return cls(
            offsets[:-1].astype(np.int64),
            np.where(leaf, 0, feature).astype(np.int64),
            np.where(leaf, own, left).astype(np.int64),
            np.where(leaf, own, right).astype(np.int64),
            np.where(leaf, 0.0, np.concatenate([tree.threshold for tree in grown])),
        )

    def __post_init__(self) -> None:
        for name in ("roots", "feature", "left", "right"):
            check_array(f"trees: {name}", getattr(self, name), "i")
        check_array("trees: threshold", self.threshold, "f", len(self.feature))
        nodes = len(self.feature)
        own = np.arange(nodes)
        leaf = (self.left == own) & (self.right == own)
        # Children come after their parent: walking always ends, whatever a file contains.
        for side in (self.left, self.right):
            if side.shape != (nodes,) or np.any(side >= nodes) or np.any((side <= own) & ~leaf):
                raise ValueError("trees: a node points outside its tree")
        if np.any(self.roots < 0) or np.any(self.roots >= nodes) or np.any(self.feature < 0):
            raise ValueError("trees: a root or a feature is out of range")

    def check_inputs(self, width: int) -> None:
        """Raise a ValueError if a node splits on a column that rows do not have."""
        if self.feature.max(initial=0) >= max(width, 1):
            raise ValueError("trees: a node splits on a column that does not exist")

    def leaves(self, x: NDArray[np.float32]) -> IntArray:
        """Return the leaf that every row falls into, (rows, trees)."""
        out = np.empty((len(x), len(self.roots)), dtype=np.int64)
        tall = max(1, BLOCK // max(1, len(self.roots)))
        for top in range(0, len(x), tall):
            rows = np.arange(top, min(top + tall, len(x)))[:, None]
            node = np.broadcast_to(self.roots, (len(rows), len(self.roots))).copy()
            while True:
                goes_left = x[rows, self.feature[node]] <= self.threshold[node]
                after = np.where(goes_left, self.left[node], self.right[node])
                if np.array_equal(after, node):
                    break
                node = after
            out[rows[:, 0]] = node
        return out

    def to_arrays(self) -> Arrays:
        """Return the trees as plain arrays."""
        return dict(vars(self))
