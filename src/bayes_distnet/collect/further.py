"""Further runs of single instances, beyond those in a store: the plan that `suggest` writes."""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bayes_distnet.collect.jobs import Job
from bayes_distnet.collect.plan import MEMORY_LIMIT, MOST_SEEDS, check_instances
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.data.run import Key
from bayes_distnet.data.tables import read_frame
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_at_least, check_positive

COLUMNS = ("instance", "seeds", "cutoff")


@dataclass(frozen=True)
class FurtherRuns:
    """New runs of one instance.

    Parameters
    ----------
    seeds : int
        Number of runs, with seeds that are not in the store yet.
    cutoff : float
        CPU seconds per run.
    """

    seeds: int
    cutoff: float


def read_plan(path: str | os.PathLike[str]) -> dict[str, FurtherRuns]:
    """Read a plan of further runs.

    Parameters
    ----------
    path : path
        CSV or Parquet with columns instance, seeds and cutoff, as `suggest` writes it; others are ignored.

    Returns
    -------
    dict
        Runs by name of the instance, in the order of the file.

    Raises
    ------
    SettingError
        A column that is missing, a number that cannot be, or an instance with two rows.
    """
    frame = read_frame(path)
    if missing := [name for name in COLUMNS if name not in frame.columns]:
        found = ", ".join(map(str, frame.columns[:5]))
        raise SettingError(f"{path}: no column {missing[0]}; expected instance, seeds and cutoff, found {found}.")
    plan: dict[str, FurtherRuns] = {}
    for name, seeds, cutoff in frame[list(COLUMNS)].itertuples(index=False):
        if str(name) in plan:
            raise SettingError(f"{path}: instance {name!r} has two rows.")
        whole = int(seeds) if isinstance(seeds, float) and seeds.is_integer() else seeds
        check_at_least(f"{path}: seeds of {name!r}", whole, 1)
        if whole > MOST_SEEDS:
            raise SettingError(f"{path}: seeds of {name!r}: found {whole}, expected at most {MOST_SEEDS}.")
        check_positive(f"{path}: cutoff of {name!r}", cutoff)
        plan[str(name)] = FurtherRuns(int(whole), float(cutoff))
    if not plan:
        raise SettingError(f"{path}: no rows; nothing is to be run.")
    return plan


def plan_further(
    solvers: Sequence[Solver],
    instances: Iterable[str | os.PathLike[str]],
    plan: Mapping[str, FurtherRuns],
    done: Collection[Key],
    sessions: Sequence[Mapping[str, Any]] = (),
    wall_limit: float | None = None,
    memory_limit: int | None = MEMORY_LIMIT,
) -> tuple[list[Job], dict[str, Any]]:
    """Return the runs of a plan, in its order, with seeds that are not in the store.

    A collection that was stopped goes on with the seeds that it began with: they are in the record of its session.

    Parameters
    ----------
    solvers : sequence of Solver
        Solvers with different names.
    instances : iterable of paths
        Instance files; those that the plan does not name are left out.
    plan : mapping
        Further runs by file name.
    done : collection of keys
        Runs in the store.
    sessions : sequence of mapping
        Earlier sessions of the store.
    wall_limit, memory_limit : float, int or None
        As for `plan_runs`.

    Returns
    -------
    jobs : list of Job
        One job per run.
    record : dict
        The plan's digest and seeds, for the record of the session.

    Raises
    ------
    SettingError
        An instance of the plan without a file, no solver, or a solver that takes no seed.
    """
    if not solvers:
        raise SettingError("solvers: none given.")
    if len({solver.name for solver in solvers}) < len(solvers):
        raise SettingError(f"solvers: two of {[solver.name for solver in solvers]} have the same name.")
    paths = {path.name: path for path in check_instances(instances)}
    if unknown := [name for name in plan if name not in paths]:
        raise SettingError(f"plan: {unknown[0]!r} is not among the instances ({len(unknown)} such names).")
    digest = _digest(plan)
    begun: Mapping[str, Any] = next((s["plan"]["seeds"] for s in reversed(sessions) if _is_of(s, digest)), {})
    used: dict[tuple[str, str], set[int]] = {}
    for name, instance, seed in done:
        used.setdefault((name, instance), set()).add(seed)
    seeds: dict[str, dict[str, list[int]]] = {}
    for solver in solvers:
        mine = seeds[solver.name] = dict(begun.get(solver.name, {}))
        for name, further in plan.items():
            if name not in mine:
                mine[name] = _new_seeds(solver, name, further.seeds, used.get((solver.name, name), set()))
    jobs = [
        Job(solver, paths[name], int(seed), further.cutoff, wall_limit, memory_limit)
        for name, further in plan.items()
        for solver in solvers
        for seed in seeds[solver.name][name]
    ]
    return jobs, {"digest": digest, "seeds": seeds}


def _new_seeds(solver: Solver, instance: str, count: int, used: set[int]) -> list[int]:
    if not solver.takes_seed and count + len(used) > 1:
        raise SettingError(f"solver {solver.name}: its command has no {{seed}}, so a further run would be the same.")
    free = (seed for seed in range(max(1, solver.smallest_seed), solver.largest_seed + 1) if seed not in used)
    new = list(itertools.islice(free, count))
    if len(new) < count:
        raise SettingError(f"{instance}: {solver.name} has only {len(new)} seeds left, and the plan wants {count}.")
    return new


def _digest(plan: Mapping[str, FurtherRuns]) -> str:
    lines = [f"{name}\t{runs.seeds}\t{runs.cutoff!r}" for name, runs in plan.items()]
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _is_of(session: Mapping[str, Any], digest: str) -> bool:
    record = session.get("plan")
    return isinstance(record, Mapping) and record.get("digest") == digest and isinstance(record.get("seeds"), Mapping)
