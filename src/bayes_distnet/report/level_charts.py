"""Charts of scores against the levels of an experiment; dots where there is one level."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bayes_distnet.experiments.statistics import level_name, loss, row_name, summarise
from bayes_distnet.report.charts.chart import Axis, Chart, Dot, DotChart, Line, LineChart
from bayes_distnet.report.charts.looks import Looks
from bayes_distnet.report.charts.scales import linear_axis, robust_limits
from bayes_distnet.report.names import AXIS_WORDS, is_ranked, rows_of, score_label, target_of
from bayes_distnet.validation import check_choice

# Least part of an axis that the better half of the lines fills.
_LEAST_FILLED = 0.3


def level_chart(table: pd.DataFrame, score: str, axis: str, looks: Looks, title: str = "") -> Chart:
    """Show a score against the number of runs, or against the fraction of runs cut off, as the paper does.

    A line is the mean over folds and seeds; its band is one standard deviation on either side. Models
    with fewer folds than others are left out. Neither limits, nor the model that ignores the features, nor models far
    away from the others stretch the axis.

    Parameters
    ----------
    table : DataFrame
        Rows of the tidy table, with one kind of cutoffs.
    score : str
        Key of the score.
    axis : str
        Column of the levels, "runs" or "censored".
    looks : Looks
        Looks of the models of the report.
    title : str, default ""
        Name of the chart, in place of the name of the score.

    Returns
    -------
    Chart
        Lines; dots, the best first, if there is one level.

    Raises
    ------
    SettingError
        An unknown axis.
    """
    check_choice("axis", axis, tuple(AXIS_WORDS))
    found = summarise(table[table["score"] == score], axis).dropna(subset="mean")
    # A mean of fewer folds than the others' would look better or worse than it is.
    found = found[found["full"]] if found["full"].any() else found
    words, levels = AXIS_WORDS[axis], sorted(found[axis].unique())
    name = score_label(score)
    if len(levels) == 1:
        at = f"{level_name(axis, levels[0])} {words.unit}"
        return _dots(found, score, looks, title or name, f"{name} at {at}")
    low, high = _limits(found, score, looks)
    lines = [_line(found, axis, row, looks) for row in rows_of(found)]
    y = linear_axis(name if title else "", low, high)
    x, description = _x_axis(axis, levels), f"{name} against {words.levels}"
    return LineChart(title or name, description, x, y, lines, target_of(score), bands=False)


def _x_axis(axis: str, levels: list[float]) -> Axis:
    ticks = [(float(level), level_name(axis, level)) for level in levels]
    log = axis == "runs"
    ends = (float(levels[0]), float(levels[-1])) if levels else (1.0, 2.0)
    return Axis(AXIS_WORDS[axis].label, *ends, ticks, log=log, percent=axis == "censored")


def _line(found: pd.DataFrame, axis: str, row: tuple[str, str], looks: Looks) -> Line:
    own = found[(found["model"] == row[0]) & (found["family"] == row[1])]
    at, mean, deviation = (own[name].to_numpy(float) for name in (axis, "mean", "deviation"))
    spread = np.nan_to_num(deviation)
    return Line(
        row_name(*row), looks.label(*row), looks.look(*row), at, mean, mean - spread, mean + spread, error=deviation
    )


def _dots(found: pd.DataFrame, score: str, looks: Looks, name: str, description: str) -> DotChart:
    order = loss(score, found["mean"]) if is_ranked(score) else found["mean"]
    rows = found.assign(order=order).sort_values("order", kind="stable").to_dict("records")
    dots = [
        Dot(
            row_name(row["model"], row["family"]),
            looks.look(row["model"], row["family"]),
            float(row["mean"]),
            float(row["deviation"]),
        )
        for row in rows
    ]
    return DotChart(
        name, description, linear_axis(score_label(score), *_limits(found, score, looks)), dots, target_of(score)
    )


def _limits(found: pd.DataFrame, score: str, looks: Looks) -> tuple[float, float]:
    """Return limits of the score's axis: of lines in colour, except far values; the best line is always inside.

    If the better half of the lines would fill little of the axis, the axis is theirs.
    """
    known = found[np.isfinite(found["mean"])]
    shown = [looks.look(model, family) for model, family in zip(known["model"], known["family"], strict=True)]
    own = known[[look.on for look in shown]]
    own = own if len(own) else known
    target = target_of(score)
    always = [] if target is None else [target]
    if own.empty or not is_ranked(score):
        return robust_limits(own["mean"], always)
    rows = pd.MultiIndex.from_frame(own[["model", "family"]])
    order = loss(score, own["mean"]).groupby(rows).mean().sort_values(kind="stable").index
    always += own.loc[rows == order[0], "mean"].tolist()
    low, high = robust_limits(own["mean"], always)
    better = robust_limits(own.loc[rows.isin(order[: max(len(order) // 2, 2)]), "mean"], always)
    filled = (better[1] - better[0]) / (high - low)
    return (low, high) if filled > _LEAST_FILLED else better
