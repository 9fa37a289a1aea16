"""Fitted transformers from JSON and arrays: the way back, which trusts nothing in the file.

Classes and functions are looked up in the safe list. Attributes hold data only, and none may take the place of a method
or property of its class.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector

from bayes_distnet.models.pipelines.safe_list import OF_THE_MACHINE, PER_INPUT, TYPES, find_class, find_function
from bayes_distnet.models.saving import Arrays

_ATTRIBUTE = re.compile(r"_?[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True)
class PlainReader:
    """Turns the JSON of `PlainWriter` into values.

    Parameters
    ----------
    arrays : dict
        The arrays, by the names that the JSON has.
    """

    arrays: Arrays

    def value(self, plain: Any) -> Any:
        """Return the value that JSON stands for.

        Parameters
        ----------
        plain : object
            JSON that `PlainWriter.plain` returned, or a stranger's.

        Returns
        -------
        object
            The value.

        Raises
        ------
        ValueError, KeyError, TypeError
            JSON that stands for nothing.
        """
        if plain is None or isinstance(plain, bool | int | float | str):
            return plain
        if not isinstance(plain, dict) or not plain:
            raise ValueError(f"{plain!r:.60} stands for no value")
        kind = next(iter(plain))
        read: dict[str, Callable[[Any], Any]] = {
            "array": self._array,
            "list": lambda v: [self.value(x) for x in v],
            "tuple": lambda v: tuple(self.value(x) for x in v),
            "dict": lambda v: {self.value(key): self.value(x) for key, x in v},
            "slice": lambda v: slice(*(self._index(x) for x in v)),
            "float": lambda v: {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}[v],
            "missing": lambda v: {"NA": pd.NA}[v],
            "dtype": _dtype,
            "type": lambda v: TYPES[v],
            "function": find_function,
            "selector": self._selector,
            "object": lambda v: self._objects(v, plain["shape"], object),
            "text": lambda v: self._objects(v, plain["shape"], str),
            "transformer": lambda v: self._transformer(v, plain["settings"], plain["fitted"]),
        }
        if kind not in read:
            raise ValueError(f"a value of the unknown kind {kind!r}")
        return read[kind](plain[kind])

    def _array(self, name: str) -> Any:
        return np.array(self.arrays[name])

    def _index(self, value: Any) -> int | None:
        if value is not None and type(value) is not int:
            raise ValueError(f"a slice with {value!r:.40}")
        return value

    def _objects(self, values: list[Any], shape: list[int], dtype: Any) -> Any:
        items = [self.value(v) for v in values]
        if dtype is str:
            return np.array([str(item) for item in items]).reshape(shape)
        array = np.empty(len(items), dtype=object)
        for place, item in enumerate(items):
            array[place] = item
        return array.reshape(shape)

    def _selector(self, chosen: list[Any]) -> Any:
        pattern, include, exclude = map(self.value, chosen)
        return make_column_selector(pattern, dtype_include=include, dtype_exclude=exclude)

    def _transformer(self, name: str, settings: dict[str, Any], fitted: dict[str, Any]) -> Any:
        kind = find_class(name)
        chosen = {key: self.value(v) for key, v in settings.items()}
        new = kind(**chosen | {key: v for key, v in OF_THE_MACHINE.items() if key in chosen})
        for key, plain in fitted.items():
            if not _ATTRIBUTE.fullmatch(key) or hasattr(kind, key) or key in chosen:
                raise ValueError(f"{name} with an attribute {key!r}")
            setattr(new, key, self.value(plain))
        _check_shapes(new, name)
        return new


def _dtype(name: str) -> Any:
    dtype = np.dtype(name)
    if dtype.kind not in "biufO":
        raise ValueError(f"a type {name!r}")
    return dtype


def _check_shapes(transformer: Any, name: str) -> None:
    """Refuse fitted values that have not one entry per input."""
    state = vars(transformer)
    inputs = state.get("n_features_in_")
    if inputs is None:
        return
    if type(inputs) is not int or inputs < 1:
        raise ValueError(f"{name} with {inputs!r} inputs")
    for key in PER_INPUT & state.keys():
        values = state[key]
        if values is None:
            continue
        if not isinstance(values, np.ndarray | list):
            raise ValueError(f"{name}: {key} is {values!r:.40}")
        found = values.shape[-1] if isinstance(values, np.ndarray) and values.ndim else len(values)
        if found != inputs:
            raise ValueError(f"{name}: {key} has {found} entries for {inputs} inputs")
