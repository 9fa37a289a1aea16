"""Jobs of portfolio: plans for several cores, against copies of the best solver and the best solvers side by side."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.decide.selection.feature_charge import Charge, feature_time
from bayes_distnet.decide.selection.procedures import Procedure, Step
from bayes_distnet.decide.selection.registry import find_selector
from bayes_distnet.decide.selection.replay import replay
from bayes_distnet.experiments.decision_records import Curve, Outcome, record_of
from bayes_distnet.experiments.jobs import Job, instance_names
from bayes_distnet.experiments.results import Record
from bayes_distnet.experiments.selection import Fold, strips
from bayes_distnet.models.registry import Role

CORES = (2, 4)
MOST_TEAMS = 150  # teams of solvers among which the oracle of several cores chooses


def replay_portfolio(job: Job, data: Dataset) -> Record:
    """Fit a selector on the training instances of a fold, and replay its parallel plans on the others.

    Parameters
    ----------
    job : Job
        Job to do.
    data : Dataset
        Runs of several solvers.

    Returns
    -------
    dict
        PAR10, time and probability of an answer per policy, number of cores and test instance; and schedules of some
        instances.
    """
    fold, entry = Fold.of(job, data), find_selector(job.text)
    selector = entry.build(random_state=job.seed).fit(fold.train, fold.learnt)
    names, outcomes, curves = instance_names(data, fold.rows), list[Outcome](), list[Curve]()
    for cores in CORES:
        plans = selector.parallel(fold.test.features, cores)
        for variant, procedure in plans.items():
            name = f"{entry.label}, {variant}" if variant else entry.label
            outcomes.append(fold.outcome(f"{name}, {cores} cores", entry.role, procedure))
        if job.alone:
            outcomes += _others(fold, cores)
        if job.examples and job.fold == 0 and entry.role is Role.MODEL and cores == CORES[-1]:
            curves = list(strips(plans, names, fold.tested.cutoff))
    if job.alone:
        outcomes += fold.limits()
    return record_of(outcomes, names, curves)


def _others(fold: Fold, cores: int) -> Iterator[Outcome]:
    order = np.argsort(fold.learnt.par10().mean(axis=0), kind="stable")
    teams = {
        f"copies of the best, {cores} cores": (int(order[0]),) * cores,
        f"best on average, {cores} cores": tuple(int(order[core % len(order)]) for core in range(cores)),
    }
    for name, team in teams.items():
        yield fold.outcome(name, Role.PEER, _together(fold, [team] * len(fold.test)))
    if cores_oracle := _best_teams(fold, cores):
        yield fold.outcome(f"oracle, {cores} cores", Role.LIMIT, _together(fold, cores_oracle))


def _together(fold: Fold, teams: list[tuple[int, ...]]) -> Procedure:
    """Run the solvers of a team per instance side by side; no features are needed."""
    solvers = fold.learnt.solvers
    return Procedure([tuple((Step(solvers[one]),) for one in team) for team in teams], features=())


def _best_teams(fold: Fold, cores: int) -> list[tuple[int, ...]]:
    """Return the team with the least PAR10 on each instance; nothing where there are too many teams to try."""
    solvers = len(fold.tested.solvers)
    if math.comb(solvers + cores - 1, cores) > MOST_TEAMS:
        return []
    teams = list(itertools.combinations_with_replacement(range(solvers), cores))
    free = feature_time(fold.test, (), Charge.FREE)
    costs = [replay(fold.tested, _together(fold, [team] * len(fold.test)), free).par10 for team in teams]
    return [teams[best] for best in np.argmin(costs, axis=0)]
