"""What experiments found, in words: who is best where, and whether the claims of the paper hold.

Every sentence is computed from the tidy table; a claim is a count of cells. A cell is one level, family and score, and
two models are compared on the folds and seeds that both have.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from bayes_distnet.experiments.pairs import paired
from bayes_distnet.experiments.results import Results
from bayes_distnet.experiments.statistics import (
    AXES,
    FAMILIES,
    level_name,
    means_of,
    model_order,
    most_complete,
    shared,
    slices,
)
from bayes_distnet.report.book import joined
from bayes_distnet.report.labels import LABELS, LIMITS, MAIN, RECOMMENDED

CLAIMED = ("nllh", "kld", "ks")
BASE = "Marginal"
_SHOWN = 4  # cells that a sentence names one by one
_SURE = "by more than two standard errors"


def findings(results: Results) -> list[str]:
    """Return the main findings, a few sentences on each experiment."""
    found = []
    for experiment, axis in AXES.items():
        for name, table in slices(results.of(experiment), axis).items():
            texts = [_who_is_best(table, axis), _claim(table, axis), _worse_than_base(table, axis)]
            if said := [text for text in texts if text]:
                found.append(f"{_where(axis, table, name)}: {' '.join(said)}")
    return found + _widening(results.shifts)


def completeness(results: Results, experiment: str) -> tuple[int, int]:
    """Return how many jobs of an experiment are done, and how many were planned."""
    planned = results.planned(experiment)
    return len(planned & results.done()), len(planned)


def _where(axis: str, table: pd.DataFrame, name: str) -> str:
    levels = sorted(table[axis].unique())
    ends = [level_name(axis, level) for level in dict.fromkeys((levels[0], levels[-1]))]
    if axis == "runs":
        text = f"{' to '.join(ends)} {'run' if ends == ['1'] else 'runs'} an instance"
    else:
        text = f"{' to '.join(ends)} of the runs cut off"
    return f"With {text}{f' ({name})' if name else ''}"


def _who_is_best(table: pd.DataFrame, axis: str) -> str | None:
    """Say which model has the lowest NLLH, level by level, and how surely."""
    best = _best(shared(table[table["score"] == "nllh"], axis), axis)
    if best.empty:
        return None
    counts = best["model"].value_counts()
    first = RECOMMENDED if RECOMMENDED in counts else counts.index[0]
    sure = best.loc[best["model"] == first, "sure"]
    ahead = f"ahead of the second {_SURE} at {_many(sure)} of them"
    if counts[first] == len(best):
        return f"{first} has the lowest NLLH at every level, {ahead}."
    others = [
        f"{model} at {joined(level_name(axis, x) for x in best.loc[best['model'] == model, axis])}"
        for model in counts.index
        if model != first
    ]
    return f"{first} has the lowest NLLH at {counts[first]} of {len(best)} levels, {ahead}; {joined(others)}."


def _best(table: pd.DataFrame, axis: str) -> pd.DataFrame:
    """The best model of each level that has two or more, and whether it is surely ahead of the second."""
    means = means_of(table, axis)
    means = means[means["full"] & np.isfinite(means["mean"])]
    means = means[[model not in LIMITS for model in means["model"]]]
    rows = []
    for level, part in means.sort_values("mean", kind="stable").groupby(axis):
        # The second is another model, not another family of the first.
        leaders = part.drop_duplicates("model")[["model", "family"]].to_numpy()[:2]
        if len(leaders) < 2:
            continue
        first, second = ((str(model), str(family)) for model, family in leaders)
        gap = paired(table[table[axis] == level], axis, "nllh", first, second)
        rows.append((level, first[0], bool(_sure(gap).all())))
    return pd.DataFrame(rows, columns=[axis, "model", "sure"])


def _claim(table: pd.DataFrame, axis: str) -> str | None:
    """Say whether Bayes DistNet is ahead of DistNet in every cell, as the paper claims, and how surely."""
    cells = _differences(table, axis, "BayesDistNet", "DistNet")
    if cells.empty:
        return None
    won = cells[cells["difference"] < 0]
    lost = cells.drop(won.index).sort_values("difference", ascending=False)
    scores = joined(LABELS[score] for score in CLAIMED if score in set(cells["score"]))
    start = f"BayesDistNet is ahead of DistNet in {scores} in"
    surely = f"in {_many(_sure(won))} of them {_SURE}"
    if lost.empty:
        return f"{start} all {len(cells)} cells, {surely}."
    text = f"{start} {len(won)} of {len(cells)} cells" + (f", {surely}" if len(won) else "")
    return f"{text}; not in {_cells(lost, axis)}, in {_many(_sure(lost))} of them {_SURE}."


def _worse_than_base(table: pd.DataFrame, axis: str) -> str | None:
    """Say which models are worse than ignoring the features, in how many cells, and how surely."""
    others = [m for m in model_order(table["model"]) if m != BASE and m not in LIMITS]
    if BASE not in set(table["model"]) or not others:
        return None
    worse = []
    for model in others:
        cells = _differences(table, axis, model, BASE)
        lost = cells[cells["difference"] > 0]
        if len(lost):
            worse.append(f"{model} in {len(lost)} of {len(cells)} cells ({_many(_sure(lost))} of them {_SURE})")
    scores = joined(LABELS[score] for score in CLAIMED)
    if not worse:
        return f"No model is worse than {BASE}, which ignores the features, in {scores}."
    return f"Worse than {BASE}, which ignores the features, in {scores}: {joined(worse)}."


def _differences(table: pd.DataFrame, axis: str, model: str, other: str) -> pd.DataFrame:
    """A model minus another, by level, score and family; a model without families meets all of the other's."""
    sides = [table[table["model"] == name] for name in (model, other)]
    families = [list(dict.fromkeys(rows["family"])) for rows in sides]
    scores = [score for score in CLAIMED if all(score in set(rows["score"]) for rows in sides)]
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
    """Whether differences are more than two standard errors; of a single fold nobody knows."""
    return cells["difference"].abs() > 2 * cells["standard_error"]


