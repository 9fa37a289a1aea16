"""Figures. They need Matplotlib: `pip install bayes-distnet[plots]`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bayes_distnet.distribution import RuntimeDistribution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK = "#1b3a57"
COLORS = ("#d1495b", INK, "#3d8361", "#b8860b")
SHIFTS = np.linspace(-8.0, 8.0, 33)


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(5, 3.4), layout="constrained")[1]


def plot_distribution(
    rtd: RuntimeDistribution, row: int = 0, runs: ArrayLike | None = None, level: float = 0.9, ax: Axes | None = None
) -> Axes:
    """Draw one row's cdf against log time, the band its weight draws disagree within, and observed runs as steps."""
    ax = _axes(ax)
    one = rtd[row]
    observed = np.sort(np.asarray([] if runs is None else runs, dtype=float))
    observed = observed[~np.isnan(observed)]
    ends = np.concatenate([one.quantile([0.005, 0.995])[0], observed])
    times = np.geomspace(ends.min() * 0.8, ends.max() * 1.25, 200)
    low, high = one.band(level, t=times)
    ax.fill_between(times, low[0], high[0], color=INK, alpha=0.2, lw=0, label=f"{level:.0%} of the weight draws")
    ax.plot(times, one.cdf(times)[0], color=INK, label="predicted")
    if observed.size:
        steps = np.arange(1, observed.size + 1) / observed.size
        ax.step(observed, steps, where="post", color="#d1495b", lw=1.2, label=f"{observed.size} runs")
    ax.set(xscale="log", ylim=(0, 1), xlabel="runtime [s]", ylabel="probability of having finished")
    ax.legend(frameon=False, fontsize=8)
    return ax


def shifted(features: pd.DataFrame, instance: int, shifts: NDArray[np.float64] = SHIFTS) -> pd.DataFrame:
    """Return one instance with all its features moved by so many of their standard deviations, a row a shift."""
    moved = features.iloc[instance].to_numpy(float) + shifts[:, None] * features.std(ddof=0).to_numpy(float)
    return pd.DataFrame(moved, columns=features.columns)


def plot_shift(
    predictions: Mapping[str, RuntimeDistribution], shifts: NDArray[np.float64] = SHIFTS, ax: Axes | None = None
) -> Axes:
    """Draw median and interquartile range against the shift of all features (the paper's adversarial figure).

    predictions: for each model, its answer to `shifted(...)`.
    """
    ax = _axes(ax)
    for color, (name, rtd) in zip(COLORS, predictions.items(), strict=False):
        low, median, high = rtd.quantile([0.25, 0.5, 0.75]).T
        ax.fill_between(shifts, low, high, color=color, alpha=0.2, lw=0)
        ax.plot(shifts, median, color=color, label=name)
    ax.set(yscale="log", xlabel="shift of all features [deviations]", ylabel="runtime [s]")
    ax.legend(frameon=False, fontsize=8, title="median, interquartile range", title_fontsize=8)
    return ax


def plot_history(history: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the loss of training runs (dotted) and of held-out instances against the step (`model.history_`)."""
    ax = _axes(ax)
    for color, (weight, part) in zip(COLORS, history.groupby("kl_weight", sort=False), strict=False):
        ax.plot(part["step"], part["training_loss"], color=color, ls=":", lw=1)
        ax.plot(part["step"], part["held_out_loss"], color=color, label=f"KL weight {weight:g}")
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
