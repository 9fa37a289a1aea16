import pandas as pd
import pytest
from fake_results import MODELS, fake_results
from tidy_tables import made_up

from bayes_distnet.errors import SettingError
from bayes_distnet.experiments.statistics import (
    level_name,
    loss,
    model_order,
    most_complete,
    row_name,
    slices,
    summarise,
    whole,
)
from bayes_distnet.scoring.registry import SCORES, Better, Score


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return fake_results(tmp_path_factory.mktemp("results") / "one")


def test_means_and_deviations_are_over_folds_and_seeds(results):
    found = summarise(results.of("low-samples"), "runs")
    row = found.query("runs == 4 and model == 'DistNet' and family == 'lognormal' and score == 'ks'").iloc[0]
    table = results.table.query("runs == 4 and model == 'DistNet' and family == 'lognormal' and score == 'ks'")
    values = table[table["censored"] == 0]["value"]
    assert row["jobs"] == len(values) == 6
    assert row["mean"] == pytest.approx(values.mean())
    assert row["deviation"] == pytest.approx(values.std(ddof=1))


def test_slices_keep_kinds_of_cutoffs_apart(results):
    rows = results.of("censoring")
    assert list(slices(rows, "censored")) == [""]
    both = pd.concat([rows, rows[rows["cutoffs"] == "global"].assign(cutoffs="random")])
    parts = slices(both, "censored")
    assert list(parts) == ["one cutoff for all runs", "one cutoff per run"]
    assert all(len(part) == len(rows) for part in parts.values())  # the uncensored cells belong to both
    cut = results.of("low-samples").assign(cutoffs="global", censored=0.4)
    assert list(slices(pd.concat([results.of("low-samples"), cut]), "runs")) == [
        "40 % cut off, one cutoff for all runs",
        "",
    ]


def test_a_kind_of_cutoffs_has_only_models_that_were_run_with_it(results):
    table = results.of("censoring")
    cut = table[table["cutoffs"] != "none"]
    some = cut[cut["model"].isin(["HybridDistNet", "Ridge"])].assign(cutoffs="random")
    found = slices(pd.concat([table, some]), "censored")
    assert [len(set(part["model"])) for part in found.values()] == [len(MODELS), 2]
    assert {part["censored"].min() for part in found.values()} == {0.0}


def test_registered_models_come_first_and_limits_last():
    names = ["limit: empirical", "Mine", "NGBoost", "Ridge", "DistNet", "HybridDistNet", "Mine", "Another"]
    assert model_order(names) == ["HybridDistNet", "DistNet", "Ridge", "NGBoost", "Mine", "Another", "limit: empirical"]
    assert [level_name("runs", 8), level_name("censored", 0.2)] == ["8", "20 %"]
    assert [row_name("DistNet", "inverse-gaussian"), row_name("Ridge", "")] == ["DistNet, inverse Gaussian", "Ridge"]
    with pytest.raises(SettingError, match="axis"):
        summarise(made_up({"a": {1: [1.0]}}), "level")


def test_models_are_compared_on_the_folds_they_share():
    rows = [("A", fold, seed, 1.0) for fold in (0, 1) for seed in (0, 1)]
    rows += [("B", fold, 0, 2.0) for fold in (0, 1)]
    table = pd.DataFrame(rows, columns=["model", "fold", "seed", "value"])
    table.loc[table["seed"] == 1, "value"] = 99.0  # a hard seed that only A was given
    table = table.assign(runs=4, family="", score="nllh", censored=0.0, cutoffs="none")
    found = summarise(table, "runs").set_index("model")
    assert found["mean"].to_dict() == {"A": 1.0, "B": 2.0}
    assert found["jobs"].to_dict() == {"A": 2, "B": 2}


def test_levels_are_compared_on_the_folds_they_share():
    table = made_up({"A": {1: [1.0, 1.0, 9.0], 2: [1.0, 1.0]}, "B": {1: [1.0, 1.0, 9.0], 2: [1.0, 1.0]}})
    found = summarise(table, "runs")
    assert set(found["mean"]) == {1.0}  # the hard third fold is not done with 2 runs
    assert set(found["jobs"]) == {2}


def test_models_without_a_fold_in_common_are_still_shown():
    table = pd.DataFrame({"model": ["A", "B"], "fold": [0, 1], "seed": 0, "value": [1.0, 2.0], "runs": 4, "family": ""})
    found = summarise(table.assign(score="nllh"), "runs").set_index("model")
    assert found["mean"].to_dict() == {"A": 1.0, "B": 2.0}
    assert not found["full"].any()  # so neither is the best


def test_one_condition_is_a_usual_one_of_the_most_jobs():
    rows = [(8, "none", 0.0, fold) for fold in range(3)] + [(8, "global", 0.4, fold) for fold in range(3)]
    rows += [(1, "none", 0.0, fold) for fold in range(3)] + [(16, "none", 0.0, 0)]
    table = pd.DataFrame(rows, columns=["runs", "cutoffs", "censored", "fold"]).assign(model="A", family="", seed=0)
    assert most_complete(table)[["runs", "censored"]].drop_duplicates().to_numpy().tolist() == [[8, 0.0]]
    more = pd.concat([table, table[table["censored"] > 0].assign(seed=1)])
    assert set(most_complete(more)["censored"]) == {0.4}


def test_whole_leaves_out_models_that_have_hardly_begun():
    table = made_up({"A": {1: [1.0, 3.0, 3.0, 3.0]}, "B": {1: [2.0, 4.0, 4.0, 4.0]}, "new": {1: [0.5]}})
    assert set(whole(table, "runs")["model"]) == {"A", "B"}


def test_a_model_that_has_hardly_begun_decides_nothing():
    table = made_up({"A": {1: [1.0, 3.0, 3.0, 3.0]}, "B": {1: [2.0, 4.0, 4.0, 4.0]}, "new": {1: [0.5]}})
    found = summarise(table, "runs").set_index("model")
    assert found["jobs"].to_dict() == {"A": 4, "B": 4, "new": 1}
    assert found["full"].to_dict() == {"A": True, "B": True, "new": False}


def test_means_keep_the_roles_of_models(results):
    roles = summarise(results.of("low-samples"), "runs").groupby("model")["role"].first()
    assert roles[["DistNet", "NGBoost", "limit: empirical"]].tolist() == ["model", "peer", "limit"]
    plain = made_up({"mine": {1: [1.0]}, "limit: empirical": {1: [1.0]}})  # as read from a file
    assert summarise(plain, "runs")["role"].tolist() == ["peer", "limit"]


def test_loss_is_the_distance_from_a_target():
    values = pd.Series([0.8, 0.95])
    assert loss("coverage", values).tolist() == pytest.approx([0.1, 0.05])
    assert loss("nllh", values).equals(values)
    assert loss("a score of another version", values).equals(values)
    toy = Score("toy", "Toy", "A toy.", "somewhere:toy", better=Better.TARGET, target=0.5)
    with SCORES.extended(toy):
        assert loss("toy", values).tolist() == pytest.approx([0.3, 0.45])
