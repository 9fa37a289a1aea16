"""Calibrating a fitted model with runs that it has not learnt from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.utils.validation import _num_samples

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.numbers import as_numbers
from bayes_distnet.data.observations import Observations, observe
from bayes_distnet.data.targets import split_target
from bayes_distnet.errors import RuntimeDataError, SettingError
from bayes_distnet.models.bounds.calibration import LEVEL, Calibration
from bayes_distnet.models.bounds.cutoffs import cut_runs
from bayes_distnet.validation import check_numbers

NO_CALIBRATION = (
    "this model has no calibration set, so that bounds cannot be computed. Fit it again with some instances kept for "
    "calibration: fit --bounds 0.2, train(..., bounds=0.2) or models.Bounded(model).fit(...)."
)


@dataclass(frozen=True)
class InstanceRuns:
    """Runs, and the rows of features of their instances.

    Parameters
    ----------
    rows : ndarray of int of shape (n_instances,)
        Row of the features of each instance.
    runs : Observations
        The runs.
    cutoff : ndarray of shape (n_runs,) or None
        Cutoff of each run.
    """

    rows: IntArray
    runs: Observations
    cutoff: FloatArray | None

    @classmethod
    def of(cls, X: Any, y: Any, finished: Any, groups: Any, cutoff: ArrayLike | None) -> InstanceRuns:
        """Group runs by instance: see `RuntimeEstimator.fit`."""
        seconds, flags = split_target(y, finished)
        values = as_numbers(seconds, "y")
        codes = instance_codes(X, values.ndim, groups)
        labels = codes if values.ndim == 1 else None
        key, runs = observe(codes[:, None].astype(float), seconds, flags, labels, need_finished=False)
        first = np.unique(codes, return_index=True)[1]
        return cls(first[key[:, 0].astype(np.int64)], runs, _per_run(cutoff, values))


def instance_codes(X: Any, dimensions: int, groups: Any) -> IntArray:
    """Number the instances of rows: those of a matrix of runs, by label, or by equal features."""
    if dimensions != 1:
        if groups is not None:
            raise RuntimeDataError("groups only goes with a vector y: every row of a matrix is an instance.")
        return np.arange(_num_samples(X))
    if groups is not None:
        return pd.factorize(np.asarray(groups, dtype=object), use_na_sentinel=False)[0].astype(np.int64)
    table = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X.toarray() if issparse(X) else np.asarray(X))
    return pd.factorize(pd.util.hash_pandas_object(table, index=False))[0].astype(np.int64)


def rows_of(X: Any, rows: Any) -> Any:
    """Return some rows of features in any form that models take."""
    if isinstance(X, pd.DataFrame):
        return X.iloc[rows]
    return X.tocsr()[rows] if issparse(X) else np.asarray(X)[rows]


def _per_run(cutoff: ArrayLike | None, values: FloatArray) -> FloatArray | None:
    """Return the cutoff of every run, in the order of the observations."""
    if cutoff is None:
        return None
    limits = check_numbers("cutoff", cutoff)
    if values.ndim == 2 and limits.shape == values.shape[:1]:
        limits = limits[:, None]
    try:
        limits = np.broadcast_to(limits, values.shape)[~np.isnan(values)]
    except ValueError:
        raise SettingError(
            f"cutoff has shape {limits.shape}: expected one number, one per row or the shape of y, {values.shape}."
        ) from None
    if not np.all(limits > 0):
        raise SettingError(f"cutoff is {limits[~(limits > 0)][0]}: expected positive seconds; infinity means none.")
    return limits


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
    sample = InstanceRuns.of(X, y, finished, groups, cutoff)
    return _calibrate(model, rows_of(X, sample.rows), sample.runs, sample.cutoff, cutoffs, level)


def calibrate_dataset(model: Any, data: Dataset, cutoffs: str = "global") -> Calibration:
    """Calibrate a fitted model with the runs of a data set.

    Parameters
    ----------
    model : RuntimeEstimator or RuntimePipeline
        A fitted model.
    data : Dataset
        Runs of instances that it has not learnt from. Groups take the place of instances, where there are any.
    cutoffs : {"global", "features", "random"}, default "global"
        How cutoffs were chosen: see `Bounded`.

    Returns
    -------
    Calibration
        Computes bounds from predictions.
    """
    data = data.matched()
    observed = data.runs.observed()
    instance = data.features.index.get_indexer(pd.Index(observed.frame["instance"])).astype(np.int64)
    runs = Observations(instance, observed.seconds, observed.finished, len(data))
    limits = _recorded(observed.frame["cutoff"].to_numpy(float), runs)
    units = None if data.groups is None else pd.factorize(data.groups.to_numpy(object))[0].astype(np.int64)
    return _calibrate(model, data.features, runs, limits, cutoffs, LEVEL, units)


def _recorded(limits: FloatArray, runs: Observations) -> FloatArray | None:
    """Return recorded cutoffs; None if there are none although runs were cut off."""
    if np.isinf(limits).all() and not runs.finished.all():
        return None
    late = runs.finished & (limits == runs.seconds)  # a run that finished past its limit is recorded with that time
    others = np.unique(limits[~late])
    return np.full(len(limits), others[0]) if others.size == 1 else limits


def _calibrate(
    model: Any,
    features: Any,
    runs: Observations,
    cutoff: FloatArray | None,
    cutoffs: str,
    level: float,
    units: IntArray | None = None,
) -> Calibration:
    """Score the runs; `features` has one row per instance, `units` groups of instances that are exchanged whole."""
    rtd = model.predict_distribution(features)
    cut = cut_runs(runs.seconds, runs.finished, runs.instance, cutoff, cutoffs, rtd.median())
    times, _ = Observations(runs.instance, cut.times, runs.finished, runs.n_instances).matrix()
    present = ~np.isnan(times)
    hazards = 0.0 - rtd.log_sf(np.where(present, times, 1.0))[present]
    unit = runs.instance if units is None else units[runs.instance]
    order = np.argsort(runs.instance, kind="stable")  # of the matrix
    kept = cut.kept[order]
    return Calibration(hazards[kept], np.unique(unit[order][kept], return_inverse=True)[1], cut.cutoff, level)


def calibration_of(model: Any) -> Calibration:
    """Return the calibration of a model; a SettingError reports that it has none."""
    found: Calibration | None = getattr(model, "bounds_", None)
    if found is None:
        raise SettingError(f"bounds: {NO_CALIBRATION}")
    return found