def _many(sure: pd.Series) -> str:
    number = int(sure.sum())
    return "none" if number == 0 else "all" if number == len(sure) else str(number)


def _cells(lost: pd.DataFrame, axis: str) -> str:
    names = [
        f"{LABELS[row['score']]} at {level_name(axis, row[axis])}"
        f"{', ' + FAMILIES.get(row['family'], row['family']) if row['family'] else ''} ({row['difference']:+.3f})"
        for row in lost.to_dict("records")
    ]
    rest = [f"{len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
    return joined([*names[:_SHOWN], *rest], "; ")


def comparable_shifts(shifts: pd.DataFrame) -> pd.DataFrame:
    """Keep the shifts of one condition, that of the most jobs, and the folds and seeds that all models have."""
    return shared(most_complete(shifts), "runs")


def spreads(shifts: pd.DataFrame) -> pd.DataFrame:
    """Return how wide predictions are: upper over lower quartile by model, family and shift, median over instances.

    A ratio that is no number at a shift, where a model predicts nothing, is NaN.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = shifts["high"].astype(float) / shifts["low"].astype(float)
    wide = shifts.assign(ratio=ratio).pivot_table(
        index=["model", "family"], columns="shift", values="ratio", aggfunc="median", dropna=False
    )
    # Without dropping what is no number, pivoting pairs every model with every family.
    return wide.reindex(pd.MultiIndex.from_frame(shifts[["model", "family"]].drop_duplicates()))


def _widening(shifts: pd.DataFrame) -> list[str]:
    if shifts.empty:
        return []
    table = spreads(comparable_shifts(shifts))
    shifted_by = sorted(float(shift) for shift in table.columns)
    far, near = [shifted_by[0], shifted_by[-1]], min(shifted_by, key=abs)
    texts = []
    for model in [m for m in model_order(table.index.get_level_values("model")) if m in MAIN]:
        rows = table.loc[[model]].dropna(subset=list({near, *far}))
        if len(rows):
            at = rows[near].median(), rows[far].max(axis=1).median()
            texts.append(f"from {at[0]:.1f} to {at[1]:.3g} for {model}")
    if not texts:
        return []
    return [
        f"With all features moved by up to {max(map(abs, far)):g} deviations: the ratio of the predicted quartiles "
        f"goes {joined(texts)}."
    ]
