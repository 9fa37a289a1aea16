"""From a schedule to attempts."""

import math
from dataclasses import replace

import pytest

from bayes_distnet.collect.attempts import Attempt, Tried
from bayes_distnet.collect.executor import Outcome
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.decide.running.lanes import ScheduleLane, Seeds, lanes_of
from bayes_distnet.decide.schedules.slot import Slot

SOLVERS = {name: Solver(name, ("true", "{seed}", "{instance}"), "^s") for name in ("a", "b", "c")}


def play(lane, *ends):
    """Names and cutoffs of the attempts of a lane, if attempts end as given: a status, or (status, seconds)."""
    past, made = [], []
    for end in ends:
        attempt = lane(past)
        if attempt is None:
            made.append(None)
            break
        status, seconds = end if isinstance(end, tuple) else (end, attempt.cutoff)
        made.append((attempt.solver.name, attempt.cutoff))
        outcome = Outcome(status, seconds, seconds, attempt.cutoff, 0, 0, "", "", None)
        past.append(Tried(attempt, 0, outcome, ""))
    return made


def lane(*slots, rest=()):
    return ScheduleLane(slots, SOLVERS, Seeds(), rest)


def test_slots_follow_each_other():
    assert play(lane(Slot("a", 0, 2.0), Slot("b", 2, 3.0)), *["timeout"] * 3) == [("a", 2.0), ("b", 3.0), None]


def test_a_slot_with_a_cutoff_holds_attempts_until_its_time_is_used():
    made = play(lane(Slot("a", 0, 2.5, cutoff=1.0)), *["timeout"] * 4)
    assert made == [("a", 1.0), ("a", 1.0), ("a", 0.5), None]


def test_a_cutoff_that_fails_again_and_again_grows():
    made = play(lane(Slot("a", 0, math.inf, cutoff=1.0)), *["timeout"] * 25)
    assert [cutoff for _, cutoff in made] == [1.0] * 8 + [2.0] * 8 + [4.0] * 8 + [8.0]


def test_every_attempt_has_a_new_seed_within_those_the_solver_accepts():
    seeds = Seeds(0, used={("a", 1)})
    assert [seeds.next(SOLVERS["a"]) for _ in range(3)] == [0, 2, 3]
    assert seeds.next(SOLVERS["b"]) == 0
    positive = replace(SOLVERS["c"], smallest_seed=1, largest_seed=2)
    assert [seeds.next(positive) for _ in range(3)] == [2, 1, 2]


def test_a_solver_without_a_seed_is_run_again_even_if_its_seed_is_used():
    fixed = Solver("fixed", ("true", "{instance}"), "^s")
    assert Seeds(1, used={("fixed", 1)}).next(fixed) == 1


@pytest.mark.parametrize("status", ["crashed", "memout", "unreadable"])
def test_a_solver_that_fails_is_not_started_again(status):
    slots = (Slot("a", 0, 5.0, cutoff=1.0), Slot("b", 5, 1.0), Slot("a", 6, 1.0))
    assert play(lane(*slots, rest=("a", "b")), (status, 0.1), "timeout", "timeout")[:3] == [
        ("a", 1.0),
        ("b", 1.0),
        ("b", math.inf),
    ]


def test_after_the_schedule_solvers_take_turns_for_ever_longer():
    made = play(lane(Slot("a", 0, 2.0), Slot("b", 2, 1.0), rest=("a", "b")), *["timeout"] * 6)
    assert made == [("a", 2.0), ("b", 1.0), ("a", 4.0), ("b", 4.0), ("a", 8.0), ("b", 8.0)]


def test_a_lane_ends_when_every_solver_has_failed():
    made = play(lane(Slot("a", 0, 2.0), rest=("a", "b")), *[("crashed", 0.1)] * 3)
    assert made == [("a", 2.0), ("b", math.inf), None]


def test_a_killed_run_is_followed_by_the_next_slot():
    made = play(lane(Slot("a", 0, 2.0), Slot("b", 2, 1.0)), ("interrupted", 0.1), "timeout")
    assert made == [("a", 2.0), ("b", 1.0)]


def test_a_solver_that_is_killed_again_and_again_is_given_up():
    made = play(lane(Slot("a", 0, 2.0), rest=("a",)), *[("interrupted", 0.0)] * 4)
    assert made == [("a", 2.0), ("a", math.inf), ("a", math.inf), None]


def test_cores_that_the_schedule_leaves_free_take_other_solvers():
    first, second = lanes_of([Slot("a", 0, 9.0)], SOLVERS, Seeds(), cores=2)
    assert first([]) == Attempt(SOLVERS["a"], 1, 9.0)
    assert second([]).solver.name == "b"


def test_a_presolver_does_not_go_on():
    (only,) = lanes_of([Slot("a", 0, 1.0)], SOLVERS, Seeds(), goes_on=False)
    assert play(only, "timeout", "timeout") == [("a", 1.0), None]
