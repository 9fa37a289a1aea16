"""The target of a model in one object, which scikit-learn's tools carry along."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayes_distnet.data.observations import check_seconds
from bayes_distnet.errors import RuntimeDataError

TARGET = np.dtype([("finished", bool), ("seconds", np.float64)])


def runtimes(seconds: ArrayLike, finished: ArrayLike) -> NDArray[Any]:
    """Put seconds and finished flags into one target y.

    Whatever splits, shuffles or subsamples it keeps the flags: `train_test_split`, `cross_val_score`, `GridSearchCV`,
    `permutation_importance` and all other tools of scikit-learn. `fit`, `score` and the scores of this package take it.

    Parameters
    ----------
    seconds : array-like
        Seconds: a vector, or a matrix instances x runs with NaN where there is no run. A Series or DataFrame will do.
    finished : array-like of bool
        Whether each run finished, in the shape of `seconds`; the others were cut off at their seconds.

    Returns
    -------
    ndarray
        Structured array with the fields finished and seconds, in the shape of `seconds`.

    Raises
    ------
    RuntimeDataError
        Values that are no runtimes, flags that are no booleans, or different shapes.

    Examples
    --------
    >>> y = runtimes([0.5, 60.0, 3.0], finished=[True, False, True])
    >>> y[1:]["seconds"], y[1:]["finished"]
    (array([60.,  3.]), array([False,  True]))
    >>> runtimes([[0.5, 60.0], [3.0, np.nan]], [[True, False], [True, False]]).shape    # two runs of two instances
    (2, 2)
    """
    if finished is None:
        raise RuntimeDataError("runtimes: finished is None; give one boolean per run.")
    values, flags = check_seconds(seconds, finished, what="seconds")
    if values.ndim not in (1, 2):
        raise RuntimeDataError(
            f"runtimes: seconds must be a vector or a matrix instances x runs, found shape {values.shape}."
        )
    target = np.empty(values.shape, dtype=TARGET)
    target["finished"], target["seconds"] = flags, values
    return target
