"""Predicted distributions of instances that took no part in the fit, for any estimator that predicts them.

scikit-learn's `cross_val_predict` puts arrays together; distributions are put together here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold
from sklearn.utils import _safe_indexing, indexable

from bayes_distnet.arrays import IndexArray
from bayes_distnet.data.runtimes import runtimes
from bayes_distnet.data.targets import split_target
from bayes_distnet.distributions.instance_runtimes import InstanceRuntimes
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import RuntimeDataError, SettingError


def cross_val_predict_distribution(
    model: Any,
    X: Any,
    y: Any,
    *,
    finished: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    cv: Any = 5,
) -> PredictedRuntimes:
    """Predict the distribution of every row by a model that was fitted to the other folds.

    Parameters
    ----------
    model : estimator
        A model, or a pipeline that ends in one: it needs `fit` and `predict_distribution`. It is cloned.
    X : array-like or DataFrame
        Features, one row per row of y.
    y : array-like
        Runs, in a form that `fit` takes.
    finished : array-like of bool or None, default None
        Whether each run finished, where y does not hold the flags.
    groups : array-like or None, default None
        Instance of every row, where there is one row per run. By default rows with the same features are runs of one
        instance.
    cv : int or splitter, default 5
        Number of folds, each a random part of the instances; or a splitter of scikit-learn, whose test sets hold every
        row once.

    Returns
    -------
    PredictedRuntimes
        One row per row of X, in the same order.

    Raises
    ------
    RuntimeDataError
        Rows that are in no test set or in several, or different numbers of rows.
    SettingError
        A model whose predictions cannot be put together.

    Examples
    --------
    >>> from bayes_distnet import Ridge, make_runs, runtimes
    >>> data = make_runs(n_instances=40, n_runs=2, random_state=0).cut_off(0.3)
    >>> rtd = cross_val_predict_distribution(Ridge(), data.features, runtimes(data.seconds, data.finished))
    >>> rtd.quantile([0.5, 0.9]).shape
    (40, 2)
    """
    seconds, flags = split_target(y, finished)
    try:
        X, seconds, flags, groups = indexable(X, seconds, flags, groups)
    except ValueError as error:
        raise RuntimeDataError(f"X, y, finished and groups need one row per row of X: {error}") from error
    target = seconds if flags is None else runtimes(seconds, flags)
    tests, parts = [], []
    for train, test in _folds(X, seconds, groups, cv):
        fitted = clone(model).fit(_safe_indexing(X, train), _safe_indexing(target, train))
        tests.append(test)
        parts.append(fitted.predict_distribution(_safe_indexing(X, test)))
    rows = np.concatenate(tests)
    if not np.array_equal(np.sort(rows), np.arange(len(seconds))):
        raise RuntimeDataError(f"cv={cv!r}: its test sets do not hold every row once; take KFold or GroupKFold.")
    return _joined(parts, model)[np.argsort(rows)]


def _folds(X: Any, seconds: Any, groups: Any, cv: Any) -> list[tuple[IndexArray, IndexArray]]:
    if hasattr(cv, "split"):
        return list(cv.split(X, None, groups))
    labels = _instances(X) if groups is None and np.ndim(seconds) == 1 else groups
    # Shuffled: tables are often sorted by kind of instance.
    splitter = (
        KFold(cv, shuffle=True, random_state=0) if labels is None else GroupKFold(cv, shuffle=True, random_state=0)
    )
    try:
        return list(splitter.split(X, None, labels))
    except ValueError as error:
        raise SettingError(f"cv={cv!r}: {error}") from error


def _instances(X: Any) -> IndexArray:
    """Return the number of the instance of each row: rows with the same features are runs of one."""
    table = pd.DataFrame(X)
    return np.asarray(table.groupby(list(table.columns), dropna=False, sort=False).ngroup().to_numpy(), dtype=np.intp)


def _joined(parts: list[Any], model: Any) -> PredictedRuntimes:
    for kind in (RuntimeDistribution, InstanceRuntimes):
        if all(isinstance(part, kind) for part in parts):
            joined: PredictedRuntimes = kind.concat(parts)
            return joined
    raise SettingError(f"{type(model).__name__}: predictions of its folds cannot be put together.")
