"""Figures of predicted distributions: calibration, single instances, moved features. They need Matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayes_distnet.arrays import FloatArray
from bayes_distnet.errors import SettingError
from bayes_distnet.experiments.results import EXAMPLE_LEVELS
from bayes_distnet.experiments.statistics import row_name
from bayes_distnet.report.names import rows_of
from bayes_distnet.report.prediction_figures import new_axes, steps
from bayes_distnet.report.styles import GREY, Styles, label_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_calibration(
    calibration: pd.DataFrame, ax: Axes | None = None, *, legend: bool = True, styles: Styles | None = None
) -> Axes:
    """Draw the fraction of runs below the predicted p-quantile against p: on the diagonal, predictions are right.

    Parameters
    ----------
    calibration : DataFrame
        Rows of `Results.calibration` under one condition; their counts are added up.
    ax : Axes or None
        Axes to draw on; new ones by default.
    legend : bool, default True
        Whether to add a legend.
    styles : Styles or None
        Looks of all models of a figure with several panels; by default of the models in `calibration`.

    Returns
    -------
    Axes
        The axes with the curves.
    """
    ax = new_axes(ax, (7.5, 4))
    ax.plot([0, 1], [0, 1], color=GREY, lw=0.8, label="_")
    styles = styles or Styles.of(calibration)
    for model, family in rows_of(calibration):
        part = calibration[(calibration["model"] == model) & (calibration["family"] == family)]
        counts = np.sum([np.asarray(pit, dtype=float) for pit in part["pit"]], axis=0)
        below = np.r_[0.0, counts.cumsum() / max(counts.sum(), 1.0)]
        style = styles.curve(model, family)
        ax.plot(np.linspace(0, 1, below.size), below, label=label_text(row_name(model, family)), **style)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="predicted p-quantile", ylabel="fraction of runs below")
    ax.spines[["top", "right"]].set_visible(False)
    if legend:
        ax.legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return ax


def pick_examples(examples: pd.DataFrame, model: str) -> dict[str, Any]:
    """Choose the instances on which a model is best, median and worst by NLLH.

    Parameters
    ----------
    examples : DataFrame
        Rows of `Results.examples` under one condition.
    model : str
        Label of the model.

    Returns
    -------
    dict
        Names of instances by "best", "median" and "worst".

    Raises
    ------
    SettingError
        No example of this model.
    """
    own = examples[examples["model"] == model].dropna(subset="nllh")
    own = own.drop_duplicates("instance").sort_values("nllh", kind="stable")
    if own.empty:
        raise SettingError(f"examples: none of {model!r}; there are {sorted(set(examples['model']))}.")
    places = {"best": 0, "median": (len(own) - 1) // 2, "worst": len(own) - 1}
    return {word: own["instance"].iloc[place] for word, place in places.items()}


def plot_examples(
    examples: pd.DataFrame,
    instance: Any,
    runs: ArrayLike,
    finished: ArrayLike | None = None,
    ax: Axes | None = None,
    *,
    legend: bool = True,
) -> Axes:
    """Draw the predictions of models for one instance, and its runs as steps.

    Parameters
    ----------
    examples : DataFrame
        Rows of `Results.examples` under one condition, of the models to be drawn.
    instance : object
        Name of the instance.
    runs : array-like of float
        Seconds of its runs; NaN for no run.
    finished : array-like of bool or None
        False for a run that was cut off, as in `plot_distribution`.
    ax : Axes or None
        Axes to draw on; new ones by default.
    legend : bool, default True
        Whether to add a legend.

    Returns
    -------
    Axes
        The axes with the curves.
    """
    part = examples[examples["instance"] == instance]
    at, fraction, label = steps(runs, finished)
    ax = new_axes(ax)
    if at.size:
        ax.step(np.r_[at[0], at], np.r_[0.0, fraction], where="post", color=GREY, lw=1.6, label=label)
    ends = [at[at > 0]]
    styles = Styles.of(examples)
    for model, family in rows_of(part):
        row = part[(part["model"] == model) & (part["family"] == family)].iloc[0]
        quantiles = np.asarray(row["quantiles"], dtype=float)
        ax.plot(quantiles, EXAMPLE_LEVELS, label=label_text(row_name(model, family)), **styles.curve(model, family))
        ends.append(quantiles[(quantiles > 0) & np.isfinite(quantiles)][1:-1])
    ax.set(xscale="log", ylim=(0, 1), xlabel="runtime [s]", ylabel="probability of having finished")
    reach = np.concatenate(ends)
    if reach.size:
        # The heavy tail of one model must not squash the runs.
        middle = ends[0] if ends[0].size else reach
        ax.set_xlim(max(reach.min(), middle.min() / 30) * 0.8, min(reach.max(), middle.max() * 30) * 1.25)
        _plain_ticks(ax)
    ax.spines[["top", "right"]].set_visible(False)
    if legend:
        ax.legend(frameon=False, fontsize=7)
    return ax


def _plain_ticks(ax: Axes) -> None:
    """Label a log axis of seconds with plain numbers, few enough to read."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = ax.get_xlim()
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 50 * low else (1.0,), numticks=8))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())


