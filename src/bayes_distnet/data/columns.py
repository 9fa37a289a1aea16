"""Recognition of the columns of a user's table: numbers, truth values, dates, levels, and those that identify rows."""

from __future__ import annotations

import re
from enum import StrEnum

import numpy as np
import pandas as pd

from bayes_distnet.data.values import as_dates, as_floats, as_text, is_word_of_truth

MOSTLY = 0.95  # fraction of the values that decides on the kind of a column of text
UNIQUE = 0.95  # fraction of different values from which on text identifies rows
FEW_ROWS = 50  # rows below which running numbers are no sign of an identifier
_NAMED_AS_IDENTIFIER = re.compile(r"(^|[_\W])(id|uid|uuid|guid|key|index|nr|no|number)$|[a-z](ID|Id)$", re.IGNORECASE)


class Kind(StrEnum):
    """What the values of a column are."""

    NUMBER = "number"
    TRUTH = "truth"
    DATE = "date"
    LEVELS = "levels"
    EMPTY = "empty"


def recognise(column: pd.Series) -> Kind:
    """Recognise the kind of a column.

    Text in which nearly all values are numbers (or durations), or dates, is such a column; the others are missing
    values of it.

    Parameters
    ----------
    column : Series
        A column of any type.

    Returns
    -------
    Kind
        Its kind; levels are text or categories.

    Examples
    --------
    >>> [str(recognise(pd.Series(some))) for some in ([1, 2], ["yes", "no"], ["2026-03-01"], ["red", "blue"])]
    ['number', 'truth', 'date', 'levels']
    """
    dtype = column.dtype
    if not column.notna().any():
        return Kind.EMPTY
    if pd.api.types.is_bool_dtype(dtype):
        return Kind.TRUTH
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return Kind.DATE
    if pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_timedelta64_dtype(dtype):
        return Kind.NUMBER
    if isinstance(dtype, pd.CategoricalDtype):
        return Kind.LEVELS
    text = [value for value in as_text(column) if value is not None]
    if not text:
        return Kind.EMPTY
    if all(map(is_word_of_truth, text)):
        return Kind.TRUTH
    for kind, read in ((Kind.NUMBER, as_floats), (Kind.DATE, as_dates)):
        if read(column)[1].sum() <= (1 - MOSTLY) * len(text):
            return kind
    return Kind.LEVELS


def identifies_rows(column: pd.Series, kind: Kind) -> bool:
    """Whether a column identifies rows instead of describing them: unique text, or running whole numbers.

    Parameters
    ----------
    column : Series
        A column of any type.
    kind : Kind
        Its kind.

    Returns
    -------
    bool
        True for text of which nearly all values differ, and for different whole numbers that are close together (in
        tables of at least fifty rows) or whose name ends in id, key, number or the like.

    Examples
    --------
    >>> identifies_rows(pd.Series(["a7", "b2", "c9"]), Kind.LEVELS)
    True
    >>> identifies_rows(pd.Series([10, 20, 30], name="size"), Kind.NUMBER)
    False
    """
    if kind is Kind.LEVELS:
        text = [value for value in as_text(column) if value is not None]
        return len(text) > 2 and len(set(text)) >= UNIQUE * len(text)
    if kind is not Kind.NUMBER:
        return False
    numbers, _ = as_floats(column)
    if len(numbers) < 3 or np.isnan(numbers).any() or (numbers != np.floor(numbers)).any():
        return False
    if len(np.unique(numbers)) < len(numbers):
        return False
    dense = np.ptp(numbers) < 3 * len(numbers) and len(numbers) >= FEW_ROWS
    return bool(dense or _NAMED_AS_IDENTIFIER.search(str(column.name)) is not None)
