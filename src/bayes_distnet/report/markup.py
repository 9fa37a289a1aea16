r"""Tables as Markdown and LaTeX.

They are written by hand, not by templates as the HTML is: a table is a join of escaped cells, which is shorter in
Python, and the delimiters and automatic escaping of Jinja2 are made for HTML. In LaTeX the braces would clash.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

PARTIAL = "†"


@dataclass(frozen=True)
class Number:
    """A number in a table.

    Parameters
    ----------
    mean : str
        The number; empty if it is missing.
    deviation : str, default ""
        Number after "±".
    best : bool, default False
        Whether it is set in bold.
    partial : bool, default False
        Whether it has a dagger.
    """

    mean: str
    deviation: str = ""
    best: bool = False
    partial: bool = False

    @property
    def dagger(self) -> str:
        """The sign after a mean over fewer folds than others."""
        return PARTIAL if self.partial else ""


Cell = str | Number


def markdown(header: Sequence[str], rows: Sequence[Sequence[Cell]], keys: int, caption: str) -> str:
    """Return a Markdown table, its caption below it.

    Parameters
    ----------
    header : sequence of str
        Heads of the columns.
    rows : sequence of sequences of str or Number
        Cells.
    keys : int
        Number of columns that name the row.
    caption : str
        Plain text, or "".

    Returns
    -------
    str
        Lines of Markdown.
    """
    rule = ["---"] * keys + ["---:"] * (len(header) - keys)
    cells = [[_markdown_cell(cell) for cell in row] for row in rows]
    lines = ["| " + " | ".join(row) + " |" for row in [list(header), rule, *cells]]
    below = ["", f"*{_markdown_text(caption.strip())}*"] if caption else []
    return "\n".join([*lines, *below]) + "\n"


def latex(header: Sequence[str], rows: Sequence[Sequence[Cell]], keys: int, caption: str) -> str:
    """Return a LaTeX table for the booktabs package.

    Parameters
    ----------
    header : sequence of str
        Heads of the columns.
    rows : sequence of sequences of str or Number
        Cells.
    keys : int
        Number of columns that name the row; a name that repeats the row above is left out.
    caption : str
        Plain text, or "".

    Returns
    -------
    str
        Lines of LaTeX.
    """
    lines = []
    for i, (row, repeated) in enumerate(zip(rows, repetitions(rows, keys), strict=True)):
        shown = ["" if again else _latex_cell(cell) for again, cell in zip(repeated, row, strict=True)]
        lines += [r"\midrule"] if i and keys > 1 and not repeated[0] else []
        lines.append(" & ".join(shown) + r" \\")
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{latex_text(caption)}}}",
            rf"\begin{{tabular}}{{{'l' * keys}{'r' * (len(header) - keys)}}}",
            r"\toprule",
            " & ".join(rf"\textbf{{{latex_text(name)}}}" for name in header) + r" \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def latex_text(text: str) -> str:
    r"""Escape text for LaTeX.

    Parameters
    ----------
    text : str
        Plain text.

    Returns
    -------
    str
        LaTeX that shows this text.

    Examples
    --------
    >>> print(latex_text("80 % of my_runs ± 2"))
    80 \% of my\_runs $\pm$ 2
    """
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$"}
    special |= {sign: "\\" + sign for sign in "&%$#_{}"} | {"–": "--", "−": "$-$", PARTIAL: r"$^\dagger$"}
    return re.sub("|".join(map(re.escape, special)), lambda found: special[found[0]], text)


def repetitions(rows: Sequence[Sequence[Cell]], keys: int) -> list[list[bool]]:
    """Find names that repeat the row above.

    Parameters
    ----------
    rows : sequence of sequences
        Cells.
    keys : int
        Number of columns that name the row; a single name is never a repetition.

    Returns
    -------
    list of list of bool
        For each cell, whether it is a name that, with all names left of it, repeats the row above.

    Examples
    --------
    >>> repetitions([["8", "a", "1"], ["8", "b", "1"]], keys=2)
    [[False, False, False], [True, False, False]]
    """
    found = []
    above: Sequence[Cell] = []
    for row in rows:
        found.append([keys > 1 and i < keys and row[: i + 1] == above[: i + 1] for i in range(len(row))])
        above = row
    return found


def _markdown_text(text: str) -> str:
    return re.sub(r"([|*_`<\\])", r"\\\1", text)


def _markdown_cell(cell: Cell) -> str:
    if isinstance(cell, str):
        return _markdown_text(cell)
    if not cell.mean:
        return "–"
    shown = (f"**{cell.mean}**" if cell.best else cell.mean) + cell.dagger
    return f"{shown} ± {cell.deviation}" if cell.deviation else shown


def _latex_cell(cell: Cell) -> str:
    if isinstance(cell, str):
        return latex_text(cell)
    if not cell.mean:
        return "--"
    mean, deviation = _latex_number(cell.mean), _latex_number(cell.deviation)
    shown = (rf"\mathbf{{{mean}}}" if cell.best else mean) + (r"^\dagger" if cell.partial else "")
    return rf"${shown} \pm {deviation}$" if deviation else f"${shown}$"


def _latex_number(text: str) -> str:
    """Write a number for LaTeX: a minus in braces is a sign, not an operation."""
    text = re.sub(r"e\+?(−?)0*(\d+)", r" \\cdot 10^{\1\2}", text)
    return text.replace("−", "{-}").replace("inf", r"\infty")
