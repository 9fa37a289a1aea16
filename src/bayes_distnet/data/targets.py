"""Targets that hold seconds and finished flags together: structured arrays, tables of two columns, lists of pairs.

Such a target is one object with one row per row of X: whatever splits, shuffles or subsamples y keeps the flags beside
their seconds. The forms below are taken apart here, and those that look like them are refused by name: read as a matrix
of runs, the flags would count as runs of one second.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from bayes_distnet.errors import RuntimeDataError

TOLD_APART = "Use bayes_distnet.runtimes(seconds, finished), or pass the seconds as y and the flags as finished."
#: Names of columns that are not one run each.
COLUMN_NAMES = {"finished", "solved", "event", "status", "censored", "timeout", "cut_off", "cutoff"} | {
    *("seconds", "time", "runtime", "duration", "seed", "instance")
}


def split_target(y: Any, finished: Any = None, *, what: str = "y") -> tuple[Any, Any]:
    """Take a target of seconds and finished flags apart.

    Parameters
    ----------
    y : array-like
        A structured array of one boolean and one number field, in any shape; a DataFrame of one boolean and one number
        column; pairs of a boolean and a number, in a list, a Series or an array. Anything else is returned as it is.
    finished : array-like or None
        Flags that were passed apart; only with other targets.
    what : str, default "y"
        Name of the target in messages.

    Returns
    -------
    seconds, finished : array-like
        Both parts, unchecked; `finished` is None where nothing marks the finished runs.

    Raises
    ------
    RuntimeDataError
        Flags that are given twice, or a table that can be no matrix of runs.

    Examples
    --------
    >>> split_target([(True, 0.5), (False, 60.0)])
    (array([ 0.5, 60. ]), array([ True, False]))
    """
    parts = _parts(y, what)
    if parts is None:
        if finished is None:
            _refuse_flags_as_runs(y, what)
        return y, finished
    if finished is not None:
        raise RuntimeDataError(f"{what} marks the finished runs itself: do not pass finished as well.")
    return parts


def _parts(y: Any, what: str) -> tuple[Any, Any] | None:
    if isinstance(y, pd.DataFrame):
        return _columns(y, what)
    if isinstance(y, np.ndarray) and y.dtype.names is not None:
        return _fields(y, what)
    if isinstance(y, np.ndarray) and y.dtype == object and y.ndim == 2 and y.shape[1] == 2:
        return _columns(pd.DataFrame(y), what)
    if isinstance(y, list | tuple | pd.Series) or (isinstance(y, np.ndarray) and y.dtype == object and y.ndim == 1):
        return _pairs(list(y), what)
    return None


def _fields(y: Any, what: str) -> tuple[Any, Any]:
    names = y.dtype.names
    kinds = {y.dtype[name].kind: name for name in names}
    if len(names) != 2 or "b" not in kinds or not set(kinds) & set("fiu"):
        raise RuntimeDataError(
            f"{what}: a structured array needs one boolean and one number field, found {y.dtype.descr}."
        )
    number = next(name for name in names if name != kinds["b"])
    return y[number], y[kinds["b"]]


def _columns(table: pd.DataFrame, what: str) -> tuple[Any, Any] | None:
    flags = [i for i in range(table.shape[1]) if _is_flags(table.iloc[:, i])]
    if table.shape[1] == 2 and len(flags) == 1:
        return table.iloc[:, 1 - flags[0]].to_numpy(), table.iloc[:, flags[0]].to_numpy()
    named = [str(name) for name in table.columns if str(name).lower() in COLUMN_NAMES]
    if flags or (named and table.shape[1] > 1):
        raise RuntimeDataError(
            f"{what}: a table with the columns {[str(name) for name in table.columns]}; expected one column of seconds "
            f"and one of booleans (finished), or one column of seconds per run. {TOLD_APART}"
        )
    return None


def _is_flags(column: pd.Series[Any]) -> bool:
    if column.dtype == object:
        return len(column) > 0 and all(isinstance(value, bool | np.bool_) for value in column)
    return pd.api.types.is_bool_dtype(column.dtype)


def _pairs(rows: list[Any], what: str) -> tuple[Any, Any] | None:
    """Return the parts of pairs; None for rows without a boolean, which are runs."""
    if not any(isinstance(v, bool | np.bool_) for row in rows if isinstance(row, list | tuple) for v in row):
        return None
    table = pd.DataFrame([list(row) if isinstance(row, list | tuple) else [row] for row in rows], dtype=object)
    parts = _columns(table, what) if table.shape[1] == 2 else None
    if parts is None:
        raise RuntimeDataError(
            f"{what}: rows that mix booleans and numbers; expected pairs (finished, seconds). {TOLD_APART}"
        )
    seconds, finished = parts
    return np.array(seconds.tolist()), finished.astype(bool)


def _refuse_flags_as_runs(y: Any, what: str) -> None:
    """Refuse two columns of numbers one of which holds zeros and ones: flags that were turned into numbers."""
    if not (hasattr(y, "ndim") and y.ndim == 2 and y.shape[1] == 2):
        return
    values = np.asarray(y)
    if values.dtype.kind not in "fiu" or np.ma.isMaskedArray(y):
        return
    flags = [bool(np.isin(column, (0, 1)).all() and (column == 0).any() and (column == 1).any()) for column in values.T]
    if sum(flags) == 1:
        raise RuntimeDataError(
            f"{what}: column {flags.index(True)} of two holds zeros and ones only, which are flags, not runtimes. "
            f"{TOLD_APART}"
        )
