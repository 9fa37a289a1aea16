"""Observations: runtimes in one form, checked by one validator.

An observation is an instance, the seconds of a run on it, and whether the run finished. A run that did not finish was
cut off: its seconds are a lower bound of its runtime. Models learn from `Observations`.
"""

from __future__ import annotations

import os
import sys
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bayes_distnet.arrays import BoolArray, FloatArray, IntArray
from bayes_distnet.data.numbers import as_array, as_numbers, first_of
from bayes_distnet.data.targets import split_target
from bayes_distnet.data.ticks import find_tick, spread_over_ticks
from bayes_distnet.errors import RuntimeDataError

LARGEST = 1e100  # seconds; sums and squares of runtimes must stay finite


class ZeroRuntimeWarning(UserWarning):
    """Some runs took 0 s by their timer and were raised to half of its tick, or of the smallest positive runtime."""


@dataclass(frozen=True)
class Observations:
    """Runs grouped by instance.

    Parameters
    ----------
    instance : ndarray of int of shape (n_runs,)
        Number of the instance of each run.
    seconds : ndarray of shape (n_runs,)
        Seconds of each run.
    finished : ndarray of bool of shape (n_runs,)
        Whether each run finished; the others were cut off at their seconds.
    n_instances : int
        Number of instances.
    """

    instance: IntArray
    seconds: FloatArray
    finished: BoolArray
    n_instances: int

    def runs_of_each(self) -> IntArray:
        """Return the number of runs per instance."""
        return np.bincount(self.instance, minlength=self.n_instances)

    def over_ticks(self, tick: float, random_state: int) -> Observations:
        """Spread finished runs whose times repeat over the ticks of their timer.

        Parameters
        ----------
        tick : float
            Tick in seconds, as `find_tick` returns it.
        random_state : int
            Seed of the order of runs within a tick.

        Returns
        -------
        Observations
            The same runs, with times that no longer repeat.
        """
        seconds = self.seconds.copy()
        seconds[self.finished] = spread_over_ticks(seconds[self.finished], tick, random_state)
        return replace(self, seconds=seconds)

    def matrix(self) -> tuple[FloatArray, BoolArray]:
        """Return seconds and finished flags as instances x runs; NaN and False where there is no run."""
        counts = self.runs_of_each()
        order = np.argsort(self.instance, kind="stable")
        rows = self.instance[order]
        columns = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        seconds = np.full((self.n_instances, int(counts.max(initial=1))), np.nan)
        finished = np.zeros(seconds.shape, dtype=bool)
        seconds[rows, columns], finished[rows, columns] = self.seconds[order], self.finished[order]
        return seconds, finished


def check_seconds(
    seconds: ArrayLike, finished: ArrayLike | None = None, *, what: str = "y", tick: float | None = None
) -> tuple[FloatArray, BoolArray]:
    """Check runtimes of any shape.

    Zeros result from the resolution of a timer: they are raised to half of its tick (see `find_tick`), or of the
    smallest positive runtime where no tick shows, with a `ZeroRuntimeWarning`.

    Parameters
    ----------
    seconds : array-like
        Runtimes; NaN, None, pandas' NA and masked values mean that there is no run.
    finished : array-like of bool, optional
        Whether each run finished, in the shape of `seconds`; default: all.
    what : str, default "y"
        Name of the runtimes in messages.
    tick : float, optional
        Tick of the timer in seconds, where it is known; by default it is looked for.

    Returns
    -------
    seconds : ndarray
        Runtimes as float64; NaN where there is no run.
    finished : ndarray of bool
        Whether each run finished; False where there is no run.

    Raises
    ------
    RuntimeDataError
        If a value is no number, negative or infinite, or the shapes differ.

    Examples
    --------
    >>> check_seconds([0.5, 30.0], finished=[True, False])
    (array([ 0.5, 30. ]), array([ True, False]))
    """
    values = as_numbers(seconds, what)
    flags = _check_finished(finished, values, what)
    check_range(values, what + "[{}]")
    return raise_zeros(values, what, flags, tick), flags


def _check_finished(finished: ArrayLike | None, seconds: FloatArray, what: str) -> BoolArray:
    present = ~np.isnan(seconds)
    if finished is None:
        return present
    array, missing = as_array(finished, "finished")
    if array.shape != seconds.shape:
        raise RuntimeDataError(f"finished has shape {array.shape}, but {what} has shape {seconds.shape}.")
    unknown = missing & present
    found = f"none at [{first_of(unknown)}]" if unknown.any() else str(array.dtype)
    if array.dtype == object or missing.any():
        array = np.where(present, array, False).astype(object)
        array[unknown] = None
        if all(isinstance(flag, bool | np.bool_) for flag in array.flat):
            array = array.astype(bool)
    if array.dtype != bool:
        raise RuntimeDataError(
            f"finished: expected booleans, found {found}. Pass, for example, finished=(status == 'solved')."
        )
    return np.asarray(array & present)


def check_range(values: FloatArray, at: str) -> None:
    """Refuse runtimes that are negative, infinite, or so large that their sums or squares would be.

    Parameters
    ----------
    values : ndarray
        Runtimes; NaN where there is no run.
    at : str
        Place of a runtime in messages, with `{}` for its index.

    Raises
    ------
    RuntimeDataError
        If there is one.
    """
    for bad, found in ((np.isinf(values), "an infinite"), (values < 0, "a negative"), (values > LARGEST, "an absurd")):
        if bad.any():
            runs = int((~np.isnan(values)).sum())
            raise RuntimeDataError(
                f"{at.format(first_of(bad))}: {found} runtime ({values[bad][0]}; {int(bad.sum())} of {runs} runs). "
                "Runtimes are seconds >= 0; for a run that was cut off, give its cutoff and mark it as not finished."
            )


