import numpy as np
import pandas as pd
import pytest
from tidy_tables import made_up

from bayes_distnet.errors import SettingError
from bayes_distnet.experiments.pairs import behind, paired
from bayes_distnet.experiments.statistics import summarise


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
    assert behind(table, "runs", model="missing").empty


def three_seeds_and_one(values):
    """A tidy table in which all models have three seeds, except HybridDistNet, which has the first only."""
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


def test_shared_folds_are_chosen_once():
    table = pd.concat(
        made_up({name: {1: [1.0] * folds}}) for name, folds in (("HybridDistNet", 10), ("B", 6), ("C", 4))
    )
    table.loc[table["model"] == "B", "value"] = 0.5
    found = behind(table, "runs")
    assert found[["ahead", "jobs"]].to_numpy().tolist() == [["B", 6]]


def test_a_limit_of_any_name_is_never_ahead():
    table = made_up({"HybridDistNet": {1: [0.5, 0.5]}, "best possible": {1: [0.0, 0.0]}})
    assert behind(table, "runs")["ahead"].tolist() == ["best possible"]
    roles = {"HybridDistNet": "model", "best possible": "limit"}
    assert behind(table.assign(role=table["model"].map(roles)), "runs").empty


def test_a_model_with_fewer_folds_or_a_failed_score_is_not_ahead():
    few = made_up({"A": {1: [1.0, 3.0, 3.0, 3.0]}, "B": {1: [2.0, 4.0, 4.0, 4.0]}, "new": {1: [0.5]}})
    failed = made_up({"A": {1: [1.0, 3.0]}, "B": {1: [0.5, np.nan]}})
    assert behind(few, "runs", model="A").empty
    assert behind(failed, "runs", model="A").empty


def test_pairs_of_coverage_compare_distances_from_the_target():
    table = made_up({"a": {1: [0.99]}, "b": {1: [0.85]}}, score="coverage")
    (row,) = paired(table, "runs", "coverage", ("a", ""), ("b", "")).to_dict("records")
    assert row["difference"] == pytest.approx(0.09 - 0.05)
    assert (row["wins"], row["mean"], row["other_mean"]) == (0, 0.99, 0.85)
