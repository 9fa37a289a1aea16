"""Sections on the predicted distributions themselves: far from the data, of single instances, and calibrated or not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayes_distnet.experiments.statistics import (
    CONDITION,
    level_name,
    model_order,
    row_name,
    split_by,
    whole,
)
from bayes_distnet.report import result_figures as result_plots
from bayes_distnet.report.book import Book, condition_name, count, data_facts, joined, legend_of
from bayes_distnet.report.findings import comparable_shifts, spreads
from bayes_distnet.report.grids import Listing
from bayes_distnet.report.labels import LIMITS, MAIN
from bayes_distnet.report.page import Section, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def uncertainty(book: Book) -> Iterator[Section]:
    """Draw what models predict far from what they have learnt from."""
    shifts = book.results.shifts
    if shifts.empty:
        return
    shifts = comparable_shifts(shifts)
    condition = condition_name(*shifts[CONDITION].iloc[0])
    first = shifts[shifts["instance"] == shifts["instance"].iloc[0]]
    draw = []
    for model, family in result_plots.rows_of(first):
        rows = first[(first["model"] == model) & (first["family"] == family)]
        draw.append((f"{model}: runtime against shift", _drawn_shifts(rows, row_name(model, family), first)))
    body = panels(
        book.figure("uncertainty", draw),
        f"One unseen instance ({first['instance'].iloc[0]}) with all its features moved by so many of their standard "
        "deviations: predicted mean (line) and interquartile range (band). Far from all it has learnt from, a model "
        f"should become less sure. {condition}.",
    )
    wide = spreads(shifts)
    wide = wide[[shift for shift in (-8.0, -4.0, -2.0, 0.0, 2.0, 4.0, 8.0) if shift in wide] or wide.columns]
    lines = [[row_name(*row), *_ratios(wide.loc[[row]].iloc[0])] for row in result_plots.rows_of(shifts)]
    heads = [f"{shift:+g}".replace("-", "−") if shift else "0" for shift in map(float, wide.columns)]
    heads.insert(0, "Upper / lower quartile at")
    caption = (
        f"How wide predictions are: median over {count(shifts['instance'].nunique(), 'instance')} of the folds and "
        f"seeds that all models have. {condition}."
    )
    body += book.tables("uncertainty", Listing(heads, lines, caption=caption))
    yield Section("uncertainty", "Uncertainty", "Uncertainty far from the data", body)


def _ratios(row: pd.Series) -> list[str]:
    return ["–" if np.isnan(ratio) else f"{ratio:.3g}" for ratio in row]


def _drawn_shifts(rows: pd.DataFrame, title: str, all_rows: pd.DataFrame) -> Callable[[Axes], object]:
    ends = all_rows[["low", "high"]].to_numpy(float)
    ends = ends[(ends > 0) & np.isfinite(ends)]

    def draw(ax: Axes) -> None:
        result_plots.plot_shifts(rows, ax=ax, title=title)
        if ends.size:  # the same for all, so that panels can be compared
            ax.set_ylim(ends.min() / 3, ends.max() * 10)

    return draw


def examples(book: Book) -> Iterator[Section]:
    """Draw predicted and empirical distributions of the best, the median and the worst instance."""
    examples = book.results.examples
    if examples.empty or not data_facts(book.results):
        return
    parts = []
    for i, (condition, rows) in enumerate(split_by(examples, ["censored", "runs", "cutoffs"], sort=True)):
        censored, runs, cutoffs = condition
        found = _example_panels(book, f"examples-{i + 1}", rows)
        if found:
            parts += [f"<h3>{condition_name(runs, cutoffs, censored)}</h3>", found]
    if parts:
        yield Section("examples", "Examples", "Predicted and empirical distributions", "\n".join(parts))


def _example_panels(book: Book, name: str, rows: pd.DataFrame) -> str | None:
    data = book.results.data
    models = [m for m in model_order(rows["model"]) if m in {*MAIN, "RandomForest", "Marginal"}]
    if not set(models) & set(MAIN):  # an experiment of other models: its best few
        means = rows[[m not in LIMITS for m in rows["model"]]].groupby("model")["nllh"].mean()
        models = [str(model) for model in means.dropna().sort_values().index[:4]]
    if not models:
        return None
    rows = _one_family(rows[rows["model"].isin(models)])
    draw = []
    for word, instance in result_plots.pick_examples(rows, models[0]).items():
        row = data.features.index.get_loc(instance)
        draw.append((f"{word} prediction", _drawn_example(rows, instance, data.seconds[row], data.finished[row], word)))
    caption = (
        f"Instances on which {models[0]} is best, median and worst by NLLH: predicted distribution functions, and "
        "the share of the instance's test runs finished so far (grey steps)."
    )
    return panels(book.figure(name, draw), caption, legend_of(rows, points=False))


def _drawn_example(
    rows: pd.DataFrame, instance: Any, seconds: Any, finished: Any, word: str
) -> Callable[[Axes], object]:
    def draw(ax: Axes) -> None:
        result_plots.plot_examples(rows, instance, seconds, finished, ax, legend=False)
        ax.set_title(result_plots.label_text(f"{word}: {instance}"), loc="left", fontsize=9, fontweight="bold")

    return draw


def _one_family(rows: pd.DataFrame) -> pd.DataFrame:
    """Keep one family a model, the first: enough for a picture of distributions."""
    chosen = dict(reversed(result_plots.rows_of(rows)))
    return rows[rows["family"] == rows["model"].map(chosen)]


def calibration(book: Book) -> Iterator[Section]:
    """Draw how often runs fall below predicted quantiles."""
    counts = book.results.calibration
    if counts.empty:
        return
    conditions = [names for names, _ in split_by(counts, ["censored", "runs", "cutoffs"], sort=True)]
    # The ends tell most: the fewest and the most runs, and the most runs cut off.
    plain = [condition for condition in conditions if not condition[0]]
    chosen = list(dict.fromkeys([*plain[:1], *plain[-1:], *conditions[-1:]]))
    there = pd.MultiIndex.from_frame(counts[["censored", "runs", "cutoffs"]]).isin(chosen)
    rows = _one_family(counts[there])
    # A curve of few folds is not to be set beside those of many.
    same = whole(rows, *CONDITION)
    draw = []
    for censored, runs, cutoffs in chosen:
        at = (same["cutoffs"] == cutoffs) & (same["censored"] == censored) & (same["runs"] == runs)
        short = count(runs, "run")
        short += f", {level_name('censored', censored)} cut off" if censored else ""
        draw.append((f"calibration, {short}", _drawn_calibration(same[at], short, model_order(same["model"]))))
    missing = [model for model in model_order(rows["model"]) if model not in set(same["model"])]
    caption = (
        "Share of the test runs below the predicted p-quantile, over the "
        f"{len(same[['fold', 'seed']].drop_duplicates())} folds and seeds that all models have. On the diagonal, "
        "predictions are right; an S that is flat in the middle says that they are too narrow, one that is steep there "
        f"that they are too wide.{f' Without {joined(missing)}: fewer folds.' if missing else ''}"
    )
    body = panels(book.figure("calibration", draw), caption, legend_of(same, points=False))
    yield Section("calibration", "Calibration", "Calibration", body)


def _drawn_calibration(rows: pd.DataFrame, title: str, models: list[str]) -> Callable[[Axes], object]:
    def draw(ax: Axes) -> None:
        result_plots.plot_calibration(rows, ax, legend=False, peers=models)
        ax.set_title(title, loc="left", fontsize=9, fontweight="bold")

    return draw
