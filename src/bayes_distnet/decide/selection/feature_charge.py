"""What the features cost that a procedure needs, and instances that are solved while they are computed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.data.dataset import Dataset


class Charge(StrEnum):
    """The way in which features are charged."""

    ALL = "all"
    """All groups of features, as in published tables; instances solved meanwhile are not credited."""
    USED = "used"
    """The groups that the procedure uses; an instance that is solved while they are computed counts as solved."""
    FREE = "free"
    """Nothing: how good the choices are, whatever the features cost."""


@dataclass(frozen=True)
class FeatureTime:
    """Time that the features of some instances take.

    Parameters
    ----------
    seconds : ndarray
        CPU seconds per instance.
    solved : ndarray of bool
        Whether the instance is solved at the end of these seconds.
    """

    seconds: FloatArray
    solved: BoolArray


def feature_time(data: Dataset, features: tuple[str, ...] | None, charge: Charge) -> FeatureTime:
    """Return the time that features take.

    Parameters
    ----------
    data : Dataset
        The instances.
    features : tuple of str or None
        Columns that are needed; None for all. A procedure that needs none is charged nothing.
    charge : Charge
        The way in which features are charged.

    Returns
    -------
    FeatureTime
        One entry per instance. Unknown costs are 0.
    """
    nothing = FeatureTime(np.zeros(len(data)), np.zeros(len(data), dtype=bool))
    if charge is Charge.FREE or (features is not None and not features):
        return nothing
    groups = data.feature_groups
    if groups is None:
        if data.feature_cost is None:
            return nothing
        cost = data.feature_cost.reindex(data.features.index).fillna(0.0)
        return FeatureTime(np.asarray(cost, dtype=np.float64), nothing.solved)
    if charge is Charge.ALL:
        return FeatureTime(np.asarray(groups.seconds(), dtype=np.float64), nothing.solved)
    needed = groups.needed_for(data.features.columns if features is None else features)
    seconds = np.asarray(groups.seconds(needed), dtype=np.float64)
    return FeatureTime(seconds, groups.presolved(needed).to_numpy(bool))
