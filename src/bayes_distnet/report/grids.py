r"""Tables to print: the same one as Markdown, LaTeX and HTML.

A `Grid` holds means and deviations and knows which of them are the best; a `Listing` holds texts.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

PARTIAL = "†"


@dataclass(frozen=True)
class Listing:
    """A table of texts.

    Args:
        header: names of the columns.
        rows: a text a column.
        keys: so many columns say what a row is; the others are numbers, set to the right.
        caption: one sentence or two, as plain text.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    keys: int = 1
    caption: str = ""

    def markdown(self) -> str:
        """Return a Markdown table, its caption below it."""
        rows = [[_markdown_text(cell) for cell in row] for row in self.rows]
        return _markdown(self.header, rows, self.keys, self.caption)

    def latex(self) -> str:
        """Return a LaTeX table for the booktabs package."""
        rows = [[latex_text(cell) for cell in row] for row in self.rows]
        return _latex(self.header, rows, self.keys, self.caption)

    def html(self) -> str:
        """Return an HTML table."""
        rows = [[html.escape(cell) for cell in row] for row in self.rows]
        return _html(self.header, rows, self.keys, self.caption)


@dataclass(frozen=True)
class Grid:
    """A table of means with their deviations: which are the best, and which are over fewer folds than the others."""

    mean: pd.DataFrame
    deviation: pd.DataFrame
    best: pd.DataFrame
    partial: pd.DataFrame
    text: str = ""
    by_column: bool = True
    """Whether a column is a score, with digits of its own, or the whole table is one."""

    @property
    def caption(self) -> str:
        """What the table shows, and what the dagger means if there is one."""
        shown = bool((self.partial & self.mean.notna()).to_numpy().any())
        note = f"{PARTIAL} fewer folds than others of the same level, so never the best." if shown else ""
        return " ".join(part for part in (self.text, note) if part)

    def take(self, rows: Sequence[str]) -> Grid:
        """Return some of the rows; the best stay what they are in the whole table."""
        at = list(rows)
        return replace(
            self,
            mean=self.mean.loc[at],
            deviation=self.deviation.loc[at],
            best=self.best.loc[at],
            partial=self.partial.loc[at],
        )

    @property
    def digits(self) -> list[int]:
        """Decimals of every column."""
        if self.by_column:
            return [decimals(self.mean[column]) for column in self.mean]
        return [decimals(pd.Series(self.mean.to_numpy().ravel()))] * self.mean.shape[1]

    def markdown(self) -> str:
        """Return a Markdown table, best values in bold, its caption below it."""
        return _markdown(self._header(), self._rows(_markdown_text, _markdown_cell), self._keys(), self.caption)

    def latex(self) -> str:
        """Return a LaTeX table for the booktabs package, best values in bold."""
        return _latex(self._header(), self._rows(latex_text, _latex_cell), self._keys(), self.caption)

    def html(self) -> str:
        """Return an HTML table, best values in `<strong>`; a row whose group changes has the class "first"."""
        return _html(self._header(), self._rows(html.escape, _html_cell), self._keys(), self.caption)

    def _keys(self) -> int:
        return int(self.mean.index.nlevels)

    def _header(self) -> list[str]:
        return [*map(str, self.mean.index.names), *map(str, self.mean.columns)]

    def _rows(self, text: Callable[[str], str], cell: Callable[[str, str, bool, bool], str]) -> list[list[str]]:
        """Labels and cells of every row."""
        rows = []
        digits = self.digits
        for index, means, deviations, best, partial in zip(
            self.mean.index,
            self.mean.to_numpy(),
            self.deviation.to_numpy(),
            self.best.to_numpy(),
            self.partial.to_numpy(),
            strict=True,
        ):
            labels = index if isinstance(index, tuple) else (index,)
            cells = zip(means, deviations, best, partial, digits, strict=True)
            shown = [cell(_number(m, n), _number(d, n), bool(bold), bool(few)) for m, d, bold, few, n in cells]
            rows.append([text(str(label)) for label in labels] + shown)
        return rows


def decimals(values: pd.Series) -> int:
    """Three decimals, four where most values are small."""
    return 4 if values.abs().median() < 0.05 else 3


