import numpy as np
import pandas as pd
import pytest
from fake_results import MODELS, fake_results
from tidy_tables import made_up

from bayes_distnet import SettingError
from bayes_distnet.experiments.statistics import (
    behind,
    level_name,
    model_order,
    most_complete,
    paired,
    slices,
    summarise,
    whole,
)


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


def test_pairs_share_folds_and_seeds():
    table = made_up({"a": {1: [1.0, 2.0, 4.0]}, "b": {1: [2.0, 2.5]}})
    found = paired(table, "runs", "nllh", ("a", ""), ("b", "")).iloc[0]
    assert found["difference"] == pytest.approx(-0.75)  # the third fold has no partner
    assert found["standard_error"] == pytest.approx(np.std([-1.0, -0.5], ddof=1) / np.sqrt(2))
    assert (found["wins"], found["jobs"]) == (2, 2)
    with pytest.raises(SettingError, match="'c'"):
        paired(table, "runs", "nllh", ("a", ""), ("c", ""))


def test_lists_where_a_model_is_not_ahead_widest_gap_first():
    table = made_up(
        {
            "HybridDistNet": {1: [0.5, 0.5], 2: [0.4, 0.5], 4: [0.1, 0.1]},
            "Ridge": {1: [0.4, 0.5], 2: [0.3, 0.2], 4: [0.3, 0.3]},
            "limit: empirical": {1: [0.0, 0.0], 2: [0.0, 0.0], 4: [0.0, 0.0]},
        }
    )
    found = behind(table, "runs")
    assert found["runs"].tolist() == [2, 1]
    assert found["ahead"].tolist() == ["Ridge", "Ridge"]
    np.testing.assert_allclose(found["gap"], [0.2, 0.05])
    assert behind(table[table["runs"] == 4], "runs").empty
    assert behind(table, "runs", model="not there").empty


def test_slices_keep_kinds_of_cutoffs_apart(results):
    rows = results.of("censoring")
    assert list(slices(rows, "censored")) == [""]
    both = pd.concat([rows, rows[rows["cutoffs"] == "global"].assign(cutoffs="random")])
    parts = slices(both, "censored")
    assert list(parts) == ["one cutoff for all", "a cutoff a run"]
    assert all(len(part) == len(rows) for part in parts.values())  # the uncensored cells belong to both
    cut = results.of("low-samples").assign(cutoffs="global", censored=0.4)
    assert list(slices(pd.concat([results.of("low-samples"), cut]), "runs")) == ["40 % cut off, one cutoff for all", ""]


def test_a_kind_of_cutoffs_has_only_models_that_met_it(results):
    table = results.of("censoring")
    cut = table[table["cutoffs"] != "none"]
    some = cut[cut["model"].isin(["HybridDistNet", "Ridge"])].assign(cutoffs="random")
    found = slices(pd.concat([table, some]), "censored")
    assert [len(set(part["model"])) for part in found.values()] == [len(MODELS), 2]
    assert {part["censored"].min() for part in found.values()} == {0.0}


def test_networks_come_first_and_limits_last():
    names = ["limit: empirical", "Mine", "DistNet", "HybridDistNet", "Mine"]
    assert model_order(names) == ["HybridDistNet", "DistNet", "Mine", "limit: empirical"]
    assert [level_name("runs", 8), level_name("censored", 0.2)] == ["8", "20 %"]
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


def test_a_model_that_has_hardly_begun_decides_nothing_and_is_never_the_best():
    table = made_up({"A": {1: [1.0, 3.0, 3.0, 3.0]}, "B": {1: [2.0, 4.0, 4.0, 4.0]}, "new": {1: [0.5]}})
    found = summarise(table, "runs").set_index("model")
    assert found["jobs"].to_dict() == {"A": 4, "B": 4, "new": 1}
    assert found["full"].to_dict() == {"A": True, "B": True, "new": False}
    assert behind(table, "runs", model="A").empty


