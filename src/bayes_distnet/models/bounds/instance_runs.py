"""Runs that calibrate a model, grouped by instance."""

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
from bayes_distnet.models.bounds.cutoffs import CutRuns, cut_runs
from bayes_distnet.validation import check_numbers


@dataclass(frozen=True)
class InstanceRuns:
    """Runs, and the features of their instances.

    Parameters
    ----------
    features : array-like or DataFrame
        One row per instance.
    runs : Observations
        The runs.
    cutoff : ndarray of shape (n_runs,) or None
        Cutoff of each run.
    unit : ndarray of int of shape (n_instances,) or None
        Group of each instance, where groups are drawn, not single instances.
    """

    features: Any
    runs: Observations
    cutoff: FloatArray | None
    unit: IntArray | None = None

    @classmethod
    def of(cls, X: Any, y: Any, finished: Any, groups: Any, cutoff: ArrayLike | None) -> InstanceRuns:
        """Group runs by instance: see `RuntimeEstimator.fit`."""
        seconds, flags = split_target(y, finished)
        values = as_numbers(seconds, "y")
        codes = instance_codes(X, values.ndim, groups)
        labels = codes if values.ndim == 1 else None
        key, runs = observe(codes[:, None].astype(float), seconds, flags, labels, need_finished=False)
        first = np.unique(codes, return_index=True)[1]
        return cls(rows_of(X, first[key[:, 0].astype(np.int64)]), runs, _per_run(cutoff, values))

    @classmethod
    def of_dataset(cls, data: Dataset) -> InstanceRuns:
        """Take the runs of a data set and their recorded cutoffs."""
        observed = data.runs.observed()
        instance = data.features.index.get_indexer(pd.Index(observed.frame["instance"])).astype(np.int64)
        runs = Observations(instance, observed.seconds, observed.finished, len(data))
        unit = None if data.groups is None else pd.factorize(data.groups.to_numpy(object))[0].astype(np.int64)
        return cls(data.features, runs, _recorded(observed.frame["cutoff"].to_numpy(float), runs), unit)

    def cut(self, cutoffs: str, predicted: FloatArray | None = None) -> CutRuns:
        """Bring the runs under comparable cutoffs: see `cut_runs`; without predictions, only check them."""
        medians = np.ones(self.runs.n_instances) if predicted is None else predicted
        return cut_runs(self.runs.seconds, self.runs.finished, self.runs.instance, self.cutoff, cutoffs, medians)


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


def _recorded(limits: FloatArray, runs: Observations) -> FloatArray | None:
    """Return recorded cutoffs; None if there are none although runs were cut off."""
    if np.isinf(limits).all() and not runs.finished.all():
        return None
    late = runs.finished & (limits == runs.seconds)  # a run that finished past its limit is recorded with that time
    others = np.unique(limits[~late])
    return np.full(len(limits), others[0]) if others.size == 1 else limits
