import time

import numpy as np
import pytest

from bayes_distnet.collect.instances.zenotravel import DOMAIN, zenotravel
from bayes_distnet.errors import FeatureError
from bayes_distnet.features.pddl import pddl_features

LORRY = """(define (domain lorry) (:requirements :strips :typing :equality)
  (:types place thing - object lorry parcel - thing)
  (:predicates (at ?t - thing ?p - place) (in ?x - parcel ?l - lorry) (road ?a ?b - place))
  (:functions (distance ?a ?b - place))
  (:action drive :parameters (?l - lorry ?a ?b - place)
    :precondition (and (at ?l ?a) (road ?a ?b) (not (= ?a ?b)))
    :effect (and (at ?l ?b) (not (at ?l ?a)) (increase (total-cost) (distance ?a ?b))))
  (:durative-action load :parameters (?x - parcel ?l - lorry ?p - place) :duration (= ?duration 1)
    :condition (and (at start (at ?x ?p)) (over all (at ?l ?p)))
    :effect (and (at start (not (at ?x ?p))) (at end (in ?x ?l))))
  (:action unload :parameters (?x - parcel ?l - lorry ?p - place)
    :precondition (and (in ?x ?l) (at ?l ?p)) :effect (and (at ?x ?p) (not (in ?x ?l)))))"""

# The lorry drives a-b and b-c (2), loads at a (1), unloads at c (1): 4 actions. In the relaxation the parcel is in the
# lorry from layer 1 and the lorry at c from layer 2, so the goal holds from layer 3; h_add = 1 + 1 + 2 = 4.
DELIVERY = """(define (problem one) (:domain lorry)
  (:objects a b c - place t - lorry x y - parcel)
  (:init (at t a) (at x a) (at y b) (road a b) (road b c) (road c c) (= (distance a b) 3) (= (distance b c) 5))
  (:goal (and (at x c) (at y b))))"""


def test_relaxed_plan_of_a_delivery_agrees_with_a_plan_by_hand(write):
    write(LORRY, "domain.pddl")
    values = pddl_features(write(DELIVERY, "one.pddl")).values
    expected = {
        "objects": 6, "objects.thing": 3, "objects.parcel": 2, "init": 6, "init.road": 3, "goals": 2,
        "goals.true_at_first": 1, "numbers.distance.mean": 4, "numbers.distance.std": 1, "relaxed.h_max": 3,
        "relaxed.h_add": 4, "relaxed.plan": 4, "relaxed.plan.drive": 2, "relaxed.plan.load": 1,
        "relaxed.plan.unload": 1, "relaxed.goals_at_0": 1, "relaxed.goals_at_3": 1, "relaxed.unreachable_goals": 0,
        # drive a-b and b-c (c-c is ruled out by the inequality), load and unload: 2 parcels x 3 places each
        "relaxed.actions": 14,
    }  # fmt: skip
    assert {name: values[name] for name in expected} == expected


def test_a_goal_out_of_reach_is_counted_and_leaves_no_infinity(write):
    write(LORRY, "domain.pddl")
    values = pddl_features(write(DELIVERY.replace("(road b c)", ""), "one.pddl")).values
    assert values["relaxed.unreachable_goals"] == 1
    assert np.isfinite(list(values.values())).all()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (DELIVERY, "", "found 0 expressions"),
        (DELIVERY, "\x00\x01 binary", "line 1: found "),
        ("(at y b))))", "(at y b)", "line 4: '\\(' is never closed. Is the file cut short"),
        ("(at y b))))", "(at y b)))))", "line 4: a '\\)' that closes nothing"),
        ("(problem one)", "(domain one)", r"expected \(define \(problem NAME\)"),
        ("(:domain lorry)", "(:domain ferry)", "a problem of the domain 'ferry'"),
        ("(at x c)", "(on x c)", r"found \(on x c\); the domain's predicates are at, in, road"),
        ("(at x c)", "(at x)", "gives 'at' 2 arguments"),
        ("(at x c)", "(at x d)", "names 'd', which is no object"),
        ("(at x c)", "(or (at x c) (at x b))", "only conjunctions of literals"),
        ("(distance a b) 3", "(distance a b) far", "expected a number, not 'far'"),
        ("(distance a b) 3", "(distance a b) inf", "expected a number, not 'inf'"),
        ("(distance a b) 3", "(distance a b) 1e308", "expected a number, not '1e308'"),
        ("(:goal", "(:aim", r"no \(:goal"),
        ("x y - parcel)", "x y -)", "'x y -' names no type"),
    ],
)
def test_a_malformed_problem_is_reported(write, old, new, message):
    write(LORRY, "domain.pddl")
    assert old in DELIVERY
    file = write(DELIVERY.replace(old, new), "one.pddl")
    with pytest.raises(FeatureError, match=message) as raised:
        pddl_features(file)
    assert str(raised.value).startswith(str(file))


def test_a_problem_without_its_domain_is_an_error(write):
    with pytest.raises(FeatureError, match=r"domain\.pddl: cannot be read"):
        pddl_features(write(DELIVERY, "one.pddl"))


def test_a_huge_problem_ends_at_the_time_limit(write):
    write(DOMAIN, "domain.pddl")
    file = write(zenotravel(np.random.default_rng(0), 200, 20, 200), "huge.pddl")
    began = time.monotonic()
    with pytest.raises(FeatureError, match=r"not computed within time_limit=0\.3 s"):
        pddl_features(file, time_limit=0.3)
    assert time.monotonic() - began < 1.5
