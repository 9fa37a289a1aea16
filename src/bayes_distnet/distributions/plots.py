"""Plots of predicted runtimes: distribution functions, and bands of many instances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bayes_distnet.arrays import FloatArray
from bayes_distnet.drawing import COLORS, legend_or_label, log_seconds, new_axes
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_level

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = len(COLORS)  # lines that can be told apart
POINTS = 200


def plot_distributions(
    rtd: Any, rows: ArrayLike | None, labels: Sequence[str] | None, level: float, ax: Axes | None
) -> Axes:
    """Draw distribution functions: see `PredictedRuntimes.plot`."""
    chosen = np.arange(min(len(rtd), MOST)) if rows is None else np.atleast_1d(np.asarray(rows))
    some = rtd[chosen]
    if not 0 < len(some) <= MOST:
        raise SettingError(f"rows: expected 1 to {MOST} rows to draw, found {len(some)}.")
    names = [f"row {row}" for row in np.arange(len(rtd))[chosen]] if labels is None else [str(name) for name in labels]
    if len(names) != len(some):
        raise SettingError(f"labels: expected {len(some)}, one per row, found {len(names)}.")
    times = _times(some)
    ax = new_axes(ax)
    for color, name, row in zip(COLORS, names, range(len(some)), strict=False):
        one = some[[row]]
        if one.splits:
            low, high = one.band(check_level(level), t=times)
            ax.fill_between(times, low[0], high[0], color=color, alpha=0.15, lw=0)
        ax.plot(times, one.cdf(times)[0], color=color, lw=2.0, label=name)
    log_seconds(ax, "x", times[0], times[-1])
    ax.set(xlim=times[[0, -1]], ylim=(0, 1), xlabel="runtime [s]", ylabel="probability of having finished")
    legend_or_label(ax, len(some), f"shaded: {level:.0%} band" if some.splits else None)
    if len(some) == 1:
        ax.set_title(f"{names[0]}: median {some.median()[0]:.3g} s", loc="left", fontsize="medium")
    return ax


def _times(rtd: Any) -> FloatArray:
    ends = rtd.quantile([0.005, 0.5, 0.99])
    ends = ends[(ends > 0) & np.isfinite(ends)]
    ends = ends if ends.size else np.ones(1)
    return np.geomspace(ends.min() * 0.8, ends.max() * 1.25, POINTS)


def plot_band(
    rtd: Any,
    runtimes: ArrayLike | None = None,
    finished: ArrayLike | None = None,
    *,
    level: float = 0.9,
    ax: Axes | None = None,
) -> Axes:
    """Draw the median runtime of every instance with its band, from the easiest to the hardest.

    The dark bar is the band of the instance's own median: ignorance about the instance. The light bar holds a run of it
    with the same probability: ignorance and the solver's luck.

    Parameters
    ----------
    rtd : PredictedRuntimes
        Predictions, one row per instance.
    runtimes, finished : array-like or None
        Runs of these instances, which are drawn as dots, hollow where they were cut off: a vector, a matrix instances x
        runs, or a target of `bayes_distnet.runtimes`.
    level : float, default 0.9
        Probability of both bars.
    ax : Axes or None
        Axes to draw on; new ones by default.

    Returns
    -------
    Axes
        The axes, with a log axis of seconds.
    """
    level = check_level(level)
    ax = new_axes(ax)
    order = np.argsort(rtd.median(), kind="stable")
    place, sorted_ = np.arange(len(rtd)), rtd[order]
    width = float(np.clip(220 / max(len(rtd), 1), 0.6, 9))
    ax.vlines(place, *sorted_.interval(level), color=COLORS[0], alpha=0.25, lw=width, label=f"{level:.0%} of the runs")
    if rtd.splits:
        label = f"{level:.0%} band of the median"
        ax.vlines(place, *sorted_.band(level), color=COLORS[0], alpha=0.7, lw=width, label=label)
    ax.plot(place, sorted_.median(), color="white", marker="_", ms=width, mew=1.6, ls="", zorder=3)
    if runtimes is not None:
        _draw_runs(ax, runtimes, finished, order)
    log_seconds(ax, "y", *ax.get_ylim())
    ax.set(xlabel="instance, by predicted median", ylabel="runtime [s]")
    legend_or_label(ax, 2)
    return ax


def _draw_runs(ax: Axes, runtimes: Any, finished: Any, order: Any) -> None:
    if getattr(getattr(runtimes, "dtype", None), "names", None):
        runtimes, finished = runtimes["seconds"], runtimes["finished"]
    seconds = np.asarray(runtimes, dtype=float).reshape(len(order), -1)[order]
    done = ~np.isnan(seconds) if finished is None else np.asarray(finished, dtype=bool).reshape(len(order), -1)[order]
    place = np.broadcast_to(np.arange(len(order))[:, None], seconds.shape)
    for shown, face, label in ((done, COLORS[1], "runs"), (~done & ~np.isnan(seconds), "none", "runs cut off")):
        if shown.any():
            ax.scatter(
                place[shown], seconds[shown], s=9, facecolor=face, edgecolor=COLORS[1], lw=0.7, label=label, zorder=4
            )
