"""Charts of predicted distributions: calibration, single instances, moved features."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayes_distnet.arrays import FloatArray
from bayes_distnet.errors import SettingError
from bayes_distnet.experiments.forms import EXAMPLE_LEVELS
from bayes_distnet.experiments.statistics import row_name
from bayes_distnet.report.charts.chart import Line, LineChart
from bayes_distnet.report.charts.looks import RECORDED, Looks
from bayes_distnet.report.charts.scales import linear_axis, log_axis
from bayes_distnet.report.names import rows_of
from bayes_distnet.report.prediction_figures import steps

_PLACES = {"best": 0.0, "median": 0.5, "worst": 1.0}


def calibration_chart(calibration: pd.DataFrame, name: str, looks: Looks) -> LineChart:
    """Show the fraction of runs below the predicted p-quantile against p: on the diagonal, predictions are right.

    Parameters
    ----------
    calibration : DataFrame
        Rows of `Results.calibration` under one condition; their counts are added up.
    name : str
        Name of the condition.
    looks : Looks
        Looks of the models of the report.

    Returns
    -------
    LineChart
        One curve per model and family.
    """
    lines = []
    for row, part in _parts(calibration):
        counts = np.sum([np.asarray(pit, dtype=float) for pit in part["pit"]], axis=0)
        below = np.r_[0.0, counts.cumsum() / max(counts.sum(), 1.0)]
        lines.append(Line(row_name(*row), looks.label(*row), looks.look(*row), np.linspace(0, 1, below.size), below))
    x, y = linear_axis("predicted p-quantile", 0.0, 1.0), linear_axis("fraction of runs below", 0.0, 1.0)
    return LineChart(name, f"calibration, {name}", x, y, lines, diagonal=True, labelled=False, points=False)


def pick_examples(examples: pd.DataFrame, model: str, most: int = 3) -> dict[str, Any]:
    """Choose instances from the one on which a model is best to the one on which it is worst by NLLH.

    Parameters
    ----------
    examples : DataFrame
        Rows of `Results.examples` under one condition.
    model : str
        Label of the model.
    most : int, default 3
        Number of instances.

    Returns
    -------
    dict
        Names of instances by "best", "median" and "worst"; then others, by their ranks.

    Raises
    ------
    SettingError
        No example of this model.
    """
    own = examples[examples["model"] == model].dropna(subset="nllh")
    own = own.drop_duplicates("instance").sort_values("nllh", kind="stable")
    if own.empty:
        raise SettingError(f"examples: none of {model!r}; there are {sorted(set(examples['model']))}.")
    last = len(own) - 1
    places = {word: int(part * last) for word, part in _PLACES.items()}
    others = np.unique(np.linspace(0, last, most).round().astype(int))
    more = {f"rank {rank + 1} of {last + 1}": int(rank) for rank in others if rank not in places.values()}
    chosen = places | dict(list(more.items())[: max(most - len(places), 0)])
    return {word: own["instance"].iloc[place] for word, place in chosen.items()}


def example_chart(
    examples: pd.DataFrame, instance: Any, runs: ArrayLike, finished: ArrayLike | None, name: str, looks: Looks
) -> LineChart:
    """Show the predictions of models for one instance, and its runs as steps.

    Parameters
    ----------
    examples : DataFrame
        Rows of `Results.examples` under one condition, of the models to be shown.
    instance : object
        Name of the instance.
    runs : array-like of float
        Seconds of its runs; NaN for no run.
    finished : array-like of bool or None
        False for a run that was cut off, as in `plot_distribution`.
    name : str
        Name of the chart.
    looks : Looks
        Looks of the models of the report.

    Returns
    -------
    LineChart
        One curve per model.
    """
    part = examples[examples["instance"] == instance]
    at, fraction, label = steps(runs, finished)
    lines, ends = [], [at[at > 0]]
    if at.size:
        lines.append(Line(label, label, RECORDED, np.r_[at[0], at], np.r_[0.0, fraction], steps=True))
    for row, own in _parts(part):
        quantiles = np.asarray(own["quantiles"].iloc[0], dtype=float)
        lines.append(Line(row_name(*row), looks.label(*row), looks.look(*row), quantiles, np.array(EXAMPLE_LEVELS)))
        ends.append(quantiles[(quantiles > 0) & np.isfinite(quantiles)][1:-1])
    reach = np.concatenate(ends)
    low, high = 0.1, 10.0
    if reach.size:
        # The heavy tail of one model must not squash the runs.
        middle = ends[0] if ends[0].size else reach
        low, high = max(reach.min(), middle.min() / 30) * 0.8, min(reach.max(), middle.max() * 30) * 1.25
    y = linear_axis("probability of having finished", 0.0, 1.0)
    x, description = log_axis("runtime [s]", low, high), f"predicted and recorded runtimes, {name}"
    return LineChart(name, description, x, y, lines, labelled=False, points=False)


def shift_chart(shifts: pd.DataFrame, name: str, looks: Looks, ends: FloatArray) -> LineChart:
    """Show mean and interquartile range against the shift of all features: the paper's adversarial figure.

    Parameters
    ----------
    shifts : DataFrame
        Rows of `Results.shifts` of one instance.
    name : str
        Name of the chart.
    looks : Looks
        Looks of the models of the report.
    ends : ndarray of float
        Quartiles that must fit on the axis: see `finite_ends`.

    Returns
    -------
    LineChart
        One line with a band per model and family.
    """
    lines = []
    for row, part in _parts(shifts):
        rows = part[part["seed"] == part["seed"].min()].sort_values("shift")
        at, mean, low, high = (rows[column].to_numpy(float) for column in ("shift", "mean", "low", "high"))
        known = np.where(np.isfinite(mean), mean, np.nan)
        look = looks.look(*row)
        lines.append(Line(row_name(*row), looks.label(*row), look, at, known, low, high))
    reach = (ends.min() / 3, ends.max() * 10) if ends.size else (0.1, 10.0)
    x = linear_axis("shift of all features [standard deviations]", *_reach(shifts), many=8)
    y = log_axis("runtime [s]", *map(float, reach))
    return LineChart(name, f"{name}: runtime against shift", x, y, lines, labelled=False, points=False)


def finite_ends(shifts: pd.DataFrame) -> FloatArray:
    """Return the quartiles of `Results.shifts` that a log axis can show."""
    ends: FloatArray = shifts[["low", "high"]].to_numpy(float)
    return ends[(ends > 0) & np.isfinite(ends)]


def _reach(shifts: pd.DataFrame) -> tuple[float, float]:
    at = shifts["shift"].astype(float)
    return float(at.min()), float(at.max()) if at.max() > at.min() else float(at.min()) + 1.0


def _parts(table: pd.DataFrame) -> list[tuple[tuple[str, str], pd.DataFrame]]:
    """Split a table by model and family, in the order of tables."""
    return [(row, table[(table["model"] == row[0]) & (table["family"] == row[1])]) for row in rows_of(table)]
