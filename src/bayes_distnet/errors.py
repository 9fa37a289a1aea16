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
