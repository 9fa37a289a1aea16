"""One self-contained HTML page: sections, tables that scroll, figures as inline SVG. Nothing is fetched to show it."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TEMPLATE = Path(__file__).with_name("page.html")

#: Colour of text and axes in figures; on the page it is the colour of the page's text.
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


# What Matplotlib draws for the styles it has names for, in line widths.
_NAMED: dict[str, tuple[float, ...]] = {"-": (), "--": (3.7, 1.6), "-.": (6.4, 1.6, 1.0, 1.6), ":": (1.0, 1.65)}


@dataclass(frozen=True)
class Section:
    """A part of a page: its anchor, its name in the navigation, its title, and what it holds, as HTML."""

    anchor: str
    link: str
    title: str
    body: str


def page(title: str, lead: str, sections: Iterable[Section]) -> str:
    """Return a whole page; lead: HTML under the title."""
    parts = list(sections)
    links = "\n".join(f'<a href="#{s.anchor}">{html.escape(s.link)}</a>' for s in parts)
    body = "\n".join(f'<section id="{s.anchor}">\n<h2>{html.escape(s.title)}</h2>\n{s.body}\n</section>' for s in parts)
    template = Template(_TEMPLATE.read_text("utf-8"))
    return template.substitute(title=html.escape(title), lead=lead, links=links, body=body)


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph of plain text; kind: its class."""
    start = f'<p class="{kind}">' if kind else "<p>"
    return f"{start}{html.escape(text)}</p>"


def bullets(texts: Iterable[str]) -> str:
    """Return a list of plain texts."""
    return "<ul>" + "".join(f"<li>{html.escape(text)}</li>" for text in texts) + "</ul>"


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Return a list of names and plain texts."""
    return (
        '<dl class="facts">'
        + "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(text)}</dd>" for name, text in pairs)
        + "</dl>"
    )


def scrolling(markup: str, label: str) -> str:
    """Let a wide table scroll on a narrow screen; label: what it is, for those who cannot see it."""
    return f'<div class="scroll" role="region" aria-label="{html.escape(label)}" tabindex="0">{markup}</div>'


def folded(summary: str, markup: str) -> str:
    """Hide something long behind a line that opens it."""
    return f"<details><summary>{html.escape(summary)}</summary>\n{markup}\n</details>"


def panels(figures: Iterable[str], caption: str, legend: str = "") -> str:
    """Return figures side by side, as many as fit, under a legend and over a caption."""
    inside = "\n".join(f'<div class="panel">{figure}</div>' for figure in figures)
    below = f"<figcaption>{html.escape(caption)}</figcaption>"
    return f'<figure>{legend}<div class="panels">\n{inside}\n</div>{below}</figure>'


def legend(entries: Iterable[tuple[str, dict[str, Any]]]) -> str:
    """Return a legend: names, and lines as Matplotlib's styles would draw them."""
    items = "".join(f"<li>{_swatch(style)}{html.escape(name)}</li>" for name, style in entries)
    return f'<ul class="legend">{items}</ul>'


def _swatch(style: dict[str, Any]) -> str:
    ls = style["ls"]
    dashes = " ".join(f"{n * style['lw']:.1f}" for n in (_NAMED[ls] if isinstance(ls, str) else ls[1]))
    return (
        '<svg viewBox="0 0 28 10" width="28" height="10" aria-hidden="true">'
        f'<line x1="1" x2="27" y1="5" y2="5" stroke="{style["color"]}" stroke-width="{style["lw"]}" '
        f'stroke-dasharray="{dashes or "none"}"/>{_mark(style["marker"], style["color"])}</svg>'
    )


def _mark(marker: str, color: str) -> str:
    if not marker:
        return ""
    if marker == "o":
        return f'<circle cx="14" cy="5" r="2.6" fill="{color}"/>'
    shapes = {
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
    return f'<path d="{shapes.get(marker, shapes["s"])}" fill="{color}" stroke="{color}" stroke-width="0.8"/>'


def inline_svg(figure: Figure, label: str, anchor: str) -> str:
    """Return a figure as SVG to be put into a page; anchor: unique on the page, as ids inside the figure must be."""
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
    return f'{head} role="img" aria-label="{html.escape(label)}">{rest.strip()}'
