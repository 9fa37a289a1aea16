"""Solve one instance by the plan of a model: presolver, features, schedule, and the first answer.

Only what is needed is loaded: an instance that the presolver answers costs neither features nor the model.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayes_distnet.collect.attempts import Attempt, Check, Finish, Tried
from bayes_distnet.collect.plan import MEMORY_LIMIT
from bayes_distnet.collect.race import check_cores, race
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.decide.running.installed import usable_solvers
from bayes_distnet.decide.running.lanes import Seeds, lanes_of
from bayes_distnet.decide.running.planners import Planner, Schedule, planner_of
from bayes_distnet.decide.running.run_records import RunRecords
from bayes_distnet.decide.running.solutions import SATISFIABLE, UNSATISFIABLE, SolutionCheck
from bayes_distnet.decide.running.solved import Solved
from bayes_distnet.errors import FeatureError, SettingError
from bayes_distnet.features.registry import FeatureSet, feature_set_of
from bayes_distnet.validation import check_positive, check_seed

if TYPE_CHECKING:
    from bayes_distnet.features.base import Features

FEATURE_LIMIT = 30.0  # seconds that features may take, if no other limit is given


@dataclass(frozen=True)
class Conditions:
    """Conditions under which an instance is solved.

    Parameters
    ----------
    deadline : float or None
        Seconds of wall-clock time, from the call on; None: there is none.
    cores : int, default 1
        Number of cores.
    objective : str or None
        What the plan makes small: see `find_objective`. None is PAR10 at the deadline.
    memory_limit : int or None
        Resident bytes per attempt; None: there is no limit.
    feature_limit : float, default 30.0
        Seconds that features may take.
    verify : bool, default False
        Whether an answer needs a second solver that agrees, unless its solution was checked.
    check : bool, default True
        Whether solutions of CNF files are checked.
    pin : bool, default False
        Whether solvers are bound to cores.
    """

    deadline: float | None = None
    cores: int = 1
    objective: str | None = None
    memory_limit: int | None = MEMORY_LIMIT
    feature_limit: float = FEATURE_LIMIT
    verify: bool = False
    check: bool = True
    pin: bool = False

    def __post_init__(self) -> None:
        """Refuse conditions that cannot be met."""
        check_cores(self.cores)
        for name in ("deadline", "memory_limit", "feature_limit"):
            if (value := getattr(self, name)) is not None:
                check_positive(name, value)


def solve(
    instance: str | os.PathLike[str],
    model: Any,
    *,
    solvers: Sequence[Solver | str] = (),
    features: Mapping[str, float] | None = None,
    conditions: Conditions | None = None,
    seed: int = 1,
    store: str | os.PathLike[str] | None = None,
    report: Callable[[str], None] | None = None,
    **settings: Any,
) -> Solved:
    """Solve one instance: run the solvers that the model plans, until one of them has an answer.

    Parameters
    ----------
    instance : path
        Instance file.
    model : path, PortfolioModel or RuntimeEstimator
        A folder that `fit` wrote, or a fitted model.
    solvers : sequence of Solver or str, default ()
        Solvers that the model knows by these names; by default all that are installed.
    features : mapping, optional
        Features of the instance, if they are known; by default they are computed.
    conditions : Conditions, optional
        Deadline, cores, limits and so on.
    seed : int, default 1
        Seed of the first attempt of every solver; further attempts count up.
    store : path, optional
        Store to which all runs are added.
    report : callable, optional
        Function that is called with lines on plan and progress.
    **settings
        Fields of `Conditions`, such as `deadline=60.0`.

    Returns
    -------
    Solved
        Answer, output and all attempts; close it after use.

    Raises
    ------
    SettingError
        If an argument cannot be used, or no solver of the model is installed.
    CollectError
        If the instance file is gone before the end.
    """
    conditions = replace(conditions or Conditions(), **settings)
    path = _readable(instance)
    named = [one if isinstance(one, str) else one.name for one in solvers]
    planner = planner_of(model, named[0] if len(named) == 1 else None)
    usable, notes = usable_solvers(planner.facts.solvers, solvers)
    with RunRecords(store, path, list(usable.values())) as records:
        seeds = Seeds(check_seed("seed", seed), records.used_seeds())
        work = _Work(path, planner, usable, features, conditions, seeds, records, report or (lambda line: None), notes)
        for note in notes:
            work.report(note)
        return work.to_the_end()


def plan_run(
    instance: str | os.PathLike[str],
    model: Any,
    *,
    solvers: Sequence[Solver | str] = (),
    features: Mapping[str, float] | None = None,
    conditions: Conditions | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Return what `solve` would do, without running a solver (except in the features).

    Parameters
    ----------
    instance, model, solvers, features, conditions : as for `solve`
        What to plan.
    **settings
        Fields of `Conditions`.

    Returns
    -------
    dict
        Presolver, cost of the features, schedule with its reason, and notes, as JSON can hold them.
    """
    conditions = replace(conditions or Conditions(), **settings)
    path = _readable(instance)
    named = [one if isinstance(one, str) else one.name for one in solvers]
    planner = planner_of(model, named[0] if len(named) == 1 else None)
    usable, notes = usable_solvers(planner.facts.solvers, solvers)
    records = RunRecords(None, path, [])
    work = _Work(path, planner, usable, features, conditions, Seeds(), records, lambda line: None, notes)
    schedule = work.schedule()
    return {
        "instance": path.name,
        "presolver": [slot.as_dict() for slot in work.presolver()],
        "feature_seconds": work.feature_seconds,
        **schedule.as_dict(),
        "notes": work.notes,
    }


