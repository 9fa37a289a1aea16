"""Replay of procedures on recorded runs: the time at which the answer would have come.

Where every solver has one run per instance, the replay is exact. Where it has several, they are drawn at random: a
solver that a plan starts twice gets two different runs. Draws go through all recorded runs in random order, so that the
mean over draws of a single choice is exactly its mean over the recorded runs.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from bayes_distnet.arrays import FloatArray, IndexArray
from bayes_distnet.decide.selection.feature_charge import FeatureTime
from bayes_distnet.decide.selection.procedures import Procedure, Schedule, Step
from bayes_distnet.decide.solver_runs import PENALTY, SolverRuns

DRAWS = 200  # of the runs of a plan with several steps; rounded up to a multiple of the recorded runs


@dataclass(frozen=True)
class Replayed:
    """Outcome of a procedure per instance, mean over draws of its runs.

    Parameters
    ----------
    time : ndarray
        Seconds until the answer, or the cutoff.
    par10 : ndarray
        The same with ten times the cutoff where there is no answer by the cutoff.
    solved : ndarray
        Probability of an answer by the cutoff.
    """

    time: FloatArray
    par10: FloatArray
    solved: FloatArray


def replay(
    runs: SolverRuns, procedure: Procedure, features: FeatureTime, *, draws: int = DRAWS, random_state: int = 0
) -> Replayed:
    """Replay a procedure on the runs of the instances that it was made for.

    First the presolver runs, then the features are computed, then the plan runs until the cutoff. The clock starts
    with the presolver: the features take time away from the plan.

    Parameters
    ----------
    runs : SolverRuns
        Runs of the instances, in the order of the plans.
    procedure : Procedure
        What is done.
    features : FeatureTime
        Time that the features of each instance take.
    draws : int, default 200
        Number of draws per instance, where solvers have several runs and the plan has several steps.
    random_state : int, default 0
        Fixes the draws.

    Returns
    -------
    Replayed
        Outcome per instance.
    """
    answers = [
        _answer(_Draws(runs, row, _steps(procedure, row), draws, random_state), procedure, row, features)
        for row in range(len(runs))
    ]
    solved = [answer <= runs.cutoff for answer in answers]
    time = [float(np.minimum(answer, runs.cutoff).mean()) for answer in answers]
    cost = [
        float(np.where(there, answer, PENALTY * runs.cutoff).mean())
        for there, answer in zip(solved, answers, strict=True)
    ]
    return Replayed(np.array(time), np.array(cost), np.array([float(there.mean()) for there in solved]))


def _steps(procedure: Procedure, row: int) -> list[Step]:
    return [*procedure.presolver, *(step for schedule in procedure.plans[row] for step in schedule)]


def _answer(runs: _Draws, procedure: Procedure, row: int, features: FeatureTime) -> FloatArray:
    """Return when the answer comes on one instance, per draw; infinite if it does not come at all."""
    answer, start = runs.answer(procedure.presolver, 0.0)
    start += float(features.seconds[row])
    if features.solved[row]:
        return np.minimum(answer, start)
    for schedule in procedure.plans[row]:
        answer = np.minimum(answer, runs.answer(schedule, start)[0])
    return answer


@dataclass
class _Draws:
    """Draws of the runs on one instance; each start of a solver takes another one of its recorded runs."""

    runs: SolverRuns
    row: int
    steps: list[Step]
    draws: int
    random_state: int
    started: Counter[int] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.solvers = {solver: number for number, solver in enumerate(self.runs.solvers)}
        present = ~np.isnan(self.runs.seconds[self.row])
        most = max((int(present[self.solvers[step.solver]].sum()) for step in self.steps), default=1)
        alone = len(self.steps) == 1 and math.isinf(self.steps[0].restart)
        self.size = most if alone or most == 1 else most * math.ceil(self.draws / most)

    def answer(self, schedule: Schedule, start: float) -> tuple[FloatArray, float]:
        """Return when a schedule has the answer, per draw, and when it ends."""
        answer = np.full(self.size, np.inf)
        for step in schedule:
            needed = self._needed(step)
            answer = np.minimum(answer, np.where(needed <= step.seconds, start + needed, np.inf))
            start += step.seconds
        return answer, start

    def _needed(self, step: Step) -> FloatArray:
        """Return the seconds that a step would need for the answer, per draw."""
        solver = self.solvers[step.solver]
        present = ~np.isnan(self.runs.seconds[self.row, solver])
        finished = self.runs.finished[self.row, solver, present]
        times = np.where(finished, self.runs.seconds[self.row, solver, present], np.inf)
        rng = np.random.default_rng([self.random_state, self.row, solver])
        rounds = math.ceil(self.size / len(times))
        orders = rng.permuted(np.tile(np.arange(len(times)), (rounds, 1)), axis=1)
        order = np.roll(orders, -self.started[solver], axis=1).ravel()
        self.started[solver] += 1
        if math.isinf(step.restart):
            return np.asarray(times[order[: self.size]])
        return _restarted(times, step.restart, order[: self.size], rng)


def _restarted(times: FloatArray, cutoff: float, order: IndexArray, rng: np.random.Generator) -> FloatArray:
    """Return the total time of runs that are restarted at a cutoff; attempts are drawn with replacement."""
    short = times[times <= cutoff]
    if not short.size:
        return np.full(len(order), np.inf)
    first = times[order]
    failures = rng.geometric(len(short) / len(times), size=len(order))
    later = failures * cutoff + short[rng.integers(len(short), size=len(order))]
    return np.where(first <= cutoff, first, later)
