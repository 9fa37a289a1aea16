"""Small tables and curves as HTML, for notebooks and pages; they take the colour of the text around them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

ROWS = 10  # most rows of a table
WIDTH, HEIGHT = 120, 26  # of a curve, in pixels
_LINE = "1px solid rgba(128,128,128,.35)"


class Svg(str):
    """A drawing: it is put into a table as it is, whereas all text is escaped."""

    __slots__ = ()


def curve(heights: Sequence[float], marks: Sequence[float] = (), *, title: str = "") -> Svg:
    """Draw a curve in the size of a line of text.

    Parameters
    ----------
    heights : sequence of float
        Heights between 0 and 1, at even distances from left to right.
    marks : sequence of float
        Places of dashed vertical lines, between 0 (left) and 1 (right).
    title : str
        Text for readers who cannot see it, and under the pointer.

    Returns
    -------
    Svg
        The drawing.
    """
    inner = HEIGHT - 4
    step = WIDTH / max(len(heights) - 1, 1)
    points = [f"{i * step:.1f},{2 + inner * (1 - min(max(y, 0.0), 1.0)):.1f}" for i, y in enumerate(heights)]
    lines = "".join(
        f'<line x1="{x * WIDTH:.1f}" x2="{x * WIDTH:.1f}" y1="0" y2="{HEIGHT}" stroke="currentColor" '
        'stroke-opacity=".45" stroke-dasharray="2 2"/>'
        for x in marks
    )
    return Svg(
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'style="vertical-align:middle"><title>{escape(title)}</title>'
        f'<polygon points="0,{HEIGHT - 2} {" ".join(points)} {WIDTH},{HEIGHT - 2}" fill="#2f86c4" fill-opacity=".25"/>'
        f'<polyline points="{" ".join(points)}" fill="none" stroke="#2f86c4" stroke-width="1.6"/>{lines}</svg>'
    )


def table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], *, left_out: int = 0, note: str = ""
) -> str:
    """Return a table as HTML.

    Parameters
    ----------
    title : str
        Text above the table.
    columns : sequence of str
        Heads of the columns.
    rows : sequence of sequences
        Cells: text, which is escaped, or drawings of `curve`.
    left_out : int, default 0
        Number of further rows, which are counted only.
    note : str
        Text below the table.

    Returns
    -------
    str
        HTML without scripts, in the colours of its surroundings.

    Examples
    --------
    >>> "&lt;b&gt;" in table("two <b>", ["name"], [["x"]]), "… 3 more" in table("", ["name"], [["x"]], left_out=3)
    (True, True)
    """
    cell = "padding:2px 10px 2px 0;text-align:left;white-space:nowrap;background:transparent;color:inherit"
    head = "".join(f'<th style="{cell};font-weight:600;border-bottom:{_LINE}">{escape(name)}</th>' for name in columns)
    lines = ("".join(f'<td style="{cell}">{_cell(value)}</td>' for value in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    more = f"… {left_out:,} more" if left_out else ""
    below = " · ".join(filter(None, (more, note)))
    return (
        '<div style="font-family:system-ui,sans-serif;font-size:13px;line-height:1.5;overflow-x:auto;'
        'font-variant-numeric:tabular-nums">'
        f'<div style="font-weight:600;margin-bottom:2px">{escape(title)}</div>'
        '<table style="border-collapse:collapse;border:0;margin:0;color:inherit;font:inherit">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        + (f'<div style="opacity:.7">{escape(below)}</div>' if below else "")
        + "</div>"
    )


def _cell(value: str) -> str:
    return value if isinstance(value, Svg) else escape(value)


def seconds_text(seconds: float) -> str:
    """Return seconds as text of three digits.

    Parameters
    ----------
    seconds : float
        Seconds; infinity and NaN are allowed.

    Returns
    -------
    str
        The text, with the unit.

    Examples
    --------
    >>> [seconds_text(t) for t in (0.01234, 12.0, 86400.0, 2e9, math.inf)]
    ['0.0123 s', '12 s', '86,400 s', '2e+09 s', '∞']
    """
    if math.isnan(seconds):
        return "unknown"
    if math.isinf(seconds):
        return "∞"
    return f"{seconds:,.0f} s" if 1000 <= seconds < 1e7 else f"{seconds:.3g} s"
