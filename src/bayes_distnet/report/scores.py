"""Sections on scores: by number of runs, by share cut off, beside the published numbers, and what they cost."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from bayes_distnet import plots
from bayes_distnet.published import beside, caveat, is_published_archive, scenario_of
from bayes_distnet.report.book import Book, legend_of, plain, plain_error, short_seconds, signed
from bayes_distnet.report.page import Section, folded, panels, paragraph, scrolling, table
from bayes_distnet.result_tables import (
    AXES,
    FAMILIES,
    LABELS,
    RECOMMENDED,
    appendix,
    behind,
    level_name,
    model_order,
    overview,
    paired,
    slices,
    split_by,
)
from bayes_distnet.results import KEY

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
            "one standard deviation. Less is better; for coverage, 0.9 is right."
        )
        parts.append(panels(book.figure(name, draw), caption, legend_of(rows)))
        parts += _level_tables(book, name, rows, axis, there, f"{title}: {book.results.about['data']}. ")
    if parts:
        yield Section(experiment, title, title, "\n".join(parts))


def _drawn_levels(rows: pd.DataFrame, score: str, axis: str) -> Callable[[Axes], object]:
    return lambda ax: plots.plot_levels(rows, score, axis, ax, legend=False)


def _level_tables(
    book: Book, name: str, rows: pd.DataFrame, axis: str, scores: Sequence[str], caption: str
) -> list[str]:
    caption += "Mean ± deviation over folds and seeds, best of each level in bold."
    parts = []
    for score in scores:
        markup = book.tables(f"{name}-{score}", overview(rows, axis, score, f"{LABELS[score]}. {caption}"))
        # The first score is what most readers look for.
        head = f"{LABELS[score]} by model and level"
        parts.append(folded(head, markup) if score != scores[0] else f"<h3>{head}</h3>{markup}")
    parts += _paired_table(rows, axis)
    for names, file, head in (
        (
            [s for s in LABELS if s in scores or s == "calibration"],
            name,
            "All scores, in the form of the paper's appendix",
        ),
        (PUBLISHED, f"{name}-published", "The same, with the scores as published"),
    ):
        if there := [score for score in names if score in set(rows["score"])]:
            parts.append(folded(head, book.tables(file, appendix(rows, axis, there, caption))))
    return parts


def _paired_table(rows: pd.DataFrame, axis: str) -> list[str]:
    """Compare Bayes DistNet with DistNet on the same folds and seeds."""
    lines = []
    families = {m: set(rows.loc[rows["model"] == m, "family"]) for m in ("BayesDistNet", "DistNet")}
    for family in [f for f in FAMILIES if f in families["BayesDistNet"] & families["DistNet"]]:
        for score in [s for s in ("nllh", "kld", "ks") if s in set(rows["score"])]:
            found = paired(rows, axis, score, ("BayesDistNet", family), ("DistNet", family))
            lines += [
                [
                    LABELS[score],
                    FAMILIES[family],
                    level_name(axis, r[1]),
                    signed(r[2]),
                    plain_error(r[3]),
                    f"{r[4]} of {r[5]}",
                ]
                for r in found.itertuples()
            ]
    head = ["Score", "Family", "Runs" if axis == "runs" else "Cut off", "Difference", "Standard error", "Ahead in"]
    if not lines:
        return []
    return [folded("BayesDistNet minus DistNet on the same folds and seeds", scrolling(table(head, lines, 2)))]


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
                means = [plain(row["mean"]), plain(row["its_mean"])]
                gap = [
                    signed(row["gap"]),
                    plain_error(row["standard_error"]),
                    f"{row['wins']:.0f} of {row['jobs']:.0f}",
                ]
                parts.append([LABELS[row["score"]], at, row["ahead"], *means, *gap])
    if not compared:
        return
    title = f"Where {RECOMMENDED} is not ahead"
    if not parts:
        yield Section(
            "behind", "Not ahead", title, paragraph("Nowhere: it has the lowest NLLH, KLD, KS and CRPS in every cell.")
        )
        return
    heads = ["Score", "At", "Ahead", RECOMMENDED, "The one ahead", "Gap", "Standard error", f"{RECOMMENDED} ahead in"]
    text = (
        "By experiment and score, widest gap first. A gap is the mean difference over the same folds and seeds; where "
        "it is less than two standard errors, another split may well turn it round."
    )
    yield Section("behind", "Not ahead", title, paragraph(text) + scrolling(table(heads, parts, 3)))


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
    ahead = (found["published_margin"] < 0).mean(), (found["margin_here"] < 0).mean()
    text = (
        f"Bayes DistNet is ahead of DistNet in {ahead[0]:.0%} of these cells as published and in {ahead[1]:.0%} here; "
        f"the order is the same in {found['same_order'].sum()} of {len(found)}. Margins are means over levels and "
        "families; below 0 Bayes DistNet is ahead."
    )
    markup = scrolling(table(heads, lines, 3))
    cells = [
        [row["experiment"], row["bayes"], FAMILIES[row["family"]], _short(row["score"])]
        + [level_name(AXES[row["experiment"]], row["level"])]
        + [plain(row[name]) for name in ("published_bayes", "published_distnet", "bayes_here", "distnet_here")]
        + ["yes" if row["same_order"] else "no"]
        for row in found.to_dict("records")
    ]
    heads = ["Experiment", "Model here", "Family", "Score", "Level", "Bayes DistNet, published", "DistNet, published"]
    whole = scrolling(table([*heads, "Bayes DistNet here", "DistNet here", "Same order"], cells, 4))
    body = paragraph(caveat(results), "" if is_published_archive(results) else "note") + paragraph(text) + markup
    yield Section("published", "Published", "Beside the published numbers", body + folded("Every cell", whole))


def cost(book: Book) -> Iterator[Section]:
    """Write what fitting and predicting took."""
    rows = book.results.table
    if rows.empty:
        return
    jobs = rows.drop_duplicates(KEY)
    lines = []
    for model in model_order(jobs["model"]):
        own = jobs[jobs["model"] == model]
        times = [f(own[name]) for name in ("fit_seconds", "predict_seconds") for f in (pd.Series.median, pd.Series.max)]
        lines.append([model, *map(short_seconds, times), str(len(own))])
    heads = ["Model", "Fit, median [s]", "Fit, longest [s]", "Predict, median [s]", "Predict, longest [s]", "Jobs"]
    text = "One fit on one fold, and one prediction of its test instances, on one core; the longest includes compiling."
    yield Section("cost", "Cost", "Cost", paragraph(text) + scrolling(table(heads, lines)))
