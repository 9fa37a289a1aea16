"""One self-contained HTML page: sections of blocks, charts as inline SVG, one script. A browser fetches nothing for it.

A block is data; the template that it names makes HTML of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from markupsafe import Markup

from bayes_distnet.report.charts.chart import Chart, LineChart
from bayes_distnet.report.charts.looks import DARK, LIGHT, Look
from bayes_distnet.report.charts.svg import MARKS, svg
from bayes_distnet.report.grids import Grid, Listing
from bayes_distnet.report.templating import render


@dataclass(frozen=True)
class Block:
    """A part of a section."""

    template: ClassVar[str]


@dataclass(frozen=True)
class Paragraph(Block):
    """A paragraph of plain text; kind: its CSS class, "note" or "soft"."""

    template = "paragraph.html"
    text: str
    kind: str = ""


@dataclass(frozen=True)
class Heading(Block):
    """A heading inside a section."""

    template = "heading.html"
    text: str


@dataclass(frozen=True)
class Facts(Block):
    """A list of names, each with a plain text."""

    template = "facts.html"
    pairs: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Region(Block):
    """A table that scrolls on a narrow screen, with a name for readers who cannot see it."""

    template = "region.html"
    name: str
    table: Grid | Listing


@dataclass(frozen=True)
class Folded(Block):
    """A long block behind a line that opens it."""

    template = "folded.html"
    summary: str
    inside: Block


@dataclass(frozen=True)
class Columns(Block):
    """Groups of blocks side by side, as many as fit."""

    template = "columns.html"
    groups: Sequence[Sequence[Block]]


@dataclass(frozen=True)
class Key:
    """An entry of a legend: a name and the look of its line. The page's script makes a switch of it."""

    name: str
    look: Look

    @property
    def dashes(self) -> str:
        """Lengths of dashes and gaps in pixels."""
        return " ".join(f"{part * self.look.width:.1f}" for part in self.look.dashes) or "none"

    @property
    def mark(self) -> str:
        """The marker as SVG path."""
        return f"M16 6{MARKS[self.look.marker]}" if self.look.marker else ""


@dataclass(frozen=True)
class Panels(Block):
    """Charts side by side, as many as fit, below a legend and above a caption.

    Parameters
    ----------
    charts : sequence of Chart
        The charts.
    caption : str
        What they show.
    legend : sequence of Key
        Names and looks of lines.
    choice : str, default ""
        What tells the charts apart, such as "Score": a reader can choose one.
    shown : int or None
        Number of charts that are seen at first; all by default.
    """

    template = "panels.html"
    charts: Sequence[Chart]
    caption: str
    legend: Sequence[Key] = ()
    choice: str = ""
    shown: int | None = None

    def drawn(self) -> list[tuple[str, Markup]]:
        """Return names and `<svg>` elements of the charts."""
        return [(chart.name, svg(chart)) for chart in self.charts]

    @property
    def unlabelled(self) -> bool:
        """Whether the charts need no room for labels."""
        return all(isinstance(chart, LineChart) and not chart.labelled for chart in self.charts)

    @property
    def keys(self) -> list[Key]:
        """The legend: lines in colour first."""
        return sorted(self.legend, key=lambda key: (not key.look.on, not key.look.reference))


@dataclass(frozen=True)
class Section:
    """A part of a page.

    Parameters
    ----------
    anchor : str
        Its id on the page.
    link : str
        Its name in the navigation.
    title : str
        Its heading.
    blocks : sequence of Block
        Its content.
    """

    anchor: str
    link: str
    title: str
    blocks: Sequence[Block]


def page(title: str, lead: Sequence[Block], sections: Iterable[Section]) -> str:
    """Return a whole page.

    Parameters
    ----------
    title : str
        Title of the page.
    lead : sequence of Block
        Content below the title.
    sections : iterable of Section
        Content, each part with a link in the navigation.

    Returns
    -------
    str
        HTML.
    """
    return str(render("page.html", title=title, lead=lead, sections=list(sections), light=LIGHT, dark=DARK))
