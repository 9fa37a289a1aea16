"""The background: a few training instances that a model keeps, with which explanations compare an instance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse

from bayes_distnet.arrays import FloatArray, IndexArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.data.targets import split_target
from bayes_distnet.models.saving import Arrays

ROWS = 64  # most instances that are kept
NAME = "background"  # of the array in a saved model


def evenly_spaced(n: int, most: int) -> IndexArray:
    """Return at most so many of n places, at even distances."""
    return np.unique(np.round(np.linspace(0, n - 1, min(n, most))).astype(np.intp))


def background_of(features: FloatArray, observations: Observations) -> FloatArray:
    """Choose training instances that stand for all: evenly spaced from the fastest to the slowest.

    Parameters
    ----------
    features : ndarray of shape (n_instances, n_features)
        Training features.
    observations : Observations
        Training runs.

    Returns
    -------
    ndarray
        At most `ROWS` rows of the features, ordered by the mean log time of their runs.
    """
    total = np.bincount(observations.instance, np.log(observations.seconds), observations.n_instances)
    order = np.argsort(total / np.maximum(observations.runs_of_each(), 1), kind="stable")
    return np.array(features[order[evenly_spaced(len(order), ROWS)]])


def raw_background(X: Any, y: Any) -> Any:
    """Choose rows of raw features as `background_of` does.

    Parameters
    ----------
    X : array-like or DataFrame
        Training features in any form.
    y : array-like
        Runs: see `RuntimeEstimator.fit`.

    Returns
    -------
    DataFrame, ndarray or None
        At most `ROWS` rows; None of a sparse matrix, which explanations do not take.
    """
    if issparse(X) or np.ndim(X) != 2:
        return None
    seconds = np.asarray(split_target(y, None)[0], dtype=np.float64)
    with np.errstate(divide="ignore"):
        times = np.log(seconds.reshape(len(seconds), -1))
    known = ~np.isnan(times)
    means = np.where(known, times, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    rows = np.argsort(means, kind="stable")
    table = X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X))
    different = rows[~table.iloc[rows].duplicated().to_numpy()]  # several runs of one instance are one row
    chosen = different[evenly_spaced(len(different), ROWS)]
    return table.iloc[chosen].reset_index(drop=True) if table is X else np.asarray(X)[chosen]


def to_arrays(background: FloatArray | None) -> Arrays:
    """Return a background as a plain array, with a name that no model has; nothing where there is none."""
    return {} if background is None else {NAME: background}


def from_arrays(arrays: Arrays, n_features: int) -> tuple[FloatArray | None, Arrays]:
    """Restore a background from the arrays of a model, and return the others.

    Parameters
    ----------
    arrays : dict
        Arrays of a saved model.
    n_features : int
        Number of its features.

    Returns
    -------
    background : ndarray or None
        None for a model that was saved without.
    rest : dict
        The other arrays.
    """
    rest = {name: array for name, array in arrays.items() if name != NAME}
    rows = arrays.get(NAME)
    if rows is None:
        return None, rest
    if rows.dtype != np.float64 or rows.ndim != 2 or rows.shape[1] != n_features or not 0 < len(rows) <= ROWS:
        raise ValueError(f"background is {rows.dtype} of shape {rows.shape}, not rows of {n_features} features")
    if np.isinf(rows).any():
        raise ValueError("background is not finite")
    return rows, rest
