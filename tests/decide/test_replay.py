import itertools
import math

import numpy as np
import pandas as pd
import pytest

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.feature_groups import FeatureGroup, FeatureGroups
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.decide.selection.feature_charge import Charge, FeatureTime, feature_time
from bayes_distnet.decide.selection.limits_of_choice import oracle, single_best
from bayes_distnet.decide.selection.procedures import Procedure, Step
from bayes_distnet.decide.selection.replay import replay
from bayes_distnet.decide.solver_runs import SolverRuns

CUTOFF = 10.0
NAMES = ["a", "b", "c"]


def one_run():
    """Solver s needs 2 s, 8.5 s and does not answer; t does not answer, needs 1 s, and 9 s."""
    seconds = np.array([[[2.0], [CUTOFF]], [[8.5], [1.0]], [[CUTOFF], [9.0]]])
    finished = np.array([[[True], [False]], [[True], [True]], [[False], [True]]])
    return SolverRuns(pd.Index(NAMES), ("s", "t"), seconds, finished, CUTOFF)


def several_runs():
    """Four runs of s on one instance, one of them without an answer, and four of t."""
    seconds = np.array([[[1.0, 2.0, 3.0, CUTOFF], [4.0, 5.0, 6.0, 7.0]]])
    finished = np.array([[[True, True, True, False], [True] * 4]])
    return SolverRuns(pd.Index(["a"]), ("s", "t"), seconds, finished, CUTOFF)


def free(n=3):
    return FeatureTime(np.zeros(n), np.zeros(n, dtype=bool))


def plan(*steps):
    return (tuple(steps),)


def test_a_choice_costs_the_solver_runs_of_the_chosen_solvers():
    outcome = replay(one_run(), Procedure.choices(["s", "t", "s"]), free())
    assert outcome.time.tolist() == [2.0, 1.0, 10.0]
    assert outcome.par10.tolist() == [2.0, 1.0, 100.0]
    assert outcome.solved.tolist() == [1.0, 1.0, 0.0]


def test_features_take_time_before_the_choice_runs():
    late = FeatureTime(np.array([1.0, 3.0, 0.5]), np.zeros(3, dtype=bool))
    outcome = replay(one_run(), Procedure.choices(["s", "s", "t"]), late)
    assert outcome.time.tolist() == [3.0, 10.0, 9.5]  # 3 s and 8.5 s are past the cutoff
    assert outcome.par10.tolist() == [3.0, 100.0, 9.5]


def test_an_instance_solved_by_the_features_is_answered_when_they_are_computed():
    outcome = replay(
        one_run(), Procedure.choices(["t", "t", "t"]), FeatureTime(np.full(3, 0.5), np.array([True, False, False]))
    )
    assert outcome.time.tolist() == [0.5, 1.5, 9.5]


def test_a_presolver_that_answers_saves_the_features():
    procedure = Procedure([plan(Step("s")), plan(Step("t")), plan(Step("t"))], presolver=(Step("t", 1.0),))
    outcome = replay(one_run(), procedure, FeatureTime(np.full(3, 0.5), np.zeros(3, dtype=bool)))
    # a: 1 s of t, 0.5 s of features, 2 s of s; b: t answers in the presolver; c: 1.5 s before t, which needs 9 s.
    assert outcome.time.tolist() == [3.5, 1.0, 10.0]
    assert outcome.solved.tolist() == [1.0, 1.0, 0.0]


def test_steps_of_a_schedule_follow_each_other():
    outcome = replay(one_run(), Procedure([plan(Step("t", 3.0), Step("s", 7.0))] * 3), free())
    assert outcome.time.tolist() == [5.0, 1.0, 10.0]


def test_a_schedule_that_ends_early_leaves_the_instance_unsolved():
    outcome = replay(one_run(), Procedure([plan(Step("t", 3.0), Step("s", 1.0))] * 3), free())
    assert outcome.solved.tolist() == [0.0, 1.0, 0.0]


def test_the_first_core_with_an_answer_ends_a_parallel_plan():
    outcome = replay(one_run(), Procedure([((Step("s"),), (Step("t"),))] * 3), free())
    assert outcome.time.tolist() == [2.0, 1.0, 9.0]


def test_a_copy_of_a_solver_with_one_run_finds_nothing_new():
    outcome = replay(one_run(), Procedure([((Step("s"),), (Step("s"),))] * 3), free())
    assert outcome.time.tolist() == [2.0, 8.5, 10.0]


def test_a_single_choice_has_exactly_the_mean_over_seeds():
    outcome = replay(several_runs(), Procedure.choices(["s"]), free(1))
    assert outcome.time[0] == pytest.approx(16.0 / 4)
    assert outcome.par10[0] == pytest.approx(106.0 / 4)
    assert outcome.solved[0] == pytest.approx(0.75)


