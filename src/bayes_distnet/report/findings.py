"""What experiments found, in words: who is best where, and whether the claims of the paper hold.

Every sentence is computed from the tidy table; a claim is a count of cells. A cell is one level, family and score.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from bayes_distnet.result_tables import (
    AXES,
    CUTOFFS,
    FAMILIES,
    LABELS,
    LIMIT,
    MAIN,
    RECOMMENDED,
    level_name,
    model_order,
    slices,
    summarise,
)
from bayes_distnet.results import Results

CLAIMED = ("nllh", "kld", "ks")
BASE = "Marginal"
_SHOWN = 4  # cells that a sentence names one by one


def findings(results: Results) -> list[str]:
    """Return the main findings, a few sentences on each experiment."""
    found = []
    for experiment, axis in AXES.items():
        for name, table in slices(results.of(experiment), axis).items():
            means = summarise(table, axis)
            texts = [_who_is_best(means, axis), _claim(means, axis), _worse_than_base(means, axis)]
            if said := [text for text in texts if text]:
                found.append(f"{_where(axis, table, name)}: {' '.join(said)}")
    return found + _widening(results.shifts)


def completeness(results: Results, experiment: str) -> tuple[int, int]:
    """Return how many jobs of an experiment are done, and how many there are as far as can be told."""
    plan = results.about["experiments"][experiment]
    key = ["runs", "cutoffs", "censored", "model", "family", "fold", "seed"]
    rows = results.shifts if experiment == "uncertainty" else results.of(experiment)
    done = rows[key].drop_duplicates()
    pairs = done[["model", "family"]].drop_duplicates()
    # A model without any finished job yet counts as one row.
    rows_of_models = len(pairs) + len(set(plan["models"]) - set(pairs["model"]))
    kinds = [kind for kind in plan["cutoffs"] if kind in CUTOFFS] or ["global"]
    conditions = len(plan["runs"]) * sum(len(kinds) if share else 1 for share in plan["censored"])
    folds = plan.get("folds_done", results.about.get("folds", 1))
    planned = conditions * rows_of_models * folds * plan["seeds"]
    return len(done), max(planned, len(done))


def _where(axis: str, table: pd.DataFrame, name: str) -> str:
    levels = sorted(table[axis].unique())
    ends = [level_name(axis, level) for level in dict.fromkeys((levels[0], levels[-1]))]
    if axis == "runs":
        text = f"{' to '.join(ends)} {'run' if ends == ['1'] else 'runs'} an instance"
    else:
        text = f"{' to '.join(ends)} of the runs cut off"
    return f"With {text}{f' ({name})' if name else ''}"


def _who_is_best(means: pd.DataFrame, axis: str) -> str | None:
    """Say which model has the lowest NLLH, level by level."""
    part = means[(means["score"] == "nllh") & np.isfinite(means["mean"])]
    part = part[[not str(model).startswith(LIMIT) for model in part["model"]]]
    if part["model"].nunique() < 2:
        return None
    best = part.loc[part.groupby(axis)["mean"].idxmin(), [axis, "model"]]
    counts = best["model"].value_counts()
    first = RECOMMENDED if RECOMMENDED in counts else counts.index[0]
    if counts[first] == len(best):
        return f"{first} has the lowest NLLH at every level."
    others = [
        f"{model} at {_joined(level_name(axis, x) for x in best.loc[best['model'] == model, axis])}"
        for model in counts.index
        if model != first
    ]
    return f"{first} has the lowest NLLH at {counts[first]} of {len(best)} levels; {_joined(others)}."


def _claim(means: pd.DataFrame, axis: str) -> str | None:
    """Say whether Bayes DistNet is ahead of DistNet in every cell, as the paper claims."""
    cells = _differences(means, axis, "BayesDistNet", "DistNet", CLAIMED)
    if cells.empty:
        return None
    lost = cells[~(cells["difference"] < 0)].sort_values("difference", ascending=False)
    scores = _joined(LABELS[score] for score in CLAIMED if score in set(cells["score"]))
    if lost.empty:
        return f"BayesDistNet is ahead of DistNet in {scores} in all {len(cells)} cells."
    return (
        f"BayesDistNet is ahead of DistNet in {scores} in {len(cells) - len(lost)} of {len(cells)} cells; "
        f"not in {_cells(lost, axis)}."
    )


def _worse_than_base(means: pd.DataFrame, axis: str) -> str | None:
    """Say which models are worse than ignoring the features, and in how many cells."""
    others = [m for m in model_order(means["model"]) if m != BASE and not m.startswith(LIMIT)]
    if BASE not in set(means["model"]) or not others:
        return None
    worse = []
    for model in others:
        cells = _differences(means, axis, model, BASE, CLAIMED)
        lost = int((~(cells["difference"] <= 0)).sum())
        if lost:
            worse.append(f"{model} in {lost} of {len(cells)} cells")
    scores = _joined(LABELS[score] for score in CLAIMED)
    if not worse:
        return f"No model is worse than {BASE}, which ignores the features, in {scores}."
    return f"Worse than {BASE}, which ignores the features, in {scores}: {_joined(worse)}."


def _differences(means: pd.DataFrame, axis: str, model: str, other: str, scores: Sequence[str]) -> pd.DataFrame:
    """Mean of a model minus that of another, by level, family and score; a model without families meets all."""
    key = [axis, "score", "family"]
    first, second = (means[(means["model"] == name) & means["score"].isin(list(scores))] for name in (model, other))
    if "" in set(second["family"]) or "" in set(first["family"]):
        key = key[:2]
    both = first.merge(second, on=key, suffixes=("", "_other"))
    return both.assign(difference=both["mean"] - both["mean_other"])


def _cells(lost: pd.DataFrame, axis: str) -> str:
    names = [
        f"{LABELS[row['score']]} at {level_name(axis, row[axis])}"
        f"{', ' + FAMILIES.get(row['family'], row['family']) if row['family'] else ''} ({row['difference']:+.3f})"
        for row in lost.to_dict("records")
    ]
    rest = [f"{len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
    return _joined([*names[:_SHOWN], *rest], "; ")


def spreads(shifts: pd.DataFrame) -> pd.DataFrame:
    """Return how wide predictions are: upper over lower quartile by model, family and shift, median over instances."""
    ratio = shifts["high"].astype(float) / shifts["low"].astype(float)
    table = shifts.assign(ratio=ratio.where(np.isfinite(ratio)))
    return table.pivot_table(index=["model", "family"], columns="shift", values="ratio", aggfunc="median", sort=False)


def _widening(shifts: pd.DataFrame) -> list[str]:
    if shifts.empty:
        return []
    table = spreads(shifts)
    shifted_by = sorted(float(shift) for shift in table.columns)
    far, near = [shifted_by[0], shifted_by[-1]], min(shifted_by, key=abs)
    texts = []
    for model in [m for m in model_order(table.index.get_level_values("model")) if m in MAIN]:
        rows = table.loc[[model]]
        at = rows[near].median(), rows[far].max(axis=1).median()
        texts.append(f"from {at[0]:.1f} to {at[1]:.3g} for {model}")
    if not texts:
        return []
    return [
        f"With all features moved by up to {max(map(abs, far)):g} deviations: the ratio of the predicted quartiles "
        f"goes {_joined(texts)}."
    ]


def _joined(texts: Iterable[str], comma: str = ", ") -> str:
    """Join words as a sentence does: "a, b and c"."""
    words = list(texts)
    return words[0] if len(words) == 1 else f"{comma.join(words[:-1])} and {words[-1]}" if words else ""
