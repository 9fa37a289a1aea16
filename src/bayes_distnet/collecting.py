"""Collect runs: every solver on every instance with every seed, each exactly once, into a store."""

from __future__ import annotations

import concurrent.futures
import contextlib
import datetime
import hashlib
import itertools
import os
import platform
import random
import shlex
import time
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

import bayes_distnet
from bayes_distnet.errors import CollectError, SettingError, check_at_least, check_positive
from bayes_distnet.executing import SupervisorGone
from bayes_distnet.runs import CRASHED, SOLVED, UNREADABLE, RunTable
from bayes_distnet.solvers.base import Solver
from bayes_distnet.store import Key, Store
from bayes_distnet.workers import Job, Result, Workers, dask_workers, local_workers, run_job

MEMORY_LIMIT = 4 << 30
CLAIMED_AHEAD = 8  # runs a core: each claim waits for the disk
ATTEMPTS = 3  # at a run whose supervisor was killed


def collect(
    solvers: Sequence[Solver],
    instances: Iterable[str | os.PathLike[str]],
    seeds: int | Sequence[int],
    *,
    store: str | os.PathLike[str],
    cutoff: float,
    cutoffs: Mapping[str, float] | None = None,
    wall_limit: float | None = None,
    memory_limit: int | None = MEMORY_LIMIT,
    cores: int | None = None,
    cluster: str | None = None,
    progress: bool = False,
) -> RunTable:
    """Run every solver on every instance with every seed, and return all runs of the store.

    `seeds` is how many (1, 2, ...) or which. `cutoff` is in CPU seconds; `cutoffs` gives single instances, by name,
    another one. Runs that are in the store already are not done again, so calling this again after it was stopped,
    killed or interrupted goes on where it was. Several collectors may work on one store at once. `cluster` is the
    address of a Dask scheduler, or "local" to start one; without it, runs are done on `cores` of this machine.
    """
    jobs = plan(solvers, instances, seeds, cutoff, cutoffs or {}, wall_limit, memory_limit)
    with Store(store) as database:
        database.know_instances({path.name: _digest(path) for path in {job.path for job in jobs}})
        missing = {job.key: job for job in jobs}
        for key in database.done() & missing.keys():
            del missing[key]
        if missing:
            with dask_workers(cluster, cores) if cluster else local_workers(cores) as workers:
                _try_out(database, missing.values(), workers)
                for solver in solvers:
                    database.know_solver(solver, solver.version())
                numbers = (len({job.path for job in jobs}), len({job.seed for job in jobs}))
                place = cluster or "local cores"
                database.begin_session(_now(), _facts(solvers, *numbers, cutoff, wall_limit, memory_limit, place))
                with tqdm(total=len(jobs), initial=len(jobs) - len(missing), unit="run", disable=not progress) as bar:
                    _do_all(database, missing, workers, bar)
        return database.runs()


def plan(
    solvers: Sequence[Solver],
    instances: Iterable[str | os.PathLike[str]],
    seeds: int | Sequence[int],
    cutoff: float,
    cutoffs: Mapping[str, float],
    wall_limit: float | None = None,
    memory_limit: int | None = MEMORY_LIMIT,
) -> list[Job]:
    """Return the runs of the grid, in the order they are to be done.

    Seed by seed, and for each seed all instances in a new random order: whatever changes on the machine in the
    meantime touches all instances alike, the time left is told well, and a collection that is cut short has some
    runs of every instance.
    """
    paths = _check_instances(instances)
    numbers = _check_seeds(seeds, solvers)
    check_positive("cutoff", cutoff)
    if unknown := sorted(set(cutoffs) - {path.name for path in paths}):
        raise SettingError(f"cutoffs: {unknown[0]!r} is none of the instances ({len(unknown)} such names).")
    for name, value in cutoffs.items():
        check_positive(f"cutoffs[{name!r}]", value)
    jobs = []
    for seed in numbers:
        cells = list(itertools.product(paths, solvers))
        random.Random(seed).shuffle(cells)
        for path, solver in cells:
            own = float(cutoffs.get(path.name, cutoff))
            jobs.append(Job(solver, path, seed, own, wall_limit, memory_limit))
    return jobs


