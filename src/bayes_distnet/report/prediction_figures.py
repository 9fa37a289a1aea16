"""Figures of predictions and of training. They need Matplotlib: `pip install bayes-distnet[plots]`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import cycle, product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.observations import check_seconds
from bayes_distnet.data.splits import SHIFTS
from bayes_distnet.distributions.predicted_runtimes import check_distribution
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import RuntimeDataError, SettingError
from bayes_distnet.validation import check_level, check_row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK = "#1b3a57"
COLORS = ("#d1495b", INK, "#3d8361", "#b8860b")


def new_axes(ax: Axes | None, size: tuple[float, float] = (5, 3.4)) -> Axes:
    """Return the axes that were given, or those of a new figure."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size, layout="constrained")[1]


def _styles() -> Iterator[tuple[str, str]]:
    """Line style and colour, over and over: solid lines of all colours first, then dashed ones."""
    return cycle(product(("-", "--", "-."), COLORS))


def plot_distribution(
    rtd: RuntimeDistribution,
    row: int = 0,
    runs: ArrayLike | None = None,
    finished: ArrayLike | None = None,
    level: float = 0.9,
    ax: Axes | None = None,
) -> Axes:
    """Draw one row's cdf against log time, the band its weight draws disagree within, and observed runs as steps.

    runs: seconds of this row's instance (NaN = no run). finished: False for a run that was cut off; the steps are the
    share of all runs that finished, and stop at the smallest cutoff: past it the share is not known.
    """
    check_distribution(rtd)
    check_row("row", row, len(rtd))
    one, level = rtd[row], check_level(level)
    at, share, label = steps([] if runs is None else runs, finished)
    # A kernel estimate reaches below 0 s, a log axis does not.
    ends = np.concatenate([one.quantile([0.005, 0.05, 0.25, 0.5, 0.75, 0.995])[0], at])
    ends = ends[(ends > 0) & np.isfinite(ends)]
    ends = ends if ends.size else np.ones(1)
    times = np.geomspace(ends.min() * 0.8, ends.max() * 1.25, 200)
    ax = new_axes(ax)
    if one.samples is None:
        low, high = one.band(level, t=times)
        ax.fill_between(times, low[0], high[0], color=INK, alpha=0.2, lw=0, label=f"{level:.0%} of the weight draws")
    ax.plot(times, one.cdf(times)[0], color=INK, label="predicted")
    if at.size:
        at, share = np.r_[times[0], at], np.r_[0.0, share]
        ax.step(at, share, where="post", color="#d1495b", lw=1.2, label=label)
    ax.set(xscale="log", ylim=(0, 1), xlabel="runtime [s]", ylabel="probability of having finished")
    ax.legend(frameon=False, fontsize=8)
    return ax


def steps(runs: ArrayLike, finished: ArrayLike | None) -> tuple[FloatArray, FloatArray, str]:
    """Times up to the smallest cutoff, the share of all runs finished by then, and what to call them."""
    seconds, flags = check_seconds(runs, finished, what="runs")
    if seconds.ndim != 1:
        raise RuntimeDataError(f"runs has shape {seconds.shape}; give the runs of one instance, a vector.")
    seconds, flags = seconds[~np.isnan(seconds)], flags[~np.isnan(seconds)]
    cut = seconds[~flags]
    at = np.sort(seconds[flags & (seconds <= cut.min(initial=np.inf))])
    share = np.arange(1, at.size + 1) / max(seconds.size, 1)
    if not cut.size:
        return at, share, f"{seconds.size} runs"
    return np.r_[at, cut.min()], np.r_[share, at.size / seconds.size], f"{seconds.size} runs, {cut.size} cut off"


def plot_shift(
    predictions: Mapping[str, RuntimeDistribution], shifts: FloatArray = SHIFTS, ax: Axes | None = None
) -> Axes:
    """Draw median and interquartile range against the shift of all features (the paper's adversarial figure).

    predictions: for each model, its answer to `splits.shifted(...)`.
    """
    for name, rtd in predictions.items():
        check_distribution(rtd)
        if len(rtd) != len(shifts):
            raise SettingError(f"predictions[{name!r}] has {len(rtd)} rows for {len(shifts)} shifts: give one a shift.")
    ax = new_axes(ax)
    for (style, color), (name, rtd) in zip(_styles(), predictions.items(), strict=False):
        low, median, high = rtd.quantile([0.25, 0.5, 0.75]).T
        ax.fill_between(shifts, low, high, color=color, alpha=0.2, lw=0)
        ax.plot(shifts, median, color=color, ls=style, label=name)
    ax.set(yscale="log", xlabel="shift of all features [deviations]", ylabel="runtime [s]")
    ax.legend(frameon=False, fontsize=8, title="median, interquartile range", title_fontsize=8)
    return ax


def plot_history(history: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the loss of training runs (dotted) and of held-out instances against the step (`model.history_`)."""
    ax = new_axes(ax)
    for (style, color), (weight, part) in zip(_styles(), history.groupby("kl_weight", sort=False), strict=False):
        ax.plot(part["step"], part["training_loss"], color=color, ls=":", lw=1)
        ax.plot(part["step"], part["held_out_loss"], color=color, ls=style, label=f"KL weight {weight:g}")
    # A KL weight too small for the data runs away; the picture is about the others.
    losses = history[["training_loss", "held_out_loss"]].to_numpy()
    first, least = history["held_out_loss"].iloc[0], np.nanmin(losses)
    ax.set_ylim(top=min(float(np.nanmax(losses)), first + 2 * (first - least)) + 0.05)
    ax.set(xlabel="step", ylabel="negative log likelihood")
    ax.legend(frameon=False, fontsize=8)
    return ax


def save(ax: Axes, path: str | Path) -> None:
    """Write the figure an axes belongs to, and free its memory."""
    import matplotlib.pyplot as plt

    figure = ax.get_figure(root=True)
    if figure is not None:
        figure.savefig(path, dpi=150)
        plt.close(figure)
