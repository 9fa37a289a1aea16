import numpy as np
import pytest

from bayes_distnet import Marginal, Ridge, SettingError, make_runs
from bayes_distnet.experiments import compare, cut_off_slowest, folds_by_instance, summary


def test_folds_part_the_instances():
    folds = list(folds_by_instance(23, 5, seed=0))
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(23))
    for train, test in folds:
        assert not set(train) & set(test)
        assert len(train) + len(test) == 23


def test_cut_off_takes_the_papers_rank_and_leaves_holes():
    seconds = np.array([[1.0, 5.0, np.nan], [2.0, 4.0, 3.0]])
    cut, finished = cut_off_slowest(seconds, ~np.isnan(seconds), 0.4)
    np.testing.assert_equal(cut, [[1.0, 3.0, np.nan], [2.0, 3.0, 3.0]])
    assert finished.tolist() == [[True, False, False], [True, False, True]]


def test_compare_gives_a_tidy_table_and_the_better_model_comes_first():
    data = make_runs(n_instances=120, n_runs=6, n_features=4, seed=0)
    said = []
    results = compare(
        {"Marginal": Marginal(), "Ridge": Ridge()},
        data.features,
        data.seconds,
        folds=3,
        runs=2,
        cut_off=0.3,
        progress=said.append,
    )
    assert len(results) == 2 * 3 * 3
    assert results.groupby("score")["model"].nunique().eq(2).all()
    table = summary(results)
    assert table.index[0] == "Ridge"
    assert list(table.columns) == ["nllh", "ks", "crps", "fit_seconds"]
    assert said[0] == "fold 1: Marginal"


def test_bad_arguments_are_named():
    data = make_runs(n_instances=10, n_runs=1, seed=0)
    with pytest.raises(SettingError, match="no score named"):
        compare({}, data.features, data.seconds, scores=["mae"])
    with pytest.raises(SettingError, match="folds=11"):
        compare({}, data.features, data.seconds, folds=11)
