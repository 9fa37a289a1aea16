"""The experiment on restarts, from the data to the numbers."""

import numpy as np
import pandas as pd
import pytest
from heavy_tails import heavy_tails

from bayes_distnet import run_experiment
from bayes_distnet.decide.restarts.policies.registry import POLICIES, PolicyEntry
from bayes_distnet.experiments.decision_records import Curve, Outcome, curve_rows, decision_rows, record_of
from bayes_distnet.experiments.decisions import by_instance, decided, geometric_with_error, mean_with_error, summary_of
from bayes_distnet.experiments.restarts import NONE, ORACLE
from bayes_distnet.experiments.results import KEY, Results
from bayes_distnet.models.registry import Role

CALL = {"name": "heavy", "folds": 3, "cores": 1, "progress": False}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("restarts") / "out"
    return run_experiment("restarts", heavy_tails(), folder, models=["ridge"], only_folds=2, **CALL)


def test_every_policy_is_replayed_on_every_test_instance(made):
    assert made.failures.empty
    rows = decided(made, "restarts")
    assert rows.groupby(["policy", "measure"])["instance"].nunique().eq(32).all()
    own = {f"Ridge, {entry.label}" for entry in POLICIES.values() if entry.predicts}
    others = {entry.label for entry in POLICIES.values() if not entry.predicts}
    assert set(rows["policy"]) == own | others | {"bandit", ORACLE}
    assert made.table.empty


def test_the_summary_compares_with_no_restarts_and_the_oracle(made):
    table = summary_of(made, "restarts").set_index("policy")
    assert table.loc[NONE, "speed_up"] == 1.0
    assert table.loc[ORACLE, "of_oracle"] == 1.0
    assert table.loc[ORACLE, "role"] == "limit"
    assert table.loc["one cutoff for all", "restarted"] == 1.0
    assert 1.5 < table.loc["geometric", "speed_up"] < table.loc[ORACLE, "speed_up"]
    seconds = by_instance(decided(made, "restarts"), "seconds")
    expected = np.exp(np.log(seconds.loc[NONE] / seconds.loc["Luby"]).mean())
    assert table.loc["Luby", "speed_up"] == pytest.approx(expected)
    assert (table.loc[table.index != NONE, "speed_up_error"] > 0).all()


def test_without_draws_a_model_is_a_peer(made):
    table = summary_of(made, "restarts").set_index("policy")
    assert set(table.loc[[policy for policy in table.index if policy.startswith("Ridge")], "role"]) == {"peer"}


def test_curves_are_stored_for_three_instances(made):
    curves = made.curves
    assert curves["instance"].nunique() == 3
    assert (curves["low"] <= curves["mean"] * (1 + 1e-9)).all()
    assert set(curves["experiment"]) == {"restarts"}


def test_jobs_are_stored_resumed_and_done_again(made):
    again = run_experiment("restarts", heavy_tails(), made.folder, models=["ridge"], only_folds=2, **CALL)
    assert len(again.about["sessions"]) == 1
    pd.testing.assert_frame_equal(again.decisions, Results.load(made.folder).decisions)
    redone = run_experiment("restarts", heavy_tails(), made.folder, models=["ridge"], only_folds=2, redo=True, **CALL)
    assert [session["jobs"] for session in redone.about["sessions"]] == [2, 2]
    key = ["policy", "instance", "measure"]
    before, after = (r.decisions.sort_values(key).reset_index(drop=True) for r in (again, redone))
    pd.testing.assert_frame_equal(before, after)


def test_a_second_model_does_not_replay_the_policies_without_models_twice(made, tmp_path):
    results = run_experiment(
        "restarts", heavy_tails(), tmp_path / "two", models=["ridge", "marginal"], only_folds=1, **CALL
    )
    luby = results.decisions[results.decisions["policy"] == "Luby"]
    assert set(luby["model"]) == {"Ridge"}
    assert not decided(results, "restarts").duplicated(["policy", "instance", "measure", "fold"]).any()


def test_a_registered_policy_takes_part(tmp_path):
    mine = PolicyEntry("mine", "my Luby", "my own", "bayes_distnet.decide.restarts.policies.tuning:best_luby")
    with POLICIES.extended(mine):
        results = run_experiment(
            "restarts", heavy_tails(24, 12), tmp_path / "mine", models=["ridge"], only_folds=1, **CALL
        )
    table = summary_of(results, "restarts").set_index("policy")
    assert table.loc["my Luby", "speed_up"] == table.loc["Luby", "speed_up"]


@pytest.mark.slow
def test_a_model_with_draws_learns_its_rule_and_beats_one_cutoff_for_all(tmp_path):
    results = run_experiment("restarts", heavy_tails(90), tmp_path / "r", models=["bayes"], only_folds=1, **CALL)
    assert results.failures.empty
    table = summary_of(results, "restarts").set_index("policy")
    label = "BayesDistNet, learnt rule"
    assert table.loc[label, "role"] == "model"
    assert table.loc[label, "speed_up"] > 1.1 * table.loc["one cutoff for all", "speed_up"]
    assert {"BayesDistNet, Luby if unsure", "BayesDistNet, bandit", "BayesDistNet, ratio of averages"} <= set(
        table.index
    )


def test_records_become_rows():
    key = dict.fromkeys(KEY, 0)
    outcome = Outcome("Luby", Role.PEER, {"seconds": np.array([1.0, 2.0]), "cutoff": np.array([0.5, np.inf])})
    line = Curve("m", "a", *np.arange(8.0).reshape(4, 2))
    record = {"kind": "restarts", "key": key} | record_of([outcome], ["a", "b"], [line])
    rows = list(decision_rows(record))
    assert [(row["instance"], row["measure"], row["value"]) for row in rows] == [
        ("a", "seconds", 1.0),
        ("b", "seconds", 2.0),
        ("a", "cutoff", 0.5),
        ("b", "cutoff", np.inf),
    ]
    assert rows[0]["role"] == "peer"
    assert [row["at"] for row in curve_rows(record, record["curves"][0])] == [0.0, 1.0]


def test_standard_errors_are_over_instances():
    wide = pd.DataFrame([[1.0, 2.0, 3.0], [4.0, 4.0, 4.0]], index=["a", "b"])
    found = mean_with_error(wide)
    assert found["mean"].tolist() == [2.0, 4.0]
    assert found["error"].tolist() == pytest.approx([1.0 / np.sqrt(3), 0.0])
    assert geometric_with_error(wide).loc["a", "mean"] == pytest.approx(6.0 ** (1 / 3))
