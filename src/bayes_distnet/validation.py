"""Checks of arguments: each returns the value in one form, or raises an error that shows what was found."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from bayes_distnet.errors import RuntimeDataError, SettingError

if TYPE_CHECKING:  # the command line uses these checks before anything heavy is imported
    from bayes_distnet.arrays import FloatArray


def check_choice(name: str, value: object, allowed: tuple[object, ...]) -> None:
    """Raise a `SettingError` unless a setting is one of the allowed values."""
    if not any(value is one or (isinstance(value, str) and value == one) for one in allowed):
        raise SettingError(f"{name}={value!r}: expected one of {', '.join(map(repr, allowed))}.")


def check_at_least(name: str, value: Any, least: int) -> None:
    """Raise a `SettingError` unless a setting is a whole number of at least `least`."""
    if not _is_whole(value) or value < least:
        raise SettingError(f"{name}={value!r}: expected a whole number of at least {least}.")


def check_seed(name: str, value: Any) -> int:
    """Return a seed as an int; raise a `SettingError` unless it is a whole number of at least 0."""
    check_at_least(name, value, 0)
    return int(value)


def check_positive(name: str, value: Any) -> None:
    """Raise a `SettingError` unless a setting is a positive, finite number."""
    if not is_number(value) or not 0 < value < math.inf:
        raise SettingError(f"{name}={value!r}: expected a positive number.")


def is_number(value: Any) -> bool:
    """Whether a value is a real number; a bool is none."""
    return isinstance(value, Real) and str(type(value)) not in _BOOLEANS


_BOOLEANS = ("<class 'bool'>", "<class 'numpy.bool'>")


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and str(type(value)) not in _BOOLEANS


def check_numbers(name: str, values: Any, error: type[RuntimeDataError | SettingError] = SettingError) -> FloatArray:
    """Return numbers of any shape as float64; text, dates, complex numbers and ragged lists are refused."""
    import numpy as np

    try:
        array = np.asarray(values)
        if array.dtype.kind not in "USmMc":
            return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        pass
    raise error(f"{name}: expected a number or an array of numbers, found {values!r:.100}.")


def check_level(level: Any, name: str = "level") -> float:
    """Return a probability strictly between 0 and 1."""
    if not is_number(level) or not 0 < level < 1:
        raise SettingError(f"{name}={level!r}: expected a number between 0 and 1, both excluded.")
    return float(level)


def check_part(part: Any, name: str) -> float:
    """Return a share of runs that leaves some: at least 0, less than 1."""
    if not is_number(part) or not 0 <= part < 1:
        raise SettingError(f"{name}={part!r}: expected a number in [0, 1).")
    return float(part)


def check_row(name: str, row: Any, n: int) -> None:
    """Raise an error unless a row, counted from the start or from the end, is one of n."""
    check_at_least(name, row, -n)
    if row >= n:
        raise SettingError(f"{name}={row!r}: expected a whole number below {n}, the number of rows.")
