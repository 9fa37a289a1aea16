"""Plots of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.kaplan_meier import kaplan_meier
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.drawing import COLORS, GREY, legend_or_label, log_seconds, new_axes
from bayes_distnet.errors import RuntimeDataError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_runs(runs: RunTable | Dataset, ax: Axes | None = None) -> Axes:
    """Draw the fraction of runs that finished by t, one line per solver.

    A run that was cut off counts as unfinished from its cutoff on (Kaplan-Meier), so that a line ends where no more is
    known.

    Parameters
    ----------
    runs : RunTable or Dataset
        The runs; those that failed are left out.
    ax : Axes or None
        Axes to draw on; new ones by default.

    Returns
    -------
    Axes
        The axes, with a log axis of seconds.

    Raises
    ------
    RuntimeDataError
        If no run finished or was cut off.
    """
    table = (runs.runs if isinstance(runs, Dataset) else runs).observed()
    solvers = list(table.solvers())
    if not solvers:
        raise RuntimeDataError("plot_runs: no run finished or was cut off.")
    ax = new_axes(ax)
    least = max(float(table.seconds.min()), 1e-12)
    for number, solver in enumerate(solvers):
        own = table.of(solver)
        times, finished = own.seconds, own.finished
        order = np.lexsort((~finished, times))
        share = np.cumsum(kaplan_meier(times, finished)[order])
        label = f"{solver}: {finished.mean():.0%} of {len(own):,} runs"
        color = COLORS[number] if number < len(COLORS) else GREY
        ax.step(np.r_[least * 0.8, times[order]], np.r_[0.0, share], where="post", color=color, lw=2.0, label=label)
        if not finished.all():
            ax.plot(times.max(), share[-1], marker=">", color=color, ms=6, clip_on=False)
    log_seconds(ax, "x", least, float(table.seconds.max()))
    ax.set(ylim=(0, 1), xlabel="t [s]", ylabel="fraction of runs finished by t")
    if len(solvers) == 1:
        ax.set_title(f"{label} finished", loc="left", fontsize="medium")
    legend_or_label(ax, len(solvers), "finished")
    return ax
