"""Jobs of selection: a selector learns from the training instances of a fold, and its procedures are replayed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.decide.selection.feature_charge import Charge, feature_time
from bayes_distnet.decide.selection.limits_of_choice import oracle, single_best
from bayes_distnet.decide.selection.procedures import Procedure, Schedule
from bayes_distnet.decide.selection.registry import SelectorEntry, find_selector
from bayes_distnet.decide.selection.replay import replay
from bayes_distnet.decide.solver_runs import SolverRuns
from bayes_distnet.experiments.decision_records import Curve, Outcome, record_of
from bayes_distnet.experiments.jobs import Job, fold_rows, instance_names
from bayes_distnet.experiments.results import Record
from bayes_distnet.models.registry import Role

#: Names of the limits.
SINGLE_BEST, ORACLE = "single best solver", "oracle"

#: What is measured on each instance.
MEASURES = ("par10", "time", "solved")

STRIPS = 8  # test instances of the first fold whose schedules are stored


def replay_selection(job: Job, data: Dataset) -> Record:
    """Fit a selector on the training instances of a fold, and replay what it does on the others.

    Parameters
    ----------
    job : Job
        Job to do.
    data : Dataset
        Runs of several solvers.

    Returns
    -------
    dict
        PAR10, time and probability of an answer per policy and test instance, for each way to charge features; and
        schedules of some instances.
    """
    fold = Fold.of(job, data)
    entry, started = find_selector(job.text), time.perf_counter()
    selector = entry.build(random_state=job.seed).fit(fold.train, fold.learnt)
    spent = time.perf_counter() - started
    procedures = selector.procedures(fold.test.features)
    outcomes = [fold.outcome(_name(entry, variant), entry.role, one) for variant, one in procedures.items()]
    if job.alone:
        outcomes += fold.limits()
    names = instance_names(data, fold.rows)
    shown = job.examples and job.fold == 0 and entry.role is Role.MODEL
    curves = list(strips(procedures, names, fold.tested.cutoff)) if shown else []
    return record_of(outcomes, names, curves) | {"fit_seconds": round(spent, 3)}


def _name(entry: SelectorEntry, variant: str) -> str:
    return f"{entry.label}, {variant}" if variant else entry.label


@dataclass(frozen=True)
class Fold:
    """Training and test instances of a job.

    Parameters
    ----------
    train, test : Dataset
        The instances.
    learnt, tested : SolverRuns
        Their runs.
    rows : ndarray of int
        Rows of the test instances in the data.
    """

    train: Dataset
    test: Dataset
    learnt: SolverRuns
    tested: SolverRuns
    rows: IntArray

    @classmethod
    def of(cls, job: Job, data: Dataset) -> Fold:
        """Return the fold of a job; its training instances keep as many runs per solver as the job asks for."""
        train_rows, test_rows = fold_rows(job, data)
        train, test = first_runs(data.take(train_rows), job.condition.runs), data.take(test_rows)
        return cls(train, test, SolverRuns.of(train), SolverRuns.of(test), test_rows)

    def outcome(self, name: str, role: Role, procedure: Procedure) -> Outcome:
        """Replay a procedure on the test instances, with each way to charge features."""
        values: dict[str, FloatArray] = {}
        for charge in Charge:
            found = replay(self.tested, procedure, feature_time(self.test, procedure.features, charge))
            values |= {measure_name(measure, charge): getattr(found, measure) for measure in MEASURES}
        return Outcome(name, role, values)

    def limits(self) -> Iterator[Outcome]:
        """Replay the single best solver of the training instances, and the oracle."""
        yield self.outcome(SINGLE_BEST, Role.LIMIT, single_best(self.learnt, len(self.test)))
        yield self.outcome(ORACLE, Role.LIMIT, oracle(self.tested))


def first_runs(data: Dataset, runs: int) -> Dataset:
    """Keep the first runs of every solver on every instance.

    Parameters
    ----------
    data : Dataset
        Runs of several solvers.
    runs : int
        Runs to keep per solver and instance.

    Returns
    -------
    Dataset
        The same instances.
    """
    frame = data.runs.frame
    kept = frame.groupby(["instance", "solver"], sort=False).cumcount() < runs
    return data if kept.all() else replace(data, runs=RunTable(frame[kept].reset_index(drop=True)))


def measure_name(measure: str, charge: Charge) -> str:
    """Return the name of a measure in tables: that of published tables has no suffix."""
    return measure if charge is Charge.ALL else f"{measure}_{charge}"


def strips(procedures: Mapping[str, Procedure], names: list[str], cutoff: float) -> Iterator[Curve]:
    """Return the steps of some instances as lines from start to end, at the height of their core.

    Parameters
    ----------
    procedures : mapping of str to Procedure
        Procedures by variant; the one with most steps is shown.
    names : list of str
        Names of the instances.
    cutoff : float
        End of steps that have none.

    Yields
    ------
    Curve
        One per step: its name is the solver and the number of the step.
    """
    shown = max(procedures.values(), key=lambda one: sum(len(core) for plan in one.plans for core in plan))
    rows = sorted(range(len(names)), key=lambda row: -sum(len(core) for core in shown.plans[row]))[:STRIPS]
    for row in rows:
        start = sum(step.seconds for step in shown.presolver)
        schedules: list[tuple[int, float, Schedule]] = [(0, 0.0, shown.presolver)]
        schedules += [(core, start, schedule) for core, schedule in enumerate(shown.plans[row])]
        number = 0
        for core, begin, schedule in schedules:
            for step in schedule:
                end, height = min(begin + step.seconds, cutoff), np.full(2, float(core))
                name = f"{step.solver} #{number}"  # the number keeps steps of one solver apart
                yield Curve(name, names[row], np.array([begin, end]), height, height, height)
                begin, number = end, number + 1


def fold_table(rows: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return a measure with one row per seed, fold and instance, and one column per policy.

    Parameters
    ----------
    rows : DataFrame
        Rows of `decided`.
    measure : str
        Name of the measure.

    Returns
    -------
    DataFrame
        Values, indexed by seed, fold and instance.
    """
    some = rows[rows["measure"] == measure]
    return some.pivot_table(index=["seed", "fold", "instance"], columns="policy", values="value", sort=False)
