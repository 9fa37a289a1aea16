"""Section on selection and parallel portfolios: scores of policies, cactus plot, gap closed, schedules as strips."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from bayes_distnet.experiments.decisions import decided, summary_of
from bayes_distnet.experiments.registry import EXPERIMENTS
from bayes_distnet.models.registry import Role
from bayes_distnet.report.book import Book
from bayes_distnet.report.charts.chart import Chart
from bayes_distnet.report.decision_charts import ROLE_LOOKS, policy_chart
from bayes_distnet.report.grids import Listing
from bayes_distnet.report.markup import Cell, Number
from bayes_distnet.report.page import Block, Key, Panels, Section
from bayes_distnet.report.selection_charts import cactus_chart, policy_looks, solver_looks, strip_chart
from bayes_distnet.report.words import count

_SCORES = {
    "mean_of_ratios": "mean of ratios",
    "ratio_of_means": "ratio of means",
    "ratio_of_means_used": "used features",
    "ratio_of_means_free": "free features",
}
_ERRORS = {score: re.sub("(ratios|means)", r"\1_error", score) for score in _SCORES}
PEERS_SHOWN = 4  # peers in the cactus plot, the best ones


def selection(book: Book, experiment: str) -> Iterator[Section]:
    """Compare selectors, or parallel plans, on unseen instances."""
    table = summary_of(book.results, experiment)
    if table.empty:
        return
    book.csv(experiment, table)
    title = EXPERIMENTS[experiment].title
    blocks = [*_figures(book, experiment, table), book.table(experiment, _listing(table))]
    blocks += _strips(book, experiment)
    yield Section(experiment, title, title, blocks)


def _listing(table: pd.DataFrame) -> Listing:
    ranked = table[table["role"] != str(Role.LIMIT)]
    lines: list[list[Cell]] = []
    for row in table.to_dict("records"):
        numbers = [_number(row, score, ranked) for score in _SCORES]
        measured = [Number(f"{row[name]:.4g}", f"{row[f'{name}_error']:.2g}") for name in ("par10", "time")]
        lines.append([str(row["policy"]), str(row["role"]), *numbers, f"{100 * row['solved']:.1f} %", *measured])
    instances, folds = int(table["instances"].iloc[0]), int(table["folds"].iloc[0])
    caption = (
        f"Policies on {count(instances, 'unseen instance')} that some solver solves, in {count(folds, 'fold')}. "
        "Normalised PAR10: 0 is the oracle, 1 the single best solver of the training instances; less is better. All "
        "groups of features are charged; used features: only those that the policy needs, and instances solved while "
        "they are computed are credited; free features: none (the last two are ratios of means). Standard errors over "
        "folds (mean of ratios) and over instances."
    )
    return Listing(["Policy", "Role", *_SCORES.values(), "solved", "PAR10 [s]", "time [s]"], lines, 2, caption)


def _number(row: dict[Any, Any], score: str, ranked: pd.DataFrame) -> Number:
    error = row[_ERRORS[score]]
    best = row["role"] != str(Role.LIMIT) and row[score] == ranked[score].min()
    return Number(f"{row[score]:.3f}", "" if np.isnan(error) else f"{error:.3f}", best)


def _figures(book: Book, experiment: str, table: pd.DataFrame) -> list[Block]:
    rows = decided(book.results, experiment)
    peers = table[table["role"] == str(Role.PEER)].head(PEERS_SHOWN)
    shown = table[table["role"] != str(Role.PEER)]
    shown = pd.concat([shown[shown["role"] == str(Role.MODEL)], peers, shown[shown["role"] == str(Role.LIMIT)]])
    looks = policy_looks(shown)
    charts: list[Chart] = [
        policy_chart(table, "gap_closed", "part of the gap closed", 0.0, 1.0),
        cactus_chart(rows, looks),
    ]
    gap = (
        "Part of the gap between the single best solver (0) and the oracle (1) that each policy closes, with standard "
        "errors over instances."
    )
    answers = f"Answers over time, with the {PEERS_SHOWN} best peers."
    roles = [Key(role, look) for role, look in ROLE_LOOKS.items() if role in set(table["role"])]
    book.figure(experiment, charts)
    return [Panels(charts[:1], gap, roles), Panels(charts[1:], answers, [Key(*item) for item in looks.items()])]


def _strips(book: Book, experiment: str) -> list[Block]:
    curves = book.results.curves
    curves = curves[curves["experiment"] == experiment]
    if curves.empty:
        return []
    looks = solver_looks(curves)
    charts = [strip_chart(part, str(model), looks) for model, part in curves.groupby("model", sort=False)]
    caption = "Schedules for some unseen instances, those with most steps; one row per instance and core."
    legend = [Key(*item) for item in looks.items()]
    return [Panels(book.figure(f"{experiment}-schedules", charts), caption, legend, "Model")]
