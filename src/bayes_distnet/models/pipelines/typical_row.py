"""A typical row of a table: with it, a pipeline that was read from disk is tested."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

_KINDS = {"f": "float64", "i": "int64", "u": "int64", "b": "bool", "O": "object"}


def typical_row(X: Any) -> Any:
    """Return one row with the median or the most frequent value of every column; each occurs in the column.

    Parameters
    ----------
    X : array-like or DataFrame
        Features, one row per instance.

    Returns
    -------
    DataFrame, ndarray or None
        A table of one row if X is a table; None if a column holds something other than numbers, booleans and text.

    Examples
    --------
    >>> typical_row(pd.DataFrame({"size": [3.0, 1.0, 2.0], "kind": ["a", "b", "b"]})).to_dict("records")
    [{'size': 2.0, 'kind': 'b'}]
    """
    table = X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X))
    row = {name: _typical(table.iloc[:, place]) for place, name in enumerate(table.columns)}
    if any(len(column) != 1 for column in row.values()) or not table.columns.is_unique:
        return None
    found = pd.DataFrame(row, columns=table.columns)
    return found if table is X else found.to_numpy()


def _typical(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return one value as a column; none for a column of other values."""
    known = column.dropna()
    if pd.api.types.is_bool_dtype(column) or not pd.api.types.is_numeric_dtype(column):
        common = known.mode().iloc[:1].astype(object)
        kinds = bool | np.bool_ if pd.api.types.is_bool_dtype(column) else str
        common = common if all(isinstance(value, kinds) for value in common) else common.iloc[:0]
        return common.astype(bool) if pd.api.types.is_bool_dtype(column) else common
    if known.empty:
        return pd.Series([np.nan])
    return pd.Series(np.sort(known.to_numpy())[[(len(known) - 1) // 2]])


def to_plain(example: Any) -> list[list[Any]]:
    """Return a typical row as JSON can hold it: kind and value of every column."""
    row = pd.DataFrame(example)
    return [[row.dtypes.iloc[i].kind, _plain(row.iloc[0, i])] for i in range(row.shape[1])]


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and np.isnan(value) else value


def from_plain(plain: list[list[Any]], names: list[str] | None) -> Any:
    """Return the row that `to_plain` was called on; an array if the columns have no names.

    Parameters
    ----------
    plain : list
        Kind and value of every column.
    names : list of str or None
        Names of the columns.

    Returns
    -------
    DataFrame or ndarray
        One row.
    """
    columns = [pd.Series([np.nan if value is None else value], dtype=_KINDS[kind]) for kind, value in plain]
    table = pd.concat(columns, axis=1)
    return table.to_numpy() if names is None else table.set_axis(names, axis=1)
