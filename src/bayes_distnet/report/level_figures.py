"""Figures of scores against the levels of an experiment. They need Matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bayes_distnet.experiments.statistics import level_name, model_order, row_name, summarise
from bayes_distnet.report.names import AXIS_WORDS, BASE_LABEL, rows_of, score_label, target_of
from bayes_distnet.report.prediction_figures import new_axes
from bayes_distnet.report.styles import GREY, Styles, is_main, label_text
from bayes_distnet.validation import check_choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_levels(
    table: pd.DataFrame, score: str, axis: str = "runs", ax: Axes | None = None, *, legend: bool = True
) -> Axes:
    """Draw a score against the number of runs, or against the fraction of runs cut off, as the paper does.

    A line is the mean over folds and seeds; the main models have a band of one standard deviation on either side.
    Models with fewer folds than others are left out. Models far away from the others do not stretch the axis: a note
    above the figure lists them.

    Parameters
    ----------
    table : DataFrame
        Rows of the tidy table, with one kind of cutoffs.
    score : str
        Key of the score.
    axis : str, default "runs"
        Column of the levels, "runs" or "censored".
    ax : Axes or None
        Axes to draw on; new ones by default.
    legend : bool, default True
        Whether to add a legend.

    Returns
    -------
    Axes
        The axes with the lines.

    Raises
    ------
    SettingError
        An unknown axis.
    """
    check_choice("axis", axis, tuple(AXIS_WORDS))
    found = summarise(table[table["score"] == score], axis)
    # A mean of fewer folds than the others' would look better or worse than it is.
    found = found[found["full"]] if found["full"].any() else found
    ax = new_axes(ax, (7.5, 4))
    styles = Styles.of(table)  # of the whole table: a model looks the same in every panel
    low, high = _limits(found, score)
    for model, family in rows_of(found):
        line = found[(found["model"] == model) & (found["family"] == family)]
        at, mean, deviation = (line[name].to_numpy(float) for name in (axis, "mean", "deviation"))
        style = styles.line(model, family)
        if is_main(model):
            band = np.nan_to_num(deviation)
            ax.fill_between(at, mean - band, mean + band, color=style["color"], alpha=0.1, lw=0)
        ax.plot(at, mean, label=label_text(row_name(model, family)), **style)
        for edge, marker, out in ((high, "^", mean > high), (low, "v", mean < low)):
            if out.any():  # an arrow at the edge for every point beyond it
                ax.plot(at[out], np.full(out.sum(), edge), marker, color=style["color"], ms=4, clip_on=False)
    target = target_of(score)
    if target is not None:
        ax.axhline(target, color=GREY, lw=0.8)
    _dress_levels(ax, found, score, axis)
    if low < high:
        ax.set_ylim(low, high)
    if legend and len(found):
        ax.legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return ax


def _dress_levels(ax: Axes, found: pd.DataFrame, score: str, axis: str) -> None:
    """Set ticks, labels and title."""
    levels = sorted(found[axis].unique())
    if axis == "runs":
        ax.set_xscale("log", base=2)
    ax.set_xticks(levels, [level_name(axis, level) for level in levels], minor=False)
    ax.minorticks_off()
    ax.set_xlabel(AXIS_WORDS[axis].label)
    ax.spines[["top", "right"]].set_visible(False)
    notes = _outside(found, *_limits(found, score))
    pad = 6 + 10 * len(notes)
    ax.set_title(label_text(score_label(score)), loc="left", fontsize=10, fontweight="bold", pad=pad)
    if notes:
        text = ax.text(0, 1.02, label_text("\n".join(notes)), transform=ax.transAxes, fontsize=7.5, va="bottom")
        text.set_in_layout(False)  # a long line must not narrow the picture


def _limits(found: pd.DataFrame, score: str) -> tuple[float, float]:
    """Return limits of the score's axis: means within 1.5 interquartile ranges of the quartiles, and the base model.

    A reader looks for the distance to the model that ignores the features.
    """
    found = found[np.isfinite(found["mean"])]
    if found.empty:
        return 0.0, 0.0
    means = found["mean"].to_numpy(float)
    lower, upper = np.quantile(means, [0.25, 0.75])
    reach = 1.5 * (upper - lower) or 1.0
    inside = means[((means >= lower - reach) & (means <= upper + reach)) | (found["model"] == BASE_LABEL).to_numpy()]
    low, high = float(inside.min()), float(inside.max())
    target = target_of(score)
    if target is not None:
        low, high = min(low, target), max(high, target)
    margin = 0.06 * (high - low) or 0.05
    return low - margin, high + margin


def _outside(found: pd.DataFrame, low: float, high: float) -> list[str]:
    """List models outside the limits with their range: one per line, no more than two lines."""
    notes = []
    out = found[(found["mean"] < low) | (found["mean"] > high)]
    for model in model_order(out["model"]):
        means = out.loc[out["model"] == model, "mean"]
        ends = dict.fromkeys(f"{value:.3g}".replace("-", "−") for value in (means.min(), means.max()))
        notes.append(f"{model} {' to '.join(ends)}")
    if len(notes) > 2:
        notes = [notes[0], f"{notes[1]}, and {len(notes) - 2} more"]
    return [("outside: " if i == 0 else "") + note for i, note in enumerate(notes)]
