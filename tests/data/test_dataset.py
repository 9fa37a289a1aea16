import numpy as np
import pandas as pd
import pytest

from bayes_distnet import Dataset, RunTable, make_runs
from bayes_distnet.data.feature_groups import FeatureGroup, FeatureGroups
from bayes_distnet.data.splits import cut_off
from bayes_distnet.errors import FeatureError, RuntimeDataError, SettingError


def dataset(solvers=("s",)):
    rows = [
        {"instance": name, "solver": solver, "seed": seed, "seconds": 1.0 + seed, "status": "solved", "cutoff": 10.0}
        for solver in solvers
        for name in ("b", "a", "c")
        for seed in (2, 1)
    ]
    rows[0] |= {"status": "timeout", "seconds": 10.0}  # b, seed 2
    rows[3] |= {"status": "crashed"}  # a, seed 1
    features = pd.DataFrame({"size": [1.0, 2.0, 3.0]}, index=pd.Index(["a", "b", "x"], name="instance"))
    cost = pd.Series([0.1, 0.2, 0.3], index=features.index)
    parts = pd.Series({"a": "train", "b": "test"})
    folds = pd.DataFrame({1: [1, 2, None], 2: [2, 1, None]}, index=features.index, dtype="Int64")
    step = pd.DataFrame({"step": cost})
    groups = FeatureGroups((FeatureGroup("step", ("size",)),), step, step.astype(object).assign(step="ok"))
    runs = RunTable.from_frame(pd.DataFrame(rows))
    return Dataset(runs, features, cost, parts, ("a note",), {"who": "us"}, folds, groups)


def test_seconds_are_instances_by_seeds_in_the_order_of_the_features():
    data = dataset()
    np.testing.assert_array_equal(data.seconds, [[np.nan, 3.0], [2.0, 10.0], [np.nan, np.nan]])
    np.testing.assert_array_equal(data.finished, [[False, True], [True, False], [False, False]])


def test_runs_without_seeds_are_numbered():
    frame = pd.DataFrame({"instance": ["a", "a", "b"], "seconds": [1.0, 2.0, 3.0], "status": "solved"})
    data = Dataset(RunTable.from_frame(frame), pd.DataFrame({"f": [0.0, 1.0]}, index=["b", "a"]))
    np.testing.assert_array_equal(data.seconds, [[3.0, np.nan], [1.0, 2.0]])


def test_several_solvers_are_taken_one_at_a_time():
    data = dataset(("s", "t"))
    with pytest.raises(RuntimeDataError, match=r"2 solvers \(s, t\): choose one, e.g. .of\('s'\)"):
        _ = data.seconds
    assert data.of("t").seconds.shape == (3, 2)


def test_matched_leaves_out_instances_without_runs_or_features():
    data = dataset().matched()
    assert data.features.index.tolist() == ["a", "b"]
    assert set(data.runs.instance) == {"a", "b"}
    assert data.feature_cost.tolist() == [0.1, 0.2]
    assert data.folds.to_numpy().tolist() == [[1, 2], [2, 1]]
    assert data.feature_groups.seconds().tolist() == [0.1, 0.2]
    nobody = Dataset(dataset().runs, pd.DataFrame({"f": [1.0]}, index=["z"]))
    with pytest.raises(FeatureError, match="No instance has both runs and features"):
        nobody.matched()


def test_a_split_is_by_instance_and_determined_by_random_state():
    data = dataset().matched()
    train, test = data.split(test_size=0.5, random_state=3)
    assert sorted([*train.features.index, *test.features.index]) == ["a", "b"]
    assert set(train.runs.instance) & set(test.runs.instance) == set()
    assert data.split(test_size=0.5, random_state=3)[0].features.equals(train.features)
    with pytest.raises(SettingError, match="test_size=2"):
        data.split(test_size=2)
    with pytest.raises(SettingError, match="leaves one part empty"):
        data.split(test_size=0.01)


def test_a_data_set_is_loaded_as_it_was_saved(tmp_path):
    data = dataset(("s", "t"))
    data.save(tmp_path / "d")
    back = Dataset.load(tmp_path / "d")
    pd.testing.assert_frame_equal(back.features, data.features, check_index_type=False)
    assert back.runs.frame["seconds"].tolist() == data.runs.frame["seconds"].tolist()
    assert back.feature_cost.tolist() == [0.1, 0.2, 0.3]
    assert back.parts.to_dict() == {"a": "train", "b": "test"}
    pd.testing.assert_frame_equal(back.folds, data.folds, check_index_type=False)
    assert back.feature_groups.groups == data.feature_groups.groups
    assert back.feature_groups.seconds().tolist() == [0.1, 0.2, 0.3]
    assert (back.notes, back.provenance) == (("a note",), {"who": "us"})
    with pytest.raises(RuntimeDataError, match="no data set here"):
        Dataset.load(tmp_path)


