"""Planners: the facts of a folder, and schedules from models."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from bayes_distnet import HybridDistNet, RandomForest, Ridge, make_runs
from bayes_distnet.decide.portfolio.quick_choice import QuickChoice
from bayes_distnet.decide.running.consultation import consult
from bayes_distnet.decide.running.planners import Facts, SolverPlanner, planner_of
from bayes_distnet.decide.schedules.slot import Slot
from bayes_distnet.errors import ModelFileError, SettingError
from bayes_distnet.models.header import FORMAT_VERSION
from bayes_distnet.models.library import save_model, train


@pytest.fixture(scope="module")
def data():
    return make_runs(n_instances=40, n_runs=2, random_state=0)


def row(data):
    return data.features.iloc[0].to_dict()


def write_header(folder, **about):
    known = {
        "solvers": ["a", "b"],
        "single_best": "b",
        "presolver": [Slot("a", 0.0, 0.5).as_dict()],
        "static": [Slot("b", 0.0, math.inf).as_dict()],
        "feature_cost": 0.2,
        "cutoff": 60.0,
        "uses_features": True,
        "groups": None,
        "quick": None,
    }
    header = {"format": "bayes-distnet model", "format_version": FORMAT_VERSION, "model": "PortfolioModel"}
    folder.mkdir(exist_ok=True)
    (folder / "model.json").write_text(json.dumps(header | {"parameters": {"about": known | about}}))
    return folder


def test_the_facts_of_a_portfolio_come_from_its_header(tmp_path):
    facts = planner_of(write_header(tmp_path)).facts
    assert facts == Facts(("b", "a"), (Slot("a", 0.0, 0.5),), 0.2, 60.0, True, (Slot("b", 0.0, math.inf),))


def test_a_quick_choice_orders_the_solvers_without_a_model(tmp_path):
    leaves = {"costs": [1.0, 2.0]}, {"costs": [9.0, 4.0]}
    quick = QuickChoice(("a", "b"), ("size",), (3.0,), ([0, 5.0, *leaves],), "par10")
    planner = planner_of(write_header(tmp_path, groups=["size"], quick=quick.as_dict()))
    assert (planner.facts.groups, planner.facts.quick.trees) == (("size",), quick.trees)
    small, large = (planner.quick({"size": size}, ["a", "b"]) for size in (4.0, 6.0))
    assert [slot.solver for slot in small.slots] == ["a", "b"]
    assert [(slot.solver, slot.start, slot.seconds) for slot in large.slots] == [("b", 0.0, 60.0), ("a", 60.0, 60.0)]
    assert large.why == "b first: on similar training instances, par10 is 4 s for b, 9 s for a."
    assert [slot.seconds for slot in planner.quick({"size": 4.0}, ["b"]).slots] == [math.inf]
    assert planner.quick({}, ["a", "b"]) == small  # the median stands for a missing feature


@pytest.mark.parametrize(
    "about", [{"quick": {"solvers": []}}, {"presolver": [{"solver": "a"}]}, {"cutoff": "x"}, {"solvers": None}]
)
def test_a_header_that_describes_no_portfolio_is_refused(tmp_path, about):
    with pytest.raises(ModelFileError, match="the header does not describe a portfolio"):
        planner_of(write_header(tmp_path, **about))


def test_a_model_of_one_solver_is_named_by_its_record(tmp_path, data):
    train(data, "ridge", out=tmp_path / "m")
    name = data.solvers[0]
    assert planner_of(tmp_path / "m").facts.solvers == (name,)
    with pytest.raises(SettingError, match=f"solver 'other': .*m is a model of {name}"):
        planner_of(tmp_path / "m", "other")


def test_a_model_without_a_record_needs_a_name(tmp_path, data):
    model = Ridge().fit(data.features, data.seconds)
    with pytest.raises(SettingError, match="Ridge: a model without a record of its solver"):
        planner_of(model)
    save_model(model, tmp_path / "m")
    assert planner_of(tmp_path / "m", "mine").facts.solvers == ("mine",)


def test_copies_of_one_solver_share_its_restart_cutoff(data):
    planner = SolverPlanner(Ridge().fit(data.features, data.seconds), "mine")
    slots = planner.plan(row(data), solvers=["mine"], cores=2).slots
    assert [(slot.solver, slot.core, slot.seconds) for slot in slots] == [("mine", 0, math.inf), ("mine", 1, math.inf)]
    assert slots[0].cutoff == slots[1].cutoff


def test_heavy_tails_are_restarted():
    rng = np.random.default_rng(0)
    seconds = np.exp(3.0 * rng.normal(size=(60, 20)))
    features = pd.DataFrame({"x": rng.normal(size=60)})
    planner = SolverPlanner(RandomForest(n_estimators=20, random_state=0).fit(features, seconds), "mine")
    (slot,) = planner.plan({"x": 0.0}, solvers=["mine"]).slots
    assert slot.cutoff < 1.0


def test_without_features_several_cores_take_the_best_solvers(tmp_path):
    planner = planner_of(write_header(tmp_path))
    slots = planner.without_features(["a", "b"], 2, "none").slots
    assert [(slot.solver, slot.core) for slot in slots] == [("b", 0), ("a", 1)]
    (alone,) = planner.without_features(["a"], 1, "none").slots
    assert (alone.solver, alone.seconds) == ("a", math.inf)


def test_a_consultation_of_one_solver(data):
    model = Ridge().fit(data.features, data.seconds)
    answers = consult(SolverPlanner(model, "mine"), row(data), elapsed=1.0, deadline=5.0, cores=2)
    (outlook,) = answers.outlooks
    assert outlook.two_copies < outlook.median < outlook.q90
    assert answers.advice.action in ("continue", "restart")
    assert set(answers.as_dict()) == {"instance", "solvers", "cores", "plan", "advice"}


def test_one_run_per_instance_gives_no_restarts():
    rng = np.random.default_rng(0)
    features = pd.DataFrame({"x": rng.normal(size=60)})
    model = HybridDistNet(max_iter=20, n_members=2, n_estimators=20, random_state=0, verbose=False)
    planner = SolverPlanner(model.fit(features, np.exp(3.0 * rng.normal(size=60))), "mine")
    schedule = planner.plan({"x": 0.0}, solvers=["mine"])
    assert schedule.slots[0].cutoff == math.inf
    assert schedule.why.startswith("Do not restart: one run per instance")
