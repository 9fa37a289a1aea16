"""Suggestions of further runs: the design with known answers, and the function around it."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from bayes_distnet import RandomForest, Ridge, make_runs
from bayes_distnet.collect.further import read_plan
from bayes_distnet.decide import suggest
from bayes_distnet.decide.suggestions.design import Candidates, choose
from bayes_distnet.decide.suggestions.information import expected_information, information_until
from bayes_distnet.errors import FeatureError, SettingError

ALL = 1e9  # a budget that everything fits into


def candidates(deviations, *, seconds=1.0, effect=0.1, information=5.0, seen=0.0, most=1):
    """Candidates with one cutoff each, or with as many as `seconds` has columns."""
    n = len(deviations)
    table = np.ones((n, 1)) * seconds
    return Candidates(
        deviations=np.asarray(deviations, dtype=float),
        effect=np.full(n, effect),
        information=np.ones_like(table) * information,
        seconds=table,
        seen=np.full(n, seen),
        most=np.full(n, most),
    )


def chosen(rows, targets=None, budget=ALL):
    aims = rows.deviations if targets is None else np.asarray(targets, dtype=float)
    return list(choose(rows, aims, np.full(len(aims), 0.3), budget))


# -- the design ------------------------------------------------------------------------------------------------------


def test_gains_add_up_to_what_conditioning_on_all_runs_at_once_gives():
    rng = np.random.default_rng(0)
    rows, targets = candidates(rng.normal(size=(12, 5)), effect=0.2, most=3), rng.normal(size=(7, 5))
    picks = chosen(rows, targets)
    assert len(picks) == 36
    precision = np.eye(5)
    for row, a in enumerate(rows.deviations):
        runs = sum(pick.candidate == row for pick in picks)
        precision += np.outer(a, a) / (0.2 + 1 / (5.0 * runs))
    before, after = (np.einsum("md,de,me->m", targets, cov, targets) for cov in (np.eye(5), np.linalg.inv(precision)))
    expected = 0.5 * np.log((before + 0.3) / (after + 0.3)).mean()
    assert sum(pick.gain for pick in picks) == pytest.approx(expected, rel=1e-9)


def test_of_two_identical_candidates_the_second_is_worth_little_after_the_first():
    first, second = chosen(candidates([[1.0, 0.0], [1.0, 0.0]], effect=0.0, information=20.0))
    assert second.gain < 0.15 * first.gain


def test_a_candidate_of_another_kind_comes_before_a_twin():
    order = [pick.candidate for pick in chosen(candidates([[1.0, 0.0], [1.0, 0.0], [0.0, 0.7]]))]
    assert order[1] == 2


def test_of_two_with_the_same_information_the_cheaper_comes_first():
    first = chosen(candidates([[1.0, 0.0], [0.0, 1.0]], seconds=[[2.0], [1.0]]))[0]
    assert first.candidate == 1
    assert first.seconds == 1.0


def test_a_dear_run_comes_first_if_only_it_teaches_about_the_targets():
    first = chosen(candidates([[1.0, 0.0], [0.0, 1.0]], seconds=[[1.0], [50.0]]), targets=[[0.01, 1.0]])[0]
    assert first.candidate == 1


def test_a_second_run_of_an_instance_is_worth_less_than_the_first_of_its_twin():
    order = [pick.candidate for pick in chosen(candidates([[1.0], [1.0]], effect=1.0, most=2))]
    assert order == [0, 1, 0, 1]


def test_without_an_instance_effect_a_second_run_is_worth_as_much_as_one_of_its_twin():
    rows = candidates([[1.0]], effect=0.0, seen=2.0, most=1)
    fresh = candidates([[1.0]], effect=0.0, seen=0.0, most=1)
    assert chosen(rows)[0].gain == pytest.approx(chosen(fresh)[0].gain)


@pytest.mark.parametrize("budget", [0.5, 3.0, 17.0])
def test_the_budget_is_never_exceeded(budget):
    rng = np.random.default_rng(1)
    rows = candidates(rng.normal(size=(80, 4)), seconds=rng.exponential(size=(80, 2)), most=2)
    picks = chosen(rows, budget=budget)
    assert 0.8 * budget < sum(pick.seconds for pick in picks) <= budget
    assert max(np.bincount([pick.candidate for pick in picks])) <= 2


def test_all_runs_of_an_instance_have_one_cutoff():
    rng = np.random.default_rng(2)
    rows = candidates(rng.normal(size=(10, 3)), seconds=rng.exponential(size=(10, 3)), most=4)
    assert len({(pick.candidate, pick.option) for pick in chosen(rows)}) == 10


def test_candidates_that_are_computed_late_give_the_choice_of_those_computed_at_once(monkeypatch):
    rng = np.random.default_rng(3)
    rows = candidates(rng.normal(size=(150, 4)), seconds=rng.exponential(size=(150, 1)))
    few = [pick.candidate for pick in chosen(rows, budget=20.0)]
    monkeypatch.setattr("bayes_distnet.decide.suggestions.design.AT_ONCE", 1000)
    assert few == [pick.candidate for pick in chosen(rows, budget=20.0)]


# -- information -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("z", [-2.0, -0.3, 0.0, 0.8, 2.5])
def test_information_of_a_cut_off_run_is_the_mean_square_of_the_score(z):
    beyond, hazard = norm.sf(z), norm.pdf(z) / norm.sf(z)
    location = quad(lambda x: x**2 * norm.pdf(x), -12, z)[0] + beyond * hazard**2
    spread = quad(lambda x: (x**2 - 1) ** 2 * norm.pdf(x), -12, z)[0] + beyond * (z * hazard) ** 2
    assert information_until(np.array(z)) == pytest.approx(min(location, spread / 2), abs=1e-7)


def test_a_late_cutoff_loses_nothing_and_a_longer_one_never_teaches_less():
    cutoffs = np.log([[0.01, 0.5, 1.0, 3.0, 1e9]])
    value = expected_information(cutoffs, np.zeros(1), np.full(1, 0.5), np.full(1, 0.25))[0]
    assert np.all(np.diff(value) > 0)
    assert value[-1] == pytest.approx(4.0)


# -- the function ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data():
    return make_runs(n_instances=60, n_runs=2, random_state=0)


@pytest.fixture(scope="module")
def features(data):
    return data.features.set_axis([f"i{row}" for row in range(60)], axis=0)


@pytest.fixture(scope="module")
def model(data, features):
    return RandomForest(n_estimators=30).fit(features[:30], data.seconds[:30, 0])


def test_a_plan_fits_into_the_budget_and_names_each_instance_once(model, features):
    plan = suggest(model, features[30:], budget=15.0, cutoff=40.0)
    assert 0 < plan.seconds <= 15.0
    assert plan.table["instance"].is_unique
    assert set(plan.table["instance"]) <= set(features.index[30:])
    assert (plan.table["seeds"] == 1).all()
    assert (plan.table["cutoff"] <= 40.0).all()
    assert plan.gain > plan.random_gain > 0
    assert "log score" in plan.why


def test_without_a_cutoff_runs_end_at_a_quantile_of_their_prediction(model, features):
    table = suggest(model, features[30:], budget=50.0).table.set_index("instance")
    latest = pd.Series(model.predict_distribution(features[30:]).quantile(0.97), features.index[30:])
    assert (table["cutoff"] <= 1.01 * latest[table.index]).all()


def test_instances_with_runs_are_left_out_until_more_seeds_are_allowed(model, features):
    known = dict.fromkeys(features.index[:45], 1)
    assert not set(suggest(model, features, budget=50.0, seen=known).table["instance"]) & set(known)
    again = suggest(model, features[:45], budget=50.0, seen=known, seeds=3).table
    assert again["seeds"].max() <= 2


def test_all_candidates_known_is_an_error_with_the_remedy(model, features):
    with pytest.raises(SettingError, match=r"all 60 have a run already.*seeds=2"):
        suggest(model, features, budget=50.0, seen=dict.fromkeys(features.index, 1))


def test_a_budget_that_no_run_fits_into_is_an_error_of_one_line(model, features):
    with pytest.raises(
        SettingError, match=r"budget=0.0001: too small; the cheapest run, of i\d+, is expected"
    ) as error:
        suggest(model, features, budget=1e-4)
    assert "\n" not in str(error.value)


def test_runs_near_the_targets_are_preferred(model, features):
    medians = model.predict(features)
    easy, hard = (features[(medians < np.quantile(medians, 0.3))], features[(medians > np.quantile(medians, 0.7))])
    spent = [
        suggest(model, features, budget=30.0, cutoff=1000.0, targets=targets).table["seconds"].mean()
        for targets in (easy, hard)
    ]
    assert spent[1] > spent[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"budget": 0.0}, "budget=0.0"),
        ({"cutoff": -1.0}, "cutoff=-1.0"),
        ({"seeds": 0}, "seeds=0"),
        ({"seen": {"i1": -1}}, "seen=-1"),
    ],
)
def test_unusable_settings_are_named(model, features, change, message):
    with pytest.raises(SettingError, match=message):
        suggest(model, features, **({"budget": 10.0} | change))


def test_unusable_rows_are_named(model, features):
    with pytest.raises(FeatureError, match="instance 'i3' has several rows"):
        suggest(model, features.iloc[[3, 3]], budget=10.0)
    with pytest.raises(FeatureError, match="targets: no rows"):
        suggest(model, features, budget=10.0, targets=features[:0])


def test_a_model_without_draws_is_refused(data, features):
    with pytest.raises(SettingError, match="Ridge: a single prediction per instance"):
        suggest(Ridge().fit(features, data.seconds), features, budget=10.0)


def test_a_saved_plan_is_what_collect_reads(model, features, tmp_path):
    plan = suggest(model, features[30:], budget=15.0, cutoff=40.0)
    plan.save(tmp_path / "plan.csv")
    read = read_plan(tmp_path / "plan.csv")
    assert list(read) == plan.table["instance"].tolist()
    assert [runs.cutoff for runs in read.values()] == plan.table["cutoff"].tolist()
    plan.save(tmp_path / "plan.json")
    stored = json.loads((tmp_path / "plan.json").read_text())
    assert stored["runs"][0]["instance"] == plan.table["instance"][0]
    assert stored["why"] == plan.why
    assert plan.table["instance"][0] in repr(plan)
