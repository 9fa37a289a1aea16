import numpy as np
import pandas as pd
import pytest

from bayes_distnet.data.splits import (
    choose_cutoffs,
    cut_off,
    first_runs,
    folds_by_instance,
    folds_by_label,
    published_folds,
    shifted,
)
from bayes_distnet.errors import FeatureError, SettingError


@pytest.fixture
def runs():
    rng = np.random.default_rng(0)
    seconds = np.exp(rng.normal(size=(400, 1)) + 0.3 * rng.normal(size=(400, 10)))
    seconds[rng.random(seconds.shape) < 0.1] = np.nan
    return seconds, ~np.isnan(seconds)


def test_every_instance_is_in_one_fold():
    for folds in (list(folds_by_instance(23, 5, random_state=0)), list(published_folds(23, 5))):
        assert sorted(np.concatenate([test for _, test in folds])) == list(range(23))
        for train, test in folds:
            assert not set(train) & set(test)
            assert len(train) + len(test) == 23


def test_folds_by_label_come_in_the_order_of_the_labels_and_never_test_an_instance_without_one():
    labels = pd.Series([10, 2, None, 10, 3], dtype="Int64")
    folds = list(folds_by_label(labels))
    assert [test.tolist() for _, test in folds] == [[1], [4], [0, 3]]
    assert [train.tolist() for train, _ in folds] == [[0, 2, 3, 4], [0, 1, 2, 3], [1, 2, 4]]


def test_published_folds_are_those_of_random_state_0():
    # scikit-learn's KFold(10, shuffle=True, random_state=0) on 20 instances: its first test fold.
    assert next(published_folds(20, 10))[1].tolist() == [1, 18]


def test_the_rank_is_not_off_by_rounding():
    seconds = np.arange(1.0, 11.0)[:, None]
    for fraction, left in ((0.2, 8), (0.4, 6), (0.6, 4), (0.8, 2), (0.9, 1), (0.85, 1)):
        assert cut_off(seconds, np.ones((10, 1), bool), fraction)[1].sum() == left


def test_cut_off_takes_the_papers_rank_and_keeps_missing_runs():
    seconds = np.array([[1.0, 5.0, np.nan], [2.0, 4.0, 3.0]])
    cut, finished = cut_off(seconds, ~np.isnan(seconds), 0.4)
    np.testing.assert_equal(cut, [[1.0, 3.0, np.nan], [2.0, 3.0, 3.0]])
    assert finished.tolist() == [[True, False, False], [True, False, True]]


@pytest.mark.parametrize("cutoffs", ["global", "instance", "random"])
@pytest.mark.parametrize("fraction", [0.2, 0.6, 0.8])
def test_the_given_fraction_is_cut_off(runs, cutoffs, fraction):
    seconds, finished = runs
    cut, known = cut_off(seconds, finished, fraction, cutoffs, random_state=1)
    present = ~np.isnan(seconds)
    assert 1 - known[present].mean() == pytest.approx(fraction, abs=0.01)
    assert np.isnan(cut[~present]).all()
    np.testing.assert_array_equal(cut[known], seconds[known])
    assert (cut[present & ~known] < seconds[present & ~known]).all()


def test_cutoffs_are_for_all_runs_per_instance_or_per_run(runs):
    def cutoffs_in_all_and_most_in_one(kind):
        cut, known = cut_off(*runs, 0.6, kind, random_state=1)
        lost = ~np.isnan(cut) & ~known
        return np.unique(cut[lost]).size, max(np.unique(row[mask]).size for row, mask in zip(cut, lost, strict=True))

    assert cutoffs_in_all_and_most_in_one("global") == (1, 1)
    in_all, in_one = cutoffs_in_all_and_most_in_one("instance")
    assert in_all > 100
    assert in_one == 1
    assert cutoffs_in_all_and_most_in_one("random")[1] > 3


def test_nothing_is_cut_off_at_zero(runs):
    for kind in ("global", "instance", "random"):
        cut, known = cut_off(*runs, 0.0, kind)
        np.testing.assert_array_equal(cut, runs[0])
        np.testing.assert_array_equal(known, runs[1])


def test_the_random_state_determines_the_cutoffs(runs):
    first, again, other = (cut_off(*runs, 0.5, "random", random_state=s)[0] for s in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other, equal_nan=True)


def test_unknown_kinds_and_folds_are_refused(runs):
    with pytest.raises(SettingError, match="cutoffs='local'"):
        cut_off(*runs, 0.5, "local")
    with pytest.raises(SettingError, match="folds=11"):
        list(published_folds(10, 11))


def test_nothing_to_cut_off_stays_as_it_is():
    empty = np.full((2, 2), np.nan)
    np.testing.assert_equal(cut_off(empty, np.zeros((2, 2), bool), 0.5)[0], empty)
    with pytest.raises(SettingError, match="fraction"):
        cut_off(empty, np.zeros((2, 2), bool), 1.5)


@pytest.mark.parametrize("cutoffs", ["global", "instance", "random"])
def test_runs_are_cut_off_at_the_chosen_cutoffs(runs, cutoffs):
    limit = choose_cutoffs(runs[0], 0.4, cutoffs, random_state=2)
    cut, known = cut_off(*runs, 0.4, cutoffs, random_state=2)
    np.testing.assert_array_equal(cut, np.minimum(runs[0], limit))
    np.testing.assert_array_equal(known, runs[0] <= limit)
    assert np.isinf(choose_cutoffs(runs[0], 0.0, cutoffs)).all()


def test_first_runs_are_the_same_columns_if_no_run_is_missing():
    seconds = np.arange(1.0, 21.0).reshape(2, 10)
    taken, finished = first_runs(seconds, np.ones((2, 10), bool), 3, random_state=1)
    columns = np.random.default_rng(1).permutation(10)[:3]
    np.testing.assert_array_equal(taken, seconds[:, columns])
    assert finished.all()


def test_every_instance_keeps_the_given_number_of_its_own_runs():
    seconds = np.full((3, 100), np.nan)
    seconds[0], seconds[1, 90:], seconds[2, :2] = 1.0, 2.0, 3.0
    taken, finished = first_runs(seconds, ~np.isnan(seconds), 8, random_state=0)
    assert (~np.isnan(taken)).sum(axis=1).tolist() == [8, 8, 2]
    np.testing.assert_array_equal(finished, ~np.isnan(taken))


def test_shifts_need_a_table_of_numbers():
    table = pd.DataFrame({"a": [1.0, 3.0], "b": [0, 1]})
    np.testing.assert_allclose(shifted(table, -1, [0.0, 2.0]), [[3.0, 1.0], [5.0, 2.0]])
    np.testing.assert_allclose(shifted(table, 0, [1.0], among=[1]), [[1.0, 0.0]])
    for bad in (table.to_numpy(), table["a"], pd.DataFrame({"a": ["x", "y"]})):
        with pytest.raises(FeatureError, match="features"):
            shifted(bad, 0)
    for bad in (2, -3, 0.5, "a"):
        with pytest.raises(SettingError, match="instance="):
            shifted(table, bad)
    with pytest.raises(SettingError, match="shifts"):
        shifted(table, 0, "a")
