"""Runs: what was observed, in one form, checked by one validator.

A run is an instance, the seconds it took and whether it finished; a run that did not finish was cut off, and its
seconds are a lower bound. `Observations` is what models learn from, whatever form the caller's runs had; `RunTable`
is the table of runs of one or more solvers, with seeds and cutoffs.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bayes_distnet.errors import RuntimeDataError

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

SOLVED, TIMEOUT = "solved", "timeout"


class ZeroRuntimeWarning(UserWarning):
    """Some runs took 0 s by their timer and were raised to half of the smallest positive runtime."""


@dataclass(frozen=True)
class Observations:
    """Runs grouped by instance: run i is of instance `instance[i]`, took `seconds[i]`, and finished or was cut off."""

    instance: NDArray[np.int64]
    seconds: FloatArray
    finished: BoolArray
    n_instances: int

    def runs_of_each(self) -> NDArray[np.int64]:
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
    seconds: ArrayLike, finished: ArrayLike | None = None, cutoff: ArrayLike | None = None, *, what: str = "y"
) -> tuple[FloatArray, BoolArray]:
    """Check runtimes of any shape and return them as float64 with their finished flags; NaN means no run.

    Zeros are a timer's resolution: they are raised to half of the smallest positive runtime, with a
    `ZeroRuntimeWarning`. A run recorded as finished after its cutoff is an error.

    >>> check_seconds([0.5, 30.0], finished=[True, False])
    (array([ 0.5, 30. ]), array([ True, False]))
    """
    try:
        values = np.array(seconds, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise RuntimeDataError(f"{what}: runtimes must be numbers (seconds); {error}.") from error
    present = ~np.isnan(values)
    flags = _check_finished(finished, values.shape, present, what)
    for bad, found in ((np.isinf(values), "an infinite"), (values < 0, "a negative")):
        if bad.any():
            where = _first(bad)
            raise RuntimeDataError(
                f"{what}[{where}]: {found} runtime ({values[bad][0]}; {int(bad.sum())} of {int(present.sum())} runs). "
                "Runtimes are seconds >= 0; for a run that was cut off, give its cutoff and finished=False."
            )
    if cutoff is not None:
        limits = np.broadcast_to(np.asarray(cutoff, dtype=np.float64), values.shape)
        late = flags & (values > limits)
        if late.any():
            raise RuntimeDataError(
                f"{what}[{_first(late)}]: finished after {values[late][0]:g} s, past its cutoff of "
                f"{limits[late][0]:g} s ({int(late.sum())} such runs). Mark it as not finished to record it as cut "
                "off, or pass a higher cutoff if the limit really was higher."
            )
    zero = values == 0
    if zero.any():
        positive = values[present & (values > 0)]
        if positive.size == 0:
            raise RuntimeDataError(f"{what}: every runtime is 0 s. Measure with a finer timer.")
        floor = positive.min() / 2
        values = np.where(zero, floor, values)
        warnings.warn(
            f"{what}: {int(zero.sum())} of {int(present.sum())} runs took 0 s; they are taken as {floor:g} s, half of "
            "the smallest positive runtime.",
            ZeroRuntimeWarning,
            stacklevel=3,
        )
    return values, flags


def _check_finished(finished: ArrayLike | None, shape: tuple[int, ...], present: BoolArray, what: str) -> BoolArray:
    if finished is None:
        return present
    flags = np.asarray(finished)
    if flags.dtype == object and all(isinstance(f, bool | np.bool_) for f in flags.ravel()):
        flags = flags.astype(bool)
    if flags.dtype != bool:
        raise RuntimeDataError(
            f"finished: expected booleans, found {flags.dtype}. Say what you mean: finished=(status == 'solved')."
        )
    if flags.shape != shape:
        raise RuntimeDataError(f"finished has shape {flags.shape}, but {what} has shape {shape}.")
    return flags & present


def _first(mask: BoolArray) -> str:
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
                f"y[{_first(missing)}]: NaN runtime ({int(missing.sum())} of {len(values)} rows). Drop the row if "
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
    array = np.asarray(y)
    if array.dtype.names is not None:
        if finished is not None:
            raise RuntimeDataError("y is a structured array and says itself which runs finished: do not pass finished.")
        kinds = {array.dtype[name].kind: name for name in array.dtype.names}
        if len(array.dtype.names) != 2 or "b" not in kinds or not set(kinds) & set("fiu"):
            raise RuntimeDataError(
                f"y: a structured array needs one boolean and one number field, found {array.dtype.descr}."
            )
        number = next(name for name in array.dtype.names if name != kinds["b"])
        return check_seconds(array[number], array[kinds["b"]])
    if array.ndim not in (1, 2):
        raise RuntimeDataError(f"y must be a vector or a matrix instances x runs, found shape {array.shape}.")
    return check_seconds(y, finished)


def _instances(features: FloatArray, groups: ArrayLike | None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First row of every instance and the instance of every row."""
    if groups is None:
        _, first, instance = np.unique(features, axis=0, return_index=True, return_inverse=True)
    else:
        labels = np.asarray(groups)
        if labels.shape != (len(features),):
            raise RuntimeDataError(f"groups has shape {labels.shape}, expected one label a row: ({len(features)},).")
        _, first, instance = np.unique(labels, return_index=True, return_inverse=True)
        same = (features == features[first][instance]) | np.isnan(features)
        if not same.all():
            row = int(np.argwhere(~same.all(axis=1))[0, 0])
            raise RuntimeDataError(
                f"groups: row {row} has other features than the first row of its group '{labels[row]}'."
            )
    # Instances in order of first appearance, so that results do not depend on how labels sort.
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[instance.ravel()]


