import clusters
import numpy as np
import pandas as pd
import pytest

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.decide.solver_runs import SolverRuns
from bayes_distnet.errors import RuntimeDataError


def data_of(rows, cutoff=10.0):
    frame = pd.DataFrame(rows, columns=["instance", "solver", "seed", "seconds", "status"])
    names = sorted(frame["instance"].unique())
    return Dataset(RunTable.from_frame(frame, cutoff=cutoff), pd.DataFrame({"x": range(len(names))}, index=names))


def test_costs_are_means_over_runs_with_ten_cutoffs_for_no_answer():
    runs = SolverRuns.of(data_of([("a", "s", 0, 2.0, "solved"), ("a", "s", 1, 10.0, "timeout")]))
    assert runs.par10().tolist() == [[51.0]]
    assert runs.solved().tolist() == [[0.5]]


def test_a_run_out_of_memory_never_answers():
    runs = SolverRuns.of(data_of([("a", "s", 0, 2.0, "memout")]))
    assert (runs.seconds[0, 0, 0], runs.finished[0, 0, 0], runs.par10()[0, 0]) == (10.0, False, 100.0)


def test_interrupted_runs_are_left_out():
    runs = SolverRuns.of(data_of([("a", "s", 0, 2.0, "solved"), ("a", "s", 1, 1.0, "interrupted")]))
    assert runs.counts.tolist() == [[1]]


def test_a_missing_pair_is_refused_with_its_names():
    with pytest.raises(RuntimeDataError, match="no run of 't' on 'b'"):
        SolverRuns.of(
            data_of([("a", "s", 0, 2.0, "solved"), ("b", "s", 0, 2.0, "solved"), ("a", "t", 0, 2.0, "solved")])
        )


@pytest.mark.parametrize(("cutoff", "found"), [(np.inf, "no cutoff"), ([5.0, 6.0], "2 different cutoffs")])
def test_runs_need_one_cutoff(cutoff, found):
    with pytest.raises(RuntimeDataError, match=found):
        SolverRuns.of(data_of([("a", "s", 0, 2.0, "solved"), ("b", "s", 0, 2.0, "solved")], cutoff))


def test_rows_follow_the_features_and_the_single_best_has_the_least_mean_cost():
    data = clusters.two_clusters(20)
    shuffled = data.take(np.arange(20)[::-1])
    runs, again = SolverRuns.of(data), SolverRuns.of(shuffled)
    np.testing.assert_array_equal(runs.seconds, again.seconds[::-1])
    np.testing.assert_array_equal(runs.take([3, 1]).seconds, runs.seconds[[3, 1]])
    assert runs.solvers[runs.single_best()] == "steady"
    assert runs.solvable().all()