def test_copies_take_different_seeds():
    outcome = replay(several_runs(), Procedure([((Step("s"),), (Step("s"),))]), free(1), draws=4000)
    pairs = [min(pair) for pair in itertools.combinations([1.0, 2.0, 3.0, CUTOFF], 2)]
    assert outcome.time[0] == pytest.approx(np.mean(pairs), abs=0.05)  # with equal seeds it would be 4.0
    assert outcome.solved[0] == 1.0  # at most one run of the two is the one without an answer


def test_different_solvers_run_independently():
    outcome = replay(several_runs(), Procedure([((Step("s"),), (Step("t"),))]), free(1), draws=8000)
    exact = np.mean([min(s, t) for s in (1.0, 2.0, 3.0, 20.0) for t in (4.0, 5.0, 6.0, 7.0)])
    assert outcome.time[0] == pytest.approx(exact, abs=0.03)


def test_restarts_draw_runs_until_one_is_short_enough():
    procedure = Procedure([plan(Step("s", math.inf, restart=1.0))])
    outcome = replay(several_runs(), procedure, free(1), draws=20000)
    # A quarter of the runs takes 1 s; the answer comes after 1, 2, ... s with the probabilities of a geometric law.
    chance = 0.25 * 0.75 ** np.arange(10)
    assert outcome.solved[0] == pytest.approx(chance.sum(), abs=0.01)
    exact = (chance * np.arange(1, 11)).sum() + (1 - chance.sum()) * CUTOFF
    assert outcome.time[0] == pytest.approx(exact, abs=0.1)


def test_a_restart_before_every_run_never_answers():
    outcome = replay(several_runs(), Procedure([plan(Step("s", math.inf, restart=0.5))]), free(1))
    assert outcome.solved[0] == 0.0


def test_limits():
    runs = one_run()
    best, least = (replay(runs, p, free()) for p in (single_best(runs, 3), oracle(runs)))
    assert best.par10.tolist() == [100.0, 1.0, 9.0]  # t: (100 + 1 + 9) / 3 in the mean, s: (2 + 8.5 + 100) / 3
    assert least.par10.tolist() == [2.0, 1.0, 9.0]


def groups_data():
    runs = pd.DataFrame({"instance": NAMES, "seconds": 1.0, "status": "solved"})
    groups = FeatureGroups(
        (
            FeatureGroup("base", ("x",)),
            FeatureGroup("probing", ("y",), requires=("base",)),
            FeatureGroup("big", ("z",)),
        ),
        pd.DataFrame({"base": [1.0, 1.0, 1.0], "probing": [2.0, np.nan, 2.0], "big": 5.0}, index=NAMES),
        pd.DataFrame({"base": "ok", "probing": ["ok", "presolved", "ok"], "big": "ok"}, index=NAMES),
    )
    features = pd.DataFrame({"x": 0.0, "y": 0.0, "z": 0.0}, index=NAMES)
    return Dataset(RunTable.from_frame(runs, cutoff=CUTOFF), features, feature_groups=groups)


@pytest.mark.parametrize(
    ("charge", "features", "seconds", "solved"),
    [
        (Charge.ALL, None, [8.0, 6.0, 8.0], [False, False, False]),
        (Charge.ALL, ("x",), [8.0, 6.0, 8.0], [False, False, False]),
        (Charge.USED, ("x",), [1.0, 1.0, 1.0], [False, False, False]),
        (Charge.USED, ("y",), [3.0, 1.0, 3.0], [False, True, False]),
        (Charge.USED, None, [8.0, 6.0, 8.0], [False, True, False]),
        (Charge.USED, (), [0.0, 0.0, 0.0], [False, False, False]),
        (Charge.ALL, (), [0.0, 0.0, 0.0], [False, False, False]),
        (Charge.FREE, None, [0.0, 0.0, 0.0], [False, False, False]),
    ],
)
def test_features_are_charged_by_group(charge, features, seconds, solved):
    time = feature_time(groups_data(), features, charge)
    assert time.seconds.tolist() == seconds
    assert time.solved.tolist() == solved


def test_without_groups_the_cost_of_the_features_is_charged():
    runs = pd.DataFrame({"instance": NAMES, "seconds": 1.0, "status": "solved"})
    cost = pd.Series([3.0, np.nan], index=["c", "a"])
    data = Dataset(RunTable.from_frame(runs, cutoff=CUTOFF), pd.DataFrame({"x": 0.0}, index=NAMES), cost)
    assert feature_time(data, None, Charge.USED).seconds.tolist() == [0.0, 0.0, 3.0]
