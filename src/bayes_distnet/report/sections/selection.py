"""Section on selection and parallel portfolios: scores of policies, cactus plot, gap closed, schedules as strips."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayes_distnet.experiments.decisions import decided, summary_of
from bayes_distnet.experiments.registry import EXPERIMENTS
from bayes_distnet.models.registry import Role
from bayes_distnet.report.book import Book
from bayes_distnet.report.decision_figures import plot_policies
from bayes_distnet.report.grids import Listing
from bayes_distnet.report.markup import Cell, Number
from bayes_distnet.report.page import Block, Line, Panels, Section
from bayes_distnet.report.selection_figures import plot_cactus, plot_strips, policy_colors, solver_colors
from bayes_distnet.report.words import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    blocks: list[Block] = [book.table(experiment, _listing(table))]
    blocks.append(_figures(book, experiment, table))
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


def _figures(book: Book, experiment: str, table: pd.DataFrame) -> Panels:
    rows = decided(book.results, experiment)
    peers = table[table["role"] == str(Role.PEER)].head(PEERS_SHOWN)
    shown = table[table["role"] != str(Role.PEER)]
    shown = pd.concat([shown[shown["role"] == str(Role.MODEL)], peers, shown[shown["role"] == str(Role.LIMIT)]])

    colors = policy_colors(shown)

    def cactus(ax: Axes) -> None:
        plot_cactus(rows, colors, ax, legend=False)

    panels = [
        ("gap closed per policy", lambda ax: plot_policies(table, "gap_closed", "part of the gap closed", ax)),
        ("cactus plot", cactus),
    ]
    caption = (
        "Part of the gap between the single best solver (0) and the oracle (1) that each policy closes, with standard "
        f"errors over instances; and answers over time, with the {PEERS_SHOWN} best peers."
    )
    legend = [Line(policy, color, 1.4, "none", "") for policy, color in colors.items()]
    return Panels(book.figure(experiment, panels), caption, legend)


def _strips(book: Book, experiment: str) -> list[Block]:
    curves = book.results.curves
    curves = curves[curves["experiment"] == experiment]
    if curves.empty:
        return []
    panels = [
        (f"schedules of {model}", lambda ax, part=part: plot_strips(part, ax, legend=False))
        for model, part in curves.groupby("model", sort=False)
    ]
    caption = "Schedules for some unseen instances, those with most steps; one row per instance and core."
    legend = [Line(solver, color, 4.0, "none", "") for solver, color in solver_colors(curves).items()]
    return [Panels(book.figure(f"{experiment}-schedules", panels), caption, legend)]
