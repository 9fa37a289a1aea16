"""Draw the pictures of README.md and of the site: `python scripts/draw_pictures.py` writes docs/pictures/*.svg.

Each picture is drawn twice, for light and for dark pages, without a background of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from bayes_distnet import HybridDistNet, Results, RuntimeDistribution, load_dataset
from bayes_distnet.distributions import InstanceEffect, InstanceRuntimes
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.models import Explanation
from bayes_distnet.report.tables import overview as overview_of

ROOT = Path(__file__).parents[1]
INK = {"light": "#24292f", "dark": "#e6e9ec"}
COLOURS = {"light": ("#0072b2", "#d55e00", "#00805a", "#7a7a7a"), "dark": ("#56b4e9", "#ff9448", "#2fc79a", "#9a9a9a")}
REASONS = "zenotravel-0017.pddl"  # instance whose prediction is explained
RUNS = [1, 2, 4, 8, 16]
SETTINGS = {"svg.hashsalt": "bayes-distnet", "svg.fonttype": "path", "font.size": 11, "axes.titlesize": 11.5}


def main() -> None:
    """Draw all pictures."""
    predictions, runs, rows = predict_factoring()
    results, why = Results.load(ROOT / "results" / "clasp-factoring"), explain_zenotravel()
    for mode in INK:
        draw("overview", mode, lambda figure, look: overview(figure, look, predictions, runs, rows, results))
        draw("learning", mode, learning)
        draw("ignorance", mode, ignorance)
        draw_reasons(mode, why)


def draw(name: str, mode: str, paint: Callable[[Figure, tuple[str, ...]], None]) -> None:
    """Draw one picture in the colours of light or dark pages."""
    ink = INK[mode]
    parts = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
    with plt.rc_context(SETTINGS | dict.fromkeys(parts, ink)):
        figure = plt.figure(figsize=(10.4, 3.7), layout="constrained")
        paint(figure, COLOURS[mode])
        for axes in figure.axes:
            axes.set_facecolor("none")
            axes.spines[["top", "right"]].set_visible(False)
            axes.grid(color=ink, alpha=0.12)
        target = ROOT / "docs" / "pictures" / f"{name}-{mode}.svg"
        figure.savefig(target, transparent=True, metadata={"Date": None})
        plt.close(figure)


def explain_zenotravel() -> Explanation:
    """Explain the prediction of an unseen instance of lpg-zenotravel, from four runs of each of the others."""
    train, test = load_dataset("lpg-zenotravel").split(test_size=0.2, random_state=0)
    model = HybridDistNet(random_state=0).fit(train.features, train.seconds[:, :4], finished=train.finished[:, :4])
    return model.explain(test.features.loc[[REASONS]])


def draw_reasons(mode: str, why: Explanation) -> None:
    """Draw the steps from the background to a prediction, and to its uncertainty."""
    ink = INK[mode]
    parts = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
    with plt.rc_context(SETTINGS | {"font.size": 9.5} | dict.fromkeys(parts, ink)):
        figure = why.figure(0, top=8)
        for axes in figure.axes:
            axes.set_facecolor("none")
        target = ROOT / "docs" / "pictures" / f"reasons-{mode}.svg"
        figure.savefig(target, transparent=True, metadata={"Date": None})
        plt.close(figure)


def predict_factoring() -> tuple[InstanceRuntimes, np.ndarray, list[int]]:
    """Predict unseen instances of clasp-factoring from eight runs of each of the others; choose three to show."""
    train, test = load_dataset("clasp-factoring").split(test_size=0.2, random_state=0)
    model = HybridDistNet(random_state=0).fit(train.features, train.seconds[:, :8], finished=train.finished[:, :8])
    order = np.argsort(np.median(test.seconds, axis=1))
    rows = [int(row) for row in order[[len(order) // 6, len(order) // 2, 5 * len(order) // 6]]]
    return model.predict_distribution(test.features), test.seconds, rows


def overview(figure, look, predictions, runs, rows, results) -> None:
    """Draw predictions beside facts, and the likelihood of models that learn from few runs."""
    left, right = figure.subplots(1, 2, width_ratios=[1.25, 1])
    times = np.geomspace(0.003, 1.0, 300)
    for row, colour in zip(rows, look, strict=False):
        low, high = predictions[row].band(0.9, t=times)
        left.fill_between(times, low[0], high[0], color=colour, alpha=0.22, linewidth=0)
        left.plot(times, predictions[row].cdf(times)[0], color=colour, linewidth=2.2)
        seconds = np.sort(runs[row])
        left.step(
            seconds, np.arange(1, len(seconds) + 1) / len(seconds), where="post", color=colour, linewidth=1, ls=":"
        )
    left.set(
        xscale="log", xlim=(times[0], times[-1]), ylim=(0, 1), xlabel="CPU seconds", ylabel="chance to be finished"
    )
    left.set_title("Three unseen instances: prediction, 90 % band, actual runs (dotted)", loc="left")
    draw_few_runs(right, look, results)


def draw_few_runs(axes: Axes, look: tuple[str, ...], results: Results) -> None:
    """Draw the negative log likelihood against the number of runs per instance to learn from."""
    means = overview_of(results.of("low-samples"), "runs", "nllh").mean
    shown = {"HybridDistNet": -22, "RandomForest": -12, "NGBoost": 6, "DistNet, lognormal": 2}
    for (row, offset), colour in zip(shown.items(), look, strict=True):
        values = means.loc[row].to_numpy(float)
        axes.plot(RUNS, values, color=colour, marker="o", linewidth=2.6 if row == "HybridDistNet" else 1.5)
        label = row.partition(",")[0]
        axes.annotate(label, (RUNS[0], values[0]), (4, offset), textcoords="offset points", color=colour, weight="bold")
    axes.set(xscale="log", xticks=RUNS, xticklabels=RUNS)
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set(xlabel="runs per training instance", ylabel="negative log likelihood")
    axes.set_title("Error on unseen instances (less is better)", loc="left")


def learning(figure, look) -> None:
    """Draw what a finished run and a run that was cut off contribute to the likelihood."""
    left, right = figure.subplots(1, 2)
    rtd = RuntimeDistribution(LogNormal(np.log([[10.0]]), [[0.6]]))
    times = np.linspace(0.05, 45, 400)
    density = rtd.pdf(times)[0]
    for axes in (left, right):
        axes.plot(times, density, color=look[0], linewidth=2.2)
        axes.set(xlabel="seconds", yticks=[], xlim=(0, 45), ylim=(0, None))
    left.vlines(7, 0, rtd.pdf(7.0)[0], color=look[1], linewidth=2.5)
    left.plot([7], rtd.pdf(7.0), "o", color=look[1])
    left.set_title("A run that finished after 7 s: the density there", loc="left")
    beyond = times >= 15
    right.fill_between(times[beyond], density[beyond], color=look[1], alpha=0.5, linewidth=0)
    right.axvline(15, color=look[1], linestyle="--", linewidth=1.5)
    right.set_title("A run that was cut off at 15 s: all that lies beyond", loc="left")


def ignorance(figure, look) -> None:
    """Draw the prediction of a run beside the distributions that the instance itself may have."""
    left, right = figure.subplots(1, 2)
    times = np.geomspace(0.5, 200, 300)
    single = RuntimeDistribution(LogNormal(np.log([[10.0]]), [[1.0]]))
    for axes, share, title in (
        (left, 0.1, "Mostly luck: restarts and copies help"),
        (right, 0.8, "Mostly ignorance: they do not"),
    ):
        for shift in np.linspace(-1.6, 1.6, 9):
            own = LogNormal(np.log([[10.0]]) + np.sqrt(share) * shift, [[np.sqrt(1 - share)]])
            axes.plot(times, RuntimeDistribution(own).cdf(times)[0], color=look[3], linewidth=0.9)
        axes.plot(times, single.cdf(times)[0], color=look[0], linewidth=2.4)
        low, high = InstanceRuntimes(single, InstanceEffect(np.array([share]))).band(0.9)
        axes.hlines(0.5, low, high, color=look[1], linewidth=5, alpha=0.8)
        axes.set(xscale="log", xlabel="seconds", ylim=(0, 1), xlim=(0.5, 200))
        axes.set_title(title, loc="left")
    left.set_ylabel("chance to be finished")


if __name__ == "__main__":
    main()
