"""Draw the shipped runs: `python scripts/draw_datasets.py` writes docs/datasets.png."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter

from bayes_distnet import Dataset, load_dataset

TARGET = Path(__file__).parents[1] / "docs" / "datasets.png"


def main() -> None:
    """Draw one panel per data set."""
    figure, grid = plt.subplots(2, 2, figsize=(9, 6.4), sharey=True, layout="constrained")
    panels = grid.ravel()
    for panel, name in zip(panels, ("clasp-factoring", "lpg-zenotravel", "clasp-quasigroup"), strict=False):
        draw_instances(panel, load_dataset(name))
        panel.set_title(f"{name}: instances from easy to hard")
    draw_solvers(panels[3], load_dataset("sat-portfolio"))
    for panel in grid[:, 0]:
        panel.set_ylabel("fraction of runs finished")
    for panel in panels:
        panel.set_xscale("log")
        panel.set_xlabel("CPU seconds")
        panel.xaxis.set_minor_formatter(NullFormatter())
        panel.grid(alpha=0.3)
    figure.savefig(TARGET, dpi=110)


def draw_instances(panel: Axes, data: Dataset) -> None:
    """Draw the runtimes of seven instances, spread evenly over the order of their medians."""
    order = np.argsort(np.median(data.seconds, axis=1))
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.9, 7))
    for row, colour in zip(order[np.linspace(0, len(order) - 1, 7).astype(int)], colours, strict=True):
        draw_steps(panel, data.seconds[row], data.finished[row], color=colour)


def draw_solvers(panel: Axes, data: Dataset) -> None:
    """Draw all solvers on two instances, with another solver clearly fastest on each."""
    means = np.array([np.where(d.finished, d.seconds, 2 * d.seconds).mean(axis=1) for d in map(data.of, data.solvers)])
    gaps = np.log(np.sort(means, axis=0)[1] / means.min(axis=0))
    winners = means.argmin(axis=0)
    rows = [max(np.flatnonzero(winners == winner), key=lambda row: gaps[row]) for winner in np.unique(winners)[:2]]
    for row, style in zip(rows, ("-", "--"), strict=False):
        for solver, colour in zip(data.solvers, ("tab:blue", "tab:orange", "tab:green"), strict=True):
            one = data.of(solver)
            label = solver if style == "-" else None
            draw_steps(panel, one.seconds[row], one.finished[row], color=colour, linestyle=style, label=label)
    panel.legend(loc="upper left", fontsize=8)
    panel.set_xlim(0.009, 0.6)
    panel.set_title("sat-portfolio: two instances (solid, dashed)")


def draw_steps(panel: Axes, seconds: np.ndarray, finished: np.ndarray, **style: object) -> None:
    """Draw the fraction of runs finished by each time; censored runs never finish."""
    times = np.sort(seconds[finished])
    panel.step(times, np.arange(1, len(times) + 1) / len(seconds), where="post", **style)


if __name__ == "__main__":
    main()
