"""Figures of selection: cactus plots, and schedules as strips. They need Matplotlib."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bayes_distnet.experiments.selection import fold_table
from bayes_distnet.models.registry import Role
from bayes_distnet.report.prediction_figures import new_axes
from bayes_distnet.report.styles import GREY, label_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colours of limits and their dashes.
DASHES = {"#333333": "--", "#777777": ":", "#aaaaaa": "-."}
# Colours that people with colour blindness can tell apart (Okabe and Ito 2008), and two more.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442", "#8c564b", "#7f7fff")


def plot_cactus(rows: pd.DataFrame, colors: Mapping[str, str], ax: Axes | None = None, *, legend: bool = True) -> Axes:
    """Draw the number of instances that have an answer by a time.

    Parameters
    ----------
    rows : DataFrame
        Rows of `decided`.
    colors : mapping of str to str
        Policies to draw, and their colours: see `policy_colors`.
    ax : Axes or None
        Axes to draw on; new ones by default.
    legend : bool, default True
        Whether to add a legend.

    Returns
    -------
    Axes
        The axes with one line per policy.
    """
    ax = new_axes(ax)
    time, solved = fold_table(rows, "time"), fold_table(rows, "solved")
    for policy, color in colors.items():
        order = np.argsort(time[policy].to_numpy(), kind="stable")
        answered = np.cumsum(solved[policy].to_numpy()[order])
        style = DASHES.get(color, "-")
        ax.plot(answered, time[policy].to_numpy()[order], color=color, ls=style, lw=1.4, label=label_text(policy))
    ax.set(yscale="log", xlabel="instances with an answer", ylabel="time [s]")
    ax.spines[["top", "right"]].set_visible(False)
    if legend:
        ax.legend(frameon=False, fontsize=6.5)
    return ax


def policy_colors(table: pd.DataFrame) -> dict[str, str]:
    """Return a colour per policy of a summary; limits are dark or grey, and drawn dashed."""
    left, limits = iter(COLORS), iter(DASHES)
    return {
        row["policy"]: next(limits if row["role"] == str(Role.LIMIT) else left, GREY)
        for row in table.to_dict("records")
    }


def plot_strips(curves: pd.DataFrame, ax: Axes | None = None, *, legend: bool = True) -> Axes:
    """Draw schedules as strips: one row per instance and core, one colour per solver.

    Parameters
    ----------
    curves : DataFrame
        Rows of `Results.curves` of one model: two points per step, from its start to its end at the height of its core.
    ax : Axes or None
        Axes to draw on; new ones by default.
    legend : bool, default True
        Whether to add a legend.

    Returns
    -------
    Axes
        The axes with the strips.
    """
    ax = new_axes(ax)
    colors = solver_colors(curves)
    cores = int(curves["mean"].max()) + 1
    instances = list(dict.fromkeys(curves["instance"]))
    for place, instance in enumerate(instances):
        part = curves[curves["instance"] == instance]
        steps = part.reset_index(drop=True)
        for first in range(0, len(steps) - 1, 2):
            start, end, solver = steps["at"][first], steps["at"][first + 1], _solver(steps["curve"][first])
            height = place + 0.8 * float(steps["mean"][first]) / cores
            ax.broken_barh([(start, end - start)], (height, 0.75 / cores), color=colors[solver], lw=0)
    ax.set_yticks(np.arange(len(instances)) + 0.4, [label_text(str(name))[-24:] for name in instances], fontsize=5.5)
    ax.invert_yaxis()
    ax.set_xlabel("time [s]")
    ax.spines[["top", "right", "left"]].set_visible(False)
    for solver, color in colors.items():
        ax.plot([], [], color=color, lw=4, label=label_text(solver))
    if legend:
        ax.legend(frameon=False, fontsize=6)
    return ax


def solver_colors(curves: pd.DataFrame) -> dict[str, str]:
    """Return a colour per solver; from the tenth on they are grey."""
    solvers = list(dict.fromkeys(_solver(step) for step in curves["curve"]))
    return {solver: COLORS[place] if place < len(COLORS) else GREY for place, solver in enumerate(solvers)}


def _solver(step: object) -> str:
    """Return the solver of a step, whose name ends with its number."""
    return str(step).rpartition(" #")[0]
