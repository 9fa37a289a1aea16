import warnings
from datetime import timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bayes_distnet import Marginal
from bayes_distnet.data.observations import ZeroRuntimeWarning, check_seconds, observe
from bayes_distnet.errors import RuntimeDataError

X = np.array([[1.0], [1.0], [2.0]])


def test_rows_with_the_same_features_are_runs_of_one_instance():
    features, runs = observe(X, [1.0, 2.0, 3.0])
    assert features.tolist() == [[1.0], [2.0]]
    assert runs.instance.tolist() == [0, 0, 1]
    assert runs.runs_of_each().tolist() == [2, 1]


def test_groups_separate_instances_with_the_same_features():
    features, runs = observe(X, [1.0, 2.0, 3.0], groups=["b", "a", "c"])
    assert len(features) == 3
    assert runs.instance.tolist() == [0, 1, 2]


def test_rows_with_the_same_missing_values_are_runs_of_one_instance():
    holey = np.array([[np.nan, 1.0], [np.nan, 1.0], [0.0, 1.0], [1.0, np.nan]])
    features, runs = observe(holey, [1.0, 2.0, 3.0, 4.0])
    assert runs.instance.tolist() == [0, 0, 1, 2]
    np.testing.assert_equal(features, holey[[0, 2, 3]])
    assert observe(holey[:2], [1.0, 2.0], groups=["a", "a"])[1].n_instances == 1
    for rows in ([0, 2], [2, 0]):
        with pytest.raises(RuntimeDataError, match="row 1 has other features"):
            observe(holey[rows], [1.0, 2.0], groups=["a", "a"])


def test_matrix_vector_and_structured_array_give_the_same_runs():
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


def test_zero_runtimes_are_raised_to_half_the_smallest_with_a_warning():
    with pytest.warns(ZeroRuntimeWarning, match="1 of 3 runs took 0 s; they are taken as 0.005 s"):
        seconds, _ = check_seconds([0.0, 0.01, 5.0])
    assert seconds.tolist() == [0.005, 0.01, 5.0]


def test_a_zero_beside_the_smallest_float_stays_positive():
    with pytest.warns(ZeroRuntimeWarning):
        assert check_seconds([0.0, 5e-324])[0].tolist() == [5e-324, 5e-324]


@pytest.mark.parametrize("call", [check_seconds, lambda y: Marginal().fit(X, y)])
def test_the_zero_warning_points_at_the_line_outside_the_package(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call([0.0, 1.0, 2.0])
    assert [Path(w.filename).name for w in caught] == ["test_observations.py"]


HOLEY = [[1.0, 2.0], [3.0, np.nan], [4.0, 5.0]]
HOLES = np.isnan(HOLEY)


@pytest.mark.parametrize(
    "y",
    [
        np.ma.array(np.where(HOLES, 1e9, HOLEY), mask=HOLES),
        [np.ma.array(row, mask=np.isnan(row)) for row in HOLEY],
        pd.DataFrame(HOLEY).astype("Float64"),
        pd.DataFrame(HOLEY).astype("Int64"),
        [[1, 2], [3, None], [4, 5]],
    ],
)
def test_masked_and_na_mean_no_run_like_nan(y):
    seconds, finished = check_seconds(y)
    np.testing.assert_equal(seconds, HOLEY)
    assert (finished == ~HOLES).all()


@pytest.mark.parametrize(
    "finished",
    [
        np.ma.array(np.ones((3, 2), dtype=bool), mask=HOLES),
        pd.DataFrame([[True, True], [True, pd.NA], [True, True]], dtype="boolean"),
        [[True, True], [True, None], [True, True]],
    ],
)
def test_a_flag_may_be_missing_only_where_there_is_no_run(finished):
    assert (check_seconds(HOLEY, finished)[1] == ~HOLES).all()
    with pytest.raises(RuntimeDataError, match=r"expected booleans, found none at \[1, 1\]"):
        check_seconds(np.ones((3, 2)), finished)


@pytest.mark.parametrize(
    ("y", "finished", "message"),
    [
        ([1.0, -2.0, 3.0], None, r"y\[1\]: a negative runtime \(-2.0"),
        ([1.0, np.inf, 3.0], None, r"y\[1\]: an infinite runtime"),
        ([1.0, 1e101, 3.0], None, r"y\[1\]: an absurd runtime"),
        ([1.0, np.nan, 3.0], None, r"y\[1\]: NaN runtime"),
        ([0.0, 0.0, 0.0], None, "every runtime is 0 s"),
        (["a", "b", "c"], None, "must be numbers .*'a'"),
        ([1.0, 2.0], None, "X has 3 rows, but y has 2"),
        ([1.0, 2.0, 3.0], [True, False], r"finished has shape \(2,\), but y has shape \(3,\)"),
        ([1.0, 2.0, 3.0], [1, 0, 1], "expected booleans, found int64"),
        ([1.0, 2.0, 3.0], [False] * 3, "None of the 3 runs finished"),
        ([True, False, True], None, "y must be numbers .*, found bool"),
        (np.array([True, 1.5, 2.5], dtype=object), None, "y must be numbers .*, found bool"),
        (np.ones(3) * 1j, None, "y must be numbers .*, found complex128"),
        (np.ones(3).astype("m8[ns]"), None, r"found timedelta64\[ns\]. .*total_seconds"),
        ([timedelta(seconds=1)] * 3, None, "must be numbers .*timedelta"),
        (pd.Series(pd.to_datetime(["2024-01-01"] * 3)), None, "found datetime64"),
        ([10**400, 1, 2], None, "must be numbers"),
        ([[1.0], [2.0, 3.0], [4.0]], None, "y: rows of different lengths. Pad them with NaN .* groups"),
        (pd.Series([[1.0], [2.0, 3.0], [4.0]]), None, "y: rows of different lengths"),
        (np.ones((3, 2)), [[True], [True, False], [True]], "finished: rows of different lengths"),
        (np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False]), None, r"y\[1\]: NaN runtime"),
        (np.ones((3, 2, 2)), None, "vector or a matrix"),
        ([[np.nan]] * 3, None, "no run at all"),
        (np.zeros(3, dtype=[("a", float), ("b", float)]), None, "one boolean and one number field"),
    ],
)
def test_bad_runs_are_reported(y, finished, message):
    with pytest.raises(RuntimeDataError, match=message):
        observe(X, y, finished)


def test_bad_groups_are_reported():
    with pytest.raises(RuntimeDataError, match="groups has shape"):
        observe(X, [1.0, 2.0, 3.0], groups=["a"])
    with pytest.raises(RuntimeDataError, match="row 2 has other features than the first row of its group 'a'"):
        observe(X, [1.0, 2.0, 3.0], groups=["a", "a", "a"])
    with pytest.raises(RuntimeDataError, match="groups only goes with a vector"):
        observe(X, np.ones((3, 2)), groups=["a", "b", "c"])


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (["a", None, "c"], "row 1 has no label"),
        ([0.0, 1.0, np.nan], "row 2 has no label"),
        (pd.Series(["a", pd.NA, "c"], dtype="string"), "row 1 has no label"),
        (np.ma.array([1, 2, 3], mask=[True, False, False]), "row 0 has no label"),
        (["1", 1, 2], "labels of different types .* all text"),
    ],
)
def test_groups_without_a_label_or_of_mixed_types_are_reported(groups, message):
    with pytest.raises(RuntimeDataError, match=message):
        observe(X, [1.0, 2.0, 3.0], groups=groups)
