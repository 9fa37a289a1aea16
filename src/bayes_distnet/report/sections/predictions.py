"""Sections on predicted distributions: far from the data, of single instances, and their calibration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from bayes_distnet.experiments.forms import EXAMPLE_LEVELS
from bayes_distnet.experiments.registry import EXPERIMENTS
from bayes_distnet.experiments.statistics import CONDITION, level_name, model_order, row_name, split_by, whole
from bayes_distnet.models.registry import BASE, MODELS
from bayes_distnet.report.book import Book
from bayes_distnet.report.charts.looks import RECORDED
from bayes_distnet.report.curve_charts import calibration_chart, example_chart, finite_ends, pick_examples, shift_chart
from bayes_distnet.report.grids import Listing
from bayes_distnet.report.markup import Cell, Number
from bayes_distnet.report.names import limits_of, main_labels, rows_of
from bayes_distnet.report.page import Block, Heading, Key, Panels, Section
from bayes_distnet.report.sections.setup import data_facts
from bayes_distnet.report.spreads import comparable_shifts, spreads
from bayes_distnet.report.words import condition_name, count, splits_name, without

# Shifts in the table of spreads, in standard deviations.
_SHIFTS = (-8.0, -4.0, -2.0, 0.0, 2.0, 4.0, 8.0)
# Keys of models that examples show next to the main ones: a strong baseline, and the one that ignores the features.
_BASELINES = ("forest", BASE)
_MOST_EXAMPLES = 4  # models of an experiment without any main model
_FIRST_INSTANCES, _MOST_INSTANCES = 3, 12  # seen at first, and to choose from
_CONDITION = ["censored", "runs", "cutoffs"]


def uncertainty(book: Book, experiment: str) -> Iterator[Section]:
    """Draw predictions for features that are moved away from the data."""
    if book.results.shifts.empty:
        return
    title, shifts = EXPERIMENTS[experiment].title, comparable_shifts(book.results.shifts)
    condition = condition_name(*shifts[CONDITION].iloc[0])
    first = shifts[shifts["instance"] == shifts["instance"].iloc[0]]
    ends = finite_ends(first)  # the same limits in all panels make them comparable
    charts = [
        shift_chart(first[(first["model"] == row[0]) & (first["family"] == row[1])], row_name(*row), book.looks, ends)
        for row in rows_of(first)
    ]
    caption = (
        f"One unseen instance ({first['instance'].iloc[0]}) with all its features moved by a multiple of their "
        "standard deviations: predicted mean (line) and interquartile range (band). Far from all training data, a "
        f"prediction should become less certain. {condition}."
    )
    figure = Panels(book.figure(experiment, charts), caption, choice="Model")
    table = book.table(experiment, _spread_table(shifts, condition))
    yield Section(experiment, experiment.capitalize(), title, [figure, table])


def _spread_table(shifts: pd.DataFrame, condition: str) -> Listing:
    wide = spreads(shifts)
    wide = wide[[shift for shift in _SHIFTS if shift in wide] or wide.columns]
    lines = [[row_name(*row), *_ratios(wide.loc[[row]].iloc[0])] for row in rows_of(shifts)]
    heads = [f"{shift:+g}".replace("-", "−") if shift else "0" for shift in map(float, wide.columns)]
    caption = (
        f"Width of predictions: median over {count(shifts['instance'].nunique(), 'instance')} of the folds and seeds "
        f"that all models have. {condition}."
    )
    return Listing(["Upper / lower quartile at", *heads], lines, caption=caption)


def _ratios(row: pd.Series) -> list[str]:
    return ["–" if np.isnan(ratio) else f"{ratio:.3g}" for ratio in row]


def examples(book: Book) -> Iterator[Section]:
    """Draw predicted and empirical distributions of the best, the median and the worst instance."""
    rows = book.results.examples
    if rows.empty or not data_facts(book.results):
        return
    blocks: list[Block] = []
    for i, ((censored, runs, cutoffs), part) in enumerate(split_by(rows, _CONDITION, sort=True)):
        models = _example_models(part)
        if models:
            panels = _example_panels(book, f"examples-{i + 1}", part, models)
            blocks += [Heading(condition_name(runs, cutoffs, censored)), panels]
            if listing := _trust(book, part, models[0]):
                blocks.append(book.table(f"examples-{i + 1}", listing))
    if blocks:
        yield Section("examples", "Examples", "Predicted and empirical distributions", blocks)


def _example_models(rows: pd.DataFrame) -> list[str]:
    """Choose models to draw: the main ones and two baselines; of an experiment without these, the best few."""
    main, baselines = set(main_labels()), {MODELS[key].label for key in _BASELINES}
    models = [model for model in model_order(rows["model"]) if model in main | baselines]
    if main & set(models):
        return models
    means = rows[~rows["model"].isin(limits_of(rows))].groupby("model")["nllh"].mean()
    return [str(model) for model in means.dropna().sort_values().index[:_MOST_EXAMPLES]]


def _example_panels(book: Book, name: str, rows: pd.DataFrame, models: Sequence[str]) -> Panels:
    data = book.results.data
    rows = _one_family(rows[rows["model"].isin(models)])
    charts = []
    for word, instance in pick_examples(rows, models[0], _MOST_INSTANCES).items():
        row = data.features.index.get_loc(instance)
        runs = (data.seconds[row], data.finished[row])
        charts.append(example_chart(rows, instance, *runs, f"{word}: {instance}", book.looks))
    book.figure(name, charts[:_FIRST_INSTANCES])
    caption = (
        f"Instances on which {models[0]} is best, median and worst by NLLH, and others in between: predicted "
        "distribution functions, and the fraction of the instance's test runs that have finished (grey steps)."
    )
    legend = [Key("test runs", RECORDED), *book.keys(rows)]
    return Panels(charts, caption, legend, "Instance", _FIRST_INSTANCES)


def _trust(book: Book, rows: pd.DataFrame, model: str) -> Listing | None:
    """List how far the predictions of the instances in a figure can be trusted; None of results that lack it."""
    own = _one_family(rows[rows["model"] == model]).drop_duplicates("instance").set_index("instance")
    picked = [name for name in pick_examples(rows, model, _MOST_INSTANCES).values() if own["familiar"].get(name)]
    if not picked:
        return None
    medians = own["quantiles"].map(lambda quantiles: quantiles[EXAMPLE_LEVELS.index(0.5)])
    data, lines = book.results.data, list[list[Cell]]()
    for name in picked:
        place = data.features.index.get_loc(name)
        recorded = np.where(data.finished[place], data.seconds[place], np.inf)
        recorded = recorded[~np.isnan(data.seconds[place])]
        cells = [_seconds(medians[name]), _seconds(float(np.median(recorded)) if recorded.size else np.nan)]
        cells += [_times(own["ignorance"][name]), _times(own["luck"][name])]
        lines.append([str(name), str(own["familiar"][name]), *map(Number, cells)])
    caption = (
        f"How far the predictions of {model} for these instances can be trusted: compared with the training data; "
        "predicted and actual median; factor within which the model knows the instance's own median, and factor within "
        "which its runs differ, both with 90 % probability."
    )
    heads = ["Instance", "Compared with training", "Median [s]", "of the runs [s]", "Ignorance", "Luck"]
    return Listing(heads, lines, 2, caption)


def _seconds(value: float) -> str:
    return "–" if np.isnan(value) else "cut off" if np.isinf(value) else f"{value:.3g}"


def _times(factor: float) -> str:
    return "–" if np.isnan(factor) else f"× {factor:.3g}"


def _one_family(rows: pd.DataFrame) -> pd.DataFrame:
    """Keep the first family of each model: enough for a figure of distributions."""
    chosen = dict(reversed(rows_of(rows)))
    return rows[rows["family"] == rows["model"].map(chosen)]


def calibration(book: Book) -> Iterator[Section]:
    """Draw the fraction of runs below predicted quantiles."""
    counts = book.results.calibration
    if counts.empty:
        return
    conditions = _calibration_conditions(counts)
    rows = _one_family(counts[pd.MultiIndex.from_frame(counts[_CONDITION]).isin(conditions)])
    # A curve of few folds cannot be compared with curves of many.
    same = whole(rows, *CONDITION)
    charts = []
    for censored, runs, cutoffs in conditions:
        at = (same["cutoffs"] == cutoffs) & (same["censored"] == censored) & (same["runs"] == runs)
        short = count(runs, "run") + (f", {level_name('censored', censored)} cut off" if censored else "")
        charts.append(calibration_chart(same[at], short, book.looks))
    missing = [model for model in model_order(rows["model"]) if model not in set(same["model"])]
    splits = len(same[["fold", "seed"]].drop_duplicates())
    caption = (
        f"Fraction of the test runs below the predicted p-quantile, over {splits_name(splits)} that all models "
        "have. On the diagonal, predictions are correct. A curve that is flat in the middle shows predictions that are "
        f"too narrow, a curve that is steep in the middle predictions that are too wide.{without(missing)}"
    )
    block = Panels(book.figure("calibration", charts), caption, book.keys(same), "Condition")
    yield Section("calibration", "Calibration", "Calibration", [block])


def _calibration_conditions(counts: pd.DataFrame) -> list[tuple[float, int, str]]:
    """Choose the conditions at the ends: the fewest and the most runs, and the most runs cut off."""
    conditions = [names for names, _ in split_by(counts, _CONDITION, sort=True)]
    uncut = [condition for condition in conditions if not condition[0]]
    return list(dict.fromkeys([*uncut[:1], *uncut[-1:], *conditions[-1:]]))