def _check_instances(instances: Iterable[str | os.PathLike[str]]) -> list[Path]:
    paths = [Path(os.path.abspath(path)) for path in instances]
    if not paths:
        raise SettingError("instances: none given.")
    for path in paths:
        if not path.is_file():
            raise SettingError(f"instance {path}: no such file.")
    names: dict[str, Path] = {}
    for path in paths:
        if names.setdefault(path.name, path) != path:
            raise SettingError(
                f"instances: {names[path.name]} and {path} have the same name, and runs are told apart by it. "
                "Rename one of them."
            )
    return sorted(set(paths))


def _check_seeds(seeds: int | Sequence[int], solvers: Sequence[Solver]) -> list[int]:
    if not solvers:
        raise SettingError("solvers: none given.")
    if len({solver.name for solver in solvers}) < len(solvers):
        raise SettingError(f"solvers: two of {[solver.name for solver in solvers]} have the same name.")
    if isinstance(seeds, int):
        check_at_least("seeds", seeds, 1)
        seeds = range(1, seeds + 1)
    numbers = list(dict.fromkeys(seeds))
    for number in numbers:
        check_at_least("seed", number, 0)
        for solver in solvers:
            if not solver.smallest_seed <= number <= solver.largest_seed:
                raise SettingError(
                    f"seed {number}: {solver.name} takes seeds from {solver.smallest_seed} to {solver.largest_seed}."
                )
    if not numbers:
        raise SettingError("seeds: none given.")
    for solver in solvers:
        if len(numbers) > 1 and not solver.takes_seed:
            raise SettingError(
                f"solver {solver.name}: its command has no {{seed}}, so its {len(numbers)} runs would be the same run."
            )
    return numbers


def _do_all(database: Store, missing: dict[Key, Job], workers: Workers, bar: tqdm[Any]) -> None:
    """Do every missing run here, unless another collector does it."""
    queue, elsewhere, claimed = deque(missing), set[Key](), deque[Key]()
    under_way: dict[Future[Result], Key] = {}
    failures = Counter[Key]()
    told = bar.disable
    try:
        while missing:
            slots = workers.slots()
            if len(claimed) < slots and queue:
                wanted = [queue.popleft() for _ in range(min(len(queue), CLAIMED_AHEAD * slots))]
                ours = database.claim(wanted)
                claimed.extend(ours)
                elsewhere |= set(wanted) - set(ours)
            while claimed and len(under_way) < slots:
                key = claimed.popleft()
                under_way[workers.pool.submit(run_job, missing[key])] = key
            if not under_way:
                _see_what_others_did(database, missing, queue, elsewhere, bar)
                continue
            finished = concurrent.futures.wait(under_way, 5.0, concurrent.futures.FIRST_COMPLETED).done
            keys = {future: under_way.pop(future) for future in finished}
            done = [future.result() for future in finished if future.exception() is None]
            database.add(result.run for result in done)  # with nothing done it tells others that we are alive
            for result in done:
                del missing[result.run.key]
            bar.update(len(done))
            if not told and any(result.run.core is None for result in done):
                bar.write("note: other collectors hold all cores; runs are not bound to one and disturb each other.")
                told = True
            for future in finished:
                if error := future.exception():
                    failures[keys[future]] += 1
                    if not isinstance(error, SupervisorGone) or failures[keys[future]] == ATTEMPTS:
                        raise CollectError(_lost(missing[keys[future]], error)) from error
                    claimed.append(keys[future])
    finally:
        for future in under_way:
            future.cancel()


def _see_what_others_did(
    database: Store, missing: dict[Key, Job], queue: deque[Key], elsewhere: set[Key], bar: tqdm[Any]
) -> None:
    """Take off what other collectors have done; the rest is to be claimed again, in case one of them died."""
    for key in database.done() & elsewhere:
        del missing[key]
        elsewhere.remove(key)
        bar.update()
    queue.extend(elsewhere)
    if elsewhere:
        time.sleep(1.0)
    elsewhere.clear()


