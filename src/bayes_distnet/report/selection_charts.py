"""Charts of selection: cactus plots, and schedules as strips."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bayes_distnet.experiments.selection import fold_table
from bayes_distnet.models.registry import Role
from bayes_distnet.report.charts.chart import Line, LineChart, Strip, StripChart
from bayes_distnet.report.charts.looks import MOST_COLOURED, Look
from bayes_distnet.report.charts.scales import linear_axis, log_axis

_LIMIT_DASHES: tuple[tuple[float, ...], ...] = ((4, 2), (1, 2), (6, 2, 1, 2))
_WRAPPED = (6.0, 2.0)  # dashes of lines after the eighth, whose colours come back
_MOST_POINTS = 150  # per line of a cactus plot


def cactus_chart(rows: pd.DataFrame, looks: dict[str, Look]) -> LineChart:
    """Show the number of instances that have an answer by a time.

    Parameters
    ----------
    rows : DataFrame
        Rows of `decided`.
    looks : dict of str to Look
        Policies to show, and their looks: see `policy_looks`.

    Returns
    -------
    LineChart
        One line per policy.
    """
    time, solved = fold_table(rows, "time"), fold_table(rows, "solved")
    lines = []
    for policy, look in looks.items():
        order = np.argsort(time[policy].to_numpy(), kind="stable")
        answered = np.cumsum(solved[policy].to_numpy()[order]).astype(float)
        at = np.unique(np.linspace(0, order.size - 1, min(order.size, _MOST_POINTS)).round().astype(int))
        lines.append(Line(policy, policy, look, answered[at], time[policy].to_numpy(float)[order][at]))
    times = np.concatenate([line.y for line in lines])
    times = times[(times > 0) & np.isfinite(times)]
    y = log_axis("time [s]", float(times.min()), float(times.max()) * 1.05)
    x = linear_axis("instances with an answer", 0.0, max(float(line.x[-1]) for line in lines) or 1.0)
    return LineChart("answers over time", "cactus plot: instances with an answer by a time", x, y, lines, points=False)


def policy_looks(table: pd.DataFrame) -> dict[str, Look]:
    """Return a look per policy of a summary; limits are grey and dashed."""
    looks, own, limits = {}, 0, 0
    for row in table.to_dict("records"):
        if row["role"] == str(Role.LIMIT):
            dashes = _LIMIT_DASHES[limits % len(_LIMIT_DASHES)]
            looks[str(row["policy"])] = Look(dashes=dashes, on=False, reference=True)
            limits += 1
        else:
            wrapped = _WRAPPED if own >= MOST_COLOURED else ()
            looks[str(row["policy"])] = Look(own % MOST_COLOURED + 1, dashes=wrapped, on=own < MOST_COLOURED)
            own += 1
    return looks


def strip_chart(curves: pd.DataFrame, name: str, looks: dict[str, Look]) -> StripChart:
    """Show schedules as strips: one row per instance and core, one colour per solver.

    Parameters
    ----------
    curves : DataFrame
        Rows of `Results.curves` of one model: two points per step, from its start to its end at the height of its core.
    name : str
        Name of the model.
    looks : dict of str to Look
        Looks of solvers: see `solver_looks`.

    Returns
    -------
    StripChart
        The strips.
    """
    instances = list(dict.fromkeys(curves["instance"]))
    strips = []
    for place, instance in enumerate(instances):
        steps = curves[curves["instance"] == instance].reset_index(drop=True)
        for first in range(0, len(steps) - 1, 2):
            start, end = float(steps["at"][first]), float(steps["at"][first + 1])
            strips.append(Strip(place, int(steps["mean"][first]), _solver(steps["curve"][first]), start, end))
    x = linear_axis("time [s]", 0.0, max(strip.end for strip in strips))
    lanes = int(curves["mean"].max()) + 1
    return StripChart(name, f"schedules of {name}", x, [str(instance) for instance in instances], strips, looks, lanes)


def solver_looks(curves: pd.DataFrame) -> dict[str, Look]:
    """Return a look per solver; from the ninth on they are grey."""
    solvers = list(dict.fromkeys(_solver(step) for step in curves["curve"]))
    return {solver: Look(place + 1 if place < MOST_COLOURED else 0, width=4.0) for place, solver in enumerate(solvers)}


def _solver(step: object) -> str:
    """Return the solver of a step, whose name ends with its number."""
    return str(step).rpartition(" #")[0]
