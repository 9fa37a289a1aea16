"""Observations: runtimes in one form, checked by one validator, whatever form the caller's had.

An observation is an instance, the seconds a run of it took and whether it finished; one that did not finish was cut
off, and its seconds are a lower bound. `Observations` is what models learn from.
"""

from __future__ import annotations

import os
import sys
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bayes_distnet.arrays import BoolArray, FloatArray, IntArray
from bayes_distnet.errors import RuntimeDataError


class ZeroRuntimeWarning(UserWarning):
    """Some runs took 0 s by their timer and were raised to half of the smallest positive runtime."""


@dataclass(frozen=True)
class Observations:
    """Runs grouped by instance: run i is of instance `instance[i]`, took `seconds[i]`, and finished or was cut off."""

    instance: IntArray
    seconds: FloatArray
    finished: BoolArray
    n_instances: int

    def runs_of_each(self) -> IntArray:
        """Return the number of runs of every instance."""
        return np.bincount(self.instance, minlength=self.n_instances)

    def matrix(self) -> tuple[FloatArray, BoolArray]:
        """Seconds and finished flags as instances x runs; NaN and False where there is no run."""
        counts = self.runs_of_each()
        order = np.argsort(self.instance, kind="stable")
        rows = self.instance[order]
        columns = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        seconds = np.full((self.n_instances, int(counts.max(initial=1))), np.nan)
        finished = np.zeros(seconds.shape, dtype=bool)
        seconds[rows, columns], finished[rows, columns] = self.seconds[order], self.finished[order]
        return seconds, finished


def check_seconds(
    seconds: ArrayLike, finished: ArrayLike | None = None, *, what: str = "y"
) -> tuple[FloatArray, BoolArray]:
    """Check runtimes of any shape and return them as float64 with their finished flags; NaN means no run.

    None, pandas' NA and masked values are no runs either. Zeros are a timer's resolution: they are raised to half of
    the smallest positive runtime, with a `ZeroRuntimeWarning`.

    >>> check_seconds([0.5, 30.0], finished=[True, False])
    (array([ 0.5, 30. ]), array([ True, False]))
    """
    values = as_numbers(seconds, what)
    flags = _check_finished(finished, values, what)
    check_range(values, what + "[{}]")
    return raise_zeros(values, what), flags


def _array(values: Any, what: str) -> tuple[NDArray[Any], BoolArray]:
    """Return values as an array, and which of them are missing: NaN, None, NA or masked."""
    try:
        if isinstance(values, list | tuple) and any(isinstance(value, np.ma.MaskedArray) for value in values):
            values = np.ma.array(values)
        array = np.asarray(values)
        ragged = array.dtype == object and any(isinstance(v, list | tuple | np.ndarray) for v in array.flat)
    except ValueError:
        ragged = True
    if ragged:
        raise RuntimeDataError(
            f"{what}: rows of different lengths. Pad them with NaN (finished: False) to a matrix instances x runs, or "
            "give a vector of all runs, and as groups the instance of each."
        )
    missing = np.asarray(pd.isna(array)) if array.dtype.kind in "fO" else np.zeros(array.shape, dtype=bool)
    if isinstance(values, np.ma.MaskedArray) and array.dtype.names is None:
        missing = missing | np.ma.getmaskarray(values)
    return array, missing


