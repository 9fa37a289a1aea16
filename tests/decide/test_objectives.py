import numpy as np
import pytest

from bayes_distnet.decide.laws.law_table import LawTable
from bayes_distnet.decide.laws.objectives import OBJECTIVES, find_objective
from bayes_distnet.distributions.families import Exponential, LogLogistic, LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError

RTD = RuntimeDistribution(LogNormal(loc=[0.0, 2.0], scale=[1.0, 0.5]))
TABLE = LawTable.of(RTD, hardness=[0.0])
RUNS = np.exp(np.array([[0.0], [2.0]]) + np.array([[1.0], [0.5]]) * np.random.default_rng(0).normal(size=(2, 200_000)))


@pytest.mark.parametrize(
    ("name", "settings", "of_runs"),
    [
        ("time", {}, lambda t: t),
        ("time", {"cutoff": 5.0}, lambda t: np.minimum(t, 5.0)),
        ("par10", {"cutoff": 5.0}, lambda t: np.where(t <= 5.0, t, 50.0)),
        ("par2", {"cutoff": 5.0}, lambda t: np.where(t <= 5.0, t, 10.0)),
        ("par7", {"cutoff": 5.0}, lambda t: np.where(t <= 5.0, t, 35.0)),
        ("deadline", {"deadline": 5.0}, lambda t: t > 5.0),
        (lambda t: -np.sqrt(t), {}, lambda t: np.sqrt(t)),
        (lambda t: 1.0 * (t < 4.0), {"cutoff": 5.0}, lambda t: -1.0 * (t < 4.0)),
    ],
)
def test_costs_are_means_over_simulated_runs(name, settings, of_runs):
    objective = find_objective(name, **settings)
    np.testing.assert_allclose(objective.cost(TABLE)[:, 0], of_runs(RUNS).mean(axis=1), rtol=0.02, atol=0.005)
    if settings:
        limit = next(iter(settings.values()))
        finished = limit >= RUNS
        mean = objective.of_runs(np.minimum(RUNS, limit), finished).mean(axis=1)
        np.testing.assert_allclose(mean, of_runs(RUNS).mean(axis=1), rtol=1e-9)


def test_quantile_and_tail_mean_are_those_of_simulated_runs():
    ordered = np.sort(RUNS, axis=1)
    quantile = find_objective("quantile", level=0.9).cost(TABLE)[:, 0]
    np.testing.assert_allclose(quantile, ordered[:, 180_000], rtol=0.02)
    np.testing.assert_allclose(
        find_objective("cvar", level=0.9).cost(TABLE)[:, 0], ordered[:, 180_000:].mean(axis=1), rtol=0.03
    )
    stopped = find_objective("cvar", level=0.9, cutoff=5.0).cost(TABLE)[:, 0]
    np.testing.assert_allclose(stopped, np.minimum(ordered, 5.0)[:, 180_000:].mean(axis=1), rtol=0.02)


def test_penalised_time_past_the_table_is_extrapolated():
    table = LawTable.of(
        RuntimeDistribution(Exponential(scale=[1.0])), hardness=[0.0], times=np.linspace(0.01, 2.0, 200)
    )
    cost = find_objective("time", cutoff=2.5).cost(table)[0, 0]
    assert cost == pytest.approx(1.0 - np.exp(-2.5), rel=0.01)


def test_an_infinite_mean_is_infinite_and_finite_up_to_a_cutoff():
    table = LawTable.of(RuntimeDistribution(LogLogistic(scale=[1.0], shape=[0.9])), hardness=[0.0])
    assert np.isinf(find_objective("time").cost(table)).all()
    assert np.isfinite(find_objective("par10", cutoff=9.0).cost(table)).all()


def test_an_atom_at_zero_costs_nothing():
    times = np.geomspace(1e-3, 10.0, 50)
    table = LawTable(times[None], np.full((1, 1, 50), np.log(0.5)))  # half of the runs take no time, half never end
    assert find_objective("par10", cutoff=10.0).cost(table)[0, 0] == pytest.approx(50.0, rel=1e-3)
    assert find_objective("deadline", deadline=1e-3).cost(table)[0, 0] == pytest.approx(0.5)


def test_every_registered_objective_can_be_built():
    for key in OBJECTIVES:
        assert find_objective(key, cutoff=1.0, deadline=1.0, level=0.5).cost(TABLE).shape == (2, 1)


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("fastest", {}, "expected one of time, par10"),
        ("par10", {}, "needs cutoff"),
        ("deadline", {"cutoff": 3.0}, "needs deadline"),
        ("quantile", {"level": 1.5}, "between 0 and 1"),
        ("par10", {"cutoff": -1.0}, "positive"),
        (lambda t: 1.0, {}, "as many numbers"),
    ],
)
def test_impossible_objectives_are_refused_in_one_line(name, settings, message):
    with pytest.raises(SettingError, match=message) as caught:
        find_objective(name, **settings).cost(TABLE)
    assert "\n" not in str(caught.value)
