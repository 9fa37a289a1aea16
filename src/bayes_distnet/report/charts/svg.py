"""Charts as SVG for the page: the template writes what is computed here. A script adds what a pointer can ask for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

import numpy as np
from markupsafe import Markup

from bayes_distnet.arrays import FloatArray
from bayes_distnet.report.charts.chart import Axis, Chart, DotChart, Line, LineChart, StripChart
from bayes_distnet.report.charts.labels import spread
from bayes_distnet.report.charts.scales import number_text
from bayes_distnet.report.templating import render

WIDTH, HEIGHT = 720, 400
NARROW = 480  # width of a chart without labels
LABEL_GAP, ROW = 18, 26  # least distance of two labels; height of a row of dots
_LETTER = 9.2  # mean width of a letter of a label
_MOST_LETTERS = 26  # of a label; the full name is in the legend

#: Matplotlib's markers as SVG paths around the point where the pen is.
MARKS = {
    "": "",
    "o": "m-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z",
    "x": "m-4-2.6l1.4-1.4 2.6 2.6 2.6-2.6 1.4 1.4-2.6 2.6 2.6 2.6-1.4 1.4-2.6-2.6-2.6 2.6-1.4-1.4 2.6-2.6z",
    "s": "m-3.4-3.4h6.8v6.8h-6.8z",
    "^": "m0-4.4l4.4 7.8h-8.8z",
    "v": "m0 4.4l4.4-7.8h-8.8z",
    "D": "m0-4.8l4.8 4.8-4.8 4.8-4.8-4.8z",
    "d": "m0-5l3.2 5-3.2 5-3.2-5z",
    "<": "m-4.4 0l7.8-4.4v8.8z",
    ">": "m4.4 0l-7.8-4.4v8.8z",
    "P": "m-1.5-4.2h3v2.7h2.7v3h-2.7v2.7h-3v-2.7h-2.7v-3h2.7z",
    "X": "m-4.2-2.4l1.8-1.8 2.4 2.4 2.4-2.4 1.8 1.8-2.4 2.4 2.4 2.4-1.8 1.8-2.4-2.4-2.4 2.4-1.8-1.8 2.4-2.4z",
    "*": "m0-5l1.4 3.4 3.6.2-2.8 2.3.9 3.6-3.1-2-3.1 2 .9-3.6-2.8-2.3 3.6-.2z",
}


@dataclass(frozen=True)
class Frame:
    """The rectangle of the axes in pixels."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.top + self.height

    def x(self, axis: Axis, values: FloatArray) -> FloatArray:
        """Return pixels of values of x."""
        return self.left + axis.place(np.asarray(values, dtype=float)) * self.width

    def y(self, axis: Axis, values: FloatArray) -> FloatArray:
        """Return pixels of values of y."""
        return self.bottom - axis.place(np.asarray(values, dtype=float)) * self.height


@singledispatch
def svg(chart: Chart) -> Markup:
    """Return a chart as the `<svg>` element of a page."""
    raise TypeError(type(chart))


@svg.register(LineChart)
def _lines(chart: LineChart) -> Markup:
    room = 0.0
    if chart.labelled:
        room = max((_letters(chart, line) for line in chart.lines), default=0) * _LETTER + 16
    left = max((len(text) for _, text in chart.y.ticks), default=1) * _LETTER + (34 if chart.y.label else 14)
    width = WIDTH if chart.labelled else NARROW
    frame = Frame(left, 14, width - left - max(room, 16), HEIGHT - 14 - 52)
    lines = [_line(chart, line, frame) for line in chart.lines]
    _place_labels(lines, frame)
    _place_numbers(lines)
    lines.sort(key=lambda line: (line["look"].on, line["look"].reference))
    rule = None if chart.rule is None else round(float(frame.y(chart.y, np.array([chart.rule]))[0]), 1)
    y_ticks = _ticks(chart.y, frame.y)
    narrow = f"-24 -6 {frame.right + 40:.0f} {HEIGHT + 6}"
    values = {"lines": lines, "rule": rule, "y_ticks": y_ticks, "narrow": narrow, "bands": chart.bands}
    return _rendered(chart, frame, width, HEIGHT, "lines", **values)


