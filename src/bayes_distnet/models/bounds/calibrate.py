"""Calibrating a fitted model with runs that it has not learnt from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayes_distnet.errors import SettingError
from bayes_distnet.models.bounds.calibration import LEVEL, Calibration
from bayes_distnet.models.bounds.instance_runs import InstanceRuns

NO_CALIBRATION = (
    "this model has no calibration set, so that bounds cannot be computed. Fit it again with some instances kept for "
    "calibration: fit --bounds 0.2, train(..., bounds=0.2) or models.Bounded(model).fit(...)."
)


def calibrate(
    model: Any,
    X: Any,
    y: Any,
    finished: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    cutoff: ArrayLike | None = None,
    *,
    cutoffs: str = "global",
    level: float = LEVEL,
) -> Calibration:
    """Calibrate a fitted model with runs of instances that it has not learnt from.

    Parameters
    ----------
    model : RuntimeEstimator or RuntimePipeline
        A fitted model.
    X, y, finished, groups : array-like
        Features and runs, as in `fit` of the model.
    cutoff : float or array-like, optional
        Cutoff in seconds: of all runs, per row, or in the shape of y. None takes the one time at which runs were cut
        off. Longer runs count as cut off there.
    cutoffs : {"global", "features", "random"}, default "global"
        How cutoffs were chosen: see `Bounded`.
    level : float, default 0.9
        Level of bounds where no other is asked for.

    Returns
    -------
    Calibration
        Computes bounds from predictions.

    Raises
    ------
    RuntimeDataError
        Runs or cutoffs that cannot be used.
    """
    return calibrate_runs(model, InstanceRuns.of(X, y, finished, groups, cutoff), cutoffs, level)


def calibrate_runs(model: Any, sample: InstanceRuns, cutoffs: str = "global", level: float = LEVEL) -> Calibration:
    """Calibrate a fitted model with runs that are grouped already.

    Parameters
    ----------
    model : RuntimeEstimator or RuntimePipeline
        A fitted model.
    sample : InstanceRuns
        Runs of instances that it has not learnt from.
    cutoffs : {"global", "features", "random"}, default "global"
        How cutoffs were chosen: see `Bounded`.
    level : float, default 0.9
        Level of bounds where no other is asked for.

    Returns
    -------
    Calibration
        Computes bounds from predictions.
    """
    rtd, runs = model.predict_distribution(sample.features), sample.runs
    cut = sample.cut(cutoffs, rtd.median())
    times, _ = replace(runs, seconds=cut.times).matrix()
    present = ~np.isnan(times)
    hazards = 0.0 - rtd.log_sf(np.where(present, times, 1.0))[present]
    order = np.argsort(runs.instance, kind="stable")  # of the matrix
    instance, kept = runs.instance[order], cut.kept[order]
    unit = instance if sample.unit is None else sample.unit[instance]
    return Calibration(hazards[kept], np.unique(unit[kept], return_inverse=True)[1], cut.cutoff, level)


def calibration_of(model: Any) -> Calibration:
    """Return the calibration of a model; a SettingError reports that it has none."""
    found: Calibration | None = getattr(model, "bounds_", None)
    if found is None:
        raise SettingError(f"bounds: {NO_CALIBRATION}")
    return found
