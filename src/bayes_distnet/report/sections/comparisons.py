"""Sections that compare models: cells where the recommended one is behind, the published numbers, and the cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from bayes_distnet.experiments.pairs import behind
from bayes_distnet.experiments.published import beside, caveat, is_published_archive, scenario_of
from bayes_distnet.experiments.results import KEY
from bayes_distnet.experiments.statistics import (
    CONDITION,
    family_label,
    level_name,
    model_order,
    most_complete,
    slices,
    split_by,
    whole,
)
from bayes_distnet.report.book import Book
from bayes_distnet.report.grids import Listing, decimals
from bayes_distnet.report.names import (
    AXIS_WORDS,
    RECOMMENDED_LABEL,
    compared_scores,
    experiment_axes,
    is_ranked,
    labels_of,
    score_label,
    short_label,
)
from bayes_distnet.report.page import Folded, Paragraph, Section
from bayes_distnet.report.words import condition_name, plain, short_seconds, signed, splits_name, without


def not_ahead(book: Book) -> Iterator[Section]:
    """List the cells in which the recommended model is not the best."""
    compared = [
        (name, axis, rows)
        for experiment, axis in experiment_axes().items()
        for name, rows in slices(book.results.of(experiment), axis).items()
        if RECOMMENDED_LABEL in set(rows["model"]) and len(set(rows["model"])) > 1
    ]
    if not compared:
        return
    lines = [line for name, axis, rows in compared for line in _lines_behind(name, axis, rows)]
    title = f"Cells in which {RECOMMENDED_LABEL} is not ahead"
    if not lines:
        text = f"None: it has the lowest {labels_of(compared_scores())} in every cell in which it can be compared."
        yield Section("behind", "Not ahead", title, [Paragraph(text)])
        return
    heads = ["Score", "At", "Ahead", RECOMMENDED_LABEL, "The model ahead", "Gap", "Standard error"]
    heads.append(f"{RECOMMENDED_LABEL} ahead in")
    text = (
        "Ordered by experiment and score, widest gap first. A gap is the mean difference over the same folds and "
        "seeds. If it is less than two standard errors, another split may well reverse the order."
    )
    yield Section("behind", "Not ahead", title, [book.table("behind", Listing(heads, lines, 3, text))])


def _lines_behind(name: str, axis: str, rows: pd.DataFrame) -> Iterator[list[str]]:
    for row in behind(rows, axis, scores=compared_scores(), model=RECOMMENDED_LABEL).to_dict("records"):
        at = f"{level_name(axis, row[axis])} {AXIS_WORDS[axis].unit}{f' ({name})' if name else ''}"
        digits = decimals([row["mean"], row["its_mean"]])
        means = [plain(row[column], digits) for column in ("mean", "its_mean")]
        gap = [signed(row["gap"], digits), plain(row["standard_error"], digits)]
        wins = f"{row['wins']:.0f} of {row['jobs']:.0f}"
        yield [score_label(row["score"]), at, row["ahead"], *means, *gap, wins]


def published_numbers(book: Book) -> Iterator[Section]:
    """Set the published numbers next to those of the run, with a note on how far they can be compared."""
    results = book.results
    found = beside(results) if scenario_of(results) is not None else pd.DataFrame()
    if found.empty:
        return
    own = is_published_archive(results)
    note = "" if own else " These are not the paper's runs: only orderings and margins can be compared."
    margins = book.table("published", _margins(found, note))
    cells = book.table("published-cells", _published_cells(found))
    blocks = [Paragraph(caveat(results), "" if own else "note"), margins, Folded("Every cell", cells)]
    yield Section("published", "Published", "Comparison with the published numbers", blocks)


def _margins(found: pd.DataFrame, note: str) -> Listing:
    """Return the mean margins of Bayes DistNet over DistNet, as published and here."""
    lines = []
    for (experiment, bayes, distnet, score), part in split_by(found, ["experiment", "bayes", "distnet", "score"]):
        means = [signed(part[column].mean()) for column in ("published_margin", "margin_here")]
        same = f"{part['same_order'].sum()} of {len(part)}"
        lines.append([experiment, f"{bayes} − {distnet}", short_label(score), same, *means])
    heads = ["Experiment", "Margin of", "Score", "Same order", "Published margin", "Margin here"]
    ranked = found[[is_ranked(score) for score in found["score"]]]
    ahead = (ranked["published_margin"] < 0).mean(), (ranked["margin_here"] < 0).mean()
    scores = labels_of(dict.fromkeys(ranked["score"]))
    text = (
        f"Bayes DistNet is ahead of DistNet in {ahead[0]:.0%} of the cells of {scores} as published and in "
        f"{ahead[1]:.0%} here; the order is the same in {ranked['same_order'].sum()} of {len(ranked)}. Margins are "
        f"means over levels and families; below 0 Bayes DistNet is ahead.{note}"
    )
    return Listing(heads, lines, 3, text)


def _published_cells(found: pd.DataFrame) -> Listing:
    """Return every cell of the published tables that was run."""
    heads = ["Experiment", "Model here", "Family", "Score", "Level", "Bayes DistNet, published", "DistNet, published"]
    heads += ["Bayes DistNet here", "DistNet here", "Same order"]
    note = "Means here are over the folds and seeds that both models have."
    return Listing(heads, [_published_cell(row) for row in found.to_dict("records")], 5, note)


def _published_cell(row: dict[Any, Any]) -> list[str]:
    level = level_name(experiment_axes()[row["experiment"]], row["level"])
    means = [plain(row[name]) for name in ("published_bayes", "published_distnet", "bayes_here", "distnet_here")]
    names = [row["experiment"], row["bayes"], family_label(row["family"]), short_label(row["score"]), level]
    return [*names, *means, "yes" if row["same_order"] else "no"]


def cost(book: Book) -> Iterator[Section]:
    """List the time for fitting and predicting, of all models on the same jobs."""
    if book.results.table.empty:
        return
    rows = most_complete(book.results.table)
    jobs = whole(rows, "runs").drop_duplicates(KEY)
    lines = []
    for model in model_order(jobs["model"]):
        own = jobs[jobs["model"] == model]
        times = [f(own[name]) for name in ("fit_seconds", "predict_seconds") for f in (pd.Series.median, pd.Series.max)]
        lines.append([model, *map(short_seconds, times), str(len(own))])
    heads = ["Model", "Fit, median [s]", "Fit, longest [s]", "Predict, median [s]", "Predict, longest [s]", "Jobs"]
    missing = [model for model in model_order(rows["model"]) if model not in set(jobs["model"])]
    splits = len(jobs[["fold", "seed"]].drop_duplicates())
    text = (
        "One fit on one fold, and one prediction of its test instances, on one core; the longest includes compiling. "
        f"{condition_name(*rows[CONDITION].iloc[0])}; over {splits_name(splits)} that all models have, all "
        f"families.{without(missing)}"
    )
    yield Section("cost", "Cost", "Cost", [book.table("cost", Listing(heads, lines, caption=text))])