def plot_shifts(
    shifts: pd.DataFrame, instance: Any = None, ax: Axes | None = None, *, title: str | None = None
) -> Axes:
    """Draw mean and interquartile range against the shift of all features: the paper's adversarial figure.

    Parameters
    ----------
    shifts : DataFrame
        Rows of `Results.shifts`.
    instance : object, optional
        Name of the instance; the first one by default.
    ax : Axes or None
        Axes to draw on; new ones by default.
    title : str or None
        Title of the figure, in place of a legend.

    Returns
    -------
    Axes
        The axes with the lines.

    Raises
    ------
    SettingError
        No shifts of this instance.
    """
    chosen = shifts["instance"].iloc[0] if instance is None else instance
    part = shifts[shifts["instance"] == chosen]
    if part.empty:
        raise SettingError(f"instance={instance!r}: no shifts of it; there are {sorted(set(shifts['instance']))[:5]}.")
    ax = new_axes(ax)
    styles = Styles.of(part)
    for model, family in rows_of(part):
        rows = part[(part["model"] == model) & (part["family"] == family)]
        rows = rows[rows["seed"] == rows["seed"].min()].sort_values("shift")
        style = styles.curve(model, family)
        at, mean, low, high = (rows[name].to_numpy(float) for name in ("shift", "mean", "low", "high"))
        ax.fill_between(at, low, high, color=style["color"], alpha=0.22, lw=0)
        ax.plot(at, np.where(np.isfinite(mean), mean, np.nan), label=label_text(row_name(model, family)), **style)
    ax.set(yscale="log", xlabel="shift of all features [standard deviations]", ylabel="runtime [s]")
    # The mean of a heavy tail can be anywhere; the figure is about the ranges.
    set_reach(ax, finite_ends(part))
    ax.minorticks_off()
    ax.spines[["top", "right"]].set_visible(False)
    if title is None:
        ax.legend(frameon=False, fontsize=7, title="mean, interquartile range", title_fontsize=7)
    else:
        ax.set_title(label_text(title), loc="left", fontsize=10, fontweight="bold")
    return ax


def finite_ends(shifts: pd.DataFrame) -> FloatArray:
    """Return the quartiles of `Results.shifts` that a log axis can show."""
    ends: FloatArray = shifts[["low", "high"]].to_numpy(float)
    return ends[(ends > 0) & np.isfinite(ends)]


def set_reach(ax: Axes, ends: FloatArray) -> None:
    """Set the limits of the axis of seconds so that quartiles fit with a wide margin; none, if there are none."""
    if ends.size:
        ax.set_ylim(ends.min() / 3, ends.max() * 10)
