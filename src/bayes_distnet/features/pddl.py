"""Features of a planning problem: its size, its numbers, and the cost of its delete relaxation.

The domain determines the names: there is one count per type, predicate, action and numeric function.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from pathlib import Path
from statistics import fmean, pstdev

from bayes_distnet.features.base import Features, Meter
from bayes_distnet.features.pddl_parse import Task, read_task
from bayes_distnet.features.relaxed import ground, relaxed_costs, relaxed_plan


def pddl_features(
    problem: str | os.PathLike[str],
    domain: str | os.PathLike[str] | None = None,
    *,
    random_state: int = 0,
    time_limit: float = 30.0,
) -> Features:
    """Compute the features of a PDDL problem.

    Parameters
    ----------
    problem : path-like
        File of the problem.
    domain : path-like, optional
        File of its domain; default: `domain.pddl` in the folder of the problem.
    random_state : int, default 0
        Ignored, because no feature is random; all feature sets have this parameter.
    time_limit : float, default 30.0
        Limit in wall-clock seconds.

    Returns
    -------
    Features
        Named numbers, and the CPU seconds that they took.

    Raises
    ------
    FeatureError
        If a file is not valid, or the time limit is reached.
    """
    meter = Meter(Path(problem), time_limit)
    home = meter.path.with_name("domain.pddl") if domain is None else Path(domain)
    task = read_task(meter.path, home, meter.left)
    values = _sizes(task) | _goals(task) | _numbers(task) | _relaxation(task, meter)
    return Features({name: float(value) for name, value in values.items()}, meter.cost)


def _sizes(task: Task) -> dict[str, float]:
    types = sorted(set(task.types) | set(task.types.values()) - {"object"})
    facts = Counter(atom[0] for atom in task.init)
    arities = [len(action.parameters) for action in task.actions]
    return {
        "domain.types": len(types),
        "domain.predicates": len(task.predicates),
        "domain.actions": len(task.actions),
        "domain.action_arity": fmean(arities) if arities else 0.0,
        "objects": len(task.objects),
        **{f"objects.{name}": len(task.of_types((name,))) for name in types},
        "init": len(task.init),
        **{f"init.{name}": facts[name] for name in task.predicates},
    }


def _goals(task: Task) -> dict[str, float]:
    goals = Counter(atom[0] for atom in task.goals)
    named = Counter(term for atom in task.goals for term in atom[1:])
    return {
        "goals": len(task.goals) + len(task.negative_goals),
        "goals.true_at_first": sum(atom in task.init for atom in task.goals),
        "goals.objects": len(named),
        "goals.most_on_one_object": max(named.values(), default=0),
        "goals.per_object": len(task.goals) / max(len(task.objects), 1),
        **{f"goals.{name}": goals[name] for name in task.predicates},
    }


def _numbers(task: Task) -> dict[str, float]:
    """Return figures of the values of every numeric function, such as distances and fuel."""
    values: dict[str, float] = {}
    for name, numbers in sorted(task.numbers.items()):
        figures = {"mean": fmean(numbers), "std": pstdev(numbers), "min": min(numbers), "max": max(numbers)}
        values |= {f"numbers.{name}.{figure}": value for figure, value in figures.items()}
    return values


def _relaxation(task: Task, meter: Meter) -> dict[str, float]:
    actions = ground(task, meter.left)
    by_sum = relaxed_costs(task.init, actions, sum, meter.left)
    by_max = relaxed_costs(task.init, actions, max, meter.left)
    plan = relaxed_plan(by_sum, task.goals)
    used = Counter(action.name for action in plan)
    sums, layers = by_sum.of(task.goals), by_max.of(task.goals)
    reachable = [layer for layer in layers if layer < math.inf]
    values: dict[str, float] = {
        "relaxed.facts": len(by_max.cost),
        "relaxed.actions": len(actions),
        "relaxed.layers": max(by_max.cost.values(), default=0),
        "relaxed.unreachable_goals": len(layers) - len(reachable),
        "relaxed.h_max": max(reachable, default=0),
        "relaxed.h_max.mean": fmean(reachable) if reachable else 0.0,
        "relaxed.h_max.std": pstdev(reachable) if reachable else 0.0,
        "relaxed.h_add": sum(cost for cost in sums if cost < math.inf),
        "relaxed.plan": len(plan),
        **{f"relaxed.plan.{action.name}": used[action.name] for action in task.actions},
        "relaxed.plan_per_goal": len(plan) / max(len(task.goals), 1),
    }
    # Late layers are rare, and their number differs between problems: they share one column.
    layer_of = Counter(min(int(layer), 6) for layer in reachable)
    return values | {f"relaxed.goals_at_{layer}{'_on' if layer == 6 else ''}": layer_of[layer] for layer in range(7)}
