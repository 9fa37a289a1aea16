"""Every error this package raises on purpose.

```
BayesDistNetError
├── RuntimeDataError   (ValueError)   runtimes, finished flags, cutoffs or groups that cannot be used
├── FeatureError       (ValueError)   a feature table that cannot be used, or not the one fitted on
│   └── FeatureTypeError (TypeError)  a feature table of a kind that cannot be read as numbers at all
├── SettingError       (ValueError)   an estimator or function argument outside what is allowed
├── ModelFileError     (OSError)      a saved model that is missing, cut short, changed or too new
├── StoreError         (OSError)      a file of runs that is missing, no such file, or about other runs
├── ResultsError       (OSError)      a folder of results that is missing, of other data, or in use
└── CollectError       (RuntimeError) runs that cannot be collected: a solver that never answers, a lost cluster
```

Each is also the built-in error a caller would expect, so `except ValueError` keeps working. A message says
where, what was found, what is allowed and what to do.
"""

import math
from numbers import Integral, Real
from typing import Any


class BayesDistNetError(Exception):
    """The base of all errors of this package."""


class RuntimeDataError(BayesDistNetError, ValueError):
    """Runtimes, finished flags, cutoffs or groups that cannot be used."""


class FeatureError(BayesDistNetError, ValueError):
    """A feature table that cannot be used, or is not the one the model was fitted on."""


class FeatureTypeError(FeatureError, TypeError):
    """A feature table of a kind that cannot be read as numbers at all."""


class SettingError(BayesDistNetError, ValueError):
    """An argument outside what is allowed."""


class ModelFileError(BayesDistNetError, OSError):
    """A saved model that is missing, cut short, changed or of a newer format."""


class StoreError(BayesDistNetError, OSError):
    """A file of runs that is missing, cannot be read, or holds runs of another solver or instance."""


class ResultsError(BayesDistNetError, OSError):
    """A folder of results that is missing, cannot be read, belongs to other data, or is in use."""


class CollectError(BayesDistNetError, RuntimeError):
    """Runs that cannot be collected."""


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
