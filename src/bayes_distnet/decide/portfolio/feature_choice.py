"""Groups of features that do not pay are left out before anything else is learnt."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayes_distnet.data.feature_groups import FeatureGroups
from bayes_distnet.decide.laws.objectives import Objective
from bayes_distnet.decide.portfolio.neighbours import Neighbours
from bayes_distnet.decide.portfolio.runs import PortfolioRuns
from bayes_distnet.decide.portfolio.trees import Inputs

TREES = 60  # of the forest by which sets of groups are compared
CHEAP = 1e-4  # mean seconds of a group, relative to the mean cost of the single best solver, that are not worth a test


def with_paying_features(
    runs: PortfolioRuns, groups: FeatureGroups, objective: Objective, random_state: int = 0
) -> tuple[PortfolioRuns, tuple[str, ...]]:
    """Leave out groups of features that cost more than they bring.

    From the dearest on, each group is left out if choices on unseen instances then cost no more, seconds of the
    features included. Choices are made by a small forest of similar instances.

    Parameters
    ----------
    runs : PortfolioRuns
        Runs of several solvers.
    groups : FeatureGroups
        Groups of the features.
    objective : Objective
        What is to be small.
    random_state : int, default 0
        Fixes the forest.

    Returns
    -------
    runs : PortfolioRuns
        The same runs, with the features of the groups that pay and their cost.
    kept : tuple of str
        Names of these groups.
    """
    kept = groups.with_required(groups.names)
    if len(runs.solvers) == 1 or not groups.features_of(kept):
        return runs, kept
    least = CHEAP * float(runs.costs(objective).mean(axis=0).min())
    own = {name: float(groups.seconds([name]).mean()) for name in kept}
    best = _paid(runs, groups, kept, objective, random_state)
    for name in sorted(kept, key=lambda name: -own[name]):
        fewer = tuple(other for other in kept if name not in groups.with_required([other]))
        if name not in kept or own[name] <= least or not groups.features_of(fewer):
            continue
        cost = _paid(runs, groups, fewer, objective, random_state)
        if cost <= best:
            kept, best = fewer, cost
    return _reduced(runs, groups, kept), kept


def _reduced(runs: PortfolioRuns, groups: FeatureGroups, kept: tuple[str, ...]) -> PortfolioRuns:
    dropped = set(groups.features_of(groups.names)) - set(groups.features_of(kept))
    columns = [column for column in runs.features.columns if column not in dropped]
    seconds = groups.seconds(kept).reindex(runs.features.index).fillna(0.0)
    return replace(runs, features=runs.features[columns], feature_cost=np.asarray(seconds, dtype=np.float64))


def _paid(
    runs: PortfolioRuns, groups: FeatureGroups, kept: tuple[str, ...], objective: Objective, random_state: int
) -> float:
    """Mean cost of choices on unseen instances, with the seconds of the features."""
    part = _reduced(runs, groups, kept)
    features, costs = part.features.to_numpy(float), part.costs(objective)
    x = Inputs.fit(features).transform(features)
    _, shares = Neighbours.fit(x, costs, count=TREES, random_state=random_state)
    chosen = (shares @ costs).argmin(axis=1)
    return float(part.charged().costs(objective)[np.arange(len(chosen)), chosen].mean())