def _lost(job: Job, error: BaseException) -> str:
    return (
        f"{job.solver.name} on {job.path.name} with seed {job.seed}: {error} Runs that were finished are in the "
        "store; the same command goes on from there."
    )


def _try_out(database: Store, jobs: Iterable[Job], workers: Workers) -> None:
    """Make sure, before hours are spent, that each solver new to the store starts and that its answer is understood.

    A solver may well fail on one instance; one that fails on the first three, each time without being cut off, is not
    set up.
    """
    known = {solver for solver, _, _ in database.done()}
    first: dict[str, list[Job]] = {}
    for job in jobs:
        if job.solver.name not in known and len(first.setdefault(job.solver.name, [])) < 3:
            first[job.solver.name].append(job)
    for tries in first.values():
        for job in tries:
            result = workers.pool.submit(run_job, job).result()
            if result.run.status not in (CRASHED, UNREADABLE):
                break
        else:
            raise CollectError(_not_set_up(job, result, len(tries)))


def _not_set_up(job: Job, result: Result, tries: int) -> str:
    command = shlex.join(job.solver.command(job.path, seed=job.seed, cutoff=job.cutoff))
    what = (
        f"its output has no line that matches {job.solver.answer!r}"
        if result.run.status == UNREADABLE
        else f"it crashed (exit code {result.run.exit_code})"
    )
    printed = "\n".join(result.printed.strip().splitlines()[-8:]) or "(nothing)"
    return (
        f"solver {job.solver.name}: {what}, on {tries} of {tries} instances. No run was recorded. The last command "
        f"was: {command}\nThe last it printed was:\n{printed}"
    )


def repeat(
    solvers: Sequence[Solver],
    instances: Iterable[str | os.PathLike[str]],
    count: int,
    *,
    store: str | os.PathLike[str],
    cores: int | None = None,
    seed: int = 0,
    progress: bool = False,
) -> float:
    """Do `count` solved runs of a store again with the same seeds; return the median relative difference in seconds.

    It tells how much of the spread between runs is the machine's. Both times are kept in the store (`Store.repeats`).
    """
    check_at_least("count", count, 1)
    paths = {path.name: path for path in _check_instances(instances)}
    by_name = {solver.name: solver for solver in solvers}
    with Store(store, create=False) as database, local_workers(cores) as workers:
        frame = database.runs().frame
        known = frame["instance"].isin(list(paths)) & frame["solver"].isin(list(by_name))
        frame = frame[(frame["status"] == SOLVED) & known]
        if frame.empty:
            raise CollectError(f"{store}: no solved run of these solvers on these instances to repeat.")
        chosen = frame.sample(min(count, len(frame)), random_state=seed)
        jobs = {
            Job(by_name[row.solver], paths[row.instance], int(row.seed), row.cutoff, None, MEMORY_LIMIT): row.seconds
            for row in chosen.itertuples()
        }
        futures = {workers.pool.submit(run_job, job): seconds for job, seconds in jobs.items()}
        for future in tqdm(concurrent.futures.as_completed(futures), total=len(futures), disable=not progress):
            run = future.result().run
            if run.status == SOLVED:
                database.add_repeat(run.key, futures[future], run.seconds)
        repeats = database.repeats()
        return float(relative_difference(repeats).median())


def relative_difference(repeats: pd.DataFrame) -> pd.Series[float]:
    """Return by what part of their mean the two times of each repeated run differ."""
    return (repeats["again"] - repeats["seconds"]).abs() / (repeats["again"] + repeats["seconds"]) * 2


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def _facts(
    solvers: Sequence[Solver],
    instances: int,
    seeds: int,
    cutoff: float,
    wall_limit: float | None,
    memory_limit: int | None,
    place: str,
) -> dict[str, Any]:
    """Return what someone would need to know to collect these runs again."""
    return {
        "version": bayes_distnet.__version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "place": place,
        "solvers": [solver.name for solver in solvers],
        "instances": instances,
        "seeds": seeds,
        "cutoff": cutoff,
        "wall_limit": wall_limit,
        "memory_limit": memory_limit,
    }


def _processor() -> str:
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()
