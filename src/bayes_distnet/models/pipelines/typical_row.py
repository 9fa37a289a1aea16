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


def to_plain(rows: Any) -> list[list[Any]]:
    """Return rows as JSON can hold them: kind and values of every column."""
    table = pd.DataFrame(rows)
    return [[table.dtypes.iloc[i].kind, [_plain(value) for value in table.iloc[:, i]]] for i in range(table.shape[1])]


def background_to_plain(rows: Any) -> list[list[Any]] | None:
    """Return rows as JSON can hold them; None if there are none, or with values other than those of a typical row."""
    if rows is None:
        return None
    plain = to_plain(rows)
    held = str | bool | int | float | None
    if all(kind in _KINDS and all(isinstance(value, held) for value in values) for kind, values in plain):
        return plain
    return None


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return None if value is pd.NA or (isinstance(value, float) and np.isnan(value)) else value


def from_plain(plain: list[list[Any]], names: list[str] | None) -> Any:
    """Return the rows that `to_plain` was called on; an array if the columns have no names.

    Parameters
    ----------
    plain : list
        Kind and values of every column.
    names : list of str or None
        Names of the columns.

    Returns
    -------
    DataFrame or ndarray
        The rows.
    """
    table = pd.concat([_column(kind, values) for kind, values in plain], axis=1)
    return table.to_numpy() if names is None else table.set_axis(names, axis=1)


def _column(kind: str, values: Any) -> pd.Series[Any]:
    known = values if isinstance(values, list) else [values]  # one value: a row that an earlier release wrote
    lacking = kind in "iub" and None in known  # of a type of pandas that has missing values
    dtype = ("object" if kind == "b" else "float64") if lacking else _KINDS[kind]
    return pd.Series([np.nan if value is None else value for value in known], dtype=dtype)