def as_numbers(values: Any, what: str) -> FloatArray:
    """Return numbers as float64, NaN where one is missing."""
    array, missing = _array(values, what)
    found = str(array.dtype)
    if array.dtype == object and any(isinstance(value, bool | np.bool_) for value in array.flat):
        found = "bool"
    if found == "bool" or array.dtype.kind in "mMcV":
        hint = " Turn durations into seconds with .dt.total_seconds()." if array.dtype.kind == "m" else ""
        raise RuntimeDataError(f"{what} must be numbers (seconds), found {found}.{hint}")
    try:
        return np.array(np.where(missing, np.nan, array) if missing.any() else array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise RuntimeDataError(f"{what} must be numbers (seconds); {error}.") from error


def _check_finished(finished: ArrayLike | None, seconds: FloatArray, what: str) -> BoolArray:
    present = ~np.isnan(seconds)
    if finished is None:
        return present
    array, missing = _array(finished, "finished")
    if array.shape != seconds.shape:
        raise RuntimeDataError(f"finished has shape {array.shape}, but {what} has shape {seconds.shape}.")
    unsaid = missing & present
    found = f"none at [{first_of(unsaid)}]" if unsaid.any() else str(array.dtype)
    if array.dtype == object or missing.any():
        array = np.where(present, array, False).astype(object)
        array[unsaid] = None
        if all(isinstance(flag, bool | np.bool_) for flag in array.flat):
            array = array.astype(bool)
    if array.dtype != bool:
        raise RuntimeDataError(
            f"finished: expected booleans, found {found}. Say what you mean: finished=(status == 'solved')."
        )
    return np.asarray(array & present)


def check_range(values: FloatArray, at: str) -> None:
    for bad, found in ((np.isinf(values), "an infinite"), (values < 0, "a negative")):
        if bad.any():
            runs = int((~np.isnan(values)).sum())
            raise RuntimeDataError(
                f"{at.format(first_of(bad))}: {found} runtime ({values[bad][0]}; {int(bad.sum())} of {runs} runs). "
                "Runtimes are seconds >= 0; for a run that was cut off, give its cutoff and mark it as not finished."
            )


def raise_zeros(values: FloatArray, what: str) -> FloatArray:
    zero = values == 0
    if not zero.any():
        return values
    positive = values[values > 0]
    if positive.size == 0:
        raise RuntimeDataError(f"{what}: every runtime is 0 s. Measure with a finer timer.")
    least = float(positive.min())
    floor = least / 2 or least  # half of the smallest float is 0
    warnings.warn(
        f"{what}: {int(zero.sum())} of {int((~np.isnan(values)).sum())} runs took 0 s; they are taken as {floor:g} s, "
        "half of the smallest positive runtime.",
        ZeroRuntimeWarning,
        stacklevel=_caller_level(),
    )
    return np.where(zero, floor, values)


def _caller_level() -> int:
    """Return the stacklevel at which a warning points at the line outside this package that called it."""
    folder = os.path.dirname(os.path.dirname(__file__)) + os.sep
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(folder):
        level, frame = level + 1, frame.f_back
    return level


def first_of(mask: BoolArray) -> str:
    return ", ".join(str(int(i)) for i in np.argwhere(mask)[0])


def observe(
    features: FloatArray,
    y: Any,
    finished: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    *,
    need_finished: bool = True,
) -> tuple[FloatArray, Observations]:
    """Return one feature row an instance, and the runs of all instances.

    y is a vector (one run a row of features), a matrix instances x runs (NaN = no run), or a structured array of a
    boolean and a number (finished, seconds), as scikit-survival has it. Rows of a vector that share their group, or
    without groups all their features, are runs of one instance.
    """
    values, flags = _as_seconds(y, finished)
    if len(values) != len(features):
        raise RuntimeDataError(f"X has {len(features)} rows, but y has {len(values)}.")
    if values.ndim == 2:
        if groups is not None:
            raise RuntimeDataError("groups only goes with a vector y: in a matrix every row is an instance already.")
        rows, columns = np.nonzero(~np.isnan(values))
        first, instance = np.unique(rows, return_inverse=True)
        seconds, flags = values[rows, columns], flags[rows, columns]
    else:
        missing = np.isnan(values)
        if missing.any():
            raise RuntimeDataError(
                f"y[{first_of(missing)}]: NaN runtime ({int(missing.sum())} of {len(values)} rows). Drop the row if "
                "there was no run, or give the cutoff and finished=False if it was cut off."
            )
        first, instance = _instances(features, groups)
        seconds = values
    if len(seconds) == 0:
        raise RuntimeDataError("y holds no run at all.")
    if need_finished and not flags.any():
        raise RuntimeDataError(
            f"None of the {len(seconds)} runs finished: all that is known is that runtimes lie past "
            f"{seconds.min():g} s. Collect runs with a higher cutoff."
        )
    return features[first], Observations(instance.astype(np.int64).ravel(), seconds, flags, len(first))


def _as_seconds(y: Any, finished: ArrayLike | None) -> tuple[FloatArray, BoolArray]:
    array, _ = _array(y, "y")
    if array.dtype.names is not None:
        if finished is not None:
            raise RuntimeDataError("y is a structured array and says itself which runs finished: do not pass finished.")
        kinds = {array.dtype[name].kind: name for name in array.dtype.names}
        if len(array.dtype.names) != 2 or "b" not in kinds or not set(kinds) & set("fiu"):
            raise RuntimeDataError(
                f"y: a structured array needs one boolean and one number field, found {array.dtype.descr}."
            )
        number = next(name for name in array.dtype.names if name != kinds["b"])
        fields = np.asanyarray(y)  # keeps the mask of a masked array
        return check_seconds(fields[number], fields[kinds["b"]])
    if array.ndim not in (1, 2):
        raise RuntimeDataError(f"y must be a vector or a matrix instances x runs, found shape {array.shape}.")
    return check_seconds(y, finished)


def _instances(features: FloatArray, groups: ArrayLike | None) -> tuple[IntArray, IntArray]:
    """First row of every instance and the instance of every row."""
    holes = np.isnan(features)
    # NaN is no value of its own for NumPy: with a column that says so, rows with the same holes are the same.
    key = np.c_[np.where(holes, 0.0, features), holes[:, holes.any(axis=0)]]
    if groups is None:
        _, first, instance = np.unique(key, axis=0, return_index=True, return_inverse=True)
    else:
        labels = _check_groups(groups, len(features))
        try:
            _, first, instance = np.unique(labels, return_index=True, return_inverse=True)
        except TypeError as error:
            raise RuntimeDataError(
                f"groups: labels of different types ({error}). Make them all text, or all numbers."
            ) from error
        same = (key == key[first][instance]).all(axis=1)
        if not same.all():
            row = int(np.argmin(same))
            raise RuntimeDataError(
                f"groups: row {row} has other features than the first row of its group '{labels[row]}'."
            )
    # Instances in order of first appearance, so that results do not depend on how labels sort.
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[instance.ravel()]


def _check_groups(groups: Any, rows: int) -> NDArray[np.object_]:
    labels = np.asarray(groups, dtype=object)
    if labels.shape != (rows,):
        raise RuntimeDataError(f"groups has shape {labels.shape}, expected one label a row: ({rows},).")
    missing = np.asarray(pd.isna(labels))
    if isinstance(groups, np.ma.MaskedArray):
        missing = missing | np.ma.getmaskarray(groups)
    if missing.any():
        raise RuntimeDataError(
            f"groups: row {first_of(missing)} has no label ({int(missing.sum())} such rows). Name its instance."
        )
    return labels