@dataclass(frozen=True)
class RunTable:
    """A table of runs: instance, solver, seed, seconds (CPU), status and the cutoff each run had.

    `status` is "solved" for a finished run; anything else ("timeout", "memout", "crashed", ...) did not finish. Only
    timeouts are censored observations; `observed()` leaves the rest out.

    >>> frame = pd.DataFrame({"instance": ["a", "a", "b"], "seconds": [1.5, 2.0, 30.0],
    ...                       "status": ["solved", "solved", "timeout"], "cutoff": 30.0})
    >>> table = RunTable.from_frame(frame)
    >>> len(table), table.finished.tolist()
    (3, [True, True, False])
    """

    frame: pd.DataFrame

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, *, cutoff: float | None = None) -> RunTable:
        """Check a table of runs; `cutoff` overrides the column of that name."""
        required = {"instance", "seconds", "status"}
        if missing := sorted(required - set(frame.columns)):
            raise RuntimeDataError(f"run table: no column {missing}; found {sorted(map(str, frame.columns))}.")
        table = frame.reset_index(drop=True)
        limit = table["cutoff"].to_numpy(float) if cutoff is None and "cutoff" in table else (cutoff or np.inf)
        finished = (table["status"] == SOLVED).to_numpy(bool)
        seconds, _ = check_seconds(table["seconds"], finished, limit, what="run table, row ")
        table = table.assign(seconds=seconds, cutoff=limit)
        for column, default in (("solver", ""), ("seed", 0)):
            if column not in table:
                table[column] = default
        return cls(table)

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def seconds(self) -> FloatArray:
        """Seconds of every run."""
        return self.frame["seconds"].to_numpy(float)

    @property
    def finished(self) -> BoolArray:
        """Whether each run finished."""
        return (self.frame["status"] == SOLVED).to_numpy(bool)

    @property
    def instance(self) -> NDArray[np.object_]:
        """Instance name of every run."""
        return self.frame["instance"].to_numpy(object)

    def observed(self) -> RunTable:
        """Return only the runs that say something about the runtime: solved ones and timeouts."""
        return RunTable(self.frame[self.frame["status"].isin([SOLVED, TIMEOUT])].reset_index(drop=True))

    def of(self, solver: str) -> RunTable:
        """Return the runs of one solver."""
        chosen = self.frame["solver"] == solver
        if not chosen.any():
            raise RuntimeDataError(f"no run of solver {solver!r}; found {sorted(self.frame['solver'].unique())}.")
        return RunTable(self.frame[chosen].reset_index(drop=True))

    def solvers(self) -> Iterator[str]:
        """Names of the solvers, sorted."""
        return iter(sorted(self.frame["solver"].unique()))
