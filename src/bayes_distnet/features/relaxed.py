"""Delete relaxation: the cost of a planning problem in which no fact ever becomes false.

h_max, h_add and the relaxed plan of FF (Hoffmann and Nebel, 2001), with unit costs. Negative conditions on facts that
actions change count as met.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bayes_distnet.features.pddl_parse import Action, Atom, Task


@dataclass(frozen=True)
class Ground:
    """An action with objects in the place of its parameters.

    Parameters
    ----------
    name : str
        Name of the action.
    conditions : tuple of atoms
        Conditions on facts that actions change; the others hold anyway.
    adds : tuple of atoms
        Facts that become true.
    """

    name: str
    conditions: tuple[Atom, ...]
    adds: tuple[Atom, ...]


@dataclass(frozen=True)
class Costs:
    """Costs of all reachable facts.

    Parameters
    ----------
    cost : dict
        Cost of each fact.
    supporter : dict
        Action that first reached each fact at that cost.
    """

    cost: dict[Atom, int]
    supporter: dict[Atom, Ground]

    def of(self, facts: tuple[Atom, ...]) -> list[float]:
        """Return the costs of facts; infinity where one cannot be reached."""
        return [self.cost.get(fact, math.inf) for fact in facts]


def ground(task: Task, tick: Callable[[], object]) -> list[Ground]:
    """Put objects in the place of parameters, wherever the static conditions hold.

    Parameters
    ----------
    task : Task
        Problem and domain.
    tick : callable
        Function without arguments that is called often; it may raise an error to end the work.

    Returns
    -------
    list of Ground
        The actions.
    """
    changed = {atom[0] for action in task.actions for atom in (*action.adds, *action.deletes)}
    static = {atom for atom in task.init if atom[0] not in changed}
    found = []
    for action in task.actions:
        fluents = tuple(atom for atom in action.positive if atom[0] in changed)
        found += [
            Ground(action.name, _bind(fluents, binding), _bind(action.adds, binding))
            for binding in _bindings(action, task, static, changed, tick)
        ]
    return found


def _bind(atoms: tuple[Atom, ...], binding: dict[str, str]) -> tuple[Atom, ...]:
    return tuple((atom[0], *(binding.get(term, term) for term in atom[1:])) for atom in atoms)


def _bindings(
    action: Action, task: Task, static: set[Atom], changed: set[str], tick: Callable[[], object]
) -> Iterator[dict[str, str]]:
    """Yield bindings of all parameters; a condition is checked as soon as all its variables are bound."""
    limited = {term for atom in action.positive if atom[0] not in changed for term in atom[1:]}
    # Parameters in static conditions come first: few of their bindings remain, which the other parameters multiply.
    parameters = sorted(action.parameters, key=lambda parameter: parameter[0] not in limited)
    names = [name for name, _ in parameters]
    candidates = [task.of_types(types) for _, types in parameters]
    checks: list[list[tuple[Atom, bool]]] = [[] for _ in range(len(names) + 1)]
    for atoms, sign in ((action.positive, True), (action.negative, False)):
        for atom in atoms:
            if atom[0] not in changed:
                checks[max((names.index(t) + 1 for t in atom[1:] if t in names), default=0)].append((atom, sign))

    def holds(atom: Atom, binding: dict[str, str]) -> bool:
        bound = _bind((atom,), binding)[0]
        return bound[1] == bound[2] if bound[0] == "=" else bound in static

    def extend(depth: int, binding: dict[str, str]) -> Iterator[dict[str, str]]:
        if any(holds(atom, binding) is not sign for atom, sign in checks[depth]):
            return
        if depth == len(names):
            yield binding
            return
        tick()
        for candidate in candidates[depth]:
            yield from extend(depth + 1, {**binding, names[depth]: candidate})

    yield from extend(0, {})


def relaxed_costs(
    init: frozenset[Atom], actions: list[Ground], combine: Callable[[list[int]], int], tick: Callable[[], object]
) -> Costs:
    """Compute the cost of each reachable fact: 1 + combine(costs of the conditions), least over the actions.

    Parameters
    ----------
    init : frozenset of atoms
        Facts that hold at first.
    actions : list of Ground
        All actions.
    combine : callable
        `sum` gives h_add, `max` gives h_max.
    tick : callable
        Function without arguments that is called often; it may raise an error to end the work.

    Returns
    -------
    Costs
        Costs and supporters.
    """
    waiting: dict[Atom, list[int]] = defaultdict(list)
    missing = []
    for i, action in enumerate(actions):
        conditions = set(action.conditions)
        missing.append(len(conditions))
        for fact in conditions:
            waiting[fact].append(i)
    cost: dict[Atom, int] = dict.fromkeys(init, 0)
    supporter: dict[Atom, Ground] = {}
    # The counter breaks ties by order of arrival, so that the supporters do not depend on the order of a set.
    queue: list[tuple[int, int, Atom]] = [(0, i, fact) for i, fact in enumerate(sorted(init))]
    arrivals = len(queue)
    ready = [i for i, count in enumerate(missing) if count == 0]
    done: set[Atom] = set()
    while queue or ready:
        if not ready:
            _, _, fact = heapq.heappop(queue)
            if fact in done:
                continue
            done.add(fact)
            for i in waiting[fact]:
                missing[i] -= 1
                if missing[i] == 0:
                    ready.append(i)
            tick()
        for i in ready:
            action = actions[i]
            new = 1 + combine([cost[fact] for fact in action.conditions] or [0])
            for fact in action.adds:
                if new < cost.get(fact, new + 1):
                    cost[fact], supporter[fact] = new, action
                    heapq.heappush(queue, (new, arrivals, fact))
                    arrivals += 1
        ready = []
    return Costs(cost, supporter)


def relaxed_plan(costs: Costs, goals: tuple[Atom, ...]) -> list[Ground]:
    """Collect the actions that reach the goals, each once.

    Parameters
    ----------
    costs : Costs
        Costs and supporters of all reachable facts.
    goals : tuple of atoms
        The goals; those out of reach are left out.

    Returns
    -------
    list of Ground
        The relaxed plan.
    """
    plan: dict[Ground, None] = {}
    todo, seen = list(goals), set(goals)
    while todo:
        action = costs.supporter.get(todo.pop())
        if action is None or action in plan:
            continue
        plan[action] = None
        for fact in action.conditions:
            if fact not in seen:
                seen.add(fact)
                todo.append(fact)
    return list(plan)
