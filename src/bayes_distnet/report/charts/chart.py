"""Charts as data: lines, dots and strips over axes. They hold what is drawn, and no pixel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.report.charts.looks import Look


@dataclass(frozen=True)
class Axis:
    """An axis.

    Parameters
    ----------
    label : str
        Its name, with a unit.
    low, high : float
        Its ends.
    ticks : sequence of (float, str)
        Values with their texts.
    log : bool, default False
        Whether it is logarithmic.
    percent : bool, default False
        Whether values are shown as percentages.
    """

    label: str
    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    log: bool = False
    percent: bool = False

    def place(self, values: FloatArray) -> FloatArray:
        """Return the places of values on the axis: 0 is its start, 1 its end; outside if a value is outside."""
        low, high = (np.log([self.low, self.high])) if self.log else (self.low, self.high)
        with np.errstate(divide="ignore", invalid="ignore"):
            found: FloatArray = ((np.log(values) if self.log else values) - low) / (high - low)
        return found


@dataclass(frozen=True, eq=False)
class Line:
    """A line of a chart.

    Parameters
    ----------
    name : str
        Full name.
    label : str
        Short name, next to its end.
    look : Look
        Its look.
    x, y : ndarray of float
        Its points; NaN where there is none.
    low, high : ndarray of float or None
        A band around it.
    error : ndarray of float or None
        Deviations that are shown with its values.
    steps : bool, default False
        Whether it is drawn as steps.
    """

    name: str
    label: str
    look: Look
    x: FloatArray
    y: FloatArray
    low: FloatArray | None = None
    high: FloatArray | None = None
    error: FloatArray | None = None
    steps: bool = False


@dataclass(frozen=True, eq=False)
class LineChart:
    """Lines over two axes.

    Parameters
    ----------
    name : str
        What it shows, as its title.
    description : str
        The same as a phrase, for readers who cannot see it.
    x, y : Axis
        Its axes. Points outside are drawn as arrows at the edge.
    lines : sequence of Line
        Its lines.
    rule : float or None
        Value of y that is correct.
    diagonal : bool, default False
        Whether a line from corner to corner is drawn.
    labelled : bool, default True
        Whether lines have labels at their ends.
    points : bool, default True
        Whether all points of lines are marked; else few are, and none of main models.
    bands : bool, default True
        Whether bands of lines in colour are always seen; else the page shows that of the line under the pointer.
    """

    name: str
    description: str
    x: Axis
    y: Axis
    lines: Sequence[Line]
    rule: float | None = None
    diagonal: bool = False
    labelled: bool = True
    points: bool = True
    bands: bool = True


@dataclass(frozen=True)
class Dot:
    """A value with its error; see `Line` for name and look. A caption is shown with its value, such as a role."""

    name: str
    look: Look
    value: float
    error: float = float("nan")
    caption: str = ""


@dataclass(frozen=True)
class DotChart:
    """One dot per row, with a bar from the start of the axis.

    Parameters
    ----------
    name, description : str
        As of `LineChart`.
    x : Axis
        Axis of the values.
    dots : sequence of Dot
        Rows from the top down.
    rule : float or None
        Value that is correct, or to compare with.
    """

    name: str
    description: str
    x: Axis
    dots: Sequence[Dot]
    rule: float | None = None


@dataclass(frozen=True)
class Strip:
    """A part of a row, from a start to an end, on one of several lanes; its name decides its colour."""

    row: int
    lane: int
    name: str
    start: float
    end: float


@dataclass(frozen=True)
class StripChart:
    """Rows of strips, such as schedules.

    Parameters
    ----------
    name, description : str
        As of `LineChart`.
    x : Axis
        Axis of time.
    rows : sequence of str
        Names of rows from the top down.
    strips : sequence of Strip
        Parts of rows.
    looks : dict of str to Look
        Looks by name of a strip.
    lanes : int, default 1
        Lanes per row.
    """

    name: str
    description: str
    x: Axis
    rows: Sequence[str]
    strips: Sequence[Strip]
    looks: dict[str, Look] = field(default_factory=dict)
    lanes: int = 1


Chart = LineChart | DotChart | StripChart
