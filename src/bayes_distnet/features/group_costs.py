"""Costs of groups of features, in the form that data sets hold."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from bayes_distnet.data.feature_groups import UNKNOWN, FeatureGroup, FeatureGroups
from bayes_distnet.features.groups import members
from bayes_distnet.features.registry import FEATURE_SETS


def measured_groups(costs: pd.DataFrame, columns: Iterable[str]) -> FeatureGroups | None:
    """Describe the groups of a table of features by the measured costs.

    Parameters
    ----------
    costs : DataFrame
        CPU seconds, one row per instance and one column per group, as in `FeatureTable.costs`; other columns are
        ignored.
    columns : iterable of str
        Names of the features.

    Returns
    -------
    FeatureGroups or None
        The groups; None if the columns are not the groups of one feature set, or features belong to none of them.

    Examples
    --------
    >>> costs = pd.DataFrame({"seconds": [0.02], "size": [0.005], "structure": [0.015]}, index=["a.cnf"])
    >>> groups = measured_groups(costs, ["structure.clauses", "structure.ccs"])
    >>> groups.features_of(["size"]), groups.needed_for(["structure.ccs"])
    (['structure.clauses'], ('size', 'structure'))
    """
    names = [str(name) for name in columns]
    for entry in FEATURE_SETS.values():
        groups = tuple(group for group in entry.groups if group.name in costs.columns)
        held = members(groups, names)
        if not groups or sum(map(len, held.values())) < len(names):
            continue
        described = tuple(FeatureGroup(group.name, held[group.name], group.requires) for group in groups)
        seconds = costs[[group.name for group in groups]].astype(float)
        status = seconds.isna().replace({True: UNKNOWN, False: "ok"})
        return FeatureGroups(described, seconds, status)
    return None
