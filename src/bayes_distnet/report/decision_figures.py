"""Figures of decisions: expected time against the cutoff, and scores of policies. They need Matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bayes_distnet.decide.restarts.replay import RecordedRuns, fixed_time
from bayes_distnet.experiments.statistics import row_name
from bayes_distnet.models.registry import Role
from bayes_distnet.report.names import rows_of
from bayes_distnet.report.prediction_figures import new_axes
from bayes_distnet.report.styles import GREY, Styles, label_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PLACE = (0.45, 0.15, 0.52, 0.8)
_COLORS = {str(Role.MODEL): "#2f86c4", str(Role.PEER): "#96704f", str(Role.LIMIT): GREY}


def plot_cutoffs(curves: pd.DataFrame, runs: RecordedRuns, ax: Axes | None = None, *, legend: bool = True) -> Axes:
    """Draw the expected total time of one instance against the restart cutoff, with bands.

    Parameters
    ----------
    curves : DataFrame
        Rows of `Results.curves` of one instance.
    runs : RecordedRuns
        Recorded runs of the instance: the time that the cutoff really takes.
    ax : Axes or None
        Axes to draw on; new ones by default.
    legend : bool, default True
        Whether to add a legend.

    Returns
    -------
    Axes
        The axes with the lines.
    """
    ax = new_axes(ax)
    styles = Styles.of(curves)
    at = np.sort(curves["at"].unique())
    real = fixed_time(runs, at)
    real[runs.attempt(at)[1] == 0] = np.nan
    ax.plot(at, real, color=GREY, lw=1.6, drawstyle="steps-post", label="recorded runs")
    for model, family in rows_of(curves):
        part = curves[(curves["model"] == model) & (curves["family"] == family)].sort_values("at")
        style = styles.curve(model, family)
        mean = np.where(np.isfinite(part["mean"]), part["mean"], np.nan)
        if (part["high"] > part["low"]).any():
            ax.fill_between(part["at"], part["low"], part["high"], color=style["color"], alpha=0.18, lw=0)
        ax.plot(part["at"], mean, label=label_text(row_name(model, family)), **style)
    middle = np.nanmin(real)
    ax.set(xscale="log", yscale="log", xlabel="cutoff [s]", ylabel="expected total time [s]")
    ax.set_ylim(0.3 * middle, 30.0 * middle)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:g}")
        axis.set_minor_formatter(lambda value, _: "")
    ax.spines[["top", "right"]].set_visible(False)
    if legend:
        ax.legend(frameon=False, fontsize=7)
    return ax


def plot_policies(table: pd.DataFrame, score: str, name: str, ax: Axes | None = None) -> Axes:
    """Draw a score of all policies with its standard error.

    Parameters
    ----------
    table : DataFrame
        Columns policy, role, the score, and the score with "_error".
    score : str
        Name of the column.
    name : str
        Name of the score on the axis.
    ax : Axes or None
        Axes to draw on; new ones by default.

    Returns
    -------
    Axes
        The axes with one point per policy.
    """
    ax = new_axes(ax)
    rows = table[::-1].reset_index(drop=True)
    for role, part in rows.groupby("role", sort=False):
        error, color = part[f"{score}_error"], _COLORS[str(role)]
        ax.errorbar(part[score], part.index, xerr=error, fmt="o", ms=4, lw=1.2, color=color, label=str(role))
    ax.set_yticks(range(len(rows)), [label_text(policy) for policy in rows["policy"]], fontsize=6.5)
    ax.axvline(1.0, color=GREY, lw=0.8)
    ax.set_xlabel(name)
    if ax.figure.get_layout_engine() is None:  # a panel of the page, whose axes do not make room for long names
        ax.set_position(_PLACE)
    ax.spines[["top", "right"]].set_visible(False)
    return ax
