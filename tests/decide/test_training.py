"""Portfolios trained and saved in one call."""

import pandas as pd
import pytest

from bayes_distnet import load_dataset
from bayes_distnet.decide.portfolio.model import PortfolioModel
from bayes_distnet.decide.portfolio.training import train_portfolio
from bayes_distnet.decide.running.planners import planner_of
from bayes_distnet.decide.solver_runs import SolverRuns
from bayes_distnet.errors import SettingError
from bayes_distnet.models.record import read_record


@pytest.fixture(scope="module")
def data():
    return load_dataset("sat-portfolio").take(range(0, 300, 10))


def test_a_portfolio_is_saved_with_a_record_of_its_data(data, tmp_path):
    model = train_portfolio(data, "ridge", holdout=0.2, out=tmp_path / "m", name="some")
    record = read_record(tmp_path / "m")
    assert record == model.training_record_
    assert (record.data, record.solver, record.held_out) == ("some", "clasp, glucose, kissat", 6)
    assert PortfolioModel.load(tmp_path / "m").solvers_ == model.solvers_
    with pytest.raises(SettingError, match="holds a model already"):
        train_portfolio(data, "ridge", out=tmp_path / "m")


def test_costs_and_overhead_are_charged_together(data):
    costs = pd.DataFrame({"seconds": 0.45}, data.features.index)
    model = train_portfolio(data, "ridge", costs=costs, overhead=2.0)
    assert model.feature_cost_ == pytest.approx(2.45)
    assert not model.uses_features_  # the cutoff is 0.5 s
    assert model.quick_ is None


def test_a_quick_choice_by_cheap_features_takes_the_place_of_a_dear_model(tmp_path):
    data = load_dataset("sat-portfolio").take(range(0, 300, 2))
    dear = {"structure": 0.1, "propagation": 0.1, "probe100": 0.2, "probe1000": 0.2}
    costs = pd.DataFrame({"seconds": 0.605, "size": 0.005, **dear}, data.features.index)
    model = train_portfolio(data, "ridge", costs=costs, overhead=1.0, out=tmp_path / "m")
    assert model.groups_ == ("size",)
    assert model.uses_features_
    assert model.feature_cost_ == pytest.approx(0.025)
    quick = planner_of(tmp_path / "m").facts.quick
    similar = model.quick_.costs(data.features.iloc[3].to_dict())
    assert quick.costs(data.features.iloc[3].to_dict()) == similar
    chosen = [min(costs, key=costs.get) for costs in (quick.costs(row) for row in data.features.to_dict("records"))]
    times = SolverRuns.of(data).par10()
    picked = times[range(len(data)), [model.solvers_.index(name) for name in chosen]].mean()
    assert picked < times.mean(axis=0).min()  # ahead of the single best solver, on instances that it has seen


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"holdout": 2.0}, "holdout=2.0"), ({"overhead": -1.0}, "overhead=-1.0: expected seconds, 0 or more")],
)
def test_unusable_settings_are_named(data, settings, message):
    with pytest.raises(SettingError, match=message):
        train_portfolio(data, "ridge", **settings)


def test_a_portfolio_of_one_solver_plans_that_solver(data, tmp_path):
    train_portfolio(data.of("clasp"), "ridge", out=tmp_path / "m", overhead=1.0)
    planner = planner_of(tmp_path / "m")
    assert planner.facts.solvers == ("clasp",)
    assert {slot.solver for slot in planner.facts.static} == {"clasp"}
    schedule = planner.plan(data.features.iloc[0].to_dict(), solvers=["clasp"], deadline=10.0)
    assert {slot.solver for slot in schedule.slots} == {"clasp"}
