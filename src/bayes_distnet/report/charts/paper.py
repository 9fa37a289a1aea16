"""Charts drawn by Matplotlib, as files for papers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np

from bayes_distnet.report.charts.chart import Axis, Chart, DotChart, Line, LineChart, StripChart
from bayes_distnet.report.charts.looks import GREY, LIGHT, Look
from bayes_distnet.report.charts.scales import number_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLE: dict[str, Any] = {"axes.labelsize": 8.5, "xtick.labelsize": 8, "ytick.labelsize": 8, "font.size": 8}
PANEL = (4.3, 3.1)  # width and height in inches
COLUMNS = 3  # panels per row of a figure file


def figure(charts: Sequence[Chart]) -> Figure:
    """Draw charts side by side, with one legend for all.

    Parameters
    ----------
    charts : sequence of Chart
        Panels.

    Returns
    -------
    Figure
        The figure.
    """
    from matplotlib.figure import Figure

    rows, columns = -(-len(charts) // COLUMNS), min(COLUMNS, len(charts))
    whole = Figure(figsize=(PANEL[0] * columns + 2.2, PANEL[1] * rows), layout="constrained")
    axes = whole.subplots(rows, columns, squeeze=False).ravel()
    keys: dict[str, Any] = {}
    for ax, chart in zip(axes, charts, strict=False):
        draw(chart, ax)
        ax.set_title(plain_text(chart.name), loc="left", fontsize=9, fontweight="bold")
        keys |= {label: line for line, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    for ax in axes[len(charts) :]:
        ax.set_visible(False)
    if keys:
        whole.legend(keys.values(), keys.keys(), loc="outside right upper", frameon=False, fontsize=7.5)
    return whole


@singledispatch
def draw(chart: Chart, ax: Axes) -> None:
    """Draw a chart on axes."""
    raise TypeError(type(chart))


@draw.register(LineChart)
def _lines(chart: LineChart, ax: Axes) -> None:
    if chart.diagonal:
        ax.plot([chart.x.low, chart.x.high], [chart.y.low, chart.y.high], color=GREY, lw=0.8, label="_")
    if chart.rule is not None:
        ax.axhline(chart.rule, color=GREY, lw=0.8)
    taken: dict[tuple[float, float], int] = {}
    for line in chart.lines:
        _draw_line(chart, line, ax)
        _draw_arrows(chart, line, ax, taken)
    _dress(ax.xaxis, chart.x, ax.set_xscale, ax.set_xlim)
    _dress(ax.yaxis, chart.y, ax.set_yscale, ax.set_ylim)
    ax.set(xlabel=plain_text(chart.x.label), ylabel=plain_text(chart.y.label))
    ax.spines[["top", "right"]].set_visible(False)


@draw.register(DotChart)
def _dots(chart: DotChart, ax: Axes) -> None:
    for place, dot in enumerate(chart.dots):
        color = color_of(dot.look)
        at = float(np.clip(dot.value, chart.x.low, chart.x.high))
        ax.plot([chart.x.low, at], [place, place], color=color, lw=1, alpha=0.35)
        if at == dot.value:
            error = dot.error if np.isfinite(dot.error) else 0.0
            ax.errorbar(at, place, xerr=error, fmt=dot.look.marker or "o", ms=4, lw=1.2, color=color)
        else:
            ax.plot(at, place, ">" if at < dot.value else "<", color=color, ms=4, clip_on=False)
            ax.annotate(number_text(dot.value), (at, place), (4, 4), textcoords="offset points", fontsize=6)
    ax.set_yticks(range(len(chart.dots)), [plain_text(dot.name) for dot in chart.dots], fontsize=6.5)
    ax.invert_yaxis()
    if chart.rule is not None:
        ax.axvline(chart.rule, color=GREY, lw=0.8)
    _dress(ax.xaxis, chart.x, ax.set_xscale, ax.set_xlim)
    ax.set_xlabel(plain_text(chart.x.label))
    ax.spines[["top", "right"]].set_visible(False)


@draw.register(StripChart)
def _strips(chart: StripChart, ax: Axes) -> None:
    for strip in chart.strips:
        at = strip.row + 0.8 * strip.lane / chart.lanes
        color = color_of(chart.looks[strip.name])
        ax.broken_barh([(strip.start, strip.end - strip.start)], (at, 0.75 / chart.lanes), color=color, lw=0)
    for name, look in chart.looks.items():
        ax.plot([], [], color=color_of(look), lw=4, label=plain_text(name))
    ax.set_yticks(np.arange(len(chart.rows)) + 0.4, [plain_text(name)[-24:] for name in chart.rows], fontsize=5.5)
    ax.invert_yaxis()
    _dress(ax.xaxis, chart.x, ax.set_xscale, ax.set_xlim)
    ax.set_xlabel(plain_text(chart.x.label))
    ax.spines[["top", "right", "left"]].set_visible(False)


def _draw_line(chart: LineChart, line: Line, ax: Axes) -> None:
    look, color = line.look, color_of(line.look)
    label = plain_text(line.name) if look.labelled else "_"
    order = 4 if look.on else 2 if look.reference else 1
    if line.low is not None and line.high is not None and look.on and chart.bands:
        ax.fill_between(line.x, line.low, line.high, color=color, alpha=0.14, lw=0)
    dashes: Any = (0, look.dashes) if look.dashes else "-"
    every = look.marks_every(chart.points)
    marker = look.marker if every else ""
    shape: Any = {"drawstyle": "steps-post"} if line.steps else {"markevery": every or None}
    width = look.width if look.labelled else 0.8
    ax.plot(line.x, line.y, color=color, lw=width, ls=dashes, marker=marker, ms=4, zorder=order, label=label, **shape)


def _draw_arrows(chart: LineChart, line: Line, ax: Axes, taken: dict[tuple[float, float], int]) -> None:
    """Draw arrows for points outside, and the number of the first; numbers at one place are stacked."""
    color = color_of(line.look)
    for edge, arrow, out, down in (
        (chart.y.high, "^", line.y > chart.y.high, -1),
        (chart.y.low, "v", line.y < chart.y.low, 1),
    ):
        if not out.any():
            continue
        ax.plot(line.x[out], np.full(out.sum(), edge), arrow, color=color, ms=4, clip_on=False, label="_")
        if line.look.labelled:
            first = int(np.flatnonzero(out)[0])
            place = (float(line.x[first]), edge)
            taken[place] = taken.get(place, 0) + 1
            text, offset = number_text(float(line.y[first])), (5, down * 8 * taken[place] - 2)
            ax.annotate(text, place, offset, textcoords="offset points", fontsize=6, color=color)


def _dress(own: Any, axis: Axis, set_scale: Any, set_limits: Any) -> None:
    """Set scale, limits and ticks of an axis."""
    if axis.log:
        set_scale("log")
    set_limits(axis.low, axis.high)
    own.set_ticks([value for value, _ in axis.ticks], [plain_text(text) for _, text in axis.ticks])
    own.set_ticks([], minor=True)


def color_of(look: Look) -> str:
    """Return the colour of a line on paper."""
    return LIGHT[look.color - 1] if look.on and look.color else GREY


def plain_text(text: object) -> str:
    r"""Escape text for Matplotlib, which reads text between two dollar signs as mathematics.

    Parameters
    ----------
    text : object
        Text, or something to be shown as text.

    Returns
    -------
    str
        Text that Matplotlib shows unchanged.

    Examples
    --------
    >>> print(plain_text("$5 or $6"))
    \$5 or \$6
    """
    return str(text).replace("$", r"\$")
