"""Section on restarts: scores of policies, and expected time against the cutoff."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from bayes_distnet.decide.restarts.replay import RecordedRuns
from bayes_distnet.experiments.decisions import CONDITION, decided, summary_of
from bayes_distnet.experiments.registry import EXPERIMENTS
from bayes_distnet.models.registry import Role
from bayes_distnet.report.book import Book
from bayes_distnet.report.charts.looks import RECORDED
from bayes_distnet.report.decision_charts import ROLE_LOOKS, cutoff_chart, policy_chart
from bayes_distnet.report.grids import Listing
from bayes_distnet.report.markup import Cell, Number
from bayes_distnet.report.page import Block, Key, Panels, Section
from bayes_distnet.report.words import condition_name, count

_SCORES = {"speed_up": "speed-up", "of_oracle": "of the oracle's", "seconds": "mean time [s]"}


def restarts(book: Book, experiment: str) -> Iterator[Section]:
    """Compare restart policies on unseen instances."""
    table = summary_of(book.results, experiment)
    if table.empty:
        return
    rows = decided(book.results, experiment)
    instances, condition = rows["instance"].nunique(), condition_name(*rows[CONDITION].iloc[0])
    title = EXPERIMENTS[experiment].title
    blocks: list[Block] = [book.table(experiment, _listing(table, instances, condition))]
    charts = [policy_chart(table, "speed_up", "speed-up", 1.0)]
    caption = "Speed-up over not restarting, geometric mean over unseen instances with its standard error."
    legend = [Key(role, look) for role, look in ROLE_LOOKS.items() if role in set(table["role"])]
    blocks.insert(0, Panels(book.figure(experiment, charts), caption, legend))
    blocks += _curve_panels(book, experiment)
    yield Section(experiment, title, title, blocks)


def _listing(table: pd.DataFrame, instances: int, condition: str) -> Listing:
    ranked = table[table["role"] != str(Role.LIMIT)]
    best = {"speed_up": ranked["speed_up"].max(), "of_oracle": ranked["of_oracle"].max()}
    best["seconds"] = ranked["seconds"].min()
    lines: list[list[Cell]] = []
    for row in table.to_dict("records"):
        numbers = [
            _number(row, score, row["role"] != str(Role.LIMIT) and row[score] == best[score]) for score in _SCORES
        ]
        restarted = "–" if np.isnan(row["restarted"]) else f"{100 * row['restarted']:.0f} %"
        lines.append([str(row["policy"]), str(row["role"]), *numbers, restarted])
    caption = (
        f"Restart policies on {count(instances, 'unseen instance')}, replayed on their recorded runs; standard errors "
        "over instances. Speed-up: geometric mean of the time without restarts over that of the policy. The oracle "
        f"chooses each instance's cutoff on half of its runs and is scored on the other half. {condition}."
    )
    return Listing(["Policy", "Role", *_SCORES.values(), "restarted"], lines, 2, caption)


def _number(row: dict[Any, Any], score: str, best: bool) -> Number:
    return Number(f"{row[score]:.3f}", f"{row[f'{score}_error']:.3f}", best)


def _curve_panels(book: Book, experiment: str) -> list[Block]:
    curves = book.results.curves
    curves = curves[curves["experiment"] == experiment]
    if curves.empty:
        return []
    data, charts = book.results.data, []
    for instance, part in curves.groupby("instance", sort=False):
        row = data.features.index.get_loc(instance)
        runs = RecordedRuns.of(data.seconds[row], data.finished[row])
        charts.append(cutoff_chart(part, runs, str(instance), book.looks))
    caption = (
        "Expected total time of a fast, a middling and a slow unseen instance if every run is stopped at the cutoff "
        "and started again: predicted, with the band that holds the instance's own with 90 % probability, and "
        "replayed on its recorded runs (grey). The right end is the time without restarts."
    )
    legend = [Key("recorded runs", RECORDED), *book.keys(curves)]
    return [Panels(book.figure(f"{experiment}-cutoffs", charts), caption, legend, "Instance")]
