"""Section on test instances that do not resemble the training instances, and how well they are predicted."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from bayes_distnet.experiments.statistics import CONDITION, row_name, split_by
from bayes_distnet.models.familiarity import Verdict
from bayes_distnet.report.book import Book
from bayes_distnet.report.grids import Listing
from bayes_distnet.report.names import rows_of
from bayes_distnet.report.page import Block, Paragraph, Section
from bayes_distnet.report.words import condition_name


def familiarity(book: Book) -> Iterator[Section]:
    """Count test instances that are not familiar, and compare their scores with those of the familiar ones."""
    rows = book.results.familiarity
    if rows.empty:
        return
    _, part = next(split_by(rows, CONDITION, sort=True))  # verdicts are about features: any condition has the same
    one = part[part["model"] == part["model"].iloc[0]]
    one = one[one["family"] == one["family"].iloc[0]]
    counts = one.groupby("verdict")["instances"].sum()
    unusual, outside = (int(counts.get(verdict, 0)) for verdict in (Verdict.UNUSUAL, Verdict.OUTSIDE))
    text = (
        f"Of {counts.sum()} test instances (over folds and seeds), {unusual} were unusual and {outside} outside, "
        "compared with the training instances of their fold."
    )
    blocks: list[Block] = [Paragraph(text)]
    if unusual + outside:
        blocks.append(book.table("familiarity", _listing(rows)))
    yield Section("familiarity", "Familiarity", "Instances that are not familiar", blocks)


def _listing(rows: pd.DataFrame) -> Listing:
    condition, chosen = list(split_by(rows, CONDITION, sort=True))[-1]
    lines = []
    for model, family in rows_of(chosen):
        own = chosen[(chosen["model"] == model) & (chosen["family"] == family)]
        near = own["verdict"] == Verdict.FAMILIAR
        cells = [_mean(own[which], score) for score in ("nllh", "coverage") for which in (near, ~near)]
        lines.append([row_name(model, family), *cells])
    heads = ["NLLH, familiar", "NLLH, others", "coverage, familiar", "coverage, others"]
    caption = f"Scores of familiar test instances and of the others. {condition_name(*condition)}."
    return Listing(["Model", *heads], lines, caption=caption)


def _mean(rows: pd.DataFrame, score: str) -> str:
    """Mean over instances of a score that is stored as means of groups."""
    known = rows.dropna(subset=[score])
    return "–" if known.empty else f"{(known[score] * known['instances']).sum() / known['instances'].sum():.3f}"
