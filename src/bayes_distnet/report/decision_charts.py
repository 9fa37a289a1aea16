"""Charts of decisions: expected time against the cutoff, and scores of policies."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bayes_distnet.decide.restarts.replay import RecordedRuns, fixed_time
from bayes_distnet.experiments.statistics import row_name
from bayes_distnet.models.registry import Role
from bayes_distnet.report.charts.chart import Dot, DotChart, Line, LineChart
from bayes_distnet.report.charts.looks import RECORDED, Look, Looks
from bayes_distnet.report.charts.scales import linear_axis, log_axis, robust_limits
from bayes_distnet.report.names import rows_of

#: Looks of policies by their roles.
ROLE_LOOKS = {
    str(Role.MODEL): Look(2, marker="o"),
    str(Role.PEER): Look(4, marker="s"),
    str(Role.LIMIT): Look(0, marker="d", on=False, reference=True),
}


def cutoff_chart(curves: pd.DataFrame, runs: RecordedRuns, name: str, looks: Looks) -> LineChart:
    """Show the expected total time of one instance against the restart cutoff, with bands.

    Parameters
    ----------
    curves : DataFrame
        Rows of `Results.curves` of one instance.
    runs : RecordedRuns
        Recorded runs of the instance: the time that the cutoff really takes.
    name : str
        Name of the instance.
    looks : Looks
        Looks of the models of the report.

    Returns
    -------
    LineChart
        One line per model, and one of the recorded runs.
    """
    at = np.sort(curves["at"].unique()).astype(float)
    real = fixed_time(runs, at)
    real[runs.attempt(at)[1] == 0] = np.nan
    lines = [Line("recorded runs", "recorded runs", RECORDED, at, real, steps=True)]
    for row in rows_of(curves):
        part = curves[(curves["model"] == row[0]) & (curves["family"] == row[1])].sort_values("at")
        mean = np.where(np.isfinite(part["mean"]), part["mean"], np.nan)
        low, high = (part[end].to_numpy(float) for end in ("low", "high"))
        band = (low, high) if (high > low).any() else (None, None)
        lines.append(Line(row_name(*row), looks.label(*row), looks.look(*row), part["at"].to_numpy(float), mean, *band))
    middle = float(np.nanmin(real))
    x, y = log_axis("cutoff [s]", at[0], at[-1]), log_axis("expected total time [s]", 0.3 * middle, 30.0 * middle)
    return LineChart(name, f"{name}: expected time against cutoff", x, y, lines, points=False)


def policy_chart(table: pd.DataFrame, score: str, name: str, rule: float, best: float | None = None) -> DotChart:
    """Show a score of all policies with its standard error.

    Parameters
    ----------
    table : DataFrame
        Columns policy, role, the score, and the score with "_error".
    score : str
        Name of the column.
    name : str
        Name of the score on the axis.
    rule : float
        Value to compare with: that of doing nothing.
    best : float or None
        The best possible value, if it is known: the axis reaches it.

    Returns
    -------
    DotChart
        One row per policy, the best first.
    """
    rows = table.sort_values(score, ascending=False, kind="stable").to_dict("records")
    dots = [
        Dot(str(row["policy"]), ROLE_LOOKS[str(row["role"])], row[score], row[f"{score}_error"], str(row["role"]))
        for row in rows
    ]
    low, high = robust_limits(table[score], [rule] if best is None else [rule, best])
    return DotChart(name, f"{name} per policy", linear_axis(name, low, high), dots, rule)
