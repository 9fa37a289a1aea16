"""Targets that hold seconds and flags are taken apart; what only looks like them is refused by name."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import train_test_split

from bayes_distnet import KNearest, Marginal, runtimes, scores
from bayes_distnet.data.targets import split_target
from bayes_distnet.errors import RuntimeDataError

SECONDS, FINISHED = np.array([0.5, 60.0, 3.0]), np.array([True, False, True])
TABLE = pd.DataFrame({"seconds": SECONDS, "finished": FINISHED})
PAIRS = [(True, 0.5), (False, 60.0), (True, 3.0)]


@pytest.mark.parametrize(
    "y",
    [
        runtimes(SECONDS, FINISHED),
        np.ma.array(runtimes(SECONDS, FINISHED)),
        TABLE,
        TABLE[["finished", "seconds"]].rename(columns={"finished": "event", "seconds": "time"}),
        TABLE.astype({"finished": "boolean"}),
        TABLE.to_numpy(),
        PAIRS,
        [[seconds, finished] for finished, seconds in PAIRS],
        pd.Series(PAIRS),
        pd.Series(PAIRS).to_numpy(),
    ],
    ids=["runtimes", "masked", "table", "other names", "nullable", "objects", "pairs", "swapped", "series", "array"],
)
def test_every_form_gives_the_same_runs(y):
    seconds, finished = split_target(y)
    assert np.asarray(seconds, dtype=float).tolist() == SECONDS.tolist()
    assert np.asarray(finished, dtype=bool).tolist() == FINISHED.tolist()
    x = np.arange(3.0)[:, None]
    model = Marginal().fit(x, y)
    assert model.training_runs_.cut_off == 1
    assert model.score(x, y) == pytest.approx(model.score(x, SECONDS, finished=FINISHED))
    rtd = model.predict_distribution(x)
    np.testing.assert_array_equal(scores.nllh(rtd, y), scores.nllh(rtd, SECONDS, FINISHED))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (TABLE.astype({"finished": int}), r"y: a table with the columns \['seconds', 'finished'\]"),
        (TABLE.assign(seed=[1, 2, 3]), r"columns \['seconds', 'finished', 'seed'\]"),
        (TABLE[["seconds"]].assign(seed=[1, 2, 3]), r"columns \['seconds', 'seed'\]"),
        (TABLE.astype(float).to_numpy(), "column 1 of two holds zeros and ones only"),
        (TABLE.astype(float).set_axis([0, 1], axis=1), "column 1 of two holds zeros and ones only"),
        ([(True, 0.5, 7), (False, 60.0, 8)], r"expected pairs \(finished, seconds\)"),
        ([(True, 0.5), 3.0], "rows that mix booleans and numbers"),
    ],
)
def test_a_target_that_only_looks_like_runs_is_refused_with_the_remedy(y, message):
    with pytest.raises(RuntimeDataError, match=message) as caught:
        Marginal().fit(np.arange(float(len(y)))[:, None], y)
    assert "runtimes(seconds, finished)" in str(caught.value)


@pytest.mark.parametrize(
    "y",
    [
        pd.DataFrame({"run 1": [1.0, 2.0], "run 2": [3.0, 4.0]}),
        pd.DataFrame({0: [1.0, 2.0], 1: [3.0, 4.0]}),
        [[1.0, 2.0], [3.0, 4.0]],
        np.array([[1.0, 1.0], [1.0, 4.0]]),
        pd.DataFrame({"seconds": [1.0, 2.0]}),
    ],
)
def test_a_matrix_of_runs_stays_one(y):
    seconds, finished = split_target(y)
    assert seconds is y
    assert finished is None


def test_flags_are_given_once():
    for y in (runtimes(SECONDS, FINISHED), TABLE, PAIRS):
        with pytest.raises(RuntimeDataError, match="marks the finished runs itself"):
            split_target(y, FINISHED)


def test_runtimes_survives_indexing_and_splitting_in_both_shapes():
    seconds = np.array([[1.0, 60.0], [2.0, np.nan], [60.0, 60.0], [3.0, 4.0]])
    matrix = runtimes(pd.DataFrame(seconds), pd.DataFrame(seconds < 60))
    part, rest, rows, _ = train_test_split(matrix, np.arange(4), test_size=0.5, random_state=0)
    assert part.shape == rest.shape == (2, 2)
    np.testing.assert_equal(part["seconds"], seconds[rows])
    np.testing.assert_equal(part["finished"], (seconds < 60)[rows])
    vector = runtimes(pd.Series([1.0, 60.0]), pd.Series([True, False], dtype="boolean"))
    assert vector[::-1]["finished"].tolist() == [False, True]


@pytest.mark.parametrize(
    ("seconds", "finished", "message"),
    [
        ([1.0, 2.0], None, "finished is None"),
        ([1.0, 2.0], [True], r"finished has shape \(1,\), but seconds has shape \(2,\)"),
        ([1.0, 2.0], [1, 0], "expected booleans, found int64"),
        ([1.0, -2.0], [True, False], "a negative runtime"),
        ([[[1.0]]], [[[True]]], "a vector or a matrix"),
    ],
)
def test_runtimes_refuses_what_is_no_run(seconds, finished, message):
    with pytest.raises(RuntimeDataError, match=message):
        runtimes(seconds, finished)


def test_one_column_of_runs_needs_no_warning_when_it_comes_from_runtimes():
    y = runtimes([[1.0], [2.0], [4.0]], [[True], [True], [False]])
    assert KNearest(1).fit(np.zeros((3, 1)), y).training_runs_.instances == 3
