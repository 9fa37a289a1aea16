"""Every error this package raises on purpose.

```
BayesDistNetError
├── RuntimeDataError   (ValueError)   runtimes, finished flags, cutoffs or groups that cannot be used
├── FeatureError       (ValueError)   a feature table that cannot be used, or not the one fitted on
├── SettingError       (ValueError)   an estimator or function argument outside what is allowed
└── ModelFileError     (OSError)      a saved model that is missing, cut short, changed or too new
```

Each is also the built-in error a caller would expect, so `except ValueError` keeps working. A message says
where, what was found, what is allowed and what to do.
"""

import operator
from typing import Any


class BayesDistNetError(Exception):
    """The base of all errors of this package."""


class RuntimeDataError(BayesDistNetError, ValueError):
    """Runtimes, finished flags, cutoffs or groups that cannot be used."""


class FeatureError(BayesDistNetError, ValueError):
    """A feature table that cannot be used, or is not the one the model was fitted on."""


class SettingError(BayesDistNetError, ValueError):
    """An argument outside what is allowed."""


class ModelFileError(BayesDistNetError, OSError):
    """A saved model that is missing, cut short, changed or of a newer format."""


def check_choice(name: str, value: object, allowed: tuple[object, ...]) -> None:
    """Raise a `SettingError` unless a setting is one of the allowed values."""
    if value not in allowed:
        raise SettingError(f"{name}={value!r}: expected one of {', '.join(map(repr, allowed))}.")


def check_at_least(name: str, value: Any, least: int) -> None:
    """Raise a `SettingError` unless a setting is a whole number of at least `least`."""
    try:
        enough = operator.index(value) >= least
    except TypeError:
        enough = False
    if not enough:
        raise SettingError(f"{name}={value!r}: expected a whole number of at least {least}.")
