"""Section on an experiment that varies an axis: scores against its levels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pandas as pd

from bayes_distnet.experiments.pairs import paired
from bayes_distnet.experiments.registry import EXPERIMENTS
from bayes_distnet.experiments.statistics import family_label, level_name, shared, slices
from bayes_distnet.report.book import Book
from bayes_distnet.report.grids import Listing
from bayes_distnet.report.level_charts import level_chart
from bayes_distnet.report.names import (
    AXIS_WORDS,
    all_scores,
    claimed_pair,
    claimed_scores,
    directions,
    is_ranked,
    published_scores,
    rows_of,
    score_label,
    short_label,
    shown_scores,
)
from bayes_distnet.report.page import Block, Folded, Heading, Panels, Section
from bayes_distnet.report.tables import appendix, overview
from bayes_distnet.report.words import joined, plain, signed, splits_name


def levels(book: Book, experiment: str) -> Iterator[Section]:
    """Show scores against the levels of an experiment, one part per slice of its results."""
    title, axis = EXPERIMENTS[experiment].title, EXPERIMENTS[experiment].axis
    if axis is None:
        return
    blocks: list[Block] = []
    for name, rows in slices(book.results.of(experiment), axis).items():
        file = "-".join([experiment, *re.findall(r"\w+", name)])
        blocks += [Heading(f"{name[0].upper()}{name[1:]}")] if name else []
        scores = shown_scores(rows)
        blocks.append(_panels(book, file, rows, axis, scores))
        caption = f"{title}: {book.results.about['data']}. "
        caption += f"Mean ± deviation over {splits_name(_splits(rows, axis))} that all models have"
        blocks += _score_tables(book, file, rows, axis, scores, caption)
        blocks += _paired_table(book, file, rows, axis)
        blocks += _appendices(book, file, rows, axis, caption)
    if blocks:
        yield Section(experiment, title, title, blocks)


def _splits(rows: pd.DataFrame, axis: str) -> int:
    """Return the number of folds and seeds of a comparison."""
    return len(shared(rows, axis)[["fold", "seed"]].drop_duplicates())


def _panels(book: Book, file: str, rows: pd.DataFrame, axis: str, scores: Sequence[str]) -> Panels:
    varied = AXIS_WORDS[axis].levels
    charts = [level_chart(rows, score, axis, book.looks) for score in scores]
    caption = (
        f"Scores of unseen instances for several {varied}: mean over folds and seeds; bands are one standard "
        f"deviation. {directions(scores)} Means are over {splits_name(_splits(rows, axis))} that all "
        "models have; models with fewer are left out."
    )
    return Panels(book.figure(file, charts), caption, book.keys(rows), "Score")


def _score_tables(
    book: Book, file: str, rows: pd.DataFrame, axis: str, scores: Sequence[str], caption: str
) -> Iterator[Block]:
    """Show one table per score; the first one is open: most readers look for it."""
    for score in scores:
        best = "best of each level in bold" if is_ranked(score) else "neither less nor more is better, so none is best"
        grid = overview(rows, axis, score, f"{score_label(score)}. {caption}; {best}.")
        table, head = book.table(f"{file}-{score}", grid), f"{score_label(score)} per model and level"
        if score == scores[0]:
            yield from (Heading(head), table)
        else:
            yield Folded(head, table)


def _paired_table(book: Book, file: str, rows: pd.DataFrame, axis: str) -> Iterator[Block]:
    """Compare Bayes DistNet with DistNet on the same folds and seeds."""
    bayes, distnet = claimed_pair()
    lines = []
    families = set(rows.loc[rows["model"] == bayes, "family"])
    for family in [f for _, f in rows_of(rows[rows["model"] == distnet]) if f in families]:
        for score in [s for s in claimed_scores() if s in set(rows["score"])]:
            found = paired(rows, axis, score, (bayes, family), (distnet, family))
            for row in found.to_dict("records"):
                gap = [signed(row["difference"]), plain(row["standard_error"]), f"{row['wins']} of {row['jobs']}"]
                lines.append([score_label(score), family_label(family), level_name(axis, row[axis]), *gap])
    if not lines:
        return
    heads = ["Score", "Family", AXIS_WORDS[axis].head, "Difference", "Standard error", "Ahead in"]
    caption = f"{bayes} minus {distnet} on the folds and seeds that both have; below 0 {bayes} is ahead."
    table = book.table(f"{file}-paired", Listing(heads, lines, 3, caption))
    yield Folded(f"{bayes} minus {distnet} on the same folds and seeds", table)


def _appendices(book: Book, file: str, rows: pd.DataFrame, axis: str, caption: str) -> Iterator[Block]:
    """Show all scores in the form of the paper's appendix: as they should be computed, and as published."""
    forms = (
        (all_scores(rows), file, "All scores, in the form of the paper's appendix"),
        (published_scores(rows), f"{file}-published", "The same, with the scores as published"),
    )
    for scores, name, head in forms:
        if scores:
            unranked = joined(short_label(score) for score in scores if not is_ranked(score))
            best = f"best of each level and score in bold{f', except {unranked}' if unranked else ''}"
            yield Folded(head, book.table(name, appendix(rows, axis, scores, f"{caption}; {best}.")))
