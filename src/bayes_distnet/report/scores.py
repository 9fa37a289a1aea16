"""Sections on scores: by number of runs, by share cut off, beside the published numbers, and what they cost."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from bayes_distnet.experiments.pairs import behind, paired
from bayes_distnet.experiments.published import beside, caveat, is_published_archive, scenario_of
from bayes_distnet.experiments.results import KEY
from bayes_distnet.experiments.statistics import (
    AXES,
    CONDITION,
    FAMILIES,
    level_name,
    model_order,
    most_complete,
    shared,
    slices,
    split_by,
    whole,
)
from bayes_distnet.report import result_figures as result_plots
from bayes_distnet.report.book import Book, condition_name, joined, legend_of, plain, short_seconds, signed
from bayes_distnet.report.grids import Listing, decimals
from bayes_distnet.report.labels import LABELS, RECOMMENDED, UNRANKED
from bayes_distnet.report.page import Section, folded, panels, paragraph
from bayes_distnet.report.tables import appendix, overview

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN = ("nllh", "kld", "ks", "mass", "crps", "coverage")
PUBLISHED = ("nllh_published", "kld_published", "ks_published", "mass")


def low_samples(book: Book) -> Iterator[Section]:
    """Write scores against the number of runs to learn from."""
    yield from _levels(book, "low-samples", "Few runs to learn from", "numbers of runs an instance to learn from")


def censoring(book: Book) -> Iterator[Section]:
    """Write scores against the share of runs cut off."""
    yield from _levels(book, "censoring", "Runs cut off", "shares of the training runs cut off")


def _levels(book: Book, experiment: str, title: str, varied: str) -> Iterator[Section]:
    axis, parts = AXES[experiment], []
    every = slices(book.results.of(experiment), axis)
    for what, rows in every.items():
        name = "-".join([experiment, *re.findall(r"\w+", what)])
        parts += [f"<h3>{what[0].upper()}{what[1:]}</h3>"] if what else []
        there = [score for score in SHOWN if score in set(rows["score"])]
        draw = [(f"{LABELS[score]} against {varied}", _drawn_levels(rows, score, axis)) for score in there]
        caption = (
            f"Scores of unseen instances for several {varied}: mean over folds and seeds; bands of the main models are "
            "one standard deviation. Less is better, but of coverage 0.9 is right, and of mass a right prediction has "
            f"some. Means are over the {_splits(rows, axis)} folds and seeds that all models have; models with "
            "fewer are left out."
        )
        parts.append(panels(book.figure(name, draw), caption, legend_of(rows)))
        parts += _level_tables(book, name, rows, axis, there, f"{title}: {book.results.about['data']}. ")
    if parts:
        yield Section(experiment, title, title, "\n".join(parts))


def _splits(rows: pd.DataFrame, axis: str) -> int:
    """How many folds and seeds a comparison is over."""
    return len(shared(rows, axis)[["fold", "seed"]].drop_duplicates())


def _drawn_levels(rows: pd.DataFrame, score: str, axis: str) -> Callable[[Axes], object]:
    return lambda ax: result_plots.plot_levels(rows, score, axis, ax, legend=False)


def _level_tables(
    book: Book, name: str, rows: pd.DataFrame, axis: str, scores: Sequence[str], caption: str
) -> list[str]:
    caption += f"Mean ± deviation over the {_splits(rows, axis)} folds and seeds that all models have"
    parts = []
    for score in scores:
        best = (
            "a right prediction has some mass, so none is best" if score in UNRANKED else "best of each level in bold"
        )
        grid = overview(rows, axis, score, f"{LABELS[score]}. {caption}; {best}.")
        markup = book.tables(f"{name}-{score}", grid)
        # The first score is what most readers look for.
        head = f"{LABELS[score]} by model and level"
        parts.append(folded(head, markup) if score != scores[0] else f"<h3>{head}</h3>{markup}")
    parts += _paired_table(book, name, rows, axis)
    every = [score for score in LABELS if score in scores or score == "calibration"]
    forms = (every, name, "All scores, in the form of the paper's appendix")
    published = (PUBLISHED, f"{name}-published", "The same, with the scores as published")
    for names, file, head in (forms, published):
        if there := [score for score in names if score in set(rows["score"])]:
            grid = appendix(rows, axis, there, f"{caption}; best of each level and score, but mass, in bold.")
            parts.append(folded(head, book.tables(file, grid)))
    return parts


def _paired_table(book: Book, name: str, rows: pd.DataFrame, axis: str) -> list[str]:
    """Compare Bayes DistNet with DistNet on the same folds and seeds."""
    lines = []
    families = set(rows.loc[rows["model"] == "BayesDistNet", "family"])
    for family in [f for _, f in result_plots.rows_of(rows[rows["model"] == "DistNet"]) if f in families]:
        for score in [s for s in ("nllh", "kld", "ks") if s in set(rows["score"])]:
            found = paired(rows, axis, score, ("BayesDistNet", family), ("DistNet", family))
            for row in found.to_dict("records"):
                gap = [signed(row["difference"]), plain(row["standard_error"]), f"{row['wins']} of {row['jobs']}"]
                lines.append([LABELS[score], FAMILIES.get(family, family), level_name(axis, row[axis]), *gap])
    if not lines:
        return []
    head = ["Score", "Family", "Runs" if axis == "runs" else "Cut off", "Difference", "Standard error", "Ahead in"]
    caption = "BayesDistNet minus DistNet on the folds and seeds that both have; below 0 BayesDistNet is ahead."
    markup = book.tables(f"{name}-paired", Listing(head, lines, 3, caption))
    return [folded("BayesDistNet minus DistNet on the same folds and seeds", markup)]


def _short(score: str) -> str:
    return LABELS[score].split()[0]


def not_ahead(book: Book) -> Iterator[Section]:
    """List where the recommended model is not the best."""
    parts: list[list[str]] = []
    compared = False
    for experiment, axis in AXES.items():
        for what, rows in slices(book.results.of(experiment), axis).items():
            if RECOMMENDED not in set(rows["model"]) or rows["model"].nunique() < 2:
                continue
            compared = True
            for row in behind(rows, axis).to_dict("records"):
                unit = "runs" if axis == "runs" else "cut off"
                at = f"{level_name(axis, row[axis])} {unit}{f' ({what})' if what else ''}"
                digits = decimals(pd.Series([row["mean"], row["its_mean"]]))
                means = [plain(row[name], digits) for name in ("mean", "its_mean")]
                gap = [signed(row["gap"], digits), plain(row["standard_error"], digits)]
                wins = f"{row['wins']:.0f} of {row['jobs']:.0f}"
                parts.append([LABELS[row["score"]], at, row["ahead"], *means, *gap, wins])
    if not compared:
        return
    title = f"Where {RECOMMENDED} is not ahead"
    if not parts:
        text = "Nowhere: it has the lowest NLLH, KLD, KS and CRPS in every cell in which it can be compared."
        yield Section("behind", "Not ahead", title, paragraph(text))
        return
    heads = ["Score", "At", "Ahead", RECOMMENDED, "The one ahead", "Gap", "Standard error", f"{RECOMMENDED} ahead in"]
    text = (
        "By experiment and score, widest gap first. A gap is the mean difference over the same folds and seeds; where "
        "it is less than two standard errors, another split may well turn it round."
    )
    yield Section("behind", "Not ahead", title, book.tables("behind", Listing(heads, parts, 3, text)))


def published_numbers(book: Book) -> Iterator[Section]:
    """Put the published numbers beside the run's, or say what may be compared."""
    results = book.results
    if scenario_of(results) is None:
        return
    found = beside(results)
    if found.empty:
        return
    lines = []
    for (experiment, bayes, distnet, score), part in split_by(found, ["experiment", "bayes", "distnet", "score"]):
        margins = [signed(part[column].mean()) for column in ("published_margin", "margin_here")]
        same = f"{part['same_order'].sum()} of {len(part)}"
        lines.append([experiment, f"{bayes} − {distnet}", _short(score), same, *margins])
    heads = ["Experiment", "Margin of", "Score", "Same order", "Published margin", "Margin here"]
    ranked = found[~found["score"].isin(UNRANKED)]
    ahead = (ranked["published_margin"] < 0).mean(), (ranked["margin_here"] < 0).mean()
    text = (
        f"Bayes DistNet is ahead of DistNet in {ahead[0]:.0%} of the cells of NLLH, KLD and KS as published and in "
        f"{ahead[1]:.0%} here; the order is the same in {ranked['same_order'].sum()} of {len(ranked)}. Margins are "
        "means over levels and families; below 0 Bayes DistNet is ahead."
    )
    if not is_published_archive(results):
        text += " These are not the paper's runs: only orderings and margins can be compared."
    markup = book.tables("published", Listing(heads, lines, 3, text))
    cells = [
        [row["experiment"], row["bayes"], FAMILIES[row["family"]], _short(row["score"])]
        + [level_name(AXES[row["experiment"]], row["level"])]
        + [plain(row[name]) for name in ("published_bayes", "published_distnet", "bayes_here", "distnet_here")]
        + ["yes" if row["same_order"] else "no"]
        for row in found.to_dict("records")
    ]
    heads = ["Experiment", "Model here", "Family", "Score", "Level", "Bayes DistNet, published", "DistNet, published"]
    heads += ["Bayes DistNet here", "DistNet here", "Same order"]
    note = "Means here are over the folds and seeds that both models have."
    every = book.tables("published-cells", Listing(heads, cells, 5, note))
    body = paragraph(caveat(results), "" if is_published_archive(results) else "note") + markup
    yield Section("published", "Published", "Beside the published numbers", body + folded("Every cell", every))


def cost(book: Book) -> Iterator[Section]:
    """Write what fitting and predicting took, of all models on the same jobs."""
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
        f"{condition_name(*rows[CONDITION].iloc[0])}; over the {splits} folds and seeds that all models have, all "
        f"families.{f' Without {joined(missing)}: fewer folds.' if missing else ''}"
    )
    yield Section("cost", "Cost", "Cost", book.tables("cost", Listing(heads, lines, caption=text)))
