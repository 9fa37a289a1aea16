"""Findings of experiments in words: the best models, and whether the paper's claims hold.

Every sentence is computed from the tidy table; a claim is a count of cells. A cell is one level, family and score. Two
models are compared on the folds and seeds that both have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bayes_distnet.experiments.pairs import paired
from bayes_distnet.experiments.results import Results
from bayes_distnet.experiments.statistics import family_label, level_name, means_of, model_order, shared, slices
from bayes_distnet.report.grids import Listing
from bayes_distnet.report.names import (
    AXIS_WORDS,
    BASE_LABEL,
    FIRST_SCORE,
    RECOMMENDED_LABEL,
    claimed_pair,
    claimed_scores,
    experiment_axes,
    labels_of,
    limits_of,
    preset_labels,
    short_label,
)
from bayes_distnet.report.rankings import ranking
from bayes_distnet.report.words import joined

_SHOWN = 4  # number of cells that a sentence lists one by one
_SURE = "by more than two standard errors"


@dataclass(frozen=True)
class Finding:
    """What a slice of the results shows.

    Parameters
    ----------
    name : str
        Key of the experiment, and of the slice if there are several.
    title : str
        Levels of the slice in words.
    sentences : list of str
        The best models, and whether the paper's claim holds.
    ranking : Listing or None
        All models from the best on; None if there are not two to compare.
    """

    name: str
    title: str
    sentences: list[str]
    ranking: Listing | None


def findings(results: Results) -> list[Finding]:
    """Return the main findings.

    Parameters
    ----------
    results : Results
        Results of experiments.

    Returns
    -------
    list of Finding
        One per experiment and kind of cutoffs.
    """
    found = []
    for experiment, axis in experiment_axes().items():
        for name, table in slices(results.of(experiment), axis).items():
            texts = [_best_models(table, axis), _claim(table, axis), *not_converged(table, axis)]
            sentences, listing = [text for text in texts if text], ranking(table, axis)
            if sentences or listing is not None:
                key = "-".join([experiment, *re.findall(r"\w+", name)])
                found.append(Finding(key, range_name(axis, table, name), sentences, listing))
    return found


def completeness(results: Results, experiment: str) -> tuple[int, int]:
    """Return how many jobs of an experiment are done, and how many were planned.

    Parameters
    ----------
    results : Results
        Results of experiments.
    experiment : str
        Key of the experiment.

    Returns
    -------
    done, planned : int
        Numbers of jobs.
    """
    planned = results.planned(experiment)
    return len(planned & results.done()), len(planned)


def range_name(axis: str, table: pd.DataFrame, name: str) -> str:
    """Name the levels of a slice.

    Parameters
    ----------
    axis : str
        "runs" or "censored".
    table : DataFrame
        Rows of the slice.
    name : str
        Name of the slice; "" if there is one only.

    Returns
    -------
    str
        Its levels in words.
    """
    levels = sorted(table[axis].unique())
    ends = [level_name(axis, level) for level in dict.fromkeys((levels[0], levels[-1]))]
    if axis == "runs":
        text = f"{' to '.join(ends)} {'run' if ends == ['1'] else 'runs'} per instance"
    else:
        text = f"{' to '.join(ends)} of the runs cut off"
    return f"{text[0].upper()}{text[1:]}{f' ({name})' if name else ''}"


def _best_models(table: pd.DataFrame, axis: str) -> str | None:
    """Name the model with the lowest NLLH per level, and count where it is surely ahead."""
    best = _best(table, axis)
    if best.empty:
        return None
    counts = best["model"].value_counts()
    first = RECOMMENDED_LABEL if RECOMMENDED_LABEL in counts else counts.index[0]
    sure = best.loc[best["model"] == first, "sure"]
    lowest, ahead = f"{first} has the lowest {short_label(FIRST_SCORE)}", f"ahead of the second {_SURE}"
    if counts[first] == len(best):
        return f"{lowest} at every level, {ahead} at {_many(sure)} of them."
    others = [
        f"{model} at {joined(level_name(axis, x) for x in best.loc[best['model'] == model, axis])}"
        for model in counts.index
        if model != first
    ]
    return f"{lowest} at {counts[first]} of {len(best)} levels, {ahead} at {_many(sure)} of them; {joined(others)}."


def _best(table: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Return the best model of each level that has two or more, and whether it is surely ahead of the second."""
    limits = limits_of(table)
    table = shared(table[table["score"] == FIRST_SCORE], axis)
    means = means_of(table, axis)
    means = means[means["full"] & np.isfinite(means["mean"]) & ~means["model"].isin(limits)]
    rows = []
    for level, part in means.sort_values("mean", kind="stable").groupby(axis):
        # The second is another model, not another family of the first.
        leaders = part.drop_duplicates("model")[["model", "family"]].to_numpy()[:2]
        if len(leaders) < 2:
            continue
        first, second = ((str(model), str(family)) for model, family in leaders)
        gap = paired(table[table[axis] == level], axis, FIRST_SCORE, first, second)
        rows.append((level, first[0], bool(_sure(gap).all())))
    return pd.DataFrame(rows, columns=[axis, "model", "sure"])