def test_a_model_that_failed_on_a_fold_is_not_the_best():
    table = made_up({"A": {1: [1.0, 3.0]}, "B": {1: [0.5, np.nan]}})
    assert behind(table, "runs", model="A").empty


def test_models_without_a_fold_in_common_are_still_shown():
    table = pd.DataFrame({"model": ["A", "B"], "fold": [0, 1], "seed": 0, "value": [1.0, 2.0], "runs": 4, "family": ""})
    found = summarise(table.assign(score="nllh"), "runs").set_index("model")
    assert found["mean"].to_dict() == {"A": 1.0, "B": 2.0}
    assert not found["full"].any()  # so neither is the best


def three_seeds_and_one(values):
    """A tidy table; models have three seeds, but for HybridDistNet, which has the first only."""
    rows = [
        (model, fold, seed, value + 50 * seed)  # later seeds are hard
        for model, value in values.items()
        for fold in range(4)
        for seed in range(1 if model == "HybridDistNet" else 3)
    ]
    table = pd.DataFrame(rows, columns=["model", "fold", "seed", "value"])
    return table.assign(runs=4, family="", score="nllh", censored=0.0, cutoffs="none")


def test_gap_and_means_of_a_model_behind_are_over_the_same_folds():
    table = three_seeds_and_one({"HybridDistNet": 1.0, "A": 0.75, "B": 2.0})
    (row,) = behind(table, "runs").to_dict("records")
    assert (row["ahead"], row["mean"], row["its_mean"]) == ("A", 1.0, 0.75)
    assert row["gap"] == pytest.approx(row["mean"] - row["its_mean"])
    assert row["jobs"] == 4


def test_pairs_refuse_two_values_of_one_job():
    table = made_up({"a": {1: [1.0, 2.0]}, "b": {1: [2.0, 2.5]}})
    with pytest.raises(SettingError, match="two values of nllh of 'a' at runs=1, fold 0, seed 0"):
        paired(pd.concat([table, table]), "runs", "nllh", ("a", ""), ("b", ""))


def test_pairs_of_infinite_scores():
    table = made_up({"a": {1: [np.inf, np.inf, 1.0]}, "b": {1: [np.inf, 1.0, 2.0]}}, score="crps")
    (row,) = paired(table, "runs", "crps", ("a", ""), ("b", "")).to_dict("records")
    assert row["difference"] == np.inf
    assert np.isnan(row["standard_error"])
    assert (row["wins"], row["jobs"]) == (1, 3)
    assert summarise(table, "runs")["mean"].tolist() == [np.inf, np.inf]


def test_one_condition_is_a_usual_one_of_the_most_jobs():
    rows = [(8, "none", 0.0, fold) for fold in range(3)] + [(8, "global", 0.4, fold) for fold in range(3)]
    rows += [(1, "none", 0.0, fold) for fold in range(3)] + [(16, "none", 0.0, 0)]
    table = pd.DataFrame(rows, columns=["runs", "cutoffs", "censored", "fold"]).assign(model="A", family="", seed=0)
    assert most_complete(table)[["runs", "censored"]].drop_duplicates().to_numpy().tolist() == [[8, 0.0]]
    more = pd.concat([table, table[table["censored"] > 0].assign(seed=1)])
    assert set(most_complete(more)["censored"]) == {0.4}


def test_whole_leaves_out_who_has_hardly_begun():
    table = made_up({"A": {1: [1.0, 3.0, 3.0, 3.0]}, "B": {1: [2.0, 4.0, 4.0, 4.0]}, "new": {1: [0.5]}})
    assert set(whole(table, "runs")["model"]) == {"A", "B"}


def test_what_is_shared_is_chosen_once():
    table = pd.concat(
        made_up({name: {1: [1.0] * folds}}) for name, folds in (("HybridDistNet", 10), ("B", 6), ("C", 4))
    )
    table.loc[table["model"] == "B", "value"] = 0.5
    found = behind(table, "runs")
    assert found[["ahead", "jobs"]].to_numpy().tolist() == [["B", 6]]
