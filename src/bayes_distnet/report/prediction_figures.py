"""Figures of predictions and of training. They need Matplotlib, the extra `plots`."""

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
from bayes_distnet.drawing import new_axes
from bayes_distnet.errors import RuntimeDataError, SettingError
from bayes_distnet.files import written_whole
from bayes_distnet.validation import check_level, check_row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Colour of predictions, and colours that lines of several models take in turns.
INK = "#1b3a57"
COLORS = ("#d1495b", INK, "#3d8361", "#b8860b")
SIZE = (5.0, 3.4)  # of new figures, in inches


def _styles() -> Iterator[tuple[str, str]]:
    """Yield line styles and colours without end: solid lines of all colours first, then dashed ones."""
    return cycle(product(("-", "--", "-."), COLORS))


def plot_distribution(
    rtd: RuntimeDistribution,
    row: int = 0,
    runs: ArrayLike | None = None,
    finished: ArrayLike | None = None,
    level: float = 0.9,
    ax: Axes | None = None,
) -> Axes:
    """Draw the predicted distribution function of one row, and observed runs as steps.

    A band shows how far the weight draws disagree. The steps are the fraction of all runs that have finished; they end
    at the smallest cutoff, since the fraction is unknown after it.

    Parameters
    ----------
    rtd : RuntimeDistribution
        Predicted runtimes.
    row : int, default 0
        Row to draw.
    runs : array-like of float or None
        Seconds of the runs of this row's instance; NaN for no run.
    finished : array-like of bool or None
        False for a run that was cut off; by default all have finished.
    level : float, default 0.9
        Fraction of the weight draws inside the band.
    ax : Axes or None
        Axes to draw on; new ones by default.

    Returns
    -------
    Axes
        The axes, with a log axis of seconds.

    Raises
    ------
    SettingError
        A row or a level out of range.
    RuntimeDataError
        Runs that are no vector of positive numbers.
    """
    check_distribution(rtd)
    check_row("row", row, len(rtd))
    one, level = rtd[row], check_level(level)
    at, fraction, label = steps([] if runs is None else runs, finished)
    # A kernel estimate reaches below 0 s, a log axis does not.
    ends = np.concatenate([one.quantile([0.005, 0.05, 0.25, 0.5, 0.75, 0.995])[0], at])
    ends = ends[(ends > 0) & np.isfinite(ends)]
    ends = ends if ends.size else np.ones(1)
    times = np.geomspace(ends.min() * 0.8, ends.max() * 1.25, 200)
    ax = new_axes(ax, SIZE)
    if one.samples is None:
        low, high = one.band(level, t=times)
        ax.fill_between(times, low[0], high[0], color=INK, alpha=0.2, lw=0, label=f"{level:.0%} of the weight draws")
    ax.plot(times, one.cdf(times)[0], color=INK, label="predicted")
    if at.size:
        at, fraction = np.r_[times[0], at], np.r_[0.0, fraction]
        ax.step(at, fraction, where="post", color="#d1495b", lw=1.2, label=label)
    ax.set(xscale="log", ylim=(0, 1), xlabel="runtime [s]", ylabel="probability of having finished")
    ax.legend(frameon=False, fontsize=8)
    return ax


