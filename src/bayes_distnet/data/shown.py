"""Runs as a small table for notebooks: one row per solver, with the fraction finished over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.kaplan_meier import median_runtime
from bayes_distnet.notebook import ROWS, curve, seconds_text, table

POINTS = 48  # of a curve


def runs_html(runs: Any, title: str) -> str:
    """Return a table of runs as HTML.

    Parameters
    ----------
    runs : RunTable
        The runs.
    title : str
        Text above the table.

    Returns
    -------
    str
        One row per solver: counts, the median of all its runs, and the fraction of runs that finished by t.
    """
    if not len(runs):
        return table(title, [], [], note="no runs")
    solvers = list(runs.solvers())
    positive = runs.seconds[runs.seconds > 0]
    times = np.geomspace(positive.min() / 1.1, positive.max() * 1.1, POINTS) if positive.size else np.ones(POINTS)
    rows = [_row(solver, runs.of(solver), times) for solver in solvers[:ROWS]]
    columns = ["solver", "instances", "runs", "finished", "cut off", "median run", "finished by t"]
    note = f"curves: log axis from {seconds_text(times[0])} to {seconds_text(times[-1])}"
    return table(title, columns, rows, left_out=len(solvers) - len(rows), note=note)


def _row(solver: str, runs: Any, times: FloatArray) -> list[str]:
    observed = runs.observed()
    done, n = observed.finished, max(len(observed), 1)
    median = median_runtime(observed.seconds, done) if len(observed) else np.nan
    beyond = f"over {seconds_text(observed.seconds.max())}" if len(observed) else "unknown"
    heights = np.searchsorted(np.sort(observed.seconds[done]), times, side="right") / n
    return [
        str(solver),
        f"{runs.frame['instance'].nunique():,}",
        f"{len(runs):,}",
        f"{done.sum() / max(len(runs), 1):.0%}",
        f"{(~done).sum() / max(len(runs), 1):.0%}",
        beyond if np.isnan(median) else seconds_text(median),
        curve(heights.tolist(), title=f"{done.sum() / n:.0%} of the runs finished"),
    ]