def _claim(table: pd.DataFrame, axis: str) -> str | None:
    """Count the cells in which Bayes DistNet is ahead of DistNet: in all, as the paper claims, or not."""
    bayes, distnet = claimed_pair()
    cells = _differences(table, axis, bayes, distnet)
    if cells.empty:
        return None
    won = cells[cells["difference"] < 0]
    lost = cells.drop(won.index).sort_values("difference", ascending=False)
    scores = labels_of(score for score in claimed_scores() if score in set(cells["score"]))
    start = f"{bayes} is ahead of {distnet} in {scores} in"
    surely = f"in {_many(_sure(won))} of them {_SURE}"
    if lost.empty:
        return f"{start} all {len(cells)} cells, {surely}."
    text = f"{start} {len(won)} of {len(cells)} cells" + (f", {surely}" if len(won) else "")
    return f"{text}; not in {_cells(lost, axis)}, in {_many(_sure(lost))} of them {_SURE}."


def not_converged(table: pd.DataFrame, axis: str) -> Iterator[str]:
    """Name the levels at which a published preset is no better than ignoring the features: it has not converged.

    Parameters
    ----------
    table : DataFrame
        Rows of the tidy table in which only the axis, the model, its family and the score vary.
    axis : str
        "runs" or "censored".

    Yields
    ------
    str
        One sentence per published preset.
    """
    means = means_of(shared(table[table["score"] == FIRST_SCORE], axis), axis)
    base = means[means["model"] == BASE_LABEL].groupby(axis)["mean"].min()
    for model in [name for name in model_order(means["model"]) if name in preset_labels()]:
        own = means[means["model"] == model].groupby(axis)["mean"].min()
        bad = [level for level in own.index if level in base.index and not own[level] < base[level]]
        if bad:
            score, levels = short_label(FIRST_SCORE), joined(level_name(axis, level) for level in bad)
            worst = max(bad, key=lambda level: own[level])
            yield (
                f"{model} does not converge at {levels} {AXIS_WORDS[axis].unit}: its {score} is {own[worst]:.3g} at "
                f"{level_name(axis, worst)}, that of {BASE_LABEL}, which ignores the features, {base[worst]:.3g}. The "
                "published preset takes steps that are too small for little data."
            )


def _differences(table: pd.DataFrame, axis: str, model: str, other: str) -> pd.DataFrame:
    """Return a model minus another per level, score and family.

    A model without families is compared with each family of the other.
    """
    sides = [table[table["model"] == name] for name in (model, other)]
    families = [list(dict.fromkeys(rows["family"])) for rows in sides]
    scores = [score for score in claimed_scores() if all(score in set(rows["score"]) for rows in sides)]
    parts = [
        paired(table, axis, score, (model, own), (other, its)).assign(score=score, family=own or its)
        for own in families[0]
        for its in families[1]
        for score in scores
        if own == its or not own or not its
    ]
    columns = [axis, "score", "family", "difference", "standard_error"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def _sure(cells: pd.DataFrame) -> pd.Series:
    """Whether differences are more than two standard errors; a single fold has no standard error and is never sure."""
    return cells["difference"].abs() > 2 * cells["standard_error"]


def _many(sure: pd.Series) -> str:
    number = int(sure.sum())
    return "none" if number == 0 else "all" if number == len(sure) else str(number)


def _cells(lost: pd.DataFrame, axis: str) -> str:
    names = [
        f"{short_label(row['score'])} at {level_name(axis, row[axis])}"
        f"{', ' + family_label(row['family']) if row['family'] else ''} ({row['difference']:+.3f})"
        for row in lost.to_dict("records")
    ]
    rest = [f"{len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
    return joined([*names[:_SHOWN], *rest], "; ")
