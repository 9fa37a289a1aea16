"""Every error this package raises on purpose.

```
BayesDistNetError
├── RuntimeDataError   (ValueError)   runtimes, finished flags, cutoffs or groups that cannot be used
├── FeatureError       (ValueError)   a feature table that cannot be used, or not the one fitted on
│   └── FeatureTypeError (TypeError)  a feature table of a kind that cannot be read as numbers at all
├── SettingError       (ValueError)   an argument of an estimator or function that is not allowed
├── ModelFileError     (OSError)      a saved model that is missing, cut short, changed or too new
├── StoreError         (OSError)      a file of runs that is missing, no such file, or about other runs
├── ResultsError       (OSError)      a folder of results that is missing, of other data, or in use
└── CollectError       (RuntimeError) runs that cannot be collected: a solver that never answers, a lost cluster
```

Each is also the built-in error a caller would expect, so `except ValueError` keeps working. A message
names the place, the value found, the values allowed and a remedy.
"""


class BayesDistNetError(Exception):
    """The base of all errors of this package."""


class RuntimeDataError(BayesDistNetError, ValueError):
    """Runtimes, finished flags, cutoffs or groups that cannot be used."""


class FeatureError(BayesDistNetError, ValueError):
    """A feature table that cannot be used, or is not the one the model was fitted on."""


class FeatureTypeError(FeatureError, TypeError):
    """A feature table of a kind that cannot be read as numbers at all."""


class SettingError(BayesDistNetError, ValueError):
    """An argument that is not allowed."""


class ModelFileError(BayesDistNetError, OSError):
    """A saved model that is missing, cut short, changed or of a newer format."""


class StoreError(BayesDistNetError, OSError):
    """A file of runs that is missing, cannot be read, or holds runs of another solver or instance."""


class ResultsError(BayesDistNetError, OSError):
    """A folder of results that is missing, cannot be read, belongs to other data, or is in use."""


class CollectError(BayesDistNetError, RuntimeError):
    """Runs that cannot be collected."""


def install_line(extra: str) -> str:
    """Return the way to install an extra: from a clone, since the package is on no index yet."""
    return f"run pip install '.[{extra}]' in the clone of bayes-distnet"


def not_installed(module: str, *, extra: str | None) -> SettingError:
    """Return the error that names the package of a module, and the extra that brings it."""
    package = module.partition(".")[0].replace("_", "-")
    return SettingError(f"{package} is not installed" + (f"; {install_line(extra)}." if extra else "."))