def test_an_instance_with_two_rows_of_features_is_refused():
    with pytest.raises(RuntimeDataError, match="'a' has two rows"):
        Dataset(dataset().runs, pd.DataFrame({"f": [1.0, 2.0]}, index=["a", "a"]))


def test_saving_over_a_data_set_removes_the_tables_that_the_new_one_lacks(tmp_path):
    data = dataset()
    data.save(tmp_path)
    Dataset(data.runs, data.features).save(tmp_path)
    back = Dataset.load(tmp_path)
    assert (back.feature_cost, back.parts, back.folds, back.feature_groups) == (None, None, None, None)


@pytest.mark.parametrize("table", ["folds", "feature_groups"])
def test_folds_and_groups_of_other_instances_are_refused(table):
    data = dataset()
    other = getattr(data.take([1, 0, 2]), table)
    with pytest.raises(RuntimeDataError, match=f"{table}: expected the same instances as in features"):
        Dataset(data.runs, data.features, **{table: other})


def test_folds_and_groups_stay_with_their_instances():
    some = dataset().select(["x", "a"])
    assert some.folds.loc["a"].tolist() == [1, 2]
    assert some.folds.loc["x"].isna().all()
    assert some.feature_groups.seconds().to_dict() == {"x": 0.3, "a": 0.1}
    assert dataset(("s", "t")).of("t").cut_off(0.5).folds.equals(dataset().folds)


def test_instances_are_selected_by_name_and_taken_by_row():
    data = dataset()
    some = data.select(["x", "a"])
    assert some.features.index.tolist() == ["x", "a"]
    assert some.feature_cost.tolist() == [0.3, 0.1]
    assert set(some.runs.instance) == {"a"}
    assert data.take([2, 0]).features.equals(some.features)
    with pytest.raises(RuntimeDataError, match=r"no features of instance 'c' \(1 such names\)"):
        data.select(["a", "c"])


def test_the_truth_stays_with_its_instances(tmp_path):
    data = make_runs(n_instances=6, n_runs=2, n_features=2, random_state=0)
    medians = data.truth.median()
    names = ["instance-00004", "instance-00001"]
    np.testing.assert_array_equal(data.select(names).truth.median(), medians[[4, 1]])
    for part in data.split(0.5, random_state=1):
        rows = data.features.index.get_indexer(part.features.index)
        np.testing.assert_array_equal(part.truth.median(), medians[rows])
    data.save(tmp_path)
    assert Dataset.load(tmp_path).truth is None
    with pytest.raises(RuntimeDataError, match="truth has 1 rows, but features has 6"):
        Dataset(data.runs, data.features, truth=data.truth[[0]])


@pytest.mark.parametrize("cutoffs", ["global", "instance", "random"])
def test_cut_off_follows_the_one_rule(cutoffs):
    data = make_runs(n_instances=50, n_runs=6, n_features=2, random_state=0)
    cut = data.cut_off(0.4, cutoffs, random_state=3)
    seconds, finished = cut_off(data.seconds, data.finished, 0.4, cutoffs, random_state=3)
    np.testing.assert_array_equal(cut.seconds, seconds)
    np.testing.assert_array_equal(cut.finished, finished)
    frame = cut.runs.frame
    late = frame["status"] == "timeout"
    assert late.mean() == pytest.approx(0.4, abs=0.01)
    np.testing.assert_array_equal(frame["seconds"][late], frame["cutoff"][late])
    assert (frame["seconds"] <= frame["cutoff"]).all()
    assert cut.truth is data.truth


def test_cut_off_keeps_runs_that_are_no_observations():
    # Of 10 s (cut off before), 2 s and 3 s, the one of rank 1 is the cutoff. A crash, and runs of c, which has no
    # features, stay.
    frame = dataset().cut_off(0.5).runs.frame
    assert frame["instance"].tolist() == ["b", "b", "a", "a", "c", "c"]
    assert frame["status"].tolist() == ["timeout", "solved", "timeout", "crashed", "solved", "solved"]
    assert frame["seconds"].tolist() == [2.0, 2.0, 2.0, 2.0, 3.0, 2.0]
    assert frame["cutoff"].tolist() == [2.0, 2.0, 2.0, 10.0, 10.0, 10.0]
