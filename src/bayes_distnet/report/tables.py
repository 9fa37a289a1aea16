"""Tables of scores: in the form of the paper's appendix, and one score at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from bayes_distnet.experiments.statistics import family_label, level_name, loss, model_order, row_name, summarise
from bayes_distnet.report.grids import Grid, decimals
from bayes_distnet.report.names import AXIS_WORDS, is_ranked, limits_of, score_label
from bayes_distnet.report.words import count


def appendix(table: pd.DataFrame, axis: str, scores: Sequence[str], caption: str = "") -> Grid:
    """Return a table in the form of the paper's appendix.

    Parameters
    ----------
    table : DataFrame
        Rows of the tidy table in which only the axis varies.
    axis : str
        Column of the levels, "runs" or "censored".
    scores : sequence of str
        Keys of the scores.
    caption : str, default ""
        Plain text.

    Returns
    -------
    Grid
        One row per level, model and family, one column per score; the best of each level is marked, over all models
        and families.
    """
    found = _with_names(summarise(table, axis), axis, limits_of(table))
    found["score"] = found["score"].map(score_label)
    rows = pd.MultiIndex.from_frame(found[["at", "model", "own"]].drop_duplicates())
    names = [AXIS_WORDS[axis].head, "Model", "Family"]
    return _grid(found, rows, "score", [score_label(score) for score in scores], names, caption, by_column=True)


def overview(table: pd.DataFrame, axis: str, score: str, caption: str = "") -> Grid:
    """Return a table of one score.

    Parameters
    ----------
    table : DataFrame
        Rows of the tidy table in which only the axis varies.
    axis : str
        Column of the levels, "runs" or "censored".
    score : str
        Key of the score.
    caption : str, default ""
        Plain text.

    Returns
    -------
    Grid
        One row per model and family, one column per level; the best of each level is marked.
    """
    found = _with_names(summarise(table[table["score"] == score], axis), axis, limits_of(table))
    found["row"] = [row_name(m, f) for m, f in zip(found["model"], found["family"], strict=True)]
    rank = found["model"].map({m: i for i, m in enumerate(model_order(found["model"]))})
    rows = pd.Index(found.assign(rank=rank).sort_values("rank", kind="stable")["row"].unique(), name="row")
    if axis == "runs":
        found["at"] = [count(int(runs), "run") for runs in found[axis]]
    levels = list(dict.fromkeys(found.sort_values(axis)["at"]))
    return _grid(found, rows, "at", levels, ["Model"], caption, by_column=False)


def _grid(
    found: pd.DataFrame,
    rows: pd.Index,
    across: str,
    columns: list[str],
    names: list[str],
    caption: str,
    by_column: bool,
) -> Grid:
    mean, deviation, best, partial = (
        found.pivot_table(index=rows.names, columns=across, values=value, aggfunc="first", dropna=False)
        .reindex(index=rows, columns=columns)
        .rename_axis(names)
        .rename_axis(columns=None)
        for value in ("mean", "deviation", "best", "partial")
    )
    # A missing cell, NaN, is neither the best nor partial.
    return Grid(mean.astype(float), deviation.astype(float), best.eq(True), partial.eq(True), caption, by_column)


def _with_names(found: pd.DataFrame, axis: str, limits: set[str]) -> pd.DataFrame:
    """Add names of level and family, and whether a row is the best of its level and score, or over fewer folds."""
    # Means are rounded as printed: those that look equal are equally good.
    parts = [loss(str(s), part["mean"].round(decimals(part["mean"]))).round(9) for s, part in found.groupby("score")]
    values = pd.concat(parts or [found["mean"]]).reindex(found.index)
    ranked = found["score"].map(is_ranked).astype(bool)
    values = values.where(~found["model"].isin(limits) & found["full"] & ranked)
    least = values.groupby([found[axis], found["score"]]).transform("min")
    return found.assign(
        at=[level_name(axis, level) for level in found[axis]],
        own=[family_label(family) for family in found["family"]],
        best=(values == least) & np.isfinite(values),
        partial=~found["full"],
    )
