"""Learning the quick choice: a small forest of similar instances, written as nested lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayes_distnet.arrays import FloatArray, IndexArray
from bayes_distnet.decide.laws.objectives import Objective
from bayes_distnet.decide.portfolio.neighbours import Neighbours
from bayes_distnet.decide.portfolio.quick_choice import QuickChoice
from bayes_distnet.decide.portfolio.runs import PortfolioRuns
from bayes_distnet.decide.portfolio.trees import Inputs, Trees

TREES = 50
LEAST_LEAF = 3  # training instances; more with many instances, so that a tree has at most some hundred nodes
SECONDS = 0.02  # CPU seconds of a choice besides its features, as measured
DIGITS = 6


def learn_quick_choice(
    runs: PortfolioRuns, objective: Objective, name: str, random_state: int = 0
) -> tuple[QuickChoice, IndexArray] | None:
    """Learn a choice that needs no model.

    Parameters
    ----------
    runs : PortfolioRuns
        Runs of several solvers.
    objective : Objective
        What is to be small.
    name : str
        Name of the objective.
    random_state : int, default 0
        Fixes the result.

    Returns
    -------
    choice : QuickChoice
        The choice.
    chosen : array of int
        Solvers that it would have chosen on the training instances, had it not seen them.
        Instead of both None, where features have missing values, which need more than trees.
    """
    features, costs = runs.features.to_numpy(float), runs.costs(objective)
    inputs = Inputs.fit(features)
    if inputs.marked.size:
        return None
    least = max(LEAST_LEAF, len(costs) // 100)
    x = inputs.transform(features)
    forest, shares = Neighbours.fit(x, costs, count=TREES, least_leaf=least, random_state=random_state)
    means = forest.leaf_means(costs)
    trees = tuple(_nested(forest.trees, means, int(root)) for root in forest.trees.roots)
    medians = tuple(float(value) for value in inputs.median)
    choice = QuickChoice(runs.solvers, runs.columns, medians, trees, name)
    return choice, (shares @ costs).argmin(axis=1).astype(np.intp)


def _nested(trees: Trees, means: FloatArray, node: int) -> Any:
    if trees.left[node] == node:
        return {"costs": [_rounded(value) for value in means[node]]}
    children = (_nested(trees, means, int(child)) for child in (trees.left[node], trees.right[node]))
    # Thresholds are exact: trees compare them with features in single precision.
    return [int(trees.feature[node]), float(trees.threshold[node]), *children]


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