def raise_zeros(values: FloatArray, what: str, finished: BoolArray, tick: float | None = None) -> FloatArray:
    """Raise runtimes of 0 s to half of a tick or of the smallest positive runtime, with a `ZeroRuntimeWarning`.

    Parameters
    ----------
    values : ndarray
        Runtimes; NaN where there is no run.
    what : str
        Name of the runtimes in messages.
    finished : ndarray of bool
        Whether each run finished.
    tick : float, optional
        Tick of the timer in seconds, where it is known; by default it is looked for.

    Returns
    -------
    ndarray
        Runtimes, all of them positive.

    Raises
    ------
    RuntimeDataError
        If every runtime is 0 s.
    """
    zero = values == 0
    if not zero.any():
        return values
    positive = values[values > 0]
    if positive.size == 0:
        raise RuntimeDataError(f"{what}: every runtime is 0 s. Measure with a finer timer.")
    least = float(positive.min())
    tick = find_tick(values, finished) if tick is None else tick
    half_of = "the timer's tick" if tick is not None else "the smallest positive runtime"
    floor = least / 2 or least  # half of the smallest float is 0
    floor = floor if tick is None else tick / 2
    warnings.warn(
        f"{what}: {int(zero.sum())} of {int((~np.isnan(values)).sum())} runs took 0 s; they are taken as {floor:g} s, "
        f"half of {half_of}.",
        ZeroRuntimeWarning,
        stacklevel=_caller_level(),
    )
    return np.where(zero, floor, values)


def _caller_level() -> int:
    """Return the stacklevel at which a warning points at the calling line outside this package."""
    folder = os.path.dirname(os.path.dirname(__file__)) + os.sep
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(folder):
        level, frame = level + 1, frame.f_back
    return level


def observe(
    features: FloatArray,
    y: Any,
    finished: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    *,
    need_finished: bool = True,
) -> tuple[FloatArray, Observations]:
    """Group runs by instance.

    Parameters
    ----------
    features : ndarray of shape (n_rows, n_features)
        Features; one row per instance, or one row per run.
    y : array-like
        Runtimes: a vector (one run per row of features), a matrix instances x runs (NaN where there is no run), or a
        target that holds flags and seconds, see `runtimes` and `split_target`.
    finished : array-like of bool, optional
        Whether each run finished; default: all. Not with a target that holds the flags.
    groups : array-like of shape (n_rows,), optional
        Instance of each row of a vector y. Without it, rows with the same features are runs of one instance.
    need_finished : bool, default True
        Whether at least one run must have finished.

    Returns
    -------
    features : ndarray of shape (n_instances, n_features)
        Features, one row per instance with runs, in the order of first appearance.
    observations : Observations
        The runs of all these instances.

    Raises
    ------
    RuntimeDataError
        If runtimes, flags or groups cannot be used.
    """
    values, flags = _as_seconds(y, finished)
    if len(values) != len(features):
        raise RuntimeDataError(f"X has {len(features)} rows, but y has {len(values)}.")
    if values.ndim == 2:
        if groups is not None:
            raise RuntimeDataError("groups only goes with a vector y: every row of a matrix is an instance.")
        rows, columns = np.nonzero(~np.isnan(values))
        first, instance = np.unique(rows, return_inverse=True)
        seconds, flags = values[rows, columns], flags[rows, columns]
    else:
        missing = np.isnan(values)
        if missing.any():
            raise RuntimeDataError(
                f"y[{first_of(missing)}]: NaN runtime ({int(missing.sum())} of {len(values)} rows). Drop the row if "
                "there was no run, or give the cutoff and finished=False if the run was cut off."
            )
        first, instance = _instances(features, groups)
        seconds = values
    if len(seconds) == 0:
        raise RuntimeDataError("y holds no run at all.")
    if need_finished and not flags.any():
        raise RuntimeDataError(
            f"None of the {len(seconds)} runs finished: runtimes are only known to exceed {seconds.min():g} s or more. "
            "Collect runs with a higher cutoff."
        )
    return features[first], Observations(instance.astype(np.int64).ravel(), seconds, flags, len(first))


def _as_seconds(y: Any, finished: ArrayLike | None) -> tuple[FloatArray, BoolArray]:
    seconds, flags = split_target(y, finished)
    array, _ = as_array(seconds, "y")
    if array.ndim not in (1, 2):
        raise RuntimeDataError(f"y must be a vector or a matrix instances x runs, found shape {array.shape}.")
    return check_seconds(seconds, flags)


def _instances(features: FloatArray, groups: ArrayLike | None) -> tuple[IntArray, IntArray]:
    """Return the first row of every instance and the instance of every row."""
    missing = np.isnan(features)
    # NaN differs from NaN: columns that mark it make rows with the same values missing equal.
    key = np.c_[np.where(missing, 0.0, features), missing[:, missing.any(axis=0)]]
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
        raise RuntimeDataError(f"groups has shape {labels.shape}, expected one label per row: ({rows},).")
    missing = np.asarray(pd.isna(labels))
    if isinstance(groups, np.ma.MaskedArray):
        missing = missing | np.ma.getmaskarray(groups)
    if missing.any():
        raise RuntimeDataError(
            f"groups: row {first_of(missing)} has no label ({int(missing.sum())} such rows). Name its instance."
        )
    return labels
