"""The tables and figures of a report: each is written to files, and is returned as a block of the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from bayes_distnet.experiments.registry import EXPERIMENTS
from bayes_distnet.experiments.results import Results
from bayes_distnet.experiments.statistics import most_complete, row_name
from bayes_distnet.files import write_whole, written_whole
from bayes_distnet.report.charts.chart import Chart
from bayes_distnet.report.charts.looks import Looks
from bayes_distnet.report.charts.paper import figure
from bayes_distnet.report.grids import Grid, Listing
from bayes_distnet.report.names import FIRST_SCORE, rows_of
from bayes_distnet.report.page import Key, Region

#: Names of tables and figures start with the key of an experiment or with one of these words.
NAMES = ("behind", "bands", "examples", "calibration", "familiarity", "published", "cost")
KINDS = {"tables": (".md", ".tex", ".csv"), "figures": (".png", ".pdf")}


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
        write_whole(folder / f"{name}.md", table.markdown())
        write_whole(folder / f"{name}.tex", table.latex())
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
        write_whole(folder / f"{name}.csv", table.to_csv(index=False, float_format="%.6g"))

    def figure(self, name: str, charts: Sequence[Chart]) -> Sequence[Chart]:
        """Write charts as one PNG and one PDF.

        Parameters
        ----------
        name : str
            Name of the files.
        charts : sequence of Chart
            Panels.

        Returns
        -------
        sequence of Chart
            The same charts, for the page.
        """
        whole = figure(charts)
        folder = self.results.folder / "figures"
        folder.mkdir(exist_ok=True)
        with written_whole(folder / f"{name}.png") as draft:
            whole.savefig(draft, dpi=150)
        whole.set_layout_engine("none")  # the layout of the PNG is kept
        with written_whole(folder / f"{name}.pdf") as draft:
            whole.savefig(draft, metadata={"CreationDate": None})  # the same results give the same file
        return charts

    @cached_property
    def looks(self) -> Looks:
        """Looks of all models of the report."""
        results = self.results
        tables = (results.table, results.shifts, results.calibration, results.examples, results.curves)
        columns = ["model", "family"]
        columns += ["role"] if "role" in results.table else []
        rows = pd.concat([table.reindex(columns=columns) for table in tables]).drop_duplicates(["model", "family"])
        rows = rows[rows["model"].notna()].fillna({"family": ""})
        scores = results.table[results.table["score"] == FIRST_SCORE]
        scores = scores if scores.empty else most_complete(scores)
        means = scores.groupby(["model", "family"])["value"].mean().groupby("model").min()
        return Looks.of(rows, [str(model) for model in means.sort_values().index])

    def keys(self, rows: pd.DataFrame) -> list[Key]:
        """Return the legend of a figure that shows some rows: one entry per model and family."""
        return [Key(row_name(*row), self.looks.look(*row)) for row in rows_of(rows)]
