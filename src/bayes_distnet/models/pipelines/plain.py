"""Fitted transformers as JSON and arrays: the way out.

Plain values stand for themselves; everything else is an object with one key that names its kind, such as
`{"tuple": [...]}` or `{"array": "step.0"}`. `restoring` is the way back.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_selector

from bayes_distnet.errors import ModelFileError
from bayes_distnet.models.pipelines.safe_list import (
    FUNCTIONS,
    OF_THE_MACHINE,
    TRANSFORMERS,
    TYPES,
    find_class,
    find_function,
)
from bayes_distnet.models.saving import Arrays

LEFT_OUT = {"_metadata_request"}  # requests of metadata matter in a fit only


@dataclass
class PlainWriter:
    """Turns values into JSON, and collects their arrays.

    Parameters
    ----------
    arrays : dict
        Receives the arrays, by the names that the JSON has.
    """

    arrays: Arrays = field(default_factory=dict)

    def plain(self, value: Any, place: str) -> Any:
        """Return a value as JSON.

        Parameters
        ----------
        value : object
            A plain value, an array, a transformer of the safe list, or a container of these.
        place : str
            Place of the value in messages, such as "scale > with_mean".

        Returns
        -------
        object
            Values that JSON has.

        Raises
        ------
        ModelFileError
            A value that is none of these, named with its place.
        """
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float | np.generic):
            return self._number(value, place)
        if isinstance(value, np.ndarray):
            return self._array(value, place)
        if isinstance(value, list | pd.Index | pd.Series):
            return {"list": [self.plain(v, place) for v in value]}
        if isinstance(value, tuple):
            return {"tuple": [self.plain(v, place) for v in value]}
        if isinstance(value, dict):
            return {"dict": [[self.plain(k, place), self.plain(v, place)] for k, v in value.items()]}
        if isinstance(value, slice):
            return {"slice": [self.plain(v, place) for v in (value.start, value.stop, value.step)]}
        return self._named(value, place)

    def _number(self, value: Any, place: str) -> Any:
        number = value.item() if isinstance(value, np.generic) else value
        if isinstance(number, float) and not np.isfinite(number):
            return {"float": str(number)}
        if isinstance(number, bool | int | float | str):
            return number
        raise _refused(value, place)

    def _array(self, value: Any, place: str) -> Any:
        if value.dtype.kind in "biuf":
            name = f"step.{len(self.arrays)}"
            self.arrays[name] = value
            return {"array": name}
        if value.dtype.kind not in "OU":
            raise _refused(value, place)
        kind = "object" if value.dtype.kind == "O" else "text"
        return {kind: [self.plain(v, place) for v in value.ravel()], "shape": list(value.shape)}

    def _named(self, value: Any, place: str) -> Any:
        if value is pd.NA:
            return {"missing": "NA"}
        if isinstance(value, np.dtype) and (value.name in TYPES or value.kind in "biufO"):
            return {"dtype": value.name}
        for name, kind in TYPES.items():
            if value is kind:
                return {"type": name}
        if isinstance(value, np.random.RandomState | np.random.Generator):
            return None  # as in models: its state after the fit would not give the same transformer again
        if type(value) is make_column_selector:
            chosen = (value.pattern, value.dtype_include, value.dtype_exclude)
            return {"selector": [self.plain(v, place) for v in chosen]}
        function = getattr(value, "__name__", None)
        if function in FUNCTIONS and find_function(function) is value:
            return {"function": function}
        return self._transformer(value, place)

    def _transformer(self, value: Any, place: str) -> Any:
        name = type(value).__name__
        if name not in TRANSFORMERS or type(value) is not find_class(name):
            raise _refused(value, place)
        settings = value.get_params(deep=False) | {k: v for k, v in OF_THE_MACHINE.items() if k in vars(value)}
        fitted = {k: v for k, v in vars(value).items() if k not in settings and k not in LEFT_OUT}
        return {
            "transformer": name,
            "settings": {k: self.plain(v, f"{place} > {k}") for k, v in settings.items()},
            "fitted": {k: self.plain(v, f"{place} > {k}") for k, v in fitted.items()},
        }


def _refused(value: Any, place: str) -> ModelFileError:
    what = f"a {type(value).__name__}" if isinstance(value, BaseEstimator) else f"{value!r:.60}"
    return ModelFileError(
        f"{place}: {what} cannot be saved: no file may run code, so that transformers and functions come from a fixed "
        "list (docs/scikit-learn.md). Nothing was written."
    )
