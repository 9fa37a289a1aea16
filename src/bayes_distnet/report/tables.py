"""Tables of scores, in the form of the paper's appendix and one score at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from bayes_distnet.experiments.roles import is_limit
from bayes_distnet.experiments.statistics import (
    FAMILIES,
    level_name,
    loss,
    model_order,
    row_name,
    summarise,
)
from bayes_distnet.report.grids import Grid, decimals
from bayes_distnet.report.labels import LABELS, UNRANKED


def appendix(table: pd.DataFrame, axis: str, scores: Sequence[str], caption: str = "") -> Grid:
    """Return a table in the form of the paper's appendix: levels, models and families down, scores across.

    The best of each level is marked, over all models and families.
    """
    found = _with_names(summarise(table, axis), axis)
    found["score"] = found["score"].map(lambda score: LABELS.get(score, score))
    rows = pd.MultiIndex.from_frame(found[["at", "model", "own"]].drop_duplicates())
    names = ["Runs" if axis == "runs" else "Censored", "Model", "Family"]
    return _grid(found, rows, "score", [LABELS.get(s, s) for s in scores], names, caption, by_column=True)


def overview(table: pd.DataFrame, axis: str, score: str, caption: str = "") -> Grid:
    """Return one score: models down, levels across, the best of each level marked."""
    found = _with_names(summarise(table[table["score"] == score], axis), axis)
    found["row"] = [row_name(m, f) for m, f in zip(found["model"], found["family"], strict=True)]
    rank = found["model"].map({m: i for i, m in enumerate(model_order(found["model"]))})
    rows = pd.Index(found.assign(rank=rank).sort_values("rank", kind="stable")["row"].unique(), name="row")
    if axis == "runs":
        found["at"] = [f"{at} run{'s' if at != '1' else ''}" for at in found["at"]]
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
        found.pivot_table(index=rows.names, columns=across, values=what, aggfunc="first", dropna=False)
        .reindex(index=rows, columns=columns)
        .rename_axis(names)
        .rename_axis(columns=None)
        for what in ("mean", "deviation", "best", "partial")
    )
    # A cell that is not there, NaN, is neither the best nor a part.
    return Grid(mean.astype(float), deviation.astype(float), best.eq(True), partial.eq(True), caption, by_column)


def _with_names(found: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Add the level's name, the family's name, and whether a row is the best of its level and score, or in part."""
    # Rounded as printed: what looks equal is equally good.
    parts = [loss(str(s), part["mean"].round(decimals(part["mean"]))).round(9) for s, part in found.groupby("score")]
    values = pd.concat(parts or [found["mean"]]).reindex(found.index)
    values = values.where(~is_limit(found) & found["full"] & ~found["score"].isin(UNRANKED))
    least = values.groupby([found[axis], found["score"]]).transform("min")
    return found.assign(
        at=[level_name(axis, level) for level in found[axis]],
        own=[FAMILIES.get(family, family) for family in found["family"]],
        best=(values == least) & np.isfinite(values),
        partial=~found["full"],
    )
