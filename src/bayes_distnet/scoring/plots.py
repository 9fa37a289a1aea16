"""Plots of predictions against runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.drawing import COLORS, GREY, legend_or_label, new_axes
from bayes_distnet.errors import RuntimeDataError, SettingError
from bayes_distnet.scoring.calibration import calibration, pit

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

LEVELS = np.linspace(0.0, 1.0, 201)


def plot_calibration(
    rtd: PredictedRuntimes | Mapping[str, PredictedRuntimes],
    runtimes: Any,
    finished: Any = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the fraction of runs below predicted quantiles against their levels: on the diagonal if correct.

    A line below the diagonal on the right means runs that take longer than predicted. The grey area holds 90 % of the
    lines of a correct prediction for as many instances with one run each.

    Parameters
    ----------
    rtd : PredictedRuntimes or mapping
        Predictions, one row per instance; or those of several models, by name.
    runtimes, finished : array-like
        Runs of these instances: see `bayes_distnet.scoring.scores`.
    ax : Axes or None
        Axes to draw on; new ones by default.

    Returns
    -------
    Axes
        The axes; labels hold the calibration error, the mean distance from the diagonal.

    Raises
    ------
    SettingError
        More models than lines that can be told apart.
    RuntimeDataError
        No run, or runs that do not match the rows.
    """
    several = dict(rtd) if isinstance(rtd, Mapping) else {"": rtd}
    if not 0 < len(several) <= len(COLORS):
        raise SettingError(f"rtd: expected 1 to {len(COLORS)} models, found {len(several)}.")
    ax = new_axes(ax, (4.2, 4.0))
    for number, (name, one) in enumerate(several.items()):
        transforms = pit(one, runtimes, finished)
        known = np.sort(transforms[~np.isnan(transforms)])
        if not known.size:
            raise RuntimeDataError("plot_calibration: no run.")
        if number == 0:
            _draw_diagonal(ax, int((~np.isnan(transforms)).any(axis=1).sum()))
        label = f"{name or 'calibration'} error {calibration(transforms):.3f}"
        share = np.searchsorted(known, LEVELS, side="right") / known.size
        ax.plot(LEVELS, share, color=COLORS[number], lw=2.0, label=label)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="predicted probability", ylabel="fraction of runs")
    if len(several) == 1:
        ax.set_title(label, loc="left", fontsize="medium")
    legend_or_label(ax, len(several), "calibration")
    return ax


def plot_bars(values: pd.Series, errors: pd.Series, ax: Axes | None) -> Axes:
    """Draw one horizontal bar per value, the first at the top, with a line of one standard error to both sides.

    Parameters
    ----------
    values, errors : Series
        Values with their names as index, and their standard errors.
    ax : Axes or None
        Axes to draw on; new ones by default.

    Returns
    -------
    Axes
        The axes.
    """
    ax = new_axes(ax, (6.0, 0.9 + 0.3 * len(values)))
    places = np.arange(len(values))
    ax.barh(places, values, color=COLORS[0], height=0.66)
    ax.hlines(places, values - errors, values + errors, color=ax.xaxis.label.get_color(), lw=1.1)
    ax.axvline(0.0, color=GREY, lw=0.8)
    ax.set_yticks(places, [str(name) for name in values.index], fontsize="small")
    ax.set_ylim(len(values) - 0.4, -0.6)
    ax.grid(visible=False, axis="y")
    return ax


def _draw_diagonal(ax: Axes, instances: int) -> None:
    spread = 1.645 * np.sqrt(LEVELS * (1 - LEVELS) / instances)
    ax.fill_between(
        LEVELS, np.clip(LEVELS - spread, 0, 1), np.clip(LEVELS + spread, 0, 1), color=GREY, alpha=0.15, lw=0
    )
    ax.plot([0, 1], [0, 1], color=GREY, lw=1.0)
