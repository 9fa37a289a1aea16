import numpy as np
import pandas as pd
import pytest

from bayes_distnet import RunTable, RuntimeDataError, ZeroRuntimeWarning
from bayes_distnet.runs import check_seconds, observe

X = np.array([[1.0], [1.0], [2.0]])


def test_rows_with_the_same_features_are_runs_of_one_instance():
    features, runs = observe(X, [1.0, 2.0, 3.0])
    assert features.tolist() == [[1.0], [2.0]]
    assert runs.instance.tolist() == [0, 0, 1]
    assert runs.runs_of_each().tolist() == [2, 1]


def test_groups_tell_instances_apart_that_features_do_not():
    features, runs = observe(X, [1.0, 2.0, 3.0], groups=["b", "a", "c"])
    assert len(features) == 3
    assert runs.instance.tolist() == [0, 1, 2]


def test_matrix_vector_and_structured_array_say_the_same():
    matrix = observe(np.array([[1.0], [2.0]]), [[1.0, 2.0], [3.0, np.nan]], [[True, False], [True, False]])[1]
    vector = observe(X, [1.0, 2.0, 3.0], np.array([True, False, True]))[1]
    pairs = np.array([(True, 1.0), (False, 2.0), (True, 3.0)], dtype=[("event", bool), ("time", float)])
    structured = observe(X, pairs)[1]
    for other in (vector, structured):
        assert matrix.seconds.tolist() == other.seconds.tolist()
        assert matrix.finished.tolist() == other.finished.tolist()
        assert matrix.instance.tolist() == other.instance.tolist()


def test_matrix_undoes_the_grouping():
    seconds, finished = observe(X, [1.0, 2.0, 3.0], np.array([True, False, True]))[1].matrix()
    np.testing.assert_equal(seconds, [[1.0, 2.0], [3.0, np.nan]])
    assert finished.tolist() == [[True, False], [True, False]]


def test_a_row_of_a_matrix_without_runs_is_left_out():
    features, runs = observe(np.array([[1.0], [2.0]]), [[np.nan, np.nan], [3.0, 4.0]])
    assert features.tolist() == [[2.0]]
    assert runs.n_instances == 1


def test_zero_runtimes_are_raised_to_half_the_smallest_and_said():
    with pytest.warns(ZeroRuntimeWarning, match="1 of 3 runs took 0 s; they are taken as 0.005 s"):
        seconds, _ = check_seconds([0.0, 0.01, 5.0])
    assert seconds.tolist() == [0.005, 0.01, 5.0]


@pytest.mark.parametrize(
    ("y", "finished", "message"),
    [
        ([1.0, -2.0, 3.0], None, r"y\[1\]: a negative runtime \(-2.0"),
        ([1.0, np.inf, 3.0], None, r"y\[1\]: an infinite runtime"),
        ([1.0, np.nan, 3.0], None, r"y\[1\]: NaN runtime"),
        ([0.0, 0.0, 0.0], None, "every runtime is 0 s"),
        (["a", "b", "c"], None, "must be numbers"),
        ([1.0, 2.0], None, "X has 3 rows, but y has 2"),
        ([1.0, 2.0, 3.0], [True, False], r"finished has shape \(2,\), but y has shape \(3,\)"),
        ([1.0, 2.0, 3.0], [1, 0, 1], "expected booleans, found int64"),
        ([1.0, 2.0, 3.0], [False] * 3, "None of the 3 runs finished"),
        (np.ones((3, 2, 2)), None, "vector or a matrix"),
        ([[np.nan]] * 3, None, "no run at all"),
        (np.zeros(3, dtype=[("a", float), ("b", float)]), None, "one boolean and one number field"),
    ],
)
def test_bad_runs_are_named(y, finished, message):
    with pytest.raises(RuntimeDataError, match=message):
        observe(X, y, finished)


def test_bad_groups_are_named():
    with pytest.raises(RuntimeDataError, match="groups has shape"):
        observe(X, [1.0, 2.0, 3.0], groups=["a"])
    with pytest.raises(RuntimeDataError, match="row 2 has other features than the first row of its group 'a'"):
        observe(X, [1.0, 2.0, 3.0], groups=["a", "a", "a"])
    with pytest.raises(RuntimeDataError, match="groups only goes with a vector"):
        observe(X, np.ones((3, 2)), groups=["a", "b", "c"])


def table(**changes):
    columns = {"instance": ["a", "a", "b"], "seconds": [1.0, 2.0, 30.0], "status": ["solved", "solved", "timeout"]}
    return pd.DataFrame(columns | {"cutoff": 30.0} | changes)


def test_run_table_keeps_what_it_is_given():
    runs = RunTable.from_frame(table())
    assert runs.seconds.tolist() == [1.0, 2.0, 30.0]
    assert runs.finished.tolist() == [True, True, False]


def test_finishing_past_the_cutoff_is_an_error_that_says_what_to_do():
    with pytest.raises(RuntimeDataError, match=r"finished after 31.2 s, past its cutoff of 30 s.*not finished"):
        RunTable.from_frame(table(seconds=[1.0, 31.2, 30.0]))
    assert len(RunTable.from_frame(table(seconds=[1.0, 31.2, 30.0]), cutoff=60.0)) == 3


def test_crashes_are_no_observations():
    runs = RunTable.from_frame(table(status=["solved", "crashed", "timeout"]))
    assert runs.observed().seconds.tolist() == [1.0, 30.0]


def test_a_missing_column_is_named():
    with pytest.raises(RuntimeDataError, match=r"no column \['status'\]"):
        RunTable.from_frame(table().drop(columns="status"))