def steps(runs: ArrayLike, finished: ArrayLike | None) -> tuple[FloatArray, FloatArray, str]:
    """Return the empirical distribution function of runs, up to the smallest cutoff.

    Parameters
    ----------
    runs : array-like of float
        Seconds of the runs of one instance; NaN for no run.
    finished : array-like of bool or None
        False for a run that was cut off.

    Returns
    -------
    seconds : ndarray of float
        Times at which runs finished, and the smallest cutoff.
    fraction : ndarray of float
        Fraction of all runs that have finished by then.
    label : str
        Text for the legend.

    Raises
    ------
    RuntimeDataError
        Runs that are no vector of positive numbers.
    """
    seconds, flags = check_seconds(runs, finished, what="runs")
    if seconds.ndim != 1:
        raise RuntimeDataError(f"runs has shape {seconds.shape}; give the runs of one instance, a vector.")
    seconds, flags = seconds[~np.isnan(seconds)], flags[~np.isnan(seconds)]
    cut = seconds[~flags]
    at = np.sort(seconds[flags & (seconds <= cut.min(initial=np.inf))])
    fraction = np.arange(1, at.size + 1) / max(seconds.size, 1)
    if not cut.size:
        return at, fraction, f"{seconds.size} runs"
    return np.r_[at, cut.min()], np.r_[fraction, at.size / seconds.size], f"{seconds.size} runs, {cut.size} cut off"


def plot_shift(
    predictions: Mapping[str, RuntimeDistribution], shifts: FloatArray = SHIFTS, ax: Axes | None = None
) -> Axes:
    """Draw median and interquartile range against the shift of all features: the paper's adversarial figure.

    Parameters
    ----------
    predictions : mapping of str to RuntimeDistribution
        Predictions of each model for the rows of `splits.shifted(...)`, one row per shift.
    shifts : ndarray of float
        Shifts in standard deviations.
    ax : Axes or None
        Axes to draw on; new ones by default.

    Returns
    -------
    Axes
        The axes, with one line per model.

    Raises
    ------
    SettingError
        A prediction whose number of rows is not that of the shifts.
    """
    for name, rtd in predictions.items():
        check_distribution(rtd)
        if len(rtd) != len(shifts):
            raise SettingError(f"predictions[{name!r}] has {len(rtd)} rows for {len(shifts)} shifts; expected as many.")
    ax = new_axes(ax, SIZE)
    for (style, color), (name, rtd) in zip(_styles(), predictions.items(), strict=False):
        low, median, high = rtd.quantile([0.25, 0.5, 0.75]).T
        ax.fill_between(shifts, low, high, color=color, alpha=0.2, lw=0)
        ax.plot(shifts, median, color=color, ls=style, label=name)
    ax.set(yscale="log", xlabel="shift of all features [standard deviations]", ylabel="runtime [s]")
    ax.legend(frameon=False, fontsize=8, title="median, interquartile range", title_fontsize=8)
    return ax


def plot_history(history: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the loss against the step: dotted for training runs, solid or dashed for held-out instances.

    Parameters
    ----------
    history : DataFrame
        `history_` of a fitted network.
    ax : Axes or None
        Axes to draw on; new ones by default.

    Returns
    -------
    Axes
        The axes, with two lines per weight of the KL term.
    """
    ax = new_axes(ax, SIZE)
    for (style, color), (weight, part) in zip(_styles(), history.groupby("kl_weight", sort=False), strict=False):
        ax.plot(part["step"], part["training_loss"], color=color, ls=":", lw=1)
        ax.plot(part["step"], part["held_out_loss"], color=color, ls=style, label=f"KL weight {weight:g}")
    # With too small a KL weight the loss can grow without bound; it must not stretch the axis.
    losses = history[["training_loss", "held_out_loss"]].to_numpy()
    first, least = history["held_out_loss"].iloc[0], np.nanmin(losses)
    ax.set_ylim(top=min(float(np.nanmax(losses)), first + 2 * (first - least)) + 0.05)
    ax.set(xlabel="step", ylabel="negative log likelihood")
    ax.legend(frameon=False, fontsize=8)
    return ax


def save(ax: Axes, path: str | Path) -> None:
    """Write the figure of some axes to a file, and free its memory.

    Parameters
    ----------
    ax : Axes
        Axes of the figure.
    path : str or Path
        File to write; its ending decides the format.
    """
    import matplotlib.pyplot as plt

    figure = ax.get_figure(root=True)
    if figure is not None:
        with written_whole(Path(path)) as draft:
            figure.savefig(draft, dpi=150)
        plt.close(figure)
