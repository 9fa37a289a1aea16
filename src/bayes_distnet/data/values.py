"""Values of one column of a user's table, read as numbers, truth values, dates or text.

Every function takes a column of any type, as CSV and Parquet files and data frames hold them, and marks values that are
missing or cannot be read in this way.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayes_distnet.arrays import BoolArray, FloatArray

#: Texts that mean "no value".
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "?")

_TRUE, _FALSE = ("true", "yes", "t", "y"), ("false", "no", "f", "n")
# [days-]hours:minutes[:seconds], as batch systems print durations.
_DURATION = re.compile(r"^(?:(\d+)-)?(\d+):([0-5]?\d)(?::([0-5]?\d(?:\.\d+)?))?$")


def as_text(column: pd.Series) -> NDArray[np.object_]:
    """Read a column as text.

    Parameters
    ----------
    column : Series
        A column of any type.

    Returns
    -------
    ndarray of object
        Text without blanks around it, whole numbers without a decimal point; None where there is no value.

    Examples
    --------
    >>> as_text(pd.Series([1.0, np.nan])).tolist(), as_text(pd.Series([" a", "NA"])).tolist()
    (['1', None], ['a', None])
    """
    return np.array([_text(value) for value in column.astype(object)], dtype=object)


def _text(value: Any) -> str | None:
    if value is None or value is pd.NaT or value is pd.NA:
        return None
    if isinstance(value, float | np.floating):
        return None if np.isnan(value) else str(int(value)) if float(value).is_integer() else str(float(value))
    text = str(value).strip()
    return None if text in MISSING else text


def as_floats(column: pd.Series) -> tuple[FloatArray, BoolArray]:
    """Read a column as numbers; durations such as 1-02:30:00 become seconds.

    Parameters
    ----------
    column : Series
        A column of any type.

    Returns
    -------
    numbers : ndarray of float
        NaN where there is no finite number.
    stray : ndarray of bool
        Values that are there and no finite numbers.

    Examples
    --------
    >>> as_floats(pd.Series(["1.5", "00:02:00", "", "red"]))
    (array([  1.5, 120. ,   nan,   nan]), array([False, False, False,  True]))
    """
    if pd.api.types.is_timedelta64_dtype(column.dtype):
        numbers = column.dt.total_seconds().to_numpy(float)
        return numbers, np.zeros(len(numbers), dtype=bool)
    if pd.api.types.is_numeric_dtype(column.dtype):
        numbers = column.to_numpy(dtype=float, na_value=np.nan)
        stray = np.isinf(numbers)
        return np.where(stray, np.nan, numbers), stray
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return np.full(len(column), np.nan), column.notna().to_numpy()
    text = as_text(column)
    numbers = np.array([np.nan if one is None else _number(one) for one in text], dtype=float)
    present = np.array([one is not None for one in text], dtype=bool)
    return numbers, present & np.isnan(numbers)


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return _duration(text)
    return number if math.isfinite(number) else np.nan


def _duration(text: str) -> float:
    found = _DURATION.match(text)
    if found is None:
        return np.nan
    days, hours, minutes, seconds = (float(part or 0) for part in found.groups())
    return 86400 * days + 3600 * hours + 60 * minutes + seconds


def as_truth(column: pd.Series) -> tuple[FloatArray, BoolArray]:
    """Read a column as truth values: true and false, yes and no, 1 and 0.

    Parameters
    ----------
    column : Series
        A column of any type.

    Returns
    -------
    truth : ndarray of float
        1, 0, or NaN where there is no truth value.
    stray : ndarray of bool
        Values that are there and no truth values.

    Examples
    --------
    >>> as_truth(pd.Series(["yes", "False", "1", None, "maybe"]))
    (array([ 1.,  0.,  1., nan, nan]), array([False, False, False, False,  True]))
    """
    words = dict.fromkeys((*_TRUE, "1"), 1.0) | dict.fromkeys((*_FALSE, "0"), 0.0)
    text = as_text(column)
    truth = np.array([np.nan if one is None else words.get(one.casefold(), np.nan) for one in text], dtype=float)
    return truth, np.array([one is not None for one in text], dtype=bool) & np.isnan(truth)


def is_word_of_truth(text: str) -> bool:
    """Whether a text is a truth value in words; 1 and 0 are numbers."""
    return text.casefold() in _TRUE + _FALSE


def as_dates(column: pd.Series) -> tuple[NDArray[np.datetime64], BoolArray]:
    """Read a column as points in time, in UTC if it names a time zone.

    Parameters
    ----------
    column : Series
        A column of dates, or of text as ISO 8601 has it (2026-03-01, 2026-03-01T08:30:00).

    Returns
    -------
    dates : ndarray of datetime64
        NaT where there is no date.
    stray : ndarray of bool
        Values that are there and no dates.
    """
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        parsed = pd.Series(pd.to_datetime(column, utc=True))
        return parsed.dt.tz_localize(None).to_numpy(dtype="datetime64[ns]"), np.zeros(len(column), dtype=bool)
    if pd.api.types.is_numeric_dtype(column.dtype):
        return np.full(len(column), np.datetime64("NaT", "ns")), column.notna().to_numpy()
    text = pd.Series(as_text(column), dtype=object)
    parsed = pd.Series(pd.to_datetime(text, errors="coerce", format="ISO8601", utc=True))
    dates = parsed.dt.tz_localize(None).to_numpy(dtype="datetime64[ns]")
    return dates, text.notna().to_numpy() & np.isnat(dates)


def shown(value: Any) -> str:
    """Return a value as messages show it."""
    return repr(value.item() if isinstance(value, np.generic) else value)
