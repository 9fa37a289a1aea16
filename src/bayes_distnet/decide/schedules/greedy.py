"""Schedules for a deadline: greedy gain per second, then the best way to use the rest of the time.

The greedy rule (Streeter and Golovin 2008) appends the slot with the largest chance of an answer per second, given that
all slots before it have failed; for the mean time to an answer it is at most four times the optimum. Failures count:
the chance of a solver that is like those which failed is lower, since the instance is probably hard for it, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import scipy.special

from bayes_distnet.arrays import FloatArray
from bayes_distnet.decide.laws.joint_laws import JointLaws
from bayes_distnet.decide.laws.objectives import Objective
from bayes_distnet.decide.schedules.slot import Slot
from bayes_distnet.decide.schedules.slots import schedule_law

MOST_SLOTS = 5  # per core
SHORTEST = 5e-3  # length of a slot, relative to the deadline: starting a solver costs more than shorter ones gain
WORTH = 0.15  # relative gain in the objective below which a schedule with fewer slots is preferred
LEAST_REST = 0.5  # fraction of the time that the last solver gets at least
TRIED = 3  # solvers that are tried for the rest of the time, after every prefix of the greedy schedule


def best_schedule(
    laws: JointLaws, deadline: float, objective: Objective, cores: int = 1, favourite: str | None = None
) -> tuple[Slot, ...]:
    """Return a schedule for one instance: greedy slots as long as they pay, then one solver for the rest of the time.

    Parameters
    ----------
    laws : JointLaws
        One row, tabulated until the deadline.
    deadline : float
        Seconds.
    objective : Objective
        Prefixes of the greedy schedule are compared by it.
    cores : int, default 1
        Number of cores; on several, the greedy schedule is returned as it is.
    favourite : str or None, default None
        Solver that gets the rest of the time, at least half of it; by default one with the largest chance then.

    Returns
    -------
    tuple of Slot
        The schedule; a single solver where nothing else is clearly better.
    """
    greedy = greedy_schedule(laws, deadline, cores)
    if cores > 1:
        return greedy
    candidates = [
        (*greedy[:count], Slot(solver, start, deadline - start))
        for count, start in enumerate(slot.start for slot in greedy)
        if start <= (1.0 - LEAST_REST) * deadline
        for solver in (_likeliest(laws, greedy[:count], deadline - start) if favourite is None else [favourite])
    ]
    costs = np.array([cost_of(laws, slots, objective) for slots in candidates])
    enough = np.flatnonzero(costs <= costs.min() + WORTH * np.abs(costs.min()))
    return candidates[min(enough, key=lambda i: (len(candidates[i]), costs[i]))]


def cost_of(laws: JointLaws, slots: Sequence[Slot], objective: Objective) -> float:
    """Return the cost of a schedule of a single row under an objective."""
    return float(objective.cost(schedule_law(laws, slots))[0, 0])


def _likeliest(laws: JointLaws, before: Sequence[Slot], seconds: float) -> Iterable[str]:
    """Return the solvers with the largest chances of an answer within some seconds, after some slots have failed."""
    state = _State.of(laws)
    for slot in before:
        state = state.after(
            laws.solvers.index(slot.solver), int(np.searchsorted(state.grid, slot.seconds, "right")) - 1
        )
    end = int(np.searchsorted(state.grid, seconds, "right")) - 1
    chances = state.chances()[:, end]
    return [laws.solvers[s] for s in np.argsort(-chances, kind="stable")[:TRIED]]


def greedy_schedule(laws: JointLaws, deadline: float, cores: int = 1, *, start: float = 0.0) -> tuple[Slot, ...]:
    """Return the schedule of greatest gain per second for one instance.

    Parameters
    ----------
    laws : JointLaws
        One row, tabulated until the deadline.
    deadline : float
        Seconds.
    cores : int, default 1
        Number of cores; a solver runs on one core at a time.
    start : float, default 0.0
        Seconds that have passed already.

    Returns
    -------
    tuple of Slot
        In order of their starts. The last slot on a core ends at the deadline.

    Examples
    --------
    >>> from bayes_distnet.decide.laws.dependence import Dependence
    >>> from bayes_distnet.distributions.families import Exponential
    >>> from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
    >>> fast, slow = (RuntimeDistribution(Exponential(scale=[s])) for s in (1.0, 9.0))
    >>> laws = JointLaws.of({"slow": slow, "fast": fast}, Dependence(np.eye(2)), times=np.linspace(0.1, 10, 100))
    >>> [slot.solver for slot in greedy_schedule(laws, 10.0)]
    ['fast']
    """
    state = _State.of(laws)
    slots: list[Slot] = []
    free, last = np.full(cores, float(start)), np.full(cores, -1)
    while free.min() < deadline and len(slots) < MOST_SLOTS * cores:
        core = int(free.argmin())
        busy = [int(s) for c, s in enumerate(last) if c != core and free[c] > free[core]]
        step = state.best_step(deadline - free[core], SHORTEST * deadline, int(last[core]), busy)
        if step is None:
            break
        solver, index, seconds = step
        state = state.after(solver, index)
        if solver == last[core]:  # the run goes on
            at = max(i for i, slot in enumerate(slots) if slot.core == core)
            slots[at] = replace(slots[at], seconds=slots[at].seconds + seconds)
        else:
            slots.append(Slot(laws.solvers[solver], float(free[core]), seconds, core))
        free[core] += seconds
        last[core] = solver
    return _filled(laws, slots, deadline, cores)


def _filled(laws: JointLaws, slots: list[Slot], deadline: float, cores: int) -> tuple[Slot, ...]:
    """Extend the last slot of every core to the deadline; a core without a slot stays empty."""
    if not slots:
        slots = [Slot(laws.solvers[0], 0.0, deadline)]
    for core in range(cores):
        if own := [i for i, slot in enumerate(slots) if slot.core == core]:
            slots[own[-1]] = replace(slots[own[-1]], seconds=deadline - slots[own[-1]].start)
    return tuple(slots)


@dataclass(frozen=True)
class _State:
    """What is left after some slots have failed: the unanswered probability, and how long every solver has run."""

    grid: FloatArray  # (m + 1,) seconds, from 0 on
    sf: FloatArray  # (S, D, m + 1)
    unanswered: FloatArray  # (D,)
    longest: tuple[int, ...] = field(default=())  # per solver, as an index of the grid

    @classmethod
    def of(cls, laws: JointLaws) -> _State:
        sf = np.exp(np.concatenate([np.zeros((*laws.log_sf.shape[1:3], 1)), laws.log_sf[0]], axis=2))
        grid = np.concatenate([[0.0], laws.times[0]])
        return cls(grid, sf, scipy.special.softmax(laws.log_weights[0]), (0,) * len(laws.solvers))

    def after(self, solver: int, index: int) -> _State:
        """Return the state after a run of a solver until a time of the grid."""
        if index <= self.longest[solver]:
            return self
        before = self.sf[solver, :, self.longest[solver]]
        ratio = np.divide(self.sf[solver, :, index], before, out=np.zeros_like(before), where=before > 0)
        longest = (*self.longest[:solver], index, *self.longest[solver + 1 :])
        return replace(self, unanswered=self.unanswered * ratio, longest=longest)

    def chances(self) -> FloatArray:
        """(S, m + 1) probability of an answer by each solver if it now runs from scratch until each time."""
        at = np.array(self.longest)
        before = np.take_along_axis(self.sf, at[:, None, None], axis=2)
        share = np.divide(self.unanswered[:, None], before, out=np.zeros_like(before), where=before > 0)
        return np.asarray(np.maximum((share * (before - self.sf)).sum(axis=1), 0.0))

    def best_step(self, left: float, least: float, running: int, busy: Sequence[int]) -> tuple[int, int, float] | None:
        """Return solver, index of the grid and seconds of the step with the largest gain per second."""
        cost = np.tile(self.grid, (len(self.sf), 1))
        if running >= 0:  # going on costs only the difference
            cost[running] -= self.grid[self.longest[running]]
        possible = (cost >= min(least, left)) & (cost > 0) & (cost <= left * (1.0 + 1e-9))
        possible[list(busy)] = False
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = np.where(possible, self.chances() / cost, -1.0)
        solver, index = divmod(int(rate.argmax()), rate.shape[1])
        return None if rate[solver, index] <= 0.0 else (solver, index, float(cost[solver, index]))
