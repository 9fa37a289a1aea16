"""A peer on cheap features: where features are dear, only the cheapest group of them is computed."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

import pandas as pd

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.feature_groups import FeatureGroups
from bayes_distnet.decide.selection.procedures import Procedure, Selector
from bayes_distnet.decide.selection.registry import find_selector
from bayes_distnet.decide.solver_runs import SolverRuns
from bayes_distnet.errors import RuntimeDataError


class CheapFeatures(Selector):
    """Another selector that sees and pays for the cheapest group of features only.

    Parameters
    ----------
    selector : str
        Key of the selector.
    random_state : int, default 0
        Fixes the result.
    """

    def __init__(self, selector: str, random_state: int = 0) -> None:
        self.selector = selector
        self.random_state = random_state

    def fit(self, data: Dataset, runs: SolverRuns) -> Self:
        """Learn from training instances; see `Selector.fit`."""
        if data.feature_groups is None:
            raise RuntimeDataError("the data have no groups of features: no group is cheaper than all features.")
        self.columns_ = tuple(data.feature_groups.features_of([cheapest_group(data.feature_groups)]))
        reduced = replace(data, features=data.features[list(self.columns_)], feature_groups=None)
        self.inner_ = find_selector(self.selector).build(random_state=self.random_state).fit(reduced, runs)
        return self

    def procedures(self, features: pd.DataFrame) -> dict[str, Procedure]:
        """Decide on unseen instances; see `Selector.procedures`."""
        found = self.inner_.procedures(features[list(self.columns_)])
        return {name: replace(one, features=self.columns_) for name, one in found.items()}


def cheapest_group(groups: FeatureGroups) -> str:
    """Return the group with the least mean cost, with the groups that it requires."""
    return min(groups.names, key=lambda name: float(groups.seconds([name]).mean()))
