"""The tables and figures of a report: each is written to files, and is returned as a block of the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd
from markupsafe import Markup

from bayes_distnet.experiments.registry import EXPERIMENTS
from bayes_distnet.experiments.results import Results
from bayes_distnet.experiments.statistics import row_name
from bayes_distnet.report.grids import Grid, Listing
from bayes_distnet.report.names import rows_of
from bayes_distnet.report.page import Line, Region, inline_svg, legend_line
from bayes_distnet.report.styles import Styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    #: A description of a panel, and the function that draws it.
    Panel = tuple[str, Callable[[Axes], object]]

#: Names of tables and figures start with the key of an experiment or with one of these words.
NAMES = ("behind", "examples", "calibration", "familiarity", "published", "cost")
KINDS = {"tables": (".md", ".tex", ".csv"), "figures": (".png", ".pdf")}

PANEL = (4.3, 3.1)  # width and height in inches
PLACE = (0.15, 0.17, 0.82, 0.67)  # left, bottom, width and height of the axes, as fractions of the panel
COLUMNS = 3  # panels per row of a figure file


@dataclass(frozen=True)
class Book:
    """Results, and the files made of them.

    Parameters
    ----------
    results : Results
        Results; tables and figures go into their folder.
    """

    results: Results

    def clear(self) -> None:
        """Remove the tables and figures of an earlier report: this one may have fewer."""
        for folder, kinds in KINDS.items():
            for path in (self.results.folder / folder).glob("*"):
                if path.suffix in kinds and path.stem.startswith((*EXPERIMENTS, *NAMES)):
                    path.unlink()

    def table(self, name: str, table: Grid | Listing) -> Region:
        """Write a table as Markdown and LaTeX.

        Parameters
        ----------
        name : str
            Name of the files.
        table : Grid or Listing
            The table.

        Returns
        -------
        Region
            The table as a block of the page.
        """
        folder = self.results.folder / "tables"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.md").write_text(table.markdown(), "utf-8")
        (folder / f"{name}.tex").write_text(table.latex(), "utf-8")
        return Region(name, table)

    def csv(self, name: str, table: pd.DataFrame) -> None:
        """Write all columns of a table as CSV, beside its other forms.

        Parameters
        ----------
        name : str
            Name of the file.
        table : DataFrame
            The table.
        """
        folder = self.results.folder / "tables"
        folder.mkdir(exist_ok=True)
        table.to_csv(folder / f"{name}.csv", index=False, float_format="%.6g")

    def figure(self, name: str, panels: Sequence[Panel]) -> list[Markup]:
        """Write panels as one PNG and one PDF.

        Parameters
        ----------
        name : str
            Name of the files.
        panels : sequence of (str, callable)
            For each panel a description, and the function that draws it on axes.

        Returns
        -------
        list of Markup
            Each panel as SVG.
        """
        from matplotlib.figure import Figure

        parts = []
        for i, (label, draw) in enumerate(panels):
            one = Figure(figsize=PANEL)
            draw(one.add_axes(PLACE))
            parts.append(inline_svg(one, label, f"{name}-{i}"))
        whole = _all_panels(panels)
        folder = self.results.folder / "figures"
        folder.mkdir(exist_ok=True)
        whole.savefig(folder / f"{name}.png", dpi=150)
        whole.set_layout_engine("none")  # the layout of the PNG is kept
        whole.savefig(folder / f"{name}.pdf", metadata={"CreationDate": None})  # the same results give the same file
        return parts


def _all_panels(panels: Sequence[Panel]) -> Figure:
    """Draw panels side by side, with one legend for all."""
    from matplotlib.figure import Figure

    rows, columns = -(-len(panels) // COLUMNS), min(COLUMNS, len(panels))
    figure = Figure(figsize=(PANEL[0] * columns + 2.2, PANEL[1] * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    lines: dict[str, Any] = {}
    for ax, (_, draw) in zip(axes, panels, strict=False):
        draw(ax)
        lines |= {label: line for line, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    for ax in axes[len(panels) :]:
        ax.set_visible(False)
    figure.legend(lines.values(), lines.keys(), loc="outside right upper", frameon=False, fontsize=7.5)
    return figure


def legend_of(rows: pd.DataFrame, points: bool = True) -> list[Line]:
    """Return the legend of a figure.

    Parameters
    ----------
    rows : DataFrame
        Rows that the figure shows.
    points : bool, default True
        Whether the lines have few points; else they are curves.

    Returns
    -------
    list of Line
        One line per model and family.
    """
    styles = Styles.of(rows)
    style = styles.line if points else styles.curve
    return [legend_line(row_name(*row), style(*row)) for row in rows_of(rows)]
