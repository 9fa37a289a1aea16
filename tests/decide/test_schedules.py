import itertools

import numpy as np
import pytest

from bayes_distnet.decide.laws.dependence import Dependence
from bayes_distnet.decide.laws.joint_laws import JointLaws
from bayes_distnet.decide.laws.objectives import find_objective
from bayes_distnet.decide.schedules.exact import exact_schedule, longest_cover
from bayes_distnet.decide.schedules.greedy import best_schedule, cost_of, greedy_schedule
from bayes_distnet.decide.schedules.parallel import best_together
from bayes_distnet.decide.schedules.slot import Slot
from bayes_distnet.decide.schedules.slots import schedule_law, solved_by
from bayes_distnet.distributions.families import Exponential, LogNormal
from bayes_distnet.distributions.instance_effect import InstanceEffect
from bayes_distnet.distributions.instance_runtimes import InstanceRuntimes
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError

TIMES = np.linspace(0.05, 20.0, 400)


def exponentials(*scales):
    solvers = {f"s{i}": RuntimeDistribution(Exponential(scale=[scale])) for i, scale in enumerate(scales)}
    return JointLaws.of(solvers, Dependence(np.eye(len(scales))), times=TIMES)


def lognormals(correlation, size=0.9, locs=(0.0, 0.0), scale=2.0):
    solvers = {
        f"s{i}": InstanceRuntimes(RuntimeDistribution(LogNormal(loc=[loc], scale=[scale])), InstanceEffect.of(size, 1))
        for i, loc in enumerate(locs)
    }
    matrix = np.full((len(locs), len(locs)), correlation)
    np.fill_diagonal(matrix, 1.0)
    return JointLaws.of(solvers, Dependence(matrix), times=TIMES, n_draws=256)


def test_the_fastest_of_independent_exponentials_is_exponential():
    table = exponentials(2.0, 6.0).fastest([1, 1])
    np.testing.assert_allclose(table.sf[0, 0], np.exp(-TIMES / 1.5), rtol=1e-9)
    assert find_objective("time", cutoff=20.0).cost(table)[0, 0] == pytest.approx(1.5, rel=1e-3)
    copies = exponentials(2.0, 6.0).fastest([3, 0])
    np.testing.assert_allclose(copies.sf[0, 0], np.exp(-TIMES / (2.0 / 3.0)), rtol=1e-9)


def test_solvers_that_are_alike_add_less_than_independent_ones():
    alike, independent = lognormals(0.999), lognormals(0.0)
    objective = find_objective("par10", cutoff=20.0)
    alone = objective.cost(alike.fastest([1, 0]))[0, 0]
    both_alike, both = (objective.cost(laws.fastest([1, 1]))[0, 0] for laws in (alike, independent))
    assert both < 0.35 * alone  # about 10 % of the runs are late: 1 % of the pairs, if nothing links them
    assert 0.6 * alone < both_alike < alone


def test_after_a_failure_a_similar_solver_is_less_likely_to_answer():
    for correlation, low, high in ((0.0, 0.55, 0.75), (0.999, 0.15, 0.35)):
        laws = lognormals(correlation)
        failed = laws.given_alive(laws.log_sf[:, 0, :, 60])  # s0 has run for 3.05 s
        chance = 1.0 - failed.averaged(failed.log_sf[:, 1]).sf[0, 0, 60]
        assert low < chance < high, correlation


def test_a_memoryless_solver_runs_on_and_the_faster_goes_first():
    slots = greedy_schedule(exponentials(9.0, 1.0), 20.0)
    assert [slot.solver for slot in slots] == ["s1"]
    assert slots[0].seconds == 20.0


def test_greedy_puts_the_short_gamble_before_the_steady_solver():
    laws = lognormals(0.0, locs=(np.log(0.2), np.log(5.0)), scale=1.0)
    mixed = laws.log_sf.copy()
    mixed[:, 0] = np.logaddexp(np.log(0.3) + mixed[:, 0], np.log(0.7))  # answers 30 % quickly, the others never
    laws = JointLaws(laws.solvers, laws.times, mixed, laws.log_weights)
    slots = greedy_schedule(laws, 20.0)
    assert [slot.solver for slot in slots[:2]] == ["s0", "s1"]
    assert slots[0].seconds < 2.0
    best = best_schedule(laws, 20.0, find_objective("par10", cutoff=20.0))
    single = cost_of(laws, [Slot("s1", 0.0, 20.0)], find_objective("par10", cutoff=20.0))
    assert cost_of(laws, best, find_objective("par10", cutoff=20.0)) <= single


