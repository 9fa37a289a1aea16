"""Figures of experiments' results, as reports show them. They need Matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayes_distnet.errors import SettingError
from bayes_distnet.experiments.results import EXAMPLE_LEVELS
from bayes_distnet.experiments.statistics import (
    AXES,
    FAMILIES,
    level_name,
    model_order,
    row_name,
    summarise,
)
from bayes_distnet.report.labels import COVERED, LABELS, LIMITS, MAIN
from bayes_distnet.report.prediction_figures import new_axes, steps
from bayes_distnet.validation import check_choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Colours of the models that experiments are about; all lines can be seen on white and on black (contrast 3 or more).
MAIN_COLORS = dict(zip(MAIN, ("#d1495b", "#2f86c4", "#2a9d8f", "#c47d14"), strict=True))
# A published setting has its model's colour, thin with crosses; peers share muted colours, told apart by markers.
_PAPER = {"BayesDistNet (paper)": MAIN_COLORS["BayesDistNet"], "DistNet (paper)": MAIN_COLORS["DistNet"]}
_PEERS = tuple(product("s^vDP*Xd<>", ("#6f7d96", "#8f7396", "#7f7f55", "#96704f", "#5f8281")))
_GREY = "#7b818c"
# Lengths of dash, gap, dash, ... in line widths.
_DASHES: dict[str, Any] = {
    "lognormal": "-",
    "": "-",
    "inverse-gaussian": (0, (4, 1.6)),
    "gamma": (0, (6, 1.5, 1, 1.5)),
    "weibull": (0, (2, 1.2)),
    "exponential": (0, (6, 1.5, 1, 1.5, 1, 1.5)),
    "loglogistic": (0, (8, 3)),
}
_OTHER_DASHES = (0, (1, 1.2))


def label_text(text: object) -> str:
    r"""Return text as Matplotlib shows it as it is: between two dollar signs it would see mathematics.

    >>> print(label_text("$5 or $6"))
    \$5 or \$6
    """
    return str(text).replace("$", r"\$")


def model_style(model: str, family: str = "", peers: Sequence[str] = ()) -> dict[str, Any]:
    """Return how lines of a model are drawn: main models strong, peers thin and muted, limits dotted.

    peers: all models of the picture in their order, so that no two of them look the same.
    """
    dashes = _DASHES.get(family, _OTHER_DASHES)
    if model in MAIN_COLORS:
        return {"color": MAIN_COLORS[model], "lw": 2.0, "ls": dashes, "marker": "o", "ms": 4.0, "zorder": 4}
    if model in LIMITS:
        dots: Any = (0, (1, 1.5)) if "empirical" in model else (0, (1, 3))
        return {"color": _GREY, "lw": 1.4, "ls": dots, "marker": "", "ms": 0.0, "zorder": 1}
    if model in _PAPER:
        return {"color": _PAPER[model], "lw": 1.2, "ls": dashes, "marker": "x", "ms": 4.5, "zorder": 3}
    others = [name for name in peers if name not in {*MAIN, *_PAPER} and name not in LIMITS]
    marker, color = _peer_styles(others.index(model) if model in others else 0)
    return {"color": color, "lw": 1.0, "ls": dashes, "marker": marker, "ms": 3.5, "zorder": 2}


def curve_style(model: str, family: str = "", peers: Sequence[str] = ()) -> dict[str, Any]:
    """Return how a curve of many points is drawn: as `model_style` says, but only peers have markers, and few."""
    style = model_style(model, family, peers)
    return style | ({"marker": ""} if style["zorder"] > 2 else {"markevery": 5})


def _peer_styles(number: int) -> tuple[str, str]:
    """Marker and colour of a peer: both change from one to the next, and no pair returns soon."""
    markers, colors = 10, 5
    return _PEERS[(number % markers) * colors + (number + number // markers) % colors]


def rows_of(table: pd.DataFrame) -> list[tuple[str, str]]:
    """Return models with their families, in the order of tables."""
    pairs = list(dict.fromkeys(zip(table["model"], table["family"], strict=True)))
    rank = {model: i for i, model in enumerate(model_order(table["model"]))}
    return sorted(pairs, key=lambda pair: (rank[pair[0]], list(FAMILIES).index(pair[1]) if pair[1] in FAMILIES else 9))


def plot_levels(
    table: pd.DataFrame, score: str, axis: str = "runs", ax: Axes | None = None, *, legend: bool = True
) -> Axes:
    """Draw a score against the number of runs or the share of them cut off, as the paper does.

    table: rows of the tidy table under one kind of cutoffs. A line is the mean over folds and seeds; the main models
    have a band of one standard deviation on either side. Models with fewer folds than others are left out. Those far
    off the others do not stretch the axis: the line above it says what lies outside.
    """
    check_choice("axis", axis, tuple(AXES.values()))
    found = summarise(table[table["score"] == score], axis)
    # A mean of fewer folds than the others' would look better or worse than it is.
    found = found[found["full"]] if found["full"].any() else found
    ax = new_axes(ax, (7.5, 4))
    models = model_order(table["model"])  # also of those left out: a model looks the same in every panel
    low, high = _limits(found, score)
    for model, family in rows_of(found):
        line = found[(found["model"] == model) & (found["family"] == family)]
        at, mean, deviation = (line[name].to_numpy(float) for name in (axis, "mean", "deviation"))
        style = model_style(model, family, models)
        if model in MAIN_COLORS:
            band = np.nan_to_num(deviation)
            ax.fill_between(at, mean - band, mean + band, color=style["color"], alpha=0.1, lw=0)
        ax.plot(at, mean, label=label_text(row_name(model, family)), **style)
        for edge, marker, out in ((high, "^", mean > high), (low, "v", mean < low)):
            if out.any():  # at the edge, an arrow for every point beyond it
                ax.plot(at[out], np.full(out.sum(), edge), marker, color=style["color"], ms=4, clip_on=False)
    if score == "coverage":
        ax.axhline(COVERED, color=_GREY, lw=0.8)
    _dress_levels(ax, found, score, axis)
    if low < high:
        ax.set_ylim(low, high)
    if legend and len(found):
        ax.legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return ax


def _dress_levels(ax: Axes, found: pd.DataFrame, score: str, axis: str) -> None:
    levels = sorted(found[axis].unique())
    if axis == "runs":
        ax.set_xscale("log", base=2)
    ax.set_xticks(levels, [level_name(axis, level) for level in levels], minor=False)
    ax.minorticks_off()
    ax.set_xlabel("runs an instance to learn from" if axis == "runs" else "training runs cut off")
    ax.spines[["top", "right"]].set_visible(False)
    notes = _outside(found, *_limits(found, score))
    ax.set_title(
        label_text(LABELS.get(score, score)), loc="left", fontsize=10, fontweight="bold", pad=6 + 10 * len(notes)
    )
    if notes:
        text = ax.text(0, 1.02, label_text("\n".join(notes)), transform=ax.transAxes, fontsize=7.5, va="bottom")
        text.set_in_layout(False)  # a long line must not narrow the picture


def _limits(found: pd.DataFrame, score: str) -> tuple[float, float]:
    """Limits that show what lies together: no more than 1.5 interquartile ranges from the quartiles, and Marginal.

    How far a model is ahead of ignoring the features is what a picture is looked at for.
    """
    found = found[np.isfinite(found["mean"])]
    if found.empty:
        return 0.0, 0.0
    means = found["mean"].to_numpy(float)
    lower, upper = np.quantile(means, [0.25, 0.75])
    reach = 1.5 * (upper - lower) or 1.0
    inside = means[((means >= lower - reach) & (means <= upper + reach)) | (found["model"] == "Marginal").to_numpy()]
    low, high = float(inside.min()), float(inside.max())
    if score == "coverage":
        low, high = min(low, COVERED), max(high, COVERED)
    margin = 0.06 * (high - low) or 0.05
    return low - margin, high + margin


def _outside(found: pd.DataFrame, low: float, high: float) -> list[str]:
    """Say which models lie outside the limits, and where: one a line, no more than two lines."""
    notes = []
    out = found[(found["mean"] < low) | (found["mean"] > high)]
    for model in model_order(out["model"]):
        means = out.loc[out["model"] == model, "mean"]
        ends = dict.fromkeys(f"{value:.3g}".replace("-", "−") for value in (means.min(), means.max()))
        notes.append(f"{model} {' to '.join(ends)}")
    if len(notes) > 2:
        notes = [notes[0], f"{notes[1]}, and {len(notes) - 2} more"]
    return [("outside: " if i == 0 else "") + note for i, note in enumerate(notes)]


def plot_calibration(
    calibration: pd.DataFrame, ax: Axes | None = None, *, legend: bool = True, peers: Sequence[str] = ()
) -> Axes:
    """Draw the share of runs below the predicted p-quantile against p: on the diagonal, predictions are right.

    calibration: rows of `Results.calibration` under one condition; their counts are added up. peers: all models of a
    picture with several panels, so that each looks the same in all of them.
    """
    ax = new_axes(ax, (7.5, 4))
    ax.plot([0, 1], [0, 1], color=_GREY, lw=0.8, label="_")
    models = peers or model_order(calibration["model"])
    for model, family in rows_of(calibration):
        part = calibration[(calibration["model"] == model) & (calibration["family"] == family)]
        counts = np.sum([np.asarray(pit, dtype=float) for pit in part["pit"]], axis=0)
        share = np.r_[0.0, counts.cumsum() / max(counts.sum(), 1.0)]
        style = curve_style(model, family, models)
        ax.plot(np.linspace(0, 1, share.size), share, label=label_text(row_name(model, family)), **style)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="predicted p-quantile", ylabel="share of runs below")
    ax.spines[["top", "right"]].set_visible(False)
    if legend:
        ax.legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return ax


def pick_examples(examples: pd.DataFrame, model: str) -> dict[str, Any]:
    """Return the instances on which a model is best, median and worst by nllh, as "best", "median" and "worst"."""
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
    """Draw what models predict for one instance, and its runs as steps.

    examples: rows of `Results.examples` under one condition, of the models to be drawn; runs: seconds of the instance
    (NaN = no run), finished as in `plot_distribution`.
    """
    part = examples[examples["instance"] == instance]
    at, share, label = steps(runs, finished)
    ax = new_axes(ax)
    if at.size:
        ax.step(np.r_[at[0], at], np.r_[0.0, share], where="post", color=_GREY, lw=1.6, label=label)
    ends = [at[at > 0]]
    models = model_order(examples["model"])
    for model, family in rows_of(part):
        row = part[(part["model"] == model) & (part["family"] == family)].iloc[0]
        quantiles = np.asarray(row["quantiles"], dtype=float)
        style = curve_style(model, family, models)
        ax.plot(quantiles, EXAMPLE_LEVELS, label=label_text(row_name(model, family)), **style)
        ends.append(quantiles[(quantiles > 0) & np.isfinite(quantiles)][1:-1])
    ax.set(xscale="log", ylim=(0, 1), xlabel="runtime [s]", ylabel="probability of having finished")
    reach = np.concatenate(ends)
    if reach.size:
        # One model's endless tail must not squash the runs.
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

    shifts: rows of `Results.shifts`; each model in its own colour. instance: which one, the first by default.
    """
    chosen = shifts["instance"].iloc[0] if instance is None else instance
    part = shifts[shifts["instance"] == chosen]
    if part.empty:
        raise SettingError(f"instance={instance!r}: no shifts of it; there are {sorted(set(shifts['instance']))[:5]}.")
    ax = new_axes(ax)
    models = model_order(part["model"])
    for model, family in rows_of(part):
        rows = part[(part["model"] == model) & (part["family"] == family)]
        rows = rows[rows["seed"] == rows["seed"].min()].sort_values("shift")
        style = curve_style(model, family, models)
        at, mean, low, high = (rows[name].to_numpy(float) for name in ("shift", "mean", "low", "high"))
        ax.fill_between(at, low, high, color=style["color"], alpha=0.22, lw=0)
        ax.plot(at, np.where(np.isfinite(mean), mean, np.nan), label=label_text(row_name(model, family)), **style)
    ax.set(yscale="log", xlabel="shift of all features [deviations]", ylabel="runtime [s]")
    ends = part[["low", "high"]].to_numpy(float)
    ends = ends[(ends > 0) & np.isfinite(ends)]
    if ends.size:
        # A heavy tail's mean can be anywhere; the picture is about the ranges.
        ax.set_ylim(ends.min() / 3, ends.max() * 10)
    ax.minorticks_off()
    ax.spines[["top", "right"]].set_visible(False)
    if title is None:
        ax.legend(frameon=False, fontsize=7, title="mean, interquartile range", title_fontsize=7)
    else:
        ax.set_title(label_text(title), loc="left", fontsize=10, fontweight="bold")
    return ax