def _readable(instance: str | os.PathLike[str]) -> Path:
    path = Path(os.path.abspath(instance))
    if not path.is_file():
        raise SettingError(f"instance {path}: no such file.")
    if not os.access(path, os.R_OK):
        raise SettingError(f"instance {path}: you have no permission to read it.")
    return path


@dataclass
class _Work:
    """The work on one instance."""

    path: Path
    planner: Planner
    solvers: Mapping[str, Solver]
    known: Mapping[str, float] | None
    conditions: Conditions
    seeds: Seeds
    records: RunRecords
    report: Callable[[str], None]
    notes: list[str]
    began: float = field(default_factory=time.monotonic)
    began_cpu: float = field(default_factory=time.process_time)
    feature_seconds: float = 0.0
    tried: list[Tried] = field(default_factory=list)

    def left(self) -> float:
        """Return the seconds to the deadline."""
        limit = self.conditions.deadline
        return math.inf if limit is None else self.began + limit - time.monotonic()

    def to_the_end(self) -> Solved:
        """Return the answer."""
        check = SolutionCheck(self.path) if self.conditions.check else None
        schedule: Schedule | None = None
        with ExitStack() as stack:
            finish = self.race(Schedule(self.presolver(), "presolver"), check, 1, goes_on=False)
            if finish.winner is None and self.left() > 0:
                finish.close()
                schedule = self.schedule()
                self.report(f"plan: {schedule.why}")
                finish = self.race(schedule, check, self.conditions.cores)
            stack.callback(finish.close)
            opinion = self.second_opinion(finish, check)
            solved = self.solved(finish, schedule, opinion, proven=check is not None and check.proven)
            stack.pop_all()  # the output belongs to the result from here on
        return solved

    def presolver(self) -> tuple[Any, ...]:
        """Return the slots of the presolver that can be run here."""
        return tuple(slot for slot in self.planner.facts.presolver if slot.solver in self.solvers)

    def schedule(self) -> Schedule:
        """Compute features and plan; without features, take the best solvers of the training data."""
        facts, cores = self.planner.facts, self.conditions.cores
        names = list(self.solvers)
        if self.known is None and facts.feature_cost >= self.left():
            why = f"the features take about {facts.feature_cost:.2g} s, longer than the deadline, and are left out"
            return self.noted(self.planner.without_features(names, cores, why))
        if self.known is None and not facts.uses_features and cores == 1 and self.conditions.objective is None:
            return self.planner.without_features(names, cores, "features do not pay here")
        if facts.quick is not None and cores == 1 and self.conditions.objective is None:
            features, why = self.features()
            if features is None:
                return self.noted(self.planner.without_features(names, cores, why))
            return self.planner.quick(features, names)
        with ThreadPoolExecutor(1, "load") as pool:  # while programs compute the features
            loading = pool.submit(self.planner.prepare)
            features, why = self.features()
            loading.result()
        if features is None:
            return self.noted(self.planner.without_features(names, cores, why))
        # Rounded: it is shown, and the race ends at the true deadline.
        deadline = None if self.conditions.deadline is None else float(f"{max(self.left(), 0.01):.2g}")
        return self.planner.plan(
            features, solvers=names, deadline=deadline, cores=cores, objective=self.conditions.objective
        )

    def noted(self, schedule: Schedule) -> Schedule:
        """Add the reason of a schedule to the notes."""
        self.notes.append(schedule.why)
        return schedule

    def features(self) -> tuple[Mapping[str, float] | None, str]:
        """Return the features, or None and the reason."""
        if self.known is not None:
            return self.known, ""
        try:
            limit = min(self.conditions.feature_limit, self.left())
            found = self.needed(feature_set_of(self.path), limit)
        except (FeatureError, SettingError) as error:  # also a program that is not installed
            return None, f"no features: {str(error).rstrip('.')}"
        self.feature_seconds = found.cost
        self.report(f"features: {len(found.values)} in {found.cost:.2f} CPU seconds")
        return found.values, ""

    def needed(self, entry: FeatureSet, limit: float) -> Features:
        """Compute the groups of features that the model needs; all, if the set has other groups."""
        groups = self.planner.facts.groups
        known = groups is not None and {group.name for group in entry.groups}.issuperset(groups)
        return entry.compute(self.path, time_limit=limit, groups=groups if known else None)

    def race(self, schedule: Schedule, check: Check | None, cores: int, *, goes_on: bool = True) -> Finish:
        """Run a schedule until an answer, its end, or the deadline."""
        if not schedule.slots or self.left() <= 0:
            return Finish([])
        lanes = lanes_of(schedule.slots, self.solvers, self.seeds, cores=cores, goes_on=goes_on)
        return race(
            self.path,
            lanes,
            deadline=None if math.isinf(self.left()) else self.left(),
            memory_limit=self.conditions.memory_limit,
            pin=self.conditions.pin,
            check=check,
            report=self.follow,
        )

    def follow(self, event: Attempt | Tried, core: int) -> None:
        """Record and report an attempt."""
        if isinstance(event, Attempt):
            limit = "" if event.cutoff > 1e8 else f", at most {event.cutoff:.3g} s"
            self.report(f"core {core}: {event.solver.name} with seed {event.seed}{limit}")
            return
        self.tried.append(event)
        self.records.add(event)
        answer = f" ({event.outcome.answer})" if event.outcome.answer else ""
        error = f": {event.wrong}" if event.wrong else ""
        name, status = event.attempt.solver.name, "stopped" if event.beaten else event.outcome.status
        self.report(f"core {core}: {name} {status}{answer} after {event.outcome.seconds:.3f} CPU seconds{error}")

    def second_opinion(self, finish: Finish, check: SolutionCheck | None) -> Tried | None:
        """Return an answer by another solver, if one is wanted and needed."""
        if not self.conditions.verify or finish.winner is None or (check is not None and check.proven):
            return None
        others = {n: s for n, s in self.solvers.items() if n != finish.winner.attempt.solver.name}
        if not others or self.left() <= 0:
            self.notes.append("no second solver has confirmed the answer")
            return None
        self.report(f"verify: {', '.join(others)}")
        order = self.planner.without_features(list(others), self.conditions.cores, "verify")
        work = replace(self, solvers=others)  # shares all records
        with work.race(order, check, self.conditions.cores) as second:
            if second.winner is None:
                self.notes.append("no second solver has confirmed the answer")
            return second.winner

    def solved(self, finish: Finish, schedule: Schedule | None, opinion: Tried | None, *, proven: bool) -> Solved:
        """Put the result together."""
        return Solved(
            instance=self.path.name,
            winner=finish.winner,
            output=finish.output,
            tried=self.tried,
            schedule=schedule,
            notes=self.notes,
            feature_seconds=self.feature_seconds,
            own_seconds=time.process_time() - self.began_cpu,
            wall_seconds=time.monotonic() - self.began,
            contradiction=_contradiction(self.tried, opinion),
            proven=proven,
        )


def _contradiction(tried: Sequence[Tried], opinion: Tried | None) -> tuple[Tried, Tried] | None:
    """Return two attempts whose answers contradict each other."""
    answers: dict[str, Tried] = {}
    for one in [*tried, *([] if opinion is None else [opinion])]:
        if one.solved and one.outcome.answer in (SATISFIABLE, UNSATISFIABLE):
            answers.setdefault(one.outcome.answer, one)
    return (answers[SATISFIABLE], answers[UNSATISFIABLE]) if len(answers) == 2 else None
