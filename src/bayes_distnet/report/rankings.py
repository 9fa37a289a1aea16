"""Models ranked by their mean score over all levels of an experiment."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bayes_distnet.experiments.statistics import means_of, row_name, shared
from bayes_distnet.report.grids import Listing, decimals
from bayes_distnet.report.markup import Cell, Number
from bayes_distnet.report.names import AXIS_WORDS, BASE_LABEL, FIRST_SCORE, limits_of, short_label
from bayes_distnet.report.words import plain


def ranking(table: pd.DataFrame, axis: str) -> Listing | None:
    """Rank models by their mean NLLH over all levels.

    Models are compared on the folds and seeds that they share; each with its best family. Limits, and models that have
    not done all levels, have no rank.

    Parameters
    ----------
    table : DataFrame
        Rows of the tidy table in which only the axis, the model, its family and the score vary.
    axis : str
        "runs" or "censored".

    Returns
    -------
    Listing or None
        One row per model, the best first: mean, gap to the best, levels at which the model is the best, and at which it
        is worse than the one that ignores the features. None if there are not two models to rank.
    """
    rows = shared(table[table["score"] == FIRST_SCORE], axis)
    means = means_of(rows, axis)
    levels = sorted(means[axis].unique())
    full = means[means["full"] & ~means["model"].isin(limits_of(table)) & means["mean"].notna()]
    wide = full.pivot_table(index=["model", "family"], columns=axis, values="mean").dropna()
    order = wide.mean(axis=1).sort_values(kind="stable")
    chosen = [pair for pair in order.index if pair == next(p for p in order.index if p[0] == pair[0])]
    if len(chosen) < 2:
        return None
    wide = wide.loc[chosen]
    digits = decimals(wide.to_numpy().ravel())
    lines: list[list[Cell]] = []
    for rank, pair in enumerate(chosen, start=1):
        gap, error = _gap(rows, axis, pair, chosen[0])
        behind = "" if rank == 1 else plain(gap, digits)
        best = sum(wide[level].idxmin() == pair for level in levels)
        mean = Number(plain(order[pair], digits), best=rank == 1 or gap < 2 * error)
        worse = _worse(wide, pair)
        lines.append([str(rank), row_name(*pair), mean, Number(behind, "" if rank == 1 else plain(error, digits))])
        lines[-1] += ["–" if many is None else f"{many} of {len(levels)}" for many in (best, worse)]
    score = short_label(FIRST_SCORE)
    heads = ["Rank", "Model", f"Mean {score}", "Behind the first", "Best at", f"Worse than {BASE_LABEL}"]
    caption = (
        f"{score}, mean over all {AXIS_WORDS[axis].levels}, each model with its best family; less is better. "
        "Behind the first: mean difference over the same folds and seeds ± standard error; in bold if it is less than "
        f"two of them. Best, worse: numbers of levels; {BASE_LABEL} ignores the features."
    )
    return Listing(heads, lines, 2, caption)


def _gap(rows: pd.DataFrame, axis: str, pair: tuple[str, str], first: tuple[str, str]) -> tuple[float, float]:
    """Return the mean difference of two models over levels and folds, and its standard error over folds."""
    folds = [
        rows[(rows["model"] == model) & (rows["family"] == family)].groupby([axis, "fold"])["value"].mean()
        for model, family in (pair, first)
    ]
    with np.errstate(invalid="ignore"):
        gaps = (folds[0] - folds[1]).groupby("fold").mean()
    error = gaps.std(ddof=1) / np.sqrt(len(gaps)) if len(gaps) > 1 else np.nan
    return float(gaps.mean()), float(error)


def _worse(wide: pd.DataFrame, pair: tuple[str, str]) -> int | None:
    """Count the levels at which a model is worse than the best of the models that ignore the features."""
    base = wide[wide.index.get_level_values("model") == BASE_LABEL]
    if base.empty or pair[0] == BASE_LABEL:
        return None
    return int((wide.loc[[pair]].iloc[0] > base.min()).sum())
