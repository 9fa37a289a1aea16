"""From a schedule to attempts: which solver a core runs next, given what became of its attempts so far.

This module needs the standard library only, so that a saved schedule can be run at once.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count

from bayes_distnet.collect.attempts import Attempt, Lane, Tried
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.data.statuses import CRASHED, INTERRUPTED, MEMOUT, UNREADABLE
from bayes_distnet.decide.schedules.slot import Slot

BROKEN = (CRASHED, MEMOUT, UNREADABLE)  # ends that another attempt on the same instance would probably have, too
GROWTH = 2.0  # factor by which rounds after the schedule grow
PATIENCE = 8  # attempts after which a restart cutoff is doubled: the prediction behind it was probably wrong
KILLS = 3  # attempts of a solver that were killed from outside, after which it is not started again
LEAST = 0.01  # seconds: a rest of a slot that is not worth another attempt


class Seeds:
    """Seeds of attempts: every attempt of a solver has a new one.

    Parameters
    ----------
    first : int, default 1
        First seed of every solver.
    used : collection of (solver, seed), default ()
        Seeds that are not to be used again.
    """

    def __init__(self, first: int = 1, used: Collection[tuple[str, int]] = ()) -> None:
        self.first, self.used = first, used
        self._counters: dict[str, Iterator[int]] = defaultdict(lambda: count(self.first))

    def next(self, solver: Solver) -> int:
        """Return a new seed for a solver, within those that it accepts."""
        span = solver.largest_seed - solver.smallest_seed + 1
        for number in self._counters[solver.name]:
            seed = solver.smallest_seed + (number - solver.smallest_seed) % span
            if (solver.name, seed) not in self.used or not solver.takes_seed:
                return seed
        raise AssertionError("a count does not end")


class ScheduleLane:
    """One core's part of a schedule, and what follows it.

    A slot with a restart cutoff holds several attempts; every eight of them the cutoff is doubled, so that a prediction
    which was too short cannot keep a solver from its answer for ever. A solver that fails for another reason than time
    is not started again; one that is killed from outside is, up to three times. After the schedule, the solvers take
    turns, each time for longer, so that no solver that is stuck can hold up the others: the time to an answer is then
    within a constant factor of the best solver's.

    Parameters
    ----------
    slots : sequence of Slot
        Schedule of this core, in order.
    solvers : mapping
        Solvers by name.
    seeds : Seeds
        Source of seeds, shared by all cores.
    rest : sequence of str, default ()
        Solvers that take turns after the schedule, in order; without any, the lane ends with its schedule.
    """

    def __init__(
        self, slots: Sequence[Slot], solvers: Mapping[str, Solver], seeds: Seeds, rest: Sequence[str] = ()
    ) -> None:
        self.solvers, self.seeds = solvers, seeds
        self.broken: set[str] = set()
        self._kills: Counter[str] = Counter()
        self._slots = self._in_turn(slots, rest)
        self._slot: Slot | None = None
        self._left, self._made = 0.0, 0

    def __call__(self, past: Sequence[Tried]) -> Attempt | None:
        """Return the next attempt; None if there is nothing left to try."""
        if past:
            last = past[-1]
            self._left -= last.outcome.seconds
            name = last.attempt.solver.name
            # Whatever kills a solver at its start would do so for ever, and the rounds would never end.
            self._kills[name] += last.outcome.status == INTERRUPTED
            if last.outcome.status in BROKEN or self._kills[name] >= KILLS:
                self.broken.add(name)
        if self._slot is None or not self._goes_on():
            self._slot = next(self._slots, None)
            if self._slot is None:
                return None
            self._left, self._made = self._slot.seconds, 0
        solver = self.solvers[self._slot.solver]
        cutoff = self._slot.cutoff * GROWTH ** (self._made // PATIENCE)
        self._made += 1
        return Attempt(solver, self.seeds.next(solver), min(self._left, cutoff))

    def _goes_on(self) -> bool:
        """Whether another attempt fits into the current slot."""
        assert self._slot is not None
        return math.isfinite(self._slot.cutoff) and self._left > LEAST and self._slot.solver not in self.broken

    def _in_turn(self, slots: Sequence[Slot], rest: Sequence[str]) -> Iterator[Slot]:
        """Yield the slots of the schedule, then those of ever longer rounds."""
        for slot in slots:
            if slot.solver not in self.broken:
                yield slot
        cutoffs = {slot.solver: slot.cutoff for slot in slots}
        length = max((slot.seconds for slot in slots if math.isfinite(slot.seconds)), default=1.0)
        while alive := [name for name in rest if name not in self.broken]:
            length *= GROWTH
            for name in alive:
                if name not in self.broken:
                    alone = len([other for other in rest if other not in self.broken]) == 1
                    yield Slot(name, 0.0, math.inf if alone else length, cutoff=cutoffs.get(name, math.inf))


def lanes_of(
    slots: Sequence[Slot], solvers: Mapping[str, Solver], seeds: Seeds, *, cores: int = 1, goes_on: bool = True
) -> list[Lane]:
    """Return the lanes of a schedule, one per core.

    Parameters
    ----------
    slots : sequence of Slot
        The schedule of all cores.
    solvers : mapping
        Solvers that may be run, by name.
    seeds : Seeds
        Source of seeds.
    cores : int, default 1
        Number of cores.
    goes_on : bool, default True
        Whether the cores go on after the schedule.

    Returns
    -------
    list of callable
        One lane per core.
    """
    order = _by_time(slots, solvers)
    lanes: list[Lane] = []
    for core in range(cores):
        own = [slot for slot in slots if slot.core == core]
        first = next((order.index(slot.solver) for slot in own), core % len(order))
        rest = [*order[first:], *order[:first]] if goes_on else []
        lanes.append(ScheduleLane(own, solvers, seeds, rest))
    return lanes


def _by_time(slots: Iterable[Slot], solvers: Iterable[str]) -> list[str]:
    """Return all solvers, those with most time in the schedule first."""
    total: dict[str, float] = dict.fromkeys(solvers, 0.0)
    for slot in slots:
        total[slot.solver] += slot.seconds
    return sorted(total, key=lambda name: -total[name])
