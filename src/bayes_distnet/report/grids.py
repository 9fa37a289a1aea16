"""Tables to print: a `Listing` holds texts, a `Grid` means and deviations. Both are written in three markups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from markupsafe import Markup

from bayes_distnet.report import markup
from bayes_distnet.report.markup import PARTIAL, Cell, Number
from bayes_distnet.report.templating import render


@dataclass(frozen=True)
class Listing:
    """A table of texts.

    Parameters
    ----------
    header : sequence of str
        Heads of the columns.
    rows : sequence of sequences of str or Number
        One cell per column.
    keys : int, default 1
        Number of columns that name the row; the others are numbers, set to the right.
    caption : str, default ""
        One sentence or two, as plain text.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    keys: int = 1
    caption: str = ""

    def markdown(self) -> str:
        """Return a Markdown table, its caption below it."""
        return markup.markdown(self.header, self.rows, self.keys, self.caption)

    def latex(self) -> str:
        """Return a LaTeX table for the booktabs package."""
        return markup.latex(self.header, self.rows, self.keys, self.caption)

    def html(self) -> Markup:
        """Return an HTML table; a row that starts a group has the class "first"."""
        rows = list(zip(self.rows, markup.repetitions(self.rows, self.keys), strict=True))
        return render("table.html", header=self.header, rows=rows, keys=self.keys, caption=self.caption)


@dataclass(frozen=True)
class Grid:
    """A table of means with their deviations.

    Parameters
    ----------
    mean, deviation : DataFrame of float
        Numbers; NaN for a missing one.
    best : DataFrame of bool
        Whether a mean is the best of its group: it is set in bold.
    partial : DataFrame of bool
        Whether a mean is over fewer folds than others: it has a dagger.
    text : str, default ""
        Caption, as plain text.
    by_column : bool, default True
        Whether each column is a score with its own number of digits; else the whole table is one score.
    """

    mean: pd.DataFrame
    deviation: pd.DataFrame
    best: pd.DataFrame
    partial: pd.DataFrame
    text: str = ""
    by_column: bool = True

    @property
    def caption(self) -> str:
        """The caption, with the meaning of the dagger if the table has one."""
        shown = bool((self.partial & self.mean.notna()).to_numpy().any())
        note = f"{PARTIAL} fewer folds than others of the same level, so never the best." if shown else ""
        return " ".join(part for part in (self.text, note) if part)

    @property
    def digits(self) -> list[int]:
        """Number of decimals per column."""
        if self.by_column:
            return [decimals(self.mean[column]) for column in self.mean]
        return [decimals(self.mean.to_numpy().ravel())] * self.mean.shape[1]

    def take(self, rows: Iterable[str]) -> Grid:
        """Return some of the rows; the best values stay those of the whole table.

        Parameters
        ----------
        rows : iterable of str
            Names of the rows.

        Returns
        -------
        Grid
            These rows.
        """
        at, names = list(rows), ("mean", "deviation", "best", "partial")
        return replace(self, **{name: getattr(self, name).loc[at] for name in names})

    def listing(self) -> Listing:
        """Return the table with its numbers as texts."""
        header = [*map(str, self.mean.index.names), *map(str, self.mean.columns)]
        parts = (frame.to_numpy() for frame in (self.mean, self.deviation, self.best, self.partial))
        digits = self.digits
        rows: list[list[Cell]] = []
        for index, *values in zip(self.mean.index, *parts, strict=True):
            labels = index if isinstance(index, tuple) else (index,)
            numbers = [
                Number(_number(mean, n), _number(deviation, n), bool(best), bool(partial))
                for mean, deviation, best, partial, n in zip(*values, digits, strict=True)
            ]
            rows.append([*map(str, labels), *numbers])
        return Listing(header, rows, int(self.mean.index.nlevels), self.caption)

    def markdown(self) -> str:
        """Return a Markdown table, best values in bold, its caption below it."""
        return self.listing().markdown()

    def latex(self) -> str:
        """Return a LaTeX table for the booktabs package, best values in bold."""
        return self.listing().latex()

    def html(self) -> Markup:
        """Return an HTML table, best values in `<strong>`."""
        return self.listing().html()


def decimals(values: Iterable[float]) -> int:
    """Return the number of decimals for numbers of one kind: three, or four if most of them are small."""
    return 4 if pd.Series(values).abs().dropna().median() < 0.05 else 3


def _number(value: float, digits: int) -> str:
    if np.isnan(value):
        return ""
    text = f"{value:.{digits}f}" if abs(value) < 1e4 else f"{value:.2g}"
    return text.replace("-", "−") if float(text) else text.replace("-", "")