def latex_text(text: str) -> str:
    r"""Return text as LaTeX shows it.

    >>> print(latex_text("80 % of my_runs ± 2"))
    80 \% of my\_runs $\pm$ 2
    """
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$"}
    special |= {sign: "\\" + sign for sign in "&%$#_{}"} | {"–": "--", "−": "$-$", PARTIAL: r"$^\dagger$"}
    return re.sub("|".join(map(re.escape, special)), lambda found: special[found[0]], text)


def _markdown(header: Sequence[str], rows: list[list[str]], keys: int, caption: str) -> str:
    rule = ["---"] * keys + ["---:"] * (len(header) - keys)
    lines = ["| " + " | ".join(row) + " |" for row in [list(header), rule, *rows]]
    below = ["", f"*{_markdown_text(caption.strip())}*"] if caption else []
    return "\n".join([*lines, *below]) + "\n"


def _latex(header: Sequence[str], rows: list[list[str]], keys: int, caption: str) -> str:
    lines = []
    for i, (row, repeated) in enumerate(zip(rows, _repeated(rows, keys), strict=True)):
        shown = ["" if again else cell for again, cell in zip(repeated, row, strict=True)]
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


def _html(header: Sequence[str], rows: list[list[str]], keys: int, caption: str) -> str:
    kinds = [' class="text"' if i < keys else "" for i in range(len(header))]
    head = "".join(f'<th scope="col"{k}>{html.escape(name)}</th>' for k, name in zip(kinds, header, strict=True))
    lines = []
    for i, (row, repeated) in enumerate(zip(rows, _repeated(rows, keys), strict=True)):
        # What repeats the row before is there for those who hear the table, not for those who see it.
        labels = [
            f'<th scope="row">{f"<span class={_UNSEEN}>{label}</span>" if again else label}</th>'
            for label, again in zip(row[:keys], repeated, strict=False)
        ]
        cells = [f"<td>{cell}</td>" for cell in row[keys:]]
        start = '<tr class="first">' if i and keys > 1 and not repeated[0] else "<tr>"
        lines.append(f"{start}{''.join(labels + cells)}</tr>")
    above = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{above}<thead><tr>{head}</tr></thead><tbody>\n" + "\n".join(lines) + "\n</tbody></table>"


_UNSEEN = '"unseen"'


def _repeated(rows: list[list[str]], keys: int) -> list[list[bool]]:
    """Whether a label, and all those left of it, repeat the row before; a single label, and a number, never does."""
    found = []
    before: list[str] = []
    for row in rows:
        found.append([keys > 1 and i < keys and row[: i + 1] == before[: i + 1] for i in range(len(row))])
        before = row
    return found


def _number(value: float, digits: int) -> str:
    if np.isnan(value):
        return ""
    text = f"{value:.{digits}f}" if abs(value) < 1e4 else f"{value:.2g}"
    return text.replace("-", "−") if float(text) else text.replace("-", "")


def _markdown_text(text: str) -> str:
    return re.sub(r"([|*_`<\\])", r"\\\1", text)


def _markdown_cell(mean: str, deviation: str, bold: bool, partial: bool) -> str:
    if not mean:
        return "–"
    shown = (f"**{mean}**" if bold else mean) + PARTIAL * partial
    return f"{shown} ± {deviation}" if deviation else shown


def _html_cell(mean: str, deviation: str, bold: bool, partial: bool) -> str:
    if not mean:
        return "–"
    shown = (f"<strong>{mean}</strong>" if bold else mean) + PARTIAL * partial
    return f"{shown} <small>± {deviation}</small>" if deviation else shown


def _latex_cell(mean: str, deviation: str, bold: bool, partial: bool) -> str:
    if not mean:
        return "--"
    mean, deviation = _latex_number(mean), _latex_number(deviation)
    shown = (rf"\mathbf{{{mean}}}" if bold else mean) + (r"^\dagger" if partial else "")
    return rf"${shown} \pm {deviation}$" if deviation else f"${shown}$"


def _latex_number(text: str) -> str:
    """Write a number as LaTeX does: in braces a minus is a sign, not an operation."""
    text = re.sub(r"e\+?(−?)0*(\d+)", r" \\cdot 10^{\1\2}", text)
    return text.replace("−", "{-}").replace("inf", r"\infty")
