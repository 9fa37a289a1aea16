"""Runs of several solvers: the cutoff, and runs that were stopped before it."""

import numpy as np
import pandas as pd
import pytest

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.decide.laws.objectives import find_objective
from bayes_distnet.decide.portfolio.runs import PortfolioRuns


def dataset(extra=()):
    """Ten instances; solver a takes 1 to 10 s and is cut off at 8 s, solver b takes 2 s."""
    rows = []
    for i in range(10):
        rows.append(("a", f"i{i}", 1, min(i + 1.0, 8.0), "solved" if i < 7 else "timeout", 8.0))
        rows.append(("b", f"i{i}", 1, 2.0, "solved", 8.0))
    frame = pd.DataFrame([*rows, *extra], columns=["solver", "instance", "seed", "seconds", "status", "cutoff"])
    features = pd.DataFrame({"x": np.arange(11.0)}, index=[f"i{i}" for i in range(11)])
    return Dataset(RunTable.from_frame(frame), features)


def test_runs_that_a_plan_stopped_do_not_change_the_cutoff():
    extra = [("a", "i10", 1, 40.0, "timeout", 40.0), ("b", "i10", 1, 0.5, "timeout", 0.5)]
    assert PortfolioRuns.of(dataset(extra)).cutoff == 8.0


def test_without_a_common_cutoff_the_largest_is_taken():
    frame = dataset().runs.frame
    frame = frame.assign(cutoff=8.0 + np.arange(len(frame)))
    assert PortfolioRuns.of(Dataset(RunTable.from_frame(frame), dataset().features)).cutoff == 27.0


def test_a_run_stopped_early_costs_as_much_as_those_that_took_longer():
    runs = PortfolioRuns.of(dataset([("a", "i10", 1, 5.5, "timeout", 5.5)]))
    costs = runs.costs(find_objective("par10", cutoff=8.0))
    assert costs[10, 0] == pytest.approx(np.mean([6.0, 7.0, 80.0, 80.0, 80.0]))
    assert costs[9, 0] == 80.0


def test_a_run_stopped_early_later_than_all_others_counts_as_not_finished():
    data = dataset([("b", "i10", 1, 5.5, "timeout", 5.5)])
    assert PortfolioRuns.of(data).costs(find_objective("par10", cutoff=8.0))[10, 1] == 80.0