@svg.register(DotChart)
def _dots(chart: DotChart) -> Markup:
    names = max((len(dot.name) for dot in chart.dots), default=0)
    height = 14 + ROW * len(chart.dots) + 52
    frame = Frame(min(names, 40) * _LETTER + 16, 14, 0, ROW * len(chart.dots))
    frame = replace(frame, width=WIDTH - frame.left - 62)
    rows = []
    for place, dot in enumerate(chart.dots):
        middle = frame.top + ROW * (place + 0.5)
        at = frame.x(chart.x, np.array([dot.value, dot.value - dot.error, dot.value + dot.error]))
        inside = np.clip(np.nan_to_num(at, nan=frame.left, posinf=frame.right), frame.left, frame.right)
        side = 1 if at[0] > frame.right else -1 if at[0] < frame.left else 0
        rows.append(
            {
                "dot": dot,
                "look": dot.look,
                "y": middle,
                "x": round(float(inside[0]), 1),
                "low": round(float(inside[1]), 1) if np.isfinite(dot.error) else None,
                "high": round(float(inside[2]), 1),
                "side": side,
                "mark": MARKS[dot.look.marker or "o"],
                "text": number_text(dot.value),
                "tip": f"{dot.name}: {number_text(dot.value)}"
                + (f" ± {number_text(dot.error)}" if np.isfinite(dot.error) else "")
                + (f" ({dot.caption})" if dot.caption else ""),
            }
        )
    rule = None if chart.rule is None else round(float(frame.x(chart.x, np.array([chart.rule]))[0]), 1)
    return _rendered(chart, frame, WIDTH, height, "dots", rows=rows, rule=rule, y_ticks=[])


@svg.register(StripChart)
def _strips(chart: StripChart) -> Markup:
    names = [name if len(name) <= _MOST_LETTERS else f"…{name[1 - _MOST_LETTERS :]}" for name in chart.rows]
    lane = 15.0
    step = lane * chart.lanes + 8
    frame = Frame(max(map(len, names), default=0) * _LETTER + 16, 14, 0, step * len(names))
    frame = replace(frame, width=WIDTH - frame.left - 20)
    bars = []
    for strip in chart.strips:
        start, end = np.clip(frame.x(chart.x, np.array([strip.start, strip.end])), frame.left, frame.right)
        bars.append(
            {
                "x": round(float(start), 1),
                "y": frame.top + step * strip.row + lane * strip.lane + 4,
                "width": round(float(max(end - start, 0.5)), 1),
                "look": chart.looks[strip.name],
                "tip": f"{strip.name}: {number_text(strip.start)} s to {number_text(strip.end)} s",
            }
        )
    rows = [{"text": name, "y": frame.top + step * (i + 0.5)} for i, name in enumerate(names)]
    return _rendered(chart, frame, WIDTH, frame.bottom + 52, "strips", rows=rows, bars=bars, lane=lane - 2, y_ticks=[])


def _rendered(chart: Chart, frame: Frame, width: float, height: float, kind: str, **values: Any) -> Markup:
    ticks = _ticks(chart.x, frame.x)
    return render("chart.svg", chart=chart, f=frame, width=width, height=height, kind=kind, x_ticks=ticks, **values)


def _ticks(axis: Axis, place: Any) -> list[tuple[float, str]]:
    return [(round(float(place(axis, np.array([value]))[0]), 1), text) for value, text in axis.ticks]


def _line(chart: LineChart, line: Line, frame: Frame) -> dict[str, Any]:
    """Return what the template needs to draw a line."""
    x, y = frame.x(chart.x, line.x), frame.y(chart.y, line.y)
    above, below = _beyond(y < frame.top - 0.5, x), _beyond(y > frame.bottom + 0.5, x)
    inside = np.isfinite(x) & ~np.isnan(y)
    drawn = np.clip(y, frame.top - 4 * frame.height, frame.bottom + 4 * frame.height)
    edge = np.where(above, frame.top + 5, np.where(below, frame.bottom - 5, y))
    shown = inside & ~above & ~below & (x >= frame.left - 0.5) & (x <= frame.right + 0.5)
    arrows = "".join(
        f"M{_p(a)} {_p(b)}{MARKS['^' if up else 'v']}"
        for a, b, up in zip(x[above | below], edge[above | below], above[above | below], strict=True)
    )
    marks, every = MARKS[line.look.marker], line.look.marks_every(chart.points)
    ends = np.flatnonzero(inside)
    last = int(ends[-1]) if ends.size else -1
    out = last >= 0 and bool(above[last] or below[last])
    first_out = np.flatnonzero(above | below)
    number = None
    if first_out.size and not out and line.look.labelled:
        at = int(first_out[0])
        number = {"x": round(float(x[at]) + 8, 1), "y": round(float(edge[at]) + 5, 1), "text": number_text(line.y[at])}
    return {
        "line": line,
        "look": line.look,
        "path": _path(x[inside], drawn[inside], line.steps),
        "band": _band(chart, line, frame),
        "marks": "".join(f"M{_p(a)} {_p(b)}{marks}" for a, b in zip(x[shown][::every], y[shown][::every], strict=True))
        if marks and every
        else "",
        "arrows": arrows,
        "number": number,
        "label": _shown(line) if chart.labelled and last >= 0 else "",
        "last": float(line.y[last]) if last >= 0 else np.nan,
        "end": (round(float(x[last]), 1), round(float(edge[last]), 1)) if last >= 0 else None,
        "xs": " ".join(f"{v:.5g}" for v in line.x),
        "ys": " ".join(f"{v:.5g}" for v in line.y),
        "errors": "" if line.error is None else " ".join(f"{v:.3g}" for v in line.error),
        "dashes": " ".join(f"{d * line.look.width:.1f}" for d in line.look.dashes),
    }


