"""Plots of explanations: steps from the background to a prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayes_distnet.drawing import COLORS, GREY, new_axes
from bayes_distnet.models.explanation.quantities import LEVEL, MEDIAN

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MORE, LESS = COLORS[1], COLORS[0]
LONGEST = 34  # characters of a name
_TITLES = {
    MEDIAN: "median [s]",
    "ignorance": f"ignorance: ends of the {LEVEL:.0%} band of the median, ratio",
    "luck": f"luck: {LEVEL:.0%} of the runs of one instance, ratio of the ends",
    "spread": f"spread: {LEVEL:.0%} of the runs, ratio of the ends",
}


def plot_steps(explanation: Any, row: int, quantity: str, top: int, ax: Axes | None) -> Axes:
    """Draw the steps of one quantity: see `Explanation.plot`."""
    chosen = explanation.order(row, quantity)
    shown = chosen[:top] if len(chosen) > top + 1 else chosen  # one that is left over is drawn, too
    ax = new_axes(ax, (6.6, 1.3 + 0.32 * (len(shown) + 2)))
    _draw(ax, explanation, row, quantity, shown)
    _name_steps(ax, explanation, row, shown)
    ax.set_title(f"{_name(explanation, row)}:\n{explanation.sentence(row)}", loc="left", fontsize="medium")
    return ax


def figure_of(explanation: Any, row: int, quantities: tuple[str, ...], top: int) -> Figure:
    """Draw several quantities beside each other: see `Explanation.figure`."""
    from bayes_distnet.drawing import new_figure

    chosen = explanation.order(row)
    shown = chosen[:top] if len(chosen) > top + 1 else chosen
    figure, panels = new_figure(len(quantities), (3.6 + 2.9 * len(quantities), 1.4 + 0.32 * (len(shown) + 2)))
    for number, (ax, quantity) in enumerate(zip(panels, quantities, strict=True)):
        new_axes(ax)
        _draw(ax, explanation, row, quantity, shown)
        if number == 0:
            _name_steps(ax, explanation, row, shown)
        else:
            ax.set_yticks(ax.get_yticks(), [])
    figure.suptitle(f"{_name(explanation, row)}: {explanation.sentence(row)}", fontsize="medium")
    return figure


def _name(explanation: Any, row: int) -> str:
    name = explanation.features.index[row]
    return name if isinstance(name, str) else f"row {name}"


def _draw(ax: Axes, explanation: Any, row: int, quantity: str, shown: list[int]) -> None:
    """Draw one bar per group, the first at the top, from the background (above) to the prediction (below)."""
    at, ink = explanation.place(quantity), ax.xaxis.label.get_color()
    values, errors = explanation.contributions[row, :, at], explanation.errors[row, :, at]
    rest = np.setdiff1d(np.arange(len(values)), shown)
    steps = [*values[shown], *([values[rest].sum()] if rest.size else [])]
    spreads = [*errors[shown], *([np.sqrt((errors[rest] ** 2).sum())] if rest.size else [])]
    ends = explanation.base[at] + np.r_[0.0, np.cumsum(steps)]
    for place, (start, step, error) in enumerate(zip(ends, steps, spreads, strict=False), start=1):
        low, high = np.exp(sorted([start, start + step]))
        ax.barh(place, high - low, left=low, color=MORE if step > 0 else LESS, height=0.66, alpha=0.85)
        if np.isfinite(error) and error > 0:
            ax.hlines(place, *np.exp([start + step - error, start + step + error]), color=ink, lw=1.1)
        ax.vlines(np.exp(start + step), place + 0.33, place + 0.67, color=GREY, lw=0.8)
        text = f"{'×' if step >= 0 else '÷'} {np.exp(abs(step)):.2f}"
        right = max(high, float(np.exp(start + step + error))) if np.isfinite(error) else high
        ax.annotate(text, (right, place), xytext=(4, 0), textcoords="offset points", va="center", fontsize="x-small")
    last = len(steps) + 1
    for place, value in ((0, ends[0]), (last, explanation.predicted[row, at])):
        ax.plot(np.exp(value), place, marker="D", ms=5, color=GREY if place == 0 else ink, ls="")
        unit = " s" if quantity == MEDIAN else ""
        ax.annotate(
            f"{np.exp(value):.3g}{unit}",
            (np.exp(value), place),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize="small",
        )
    _log_axis(ax, np.exp(ends))
    ax.set_ylim(last + 0.6, -0.6)
    ax.set_yticks(range(last + 1))
    ax.grid(visible=False, axis="y")
    ax.set_xlabel(_TITLES[quantity], fontsize="small")


def _log_axis(ax: Axes, values: Any) -> None:
    from bayes_distnet.drawing import log_seconds

    low, high = float(np.min(values)), float(np.max(values))
    room = max((high / low) ** 0.14, 1.03)
    log_seconds(ax, "x", low, high)
    ax.set_xlim(low / room, high * room**2)


def _name_steps(ax: Axes, explanation: Any, row: int, shown: list[int]) -> None:
    names = [_cut(explanation, row, group) for group in shown]
    left = len(explanation.groups) - len(shown)
    n = explanation.n_background
    first = f"average of {n} instances" if n > 1 else "background instance"
    ax.set_yticks(
        ax.get_yticks(), [first, *names, *([f"{left} others"] if left else []), "this instance"], fontsize="small"
    )


def _cut(explanation: Any, row: int, group: int) -> str:
    name, label = list(explanation.groups)[group], explanation.label(row, group)
    first, bracket, more = name.partition(" (+")
    first = first if len(first) <= LONGEST else f"{first[: LONGEST - 1]}…"
    return f"{first}{bracket}{more}{f' = {label[:16]}' if label else ''}"
