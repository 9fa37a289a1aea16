"""Checks of the features that are given to an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from bayes_distnet.arrays import FloatArray
from bayes_distnet.errors import FeatureError, FeatureTypeError


def check_features(estimator: Any, X: Any, *, reset: bool) -> FloatArray:
    """Return features as numbers; NaN where a value is missing.

    Parameters
    ----------
    estimator : estimator
        Receives number and names of the features, or has them already.
    X : array-like, sparse matrix or DataFrame
        Features, one row per instance.
    reset : bool
        Whether the estimator is being fitted; otherwise the features must be those that it was fitted on.

    Returns
    -------
    ndarray of shape (n_rows, n_features)
        The features.

    Raises
    ------
    FeatureError
        Features that are no finite numbers, named twice, or not those of the training data.
    """
    if isinstance(X, pd.DataFrame):
        if not X.columns.is_unique:
            twice = sorted({str(name) for name in X.columns[X.columns.duplicated()]})
            raise FeatureError(f"X: columns {twice} occur more than once. Give every feature its own name.")
        text = [str(c) for c in X.columns if not pd.api.types.is_numeric_dtype(X[c])]
        if text:
            raise FeatureError(f"X: columns {text} are not numeric. Encode or drop them.")
        if not all(isinstance(name, str) for name in X.columns):
            X = X.set_axis([str(name) for name in X.columns], axis=1)  # so that they are checked by name, too
    if isinstance(X, np.ma.MaskedArray):
        X = X.filled(np.nan)
    try:
        checked = validate_data(
            estimator,
            X,
            reset=reset,
            dtype=np.float64,
            ensure_all_finite="allow-nan",
            ensure_min_features=1,
            accept_sparse=("csr", "csc", "coo"),
        )
    except TypeError as error:
        raise FeatureTypeError(f"X: {error}") from error
    except ValueError as error:
        raise FeatureError(f"X: {error}") from error
    return np.asarray(checked.toarray() if issparse(checked) else checked)
