"""One self-contained HTML page: sections of blocks, figures as inline SVG. A browser fetches nothing to show it.

A block is data; the template that it names makes HTML of it.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from markupsafe import Markup

from bayes_distnet.report.grids import Grid, Listing
from bayes_distnet.report.templating import render

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Colour of text and axes in figures; on the page it becomes the colour of the page's text.
FIGURE_INK = "#1c2330"
FIGURE_STYLE: dict[str, Any] = {
    "text.color": FIGURE_INK,
    "axes.labelcolor": FIGURE_INK,
    "axes.edgecolor": FIGURE_INK,
    "xtick.color": FIGURE_INK,
    "ytick.color": FIGURE_INK,
    "axes.labelsize": 8.5,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "svg.fonttype": "path",
    "svg.hashsalt": "bayes-distnet",
}

# Dashes and gaps of Matplotlib's named line styles, in line widths.
_NAMED: dict[str, tuple[float, ...]] = {"-": (), "--": (3.7, 1.6), "-.": (6.4, 1.6, 1.0, 1.6), ":": (1.0, 1.65)}
# Matplotlib's markers as SVG paths around the point (14, 5).
_MARKS = {
    "": "",
    "o": "M11.8 5a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0-4.4 0z",
    "x": "M11 2L17 8M17 2L11 8",
    "s": "M11.5 2.5h5v5h-5z",
    "^": "M14 2l3 5.5h-6z",
    "v": "M14 8l3-5.5h-6z",
    "D": "M14 1.5l3.5 3.5-3.5 3.5-3.5-3.5z",
    "d": "M14 1l2.4 4-2.4 4-2.4-4z",
    "<": "M11 5l5.5-3v6z",
    ">": "M17 5l-5.5-3v6z",
    "P": "M13 2h2v2h2v2h-2v2h-2v-2h-2v-2h2z",
    "X": "M11 3l1.4-1.4L14 3.3l1.6-1.7L17 3l-1.7 2L17 7l-1.4 1.4L14 6.7l-1.6 1.7L11 7l1.7-2z",
    "*": "M14 1l1 2.9h3l-2.4 1.8.9 3L14 6.9l-2.5 1.8.9-3L10 3.9h3z",
}


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
class Bullets(Block):
    """A list of plain texts."""

    template = "bullets.html"
    texts: Sequence[str]


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
class Line:
    """A line of a legend, drawn as in the figure: colour, width, lengths of dashes and gaps, marker as SVG path."""

    name: str
    color: str
    width: float
    dashes: str
    mark: str


@dataclass(frozen=True)
class Panels(Block):
    """Figures in a row, as many as fit, below a legend and above a caption."""

    template = "panels.html"
    figures: Sequence[Markup]
    caption: str
    legend: Sequence[Line] = ()


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
    return str(render("page.html", title=title, lead=lead, sections=list(sections)))


def legend_line(name: str, style: dict[str, Any]) -> Line:
    """Return a line of a legend.

    Parameters
    ----------
    name : str
        Text next to the line.
    style : dict
        Arguments of Matplotlib's `plot`: "color", "lw", "ls" and "marker".

    Returns
    -------
    Line
        The line.
    """
    ls = style["ls"]
    dashes = " ".join(f"{n * style['lw']:.1f}" for n in (_NAMED[ls] if isinstance(ls, str) else ls[1]))
    mark = _MARKS.get(style["marker"], _MARKS["s"])
    return Line(name, style["color"], style["lw"], dashes or "none", mark)


def inline_svg(figure: Figure, label: str, anchor: str) -> Markup:
    """Return a figure as SVG for a page.

    Parameters
    ----------
    figure : Figure
        The figure.
    label : str
        Description for readers who cannot see it.
    anchor : str
        Prefix of all ids inside the figure: they must be unique on the page.

    Returns
    -------
    Markup
        The `<svg>` element.
    """
    file = io.StringIO()
    figure.savefig(file, format="svg", transparent=True)
    text = file.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{anchor}-', text)
    text = re.sub(r'(href="|url\()#', rf"\g<1>#{anchor}-", text)
    text = text.replace(FIGURE_INK, "currentColor")
    head, rest = text.split(">", 1)
    head = re.sub(r'\s(width|height|version)="[^"]*"', "", head)
    return Markup(f'{head} role="img" aria-label="{html.escape(label)}">{rest.strip()}')
