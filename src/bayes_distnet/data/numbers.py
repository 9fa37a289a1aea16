"""Values of any kind as arrays: numbers that a caller may have given as lists, tables or masked arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.errors import RuntimeDataError


def as_array(values: Any, what: str) -> tuple[NDArray[Any], BoolArray]:
    """Convert values to an array.

    Parameters
    ----------
    values : array-like
        Values of any type.
    what : str
        Name of the values in messages.

    Returns
    -------
    array : ndarray
        The values.
    missing : ndarray of bool
        Mask of the missing values: NaN, None, pandas' NA, or masked.

    Raises
    ------
    RuntimeDataError
        If the rows differ in length.
    """
    try:
        if isinstance(values, list | tuple) and any(isinstance(value, np.ma.MaskedArray) for value in values):
            values = np.ma.array(values)
        array = np.asarray(values)
        ragged = array.dtype == object and any(isinstance(v, list | tuple | np.ndarray) for v in array.flat)
    except ValueError:
        ragged = True
    if ragged:
        raise RuntimeDataError(
            f"{what}: rows of different lengths. Pad them with NaN (finished: False) to a matrix instances x runs, or "
            "give a vector of all runs, and the instance of each as groups."
        )
    missing = np.asarray(pd.isna(array)) if array.dtype.kind in "fO" else np.zeros(array.shape, dtype=bool)
    if isinstance(values, np.ma.MaskedArray) and array.dtype.names is None:
        missing = missing | np.ma.getmaskarray(values)
    return array, missing


def as_numbers(values: Any, what: str) -> FloatArray:
    """Convert numbers to float64.

    Parameters
    ----------
    values : array-like
        Numbers, some of which may be missing.
    what : str
        Name of the numbers in messages.

    Returns
    -------
    ndarray
        The numbers; NaN where one is missing.

    Raises
    ------
    RuntimeDataError
        If a value is no number, or the rows differ in length.
    """
    array, missing = as_array(values, what)
    found = str(array.dtype)
    if array.dtype == object and any(isinstance(value, bool | np.bool_) for value in array.flat):
        found = "bool"
    if found == "bool" or array.dtype.kind in "mMcV":
        hint = " Turn durations into seconds with .dt.total_seconds()." if array.dtype.kind == "m" else ""
        raise RuntimeDataError(f"{what} must be numbers (seconds), found {found}.{hint}")
    try:
        return np.array(np.where(missing, np.nan, array) if missing.any() else array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise RuntimeDataError(f"{what} must be numbers (seconds); {error}.") from error


def first_of(mask: BoolArray) -> str:
    """Return the index of the first True in a mask, as messages show it: "2" or "2, 0"."""
    return ", ".join(str(int(i)) for i in np.argwhere(mask)[0])
