"""Section on bands: how often they hold an instance's own median, against the level, per model."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from bayes_distnet.experiments.statistics import CONDITION, means_of, most_complete, row_name, shared, slices
from bayes_distnet.report.book import Book
from bayes_distnet.report.charts.chart import Chart
from bayes_distnet.report.findings import range_name
from bayes_distnet.report.grids import Listing
from bayes_distnet.report.level_charts import level_chart
from bayes_distnet.report.markup import Cell, Number
from bayes_distnet.report.names import experiment_axes, rows_of, score_label, target_of
from bayes_distnet.report.page import Block, Panels, Section
from bayes_distnet.report.words import condition_name

BAND = "band_coverage"
_SCORES = (BAND, "coverage", "joint_nllh", "nllh")
_NEAR = 0.03  # distance from the target that counts as correct


def bands(book: Book) -> Iterator[Section]:
    """Show the coverage of bands against the levels of all experiments, and beside that of runs."""
    table = book.results.table
    known = table[(table["score"] == BAND) & table["value"].notna()]
    if known.empty:
        return
    models = table[pd.MultiIndex.from_frame(table[["model", "family"]]).isin(rows_of(known))]
    charts: list[Chart] = []
    for experiment, axis in experiment_axes().items():
        rows = book.results.of(experiment)
        rows = rows[pd.MultiIndex.from_frame(rows[["model", "family"]]).isin(rows_of(known))]
        for name, part in slices(rows, axis).items():
            if (part["score"] == BAND).any():
                charts.append(level_chart(part, BAND, axis, book.looks, range_name(axis, part, name)))
    caption = (
        "Share of the unseen instances whose own median lies inside the predicted 90 % band of the median; 0.9 is "
        "correct, less means bands that are too narrow. Only models that separate ignorance about the instance from "
        "the solver's luck have such a band."
    )
    legend = book.keys(known)
    blocks: list[Block] = [Panels(book.figure("bands", charts), caption, legend, "Levels")]
    blocks.append(book.table("bands", _listing(models)))
    yield Section("bands", "Bands", "Coverage of bands", blocks)


def _listing(table: pd.DataFrame) -> Listing:
    rows = most_complete(table)
    condition = condition_name(*rows[CONDITION].iloc[0])
    means = means_of(shared(rows, "runs"), "runs").set_index(["model", "family", "score"])["mean"]
    scores = [score for score in _SCORES if score in set(rows["score"])]
    lines: list[list[Cell]] = []
    for row in rows_of(rows):
        values = [float(means.get((*row, score), np.nan)) for score in scores]
        cells = [Number("" if np.isnan(v) else f"{v:.3f}".replace("-", "−")) for v in values]
        lines.append([row_name(*row), _verdict(values[0]), *cells])
    caption = f"{condition}. Bands and intervals are of 90 %; correct: within {_NEAR:g} of 0.9."
    return Listing(["Model", "Bands are", *map(score_label, scores)], lines, 2, caption)


def _verdict(coverage: float) -> str:
    target = target_of(BAND)
    if np.isnan(coverage) or target is None:
        return "–"
    if abs(coverage - target) <= _NEAR:
        return "correct"
    return "too narrow" if coverage < target else "too wide"