def _beyond(out: np.ndarray[Any, np.dtype[np.bool_]], x: FloatArray) -> np.ndarray[Any, np.dtype[np.bool_]]:
    return out & np.isfinite(x)


def _letters(chart: LineChart, line: Line) -> int:
    """Return the length of a label, with the value that is written where the end of the line lies outside."""
    known = line.y[~np.isnan(line.y)]
    inside = not known.size or chart.y.low <= known[-1] <= chart.y.high
    return len(_shown(line)) + (0 if inside else 2 + len(number_text(float(known[-1]))))


def _shown(line: Line) -> str:
    """Return the label of a line, shortened if it is long."""
    text = line.label
    return text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 1] + "…"


def _place_labels(lines: list[dict[str, Any]], frame: Frame) -> None:
    """Set labels that are seen at first apart from each other; the others stay where their lines end."""
    for item in lines:
        item["label_y"] = None if item["end"] is None else item["end"][1]
    seen = [item for item in lines if item["label"] and item["look"].labelled]
    seen.sort(key=lambda item: -item["last"])  # those beyond the same edge are in the order of their values
    places = spread([item["end"][1] for item in seen], LABEL_GAP, frame.top, frame.bottom)
    for item, place in zip(seen, places, strict=True):
        item["label_y"] = round(place, 1)
    for item in lines:
        if item["label"]:
            bottom, top = item["end"][1] >= frame.bottom - 5, item["end"][1] <= frame.top + 5
            outside = bool(item["arrows"]) and (bottom or top)
            item["label"] += f" {'↑' if top else '↓'} {number_text(item['last'])}" if outside else ""


def _place_numbers(lines: list[dict[str, Any]]) -> None:
    """Leave out numbers next to arrows that would cover each other."""
    taken: list[tuple[float, float]] = []
    for item in sorted(lines, key=lambda item: not item["look"].on):
        number = item["number"]
        if number and any(abs(number["x"] - a) < 46 and abs(number["y"] - b) < 14 for a, b in taken):
            number["y"] += 15
            if any(abs(number["x"] - a) < 46 and abs(number["y"] - b) < 14 for a, b in taken):
                item["number"] = number = None
        if number:
            taken.append((number["x"], number["y"]))


def _band(chart: LineChart, line: Line, frame: Frame) -> str:
    if line.low is None or line.high is None:
        return ""
    x = frame.x(chart.x, line.x)
    low, high = (frame.y(chart.y, ends) for ends in (line.low, line.high))
    here = np.isfinite(x) & ~np.isnan(low) & ~np.isnan(high)
    far = (frame.top - frame.height, frame.bottom + frame.height)
    low, high = np.clip(low[here], *far), np.clip(high[here], *far)
    ring = zip(np.r_[x[here], x[here][::-1]], np.r_[high, low[::-1]], strict=True)
    return "M" + "L".join(f"{_p(a)} {_p(b)}" for a, b in ring) + "z" if here.any() else ""


def _path(x: FloatArray, y: FloatArray, steps: bool) -> str:
    if steps and x.size:
        return f"M{_p(x[0])} {_p(y[0])}" + "".join(f"H{_p(a)}V{_p(b)}" for a, b in zip(x[1:], y[1:], strict=True))
    return "M" + "L".join(f"{_p(a)} {_p(b)}" for a, b in zip(x, y, strict=True)) if x.size else ""


def _p(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
