"""Groups of features that are explained, or permuted, together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.feature_groups import FeatureGroups
from bayes_distnet.errors import FeatureError, SettingError
from bayes_distnet.features.groups import members
from bayes_distnet.features.registry import FEATURE_SETS

CORRELATED, EACH, COMPUTED = "correlated", "each", "computed"
WAYS = (CORRELATED, EACH, COMPUTED)
LEAST_CORRELATION = 0.9  # between all features of a group, by rank, in absolute value

Groups = dict[str, tuple[str, ...]]


def group_features(groups: Any, names: Sequence[str], sample: pd.DataFrame) -> Groups:
    """Deal features out to groups.

    Parameters
    ----------
    groups : {"correlated", "each", "computed"}, mapping or FeatureGroups
        "correlated": features that order the rows of the sample almost alike. "each": every feature by itself.
        "computed": features of a feature set of this package that are computed together. A mapping has features by
        the name of their group. Features of no group are groups of their own.
    names : sequence of str
        All features.
    sample : DataFrame
        Rows that correlations are computed from; features without a column of numbers there correlate with none.

    Returns
    -------
    dict
        Features by the name of their group; every feature in one of them.

    Raises
    ------
    SettingError
        Groups of another kind.
    FeatureError
        Features that do not exist, or in two groups.
    """
    if isinstance(groups, FeatureGroups):
        return _first_of_each({group.name: group.features for group in groups.groups}, names)
    if isinstance(groups, Mapping):
        return _given(groups, names)
    if groups == CORRELATED:
        return _correlated(names, sample)
    if groups == EACH:
        return {name: (name,) for name in names}
    if groups == COMPUTED:
        return _computed(names)
    raise SettingError(f"groups={groups!r:.60}: expected {', '.join(map(repr, WAYS))}, or features by group.")


def check_names(found: Iterable[object]) -> list[str]:
    """Return names of features as text; they have to differ."""
    names = [str(name) for name in found]
    if len(set(names)) < len(names):
        raise FeatureError("features: some names occur more than once. Give every feature its own name.")
    return names


def _given(groups: Mapping[Any, Any], names: Sequence[str]) -> Groups:
    taken: dict[str, str] = {}
    for group, features in groups.items():
        if isinstance(features, str):
            raise SettingError(f"groups[{group!r}]={features!r}: expected a list of features.")
        for feature in map(str, features):
            if feature not in names:
                raise FeatureError(f"groups[{group!r}]: no feature named {feature!r}.")
            if feature in taken:
                raise FeatureError(f"groups: feature {feature!r} is in {taken[feature]!r} and in {str(group)!r}.")
            taken[feature] = str(group)
    return _first_of_each({str(group): tuple(map(str, features)) for group, features in groups.items()}, names)


def _first_of_each(groups: Mapping[str, Sequence[str]], names: Sequence[str]) -> Groups:
    """Put every feature into the first group that has it, or into one of its own."""
    place = {feature: group for group, features in reversed(list(groups.items())) for feature in features}
    found: dict[str, list[str]] = {group: [] for group in groups}
    for name in names:
        found.setdefault(place.get(name, name), []).append(name)
    return {group: tuple(features) for group, features in found.items() if features}


def _computed(names: Sequence[str]) -> Groups:
    known = {key: members(entry.groups, names) for key, entry in FEATURE_SETS.items()}
    best = max(known.values(), key=lambda groups: sum(map(len, groups.values())))
    if not any(best.values()):
        sets = ", ".join(key for key, entry in FEATURE_SETS.items() if entry.groups)
        raise SettingError(
            f"groups='computed': these are no features that this package computes in groups ({sets}); "
            "use 'correlated' or 'each', or give features by group."
        )
    return _first_of_each(best, names)


def _correlated(names: Sequence[str], sample: pd.DataFrame) -> Groups:
    from scipy.cluster.hierarchy import fcluster, linkage  # fitting a model does not need it
    from scipy.spatial.distance import squareform

    numeric = [name for name in names if name in sample and pd.api.types.is_numeric_dtype(sample[name])]
    if len(numeric) < 2 or len(sample) < 3:
        return {name: (name,) for name in names}
    distance = 1.0 - np.abs(_rank_correlation(sample[numeric].to_numpy(np.float64, na_value=np.nan)))
    condensed = squareform(distance, checks=False)
    labels = fcluster(linkage(condensed, "complete"), 1.0 - LEAST_CORRELATION + 1e-9, "distance")
    together: dict[object, list[str]] = {}
    for name in names:
        label = labels[numeric.index(name)] if name in numeric else name
        together.setdefault(label, []).append(name)
    return {_title(features): tuple(features) for features in together.values()}


def _rank_correlation(x: FloatArray) -> FloatArray:
    """Correlations of ranks; a missing value ranks below all others, and a constant column correlates with none."""
    from scipy.stats import rankdata

    ranks = rankdata(np.where(np.isnan(x), -np.inf, x), axis=0)
    centred = ranks - ranks.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=0))
    unit = np.divide(centred, size, out=np.zeros_like(centred), where=size > 0)
    found = np.clip(unit.T @ unit, -1.0, 1.0)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)


def _title(features: Sequence[str]) -> str:
    return features[0] if len(features) == 1 else f"{features[0]} (+{len(features) - 1})"
