"""A choice of one solver that costs milliseconds: a few trees, walked without any package.

Loading a portfolio model takes longer than many runs of a solver. This module needs the standard library only, so that
a saved choice can be made at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

#: A node is [feature, threshold, left, right]; a leaf has the mean costs of all solvers on its training instances.
Node = list[Any]


@dataclass(frozen=True)
class QuickChoice:
    """Trees whose leaves hold mean costs of all solvers.

    Parameters
    ----------
    solvers : tuple of str
        Names of the solvers.
    features : tuple of str
        Names of the features that nodes refer to by their numbers.
    medians : tuple of float
        Values that replace missing ones.
    trees : tuple
        Trees as nested lists. A row goes left if its feature is at most the threshold.
    objective : str
        Name of the cost.

    Examples
    --------
    >>> choice = QuickChoice(("a", "b"), ("size",), (3.0,), ([0, 5.0, {"costs": [1, 2]}, {"costs": [9, 4]}],), "par10")
    >>> choice.costs({"size": 4.0}), choice.costs({"size": 8.0})
    ({'a': 1.0, 'b': 2.0}, {'a': 9.0, 'b': 4.0})
    """

    solvers: tuple[str, ...]
    features: tuple[str, ...]
    medians: tuple[float, ...]
    trees: tuple[Any, ...]
    objective: str

    def costs(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return the expected cost of every solver, mean over trees.

        Parameters
        ----------
        values : mapping
            Features of an instance; those that are missing have the training instances' medians.

        Returns
        -------
        dict
            Costs by solver.
        """
        row = [float(values.get(name, math.nan)) for name in self.features]
        row = [median if math.isnan(value) else value for value, median in zip(row, self.medians, strict=True)]
        leaves = [_leaf(tree, row) for tree in self.trees]
        means = [math.fsum(costs) / len(leaves) for costs in zip(*leaves, strict=True)]
        return dict(zip(self.solvers, means, strict=True))

    def order(self, values: Mapping[str, float], solvers: Iterable[str]) -> list[tuple[str, float]]:
        """Return some solvers with their costs, the cheapest first."""
        costs = self.costs(values)
        return sorted(((name, costs[name]) for name in solvers), key=lambda one: one[1])

    def as_dict(self) -> dict[str, Any]:
        """Return the choice as JSON can hold it."""
        return dict(vars(self))

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Self:
        """Return the choice that `as_dict` described; a ValueError if it cannot be."""
        found = cls(
            tuple(map(str, entry["solvers"])),
            tuple(map(str, entry["features"])),
            tuple(map(float, entry["medians"])),
            tuple(entry["trees"]),
            str(entry["objective"]),
        )
        if not found.trees or len(found.medians) != len(found.features):
            raise ValueError("quick choice: no trees, or medians of other features")
        return found


def _leaf(tree: Any, row: list[float]) -> list[float]:
    node = tree
    while isinstance(node, list):
        feature, threshold, left, right = node
        node = left if row[feature] <= threshold else right
    return [float(cost) for cost in node["costs"]]