def test_the_law_of_a_schedule_is_that_of_simulated_runs():
    laws = exponentials(2.0, 6.0)
    slots = (Slot("s0", 0.0, 1.0), Slot("s1", 1.0, 3.0), Slot("s0", 4.0, 16.0))
    rng = np.random.default_rng(0)
    first, second = rng.exponential(2.0, 400_000), rng.exponential(6.0, 400_000)
    answer = np.where(
        first <= 1.0, first, np.where(second <= 3.0, 1.0 + second, np.where(first <= 16.0, 4.0 + first, np.inf))
    )
    table = schedule_law(laws, slots)
    for t in (0.5, 2.0, 3.9, 8.0, 19.0):
        column = int(np.searchsorted(table.times[0], t))
        assert table.cdf[0, 0, column] == pytest.approx((answer <= table.times[0, column]).mean(), abs=0.004)
    assert solved_by(laws, slots) == pytest.approx((answer <= 20.0).mean(), abs=0.004)


def test_the_program_answers_as_many_cases_as_trying_everything():
    rng = np.random.default_rng(2)
    for _ in range(5):
        times = np.round(rng.exponential(3.0, (12, 3)), 1)
        budget = 6.0
        seconds = longest_cover(times, budget)
        assert seconds.sum() <= budget + 1e-9
        options = [[0.0, *np.unique(times[:, s])] for s in range(3)]
        most = max((times <= c).any(axis=1).sum() for c in itertools.product(*options) if sum(c) <= budget + 1e-9)
        assert (times <= seconds).any(axis=1).sum() == most


def test_an_exact_schedule_answers_at_least_as_often_as_a_greedy_one():
    laws = lognormals(0.3, locs=(0.0, 0.5, 1.0), size=0.6)
    exact, greedy = exact_schedule(laws, 20.0), greedy_schedule(laws, 20.0)
    assert solved_by(laws, exact) >= solved_by(laws, greedy) - 0.02  # 256 cases stand for the distributions
    assert exact[-1].start + exact[-1].seconds == pytest.approx(20.0)


def test_more_than_ten_solvers_are_too_many_for_an_exact_schedule():
    with pytest.raises(SettingError, match="at most 10 solvers, found 11"):
        exact_schedule(exponentials(*np.arange(1.0, 12.0)), 20.0)


def test_cores_go_to_solvers_that_complement_each_other():
    matrix = np.array([[1.0, 0.99, 0.0], [0.99, 1.0, 0.0], [0.0, 0.0, 1.0]])
    solvers = {
        name: InstanceRuntimes(RuntimeDistribution(LogNormal(loc=[loc], scale=[2.0])), InstanceEffect.of(0.9, 1))
        for name, loc in (("best", 0.0), ("twin", 0.05), ("other", 0.6))
    }
    laws = JointLaws.of(solvers, Dependence(matrix), times=TIMES, n_draws=256)
    counts, _ = best_together(laws, 2, find_objective("par10", cutoff=20.0))
    np.testing.assert_array_equal(counts, [[1, 0, 1]])
    counts, _ = best_together(laws, 9, find_objective("par10", cutoff=20.0))
    np.testing.assert_array_equal(counts, [[1, 1, 1]])


def test_copies_are_used_where_luck_matters():
    laws = exponentials(1.0, 50.0)
    counts, cost = best_together(laws, 3, find_objective("time", cutoff=20.0), copies=[True, True])
    np.testing.assert_array_equal(counts, [[3, 0]])
    assert cost[0] == pytest.approx(1.0 / 3.0, rel=1e-2)


def test_restarts_change_the_law_of_a_solver():
    laws = exponentials(2.0, 2.0).restarted(0, np.array([1.0]))
    np.testing.assert_allclose(laws.log_sf[0, 0], laws.log_sf[0, 1], atol=1e-6)  # an exponential does not mind
    steady = JointLaws(("s",), TIMES[None], np.where(TIMES < 5.0, 0.0, -50.0)[None, None, None], np.zeros((1, 1)))
    never = steady.restarted(0, np.array([1.0]))
    np.testing.assert_array_equal(never.log_sf, 0.0)
