"""Schedules per instance for a deadline, on one core or several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayes_distnet.arrays import FloatArray, IndexArray
from bayes_distnet.decide.decisions import Plan
from bayes_distnet.decide.laws.joint_laws import POINTS, JointLaws
from bayes_distnet.decide.laws.objectives import Objective, find_objective
from bayes_distnet.decide.laws.similar_laws import observed_laws
from bayes_distnet.decide.portfolio.choosing import choose_solvers
from bayes_distnet.decide.portfolio.fitted import Portfolio
from bayes_distnet.decide.schedules.exact import exact_schedule
from bayes_distnet.decide.schedules.greedy import best_schedule, cost_of
from bayes_distnet.decide.schedules.parallel import best_together
from bayes_distnet.decide.schedules.slot import Slot
from bayes_distnet.decide.schedules.slots import solved_by
from bayes_distnet.validation import check_at_least, check_choice, check_positive

BLOCK = 16  # rows that are tabulated together
MOST_INSTANCES = 256  # training instances that a plan without features is made from
HORIZON = 5.0  # plans without a deadline are made for this many times the cutoff of the training runs


@dataclass(frozen=True)
class Settings:
    """Settings of a plan.

    Parameters
    ----------
    deadline : float
        Seconds before which an answer is wanted.
    objective : Objective
        What is to be small.
    cores : int, default 1
        Number of cores.
    method : {"greedy", "exact"}, default "greedy"
        How slots on one core are chosen.
    copies : bool or None, default None
        Whether copies of a solver may run side by side; None: where runs with several seeds have shown its luck.
    slowdown : float, default 1.0
        Factor by which runs take longer when all cores are busy.
    """

    deadline: float
    objective: Objective
    cores: int = 1
    method: str = "greedy"
    copies: bool | None = None
    slowdown: float = 1.0

    @classmethod
    def of(
        cls,
        deadline: float,
        objective: str | Callable[[FloatArray], ArrayLike] | Objective | None,
        level: float | None = None,
        **others: Any,
    ) -> Self:
        """Return settings with an objective by its name; None is PAR10 with the deadline as its cutoff."""
        check_positive("deadline", deadline)
        name = "par10" if objective is None else objective
        goal = find_objective(name, cutoff=float(deadline), deadline=float(deadline), level=level)
        return cls(float(deadline), goal, **others)

    def __post_init__(self) -> None:
        check_positive("deadline", self.deadline)
        check_at_least("cores", self.cores, 1)
        check_choice("method", self.method, ("greedy", "exact"))
        check_positive("slowdown", self.slowdown)


def plan_schedules(
    portfolio: Portfolio,
    rows: pd.DataFrame,
    settings: Settings,
    allowed: IndexArray,
    cutoffs: Mapping[str, FloatArray],
) -> Plan:
    """Plan a schedule per instance.

    Parameters
    ----------
    portfolio : Portfolio
        A fitted portfolio.
    rows : DataFrame
        Features, one row per instance.
    settings : Settings
        Deadline, objective, cores and so on.
    allowed : array of int
        Solvers to choose from.
    cutoffs : mapping
        Restart cutoffs (n,) by solver.

    Returns
    -------
    Plan
        One schedule per row.
    """
    schedules: list[tuple[Slot, ...]] = []
    expected, solved = [], []
    for top in range(0, len(rows), BLOCK):
        part = slice(top, min(top + BLOCK, len(rows)))
        laws = portfolio.joint(rows.iloc[part], allowed, until=settings.deadline / _pace(settings))
        favourites = choose_solvers(portfolio, rows.iloc[part], settings.objective, allowed).solver
        for number, solver in enumerate(laws.solvers):
            if solver in cutoffs:
                laws = laws.restarted(number, np.asarray(cutoffs[solver], dtype=float)[part])
        laws = replace(laws, times=laws.times * _pace(settings))
        repeated = [_repeatable(portfolio, int(s), settings.copies) for s in allowed]
        for row in range(len(laws)):
            one = laws.take(slice(row, row + 1))
            slots, cost = schedule_of(one, settings, repeated, str(favourites[row]))
            limits = {name: float(values[top + row]) for name, values in cutoffs.items()}
            schedules.append(tuple(replace(slot, cutoff=limits.get(slot.solver, np.inf)) for slot in slots))
            expected.append(cost)
            solved.append(solved_by(one, slots))
    shown = settings.objective.shown(np.array(expected))
    why = tuple(_reason(s, settings, float(e), c) for s, e, c in zip(schedules, shown, solved, strict=True))
    return Plan(tuple(schedules), shown, np.array(solved), why, settings.deadline, settings.objective.name)


def _pace(settings: Settings) -> float:
    return settings.slowdown if settings.cores > 1 else 1.0


def _repeatable(portfolio: Portfolio, solver: int, copies: bool | None) -> bool:
    model = portfolio.models[solver]
    return (not model.assumed and model.size > 0) if copies is None else copies


def schedule_of(
    laws: JointLaws, settings: Settings, repeated: list[bool], favourite: str | None = None
) -> tuple[tuple[Slot, ...], float]:
    """Return the best schedule of a single row, and its cost; a favourite is the solver chosen to run alone."""
    if settings.method == "exact" and settings.cores == 1:
        slots = exact_schedule(laws, settings.deadline)
        return slots, cost_of(laws, slots, settings.objective)
    candidates = [best_schedule(laws, settings.deadline, settings.objective, settings.cores, favourite)]
    if settings.cores > 1:
        counts = best_together(laws, settings.cores, settings.objective, copies=repeated)[0][0]
        used = [laws.solvers[s] for s, count in enumerate(counts) for _ in range(count)]
        candidates.append(tuple(Slot(solver, 0.0, settings.deadline, core) for core, solver in enumerate(used)))
    costs = [cost_of(laws, slots, settings.objective) for slots in candidates]
    return candidates[int(np.argmin(costs))], min(costs)


def static_plan(portfolio: Portfolio, settings: Settings, allowed: IndexArray, note: str = "") -> Plan:
    """Plan one schedule for all instances, from the training runs alone.

    Parameters
    ----------
    portfolio : Portfolio
        A fitted portfolio.
    settings : Settings
        Deadline, objective, cores and so on.
    allowed : array of int
        Solvers to choose from.
    note : str
        What the reason begins with.

    Returns
    -------
    Plan
        One row.
    """
    n = len(portfolio.seconds)
    rows = np.sort(np.random.default_rng(0).permutation(n)[:MOST_INSTANCES])
    seconds, finished = portfolio.seconds[np.ix_(rows, allowed)], portfolio.finished[np.ix_(rows, allowed)]
    first = max(float(np.nanquantile(seconds, 0.01)), 1e-6 * settings.deadline)
    times = np.geomspace(min(first, 0.5 * settings.deadline), settings.deadline, POINTS)
    weights = np.full((1, len(rows)), -np.log(len(rows)))
    names = tuple(portfolio.solvers[s] for s in allowed)
    laws = JointLaws(names, times[None], observed_laws(seconds, finished, times / _pace(settings))[None], weights)
    repeated = [_repeatable(portfolio, int(s), settings.copies) for s in allowed]
    slots, cost = schedule_of(laws, settings, repeated)
    shown, solved = settings.objective.shown(np.array([cost])), solved_by(laws, slots)
    why = note + _reason(slots, settings, float(shown[0]), solved)
    return Plan((slots,), shown, np.array([solved]), (why,), settings.deadline, settings.objective.name)


def _reason(slots: tuple[Slot, ...], settings: Settings, expected: float, solved: float) -> str:
    unit = f" {settings.objective.unit}" if settings.objective.unit else ""
    if settings.cores == 1:
        text = ", then ".join(str(slot) for slot in slots)
    else:
        cores = [", then ".join(str(s) for s in slots if s.core == core) for core in sorted({s.core for s in slots})]
        counted = Counter(cores).items()  # a machine may have a hundred cores
        text = " beside ".join(f"{count} copies of {own}" if count > 1 else own for own, count in counted)
    chance = f"{solved:.0%} are answered within {settings.deadline:g} s"
    return f"{text}: {chance}, {settings.objective.name} is {expected:.3g}{unit}."
