"""The table of runs, checked in one place.

A row is a run: an instance, a solver, a seed, the CPU seconds it took, its status at the end and its cutoff.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.data.kaplan_meier import median_runtime
from bayes_distnet.data.numbers import as_numbers, first_of
from bayes_distnet.data.observations import check_range, raise_zeros
from bayes_distnet.data.shown import runs_html
from bayes_distnet.data.statuses import OBSERVED, SOLVED, STATUSES, TIMEOUT
from bayes_distnet.errors import RuntimeDataError


@dataclass(frozen=True)
class RunTable:
    """A table of runs. `RunTable.from_frame` makes one from a table that must be checked.

    Parameters
    ----------
    frame : DataFrame
        One row per run, with at least the columns `instance`, `solver`, `seed`, `seconds` (CPU), `status` and
        `cutoff`. `status` is "solved" for a run that finished; "timeout", "memout", "crashed", "interrupted" and
        "unreadable" did not finish. Only timeouts are censored observations; `observed` leaves the others out.

    Examples
    --------
    >>> frame = pd.DataFrame({"instance": ["a", "a", "b"], "seconds": [1.5, 2.0, 30.0],
    ...                       "status": ["solved", "solved", "timeout"], "cutoff": 30.0})
    >>> table = RunTable.from_frame(frame)
    >>> len(table), table.finished.tolist()
    (3, [True, True, False])
    """

    frame: pd.DataFrame

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, *, cutoff: ArrayLike | None = None) -> RunTable:
        """Check a table of runs.

        A timeout that was noticed after its cutoff is censored at the cutoff: its seconds become the cutoff.

        Parameters
        ----------
        frame : DataFrame
            One row per run with the columns `instance`, `seconds` and `status`. The columns `solver` (default ""),
            `seed` (default 0) and `cutoff` (default infinity) are optional; further columns are kept. Seconds may be
            missing in runs that were neither solved nor timeouts.
        cutoff : float or array-like of shape (n_runs,), optional
            Cutoff in seconds that replaces the column `cutoff`; infinity means none.

        Returns
        -------
        RunTable
            The checked runs.

        Raises
        ------
        RuntimeDataError
            If a value is missing or impossible, for instance a run that was solved after its cutoff.
        """
        if not isinstance(frame, pd.DataFrame):
            raise RuntimeDataError(f"run table: expected a pandas DataFrame, found {type(frame).__name__}.")
        if not frame.columns.is_unique:
            raise RuntimeDataError("run table: two columns have the same name.")
        if missing := sorted({"instance", "seconds", "status"} - set(frame.columns)):
            raise RuntimeDataError(f"run table: no column {missing}; found {sorted(map(str, frame.columns))}.")
        table = frame.reset_index(drop=True)
        for column, default in (("solver", ""), ("seed", 0)):
            if column not in table:
                table[column] = default
        for column in ("instance", "solver"):
            check_names(column, table[column])
        seed = as_numbers(table["seed"], "run table: seed")
        _refuse(~((seed == np.floor(seed)) & (np.abs(seed) < 2.0**63)), "seed", seed, "A seed is a whole number.")
        status = table["status"].to_numpy(object)
        unknown = np.array([not (isinstance(s, str) and s in STATUSES) for s in status], dtype=bool)
        found = ", ".join(sorted({repr(s) for s in status[unknown]}))
        _refuse(unknown, "status", status, f"Allowed: {', '.join(STATUSES)}; found: {found}.")
        limit = _check_cutoff(table.get("cutoff", np.inf) if cutoff is None else cutoff, len(table))
        seconds = _check_table_seconds(as_numbers(table["seconds"], "run table: seconds"), status, limit)
        return cls(table.assign(seed=seed.astype(np.int64), seconds=seconds, cutoff=limit))

    def __len__(self) -> int:
        return len(self.frame)

    def _repr_html_(self) -> str:
        return runs_html(self, f"RunTable: {len(self):,} runs")

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
        """Return the runs that are observations of the runtime: solved ones and timeouts."""
        return RunTable(self.frame[self.frame["status"].isin(OBSERVED)].reset_index(drop=True))

    def summary(self) -> pd.DataFrame:
        """Count the runs of each solver by their status, and summarise their seconds.

        Returns
        -------
        DataFrame
            One row per solver. `cut off` is the fraction of timeouts, `failed` the number of other runs that were not
            solved. The last three columns are the least, the median and the largest of the median runtimes of
            instances (see `medians`): they show how instances differ. Instances of which too few runs finished count
            as slower than the cutoff, and are shown as "> cutoff".

        Raises
        ------
        RuntimeDataError
            If there are no runs.
        """
        if not len(self):
            raise RuntimeDataError("no runs.")
        rows = {}
        for solver in self.solvers():
            runs = self.of(solver)
            status = runs.frame["status"]
            least, middle, largest = runs._spread_of_medians()
            rows[solver] = {
                "instances": int(runs.frame["instance"].nunique()),
                "runs": len(runs),
                SOLVED: f"{(status == SOLVED).mean():.1%}",
                "cut off": f"{(status == TIMEOUT).mean():.1%}",
                "failed": int((~status.isin(OBSERVED)).sum()),
                "mean s": round(float(runs.observed().frame["seconds"].mean()), 4),
                "least median s": runs._shown(least),
                "median median s": runs._shown(middle),
                "largest median s": runs._shown(largest),
            }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("solver")

    def counts(self) -> dict[str, Any]:
        """Count the runs of each solver by their status, as JSON can hold them.

        Returns
        -------
        dict
            "runs" is the number of all runs. "solvers" holds, by name, the numbers of instances, of runs and of runs
            per status, the mean seconds of observed runs, the least, median and largest median of an instance
            (infinite where it is past the cutoff), and the largest cutoff (None if there is none).
        """
        solvers = {}
        for solver in self.solvers():
            own = self.of(solver)
            solvers[solver] = {
                "instances": int(own.frame["instance"].nunique()),
                "runs": len(own),
                "statuses": {str(name): int(count) for name, count in own.frame["status"].value_counts().items()},
                "mean_seconds": float(own.observed().frame["seconds"].mean()),
                "instance_medians": own._spread_of_medians(),
                "cutoff": own._largest_cutoff(),
            }
        return {"runs": len(self), "solvers": solvers}

    def _spread_of_medians(self) -> list[float]:
        """Return the least, the median and the largest median of an instance; infinite past the cutoff."""
        medians = self.medians().fillna(np.inf).to_numpy(float)
        return [float(f(medians)) for f in (np.min, np.median, np.max)] if medians.size else [np.nan] * 3

    def _largest_cutoff(self) -> float | None:
        """Return the largest cutoff, or the longest run that was cut off where no cutoff is recorded."""
        limits = self.frame["cutoff"].to_numpy(float)
        limits = limits if np.isfinite(limits).any() else self.seconds[(self.frame["status"] == TIMEOUT).to_numpy()]
        limits = limits[np.isfinite(limits)]
        return float(limits.max()) if limits.size else None

    def _shown(self, median: float) -> float | str:
        return f"> {self._largest_cutoff():g}" if np.isinf(median) else round(median, 4)

    def medians(self) -> pd.Series[float]:
        """Estimate the median runtime of every instance.

        Returns
        -------
        Series
            Median by instance, as Kaplan and Meier estimate it; NaN where too many runs were cut off.
        """
        observed = self.observed()
        frame = observed.frame.assign(finished=observed.finished)
        medians = {
            name: median_runtime(runs["seconds"].to_numpy(float), runs["finished"].to_numpy(bool))
            for name, runs in frame.groupby("instance")
        }
        return pd.Series(medians, dtype=float).rename_axis("instance")

    def of(self, solver: str) -> RunTable:
        """Return the runs of one solver.

        Parameters
        ----------
        solver : str
            Name of the solver.

        Returns
        -------
        RunTable
            Its runs.

        Raises
        ------
        RuntimeDataError
            If there are none.
        """
        chosen = self.frame["solver"] == solver
        if not chosen.any():
            raise RuntimeDataError(f"no run of solver {solver!r}; found {list(self.solvers())}.")
        return RunTable(self.frame[chosen].reset_index(drop=True))

    def solvers(self) -> Iterator[str]:
        """Names of the solvers, sorted."""
        return iter(sorted(self.frame["solver"].unique(), key=str))


def check_names(column: str, values: pd.Series) -> None:
    """Check names of instances or solvers: every run has one, and lists, objects and bytes are none.

    Parameters
    ----------
    column : str
        Name of the column in messages.
    values : Series
        The names.

    Raises
    ------
    RuntimeDataError
        A row without a name, or with something that is no name.
    """
    _refuse(values.isna().to_numpy(bool), column, values, f"Every row needs its {column}.")
    if values.dtype == object:
        strange = np.array([not _is_name(value) for value in values], dtype=bool)
        _refuse(strange, column, values, "Expected a name: a text, or a number of at most 64 bits.")


def _is_name(value: Any) -> bool:
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    return isinstance(value, str | float | np.generic)


def _refuse(bad: BoolArray, column: str, values: Any, rule: str) -> None:
    if bad.any():
        row = int(np.argmax(bad))
        value = np.asarray(values, dtype=object)[row]
        raise RuntimeDataError(f"run table, row {row}: {column} is {value!r:.100} ({int(bad.sum())} such rows). {rule}")


def _check_cutoff(cutoff: Any, rows: int) -> FloatArray:
    limit = as_numbers(cutoff, "run table: cutoff")
    if limit.shape not in ((), (rows,)):
        raise RuntimeDataError(f"run table: cutoff has shape {limit.shape}; give a number, or one per row: ({rows},).")
    limit = np.broadcast_to(limit, (rows,)).copy()
    _refuse(~(limit > 0), "cutoff", limit, "A cutoff is a positive number of seconds, or inf if there was none.")
    return limit


def _check_table_seconds(seconds: FloatArray, status: NDArray[np.object_], limit: FloatArray) -> FloatArray:
    solved, timeout = status == SOLVED, status == TIMEOUT
    observed = solved | timeout
    _refuse(observed & np.isnan(seconds), "seconds", seconds, "A run that was solved or timed out needs its seconds.")
    check_range(seconds, "run table, row {}")
    late = solved & (seconds > limit)
    if late.any():
        raise RuntimeDataError(
            f"run table, row {first_of(late)}: finished after {seconds[late][0]:g} s, past its cutoff of "
            f"{limit[late][0]:g} s ({int(late.sum())} such rows). Set its status to 'timeout' to record it as not "
            "finished, or pass a higher cutoff if the limit really was higher."
        )
    seconds = np.where(timeout, np.minimum(seconds, limit), seconds)
    raised = raise_zeros(np.where(observed, seconds, np.nan), "run table", solved)
    return np.where(observed, raised, seconds)
