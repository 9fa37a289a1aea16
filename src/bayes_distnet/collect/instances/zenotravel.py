"""Random ZenoTravel problems: a transport domain of the third planning competition (2002), in its STRIPS version."""

from __future__ import annotations

import numpy as np

from bayes_distnet.validation import check_at_least

#: Largest number of people in `draw`, by the number of cities: the search of LPG takes longer with more of either.
MOST_PEOPLE = {3: 12, 4: 10, 5: 6, 6: 4}
#: One problem in `RARE` is much harder: it has `RARE_CITIES` cities and `RARE_PEOPLE` people.
RARE, RARE_CITIES, RARE_PEOPLE = 100, 6, 14
#: Number of fuel levels of an aircraft.
FUEL_LEVELS = 7

#: Text of `domain.pddl`.
DOMAIN = """\
(define (domain zeno-travel)
  (:requirements :strips :typing)
  (:types aircraft person city flevel - object)
  (:predicates
    (at ?x - (either person aircraft) ?c - city)
    (in ?p - person ?a - aircraft)
    (fuel-level ?a - aircraft ?l - flevel)
    (next ?l1 ?l2 - flevel))

  (:action board
    :parameters (?p - person ?a - aircraft ?c - city)
    :precondition (and (at ?p ?c) (at ?a ?c))
    :effect (and (not (at ?p ?c)) (in ?p ?a)))

  (:action debark
    :parameters (?p - person ?a - aircraft ?c - city)
    :precondition (and (in ?p ?a) (at ?a ?c))
    :effect (and (not (in ?p ?a)) (at ?p ?c)))

  (:action fly
    :parameters (?a - aircraft ?c1 ?c2 - city ?l1 ?l2 - flevel)
    :precondition (and (at ?a ?c1) (fuel-level ?a ?l1) (next ?l2 ?l1))
    :effect (and (not (at ?a ?c1)) (at ?a ?c2) (not (fuel-level ?a ?l1)) (fuel-level ?a ?l2)))

  (:action zoom
    :parameters (?a - aircraft ?c1 ?c2 - city ?l1 ?l2 ?l3 - flevel)
    :precondition (and (at ?a ?c1) (fuel-level ?a ?l1) (next ?l2 ?l1) (next ?l3 ?l2))
    :effect (and (not (at ?a ?c1)) (at ?a ?c2) (not (fuel-level ?a ?l1)) (fuel-level ?a ?l3)))

  (:action refuel
    :parameters (?a - aircraft ?c - city ?l ?l1 - flevel)
    :precondition (and (fuel-level ?a ?l) (next ?l ?l1) (at ?a ?c))
    :effect (and (fuel-level ?a ?l1) (not (fuel-level ?a ?l)))))
"""


def draw(rng: np.random.Generator) -> str:
    """Return a problem of random size; most are small, because the hardest take most of the time."""
    cities, aircraft = int(rng.choice(list(MOST_PEOPLE))), int(rng.integers(1, 2, endpoint=True))
    people = int(rng.integers(2, MOST_PEOPLE[cities], endpoint=True))
    if rng.integers(RARE) == 0:
        cities, people = RARE_CITIES, RARE_PEOPLE
    return zenotravel(rng, cities, aircraft, people)


def zenotravel(rng: np.random.Generator, cities: int, aircraft: int, people: int) -> str:
    """Return a problem: bring people, and about half of the aircraft, from random cities to other random cities.

    Aircraft start with random fuel and can refuel everywhere, so every problem has a plan.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness.
    cities : int
        Number of cities, at least 2.
    aircraft, people : int
        Numbers of aircraft and of people, at least 1.

    Returns
    -------
    str
        PDDL text.

    Examples
    --------
    >>> print(zenotravel(np.random.default_rng(0), 2, 1, 1).splitlines()[0])
    ; zenotravel: 2 cities, 1 aircraft, 1 people
    """
    for name, value, least in (("cities", cities, 2), ("aircraft", aircraft, 1), ("people", people, 1)):
        check_at_least(name, value, least)
    planes = [f"plane{i}" for i in range(aircraft)]
    persons = [f"person{i}" for i in range(people)]
    start = {name: int(rng.integers(cities)) for name in planes + persons}
    moving = persons + [name for name in planes if rng.random() < 0.5]
    goal = {name: (start[name] + int(rng.integers(1, cities))) % cities for name in moving}
    objects = [f"{name} - aircraft" for name in planes] + [f"{name} - person" for name in persons]
    objects += [f"city{i} - city" for i in range(cities)] + [f"fl{i} - flevel" for i in range(FUEL_LEVELS)]
    facts = [f"(at {name} city{city})" for name, city in start.items()]
    facts += [f"(fuel-level {name} fl{rng.integers(FUEL_LEVELS)})" for name in planes]
    facts += [f"(next fl{i} fl{i + 1})" for i in range(FUEL_LEVELS - 1)]
    goals = [f"(at {name} city{city})" for name, city in goal.items()]
    return "\n".join(
        (
            f"; zenotravel: {cities} cities, {aircraft} aircraft, {people} people",
            "(define (problem zenotravel)",
            "  (:domain zeno-travel)",
            *_block(":objects", objects),
            *_block(":init", facts),
            *_block(":goal (and", goals, ")))\n"),
        )
    )


def _block(head: str, lines: list[str], tail: str = ")") -> list[str]:
    """Return a PDDL block, one entry per line."""
    return [f"  ({head}", *(f"    {line}" for line in lines[:-1]), f"    {lines[-1]}{tail}"]
