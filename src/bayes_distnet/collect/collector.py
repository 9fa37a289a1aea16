"""Collect runs: every solver on every instance with every seed, each exactly once, into a store."""

from __future__ import annotations

import concurrent.futures
import contextlib
import datetime
import hashlib
import os
import platform
import shlex
import sys
import time
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

import bayes_distnet
from bayes_distnet.collect.executor import SupervisorGone
from bayes_distnet.collect.plan import MEMORY_LIMIT, plan
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.collect.workers import Job, Result, Workers, dask_workers, local_workers, run_job
from bayes_distnet.data.run import Key
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.data.statuses import CRASHED, INTERRUPTED, UNREADABLE
from bayes_distnet.data.store import Store
from bayes_distnet.errors import CollectError

CLAIMED_AHEAD = 8  # runs a core: each claim waits for the disk


ATTEMPTS = 3  # at a run that was interrupted, or whose supervisor was killed


TRY_OUT_SECONDS = 10.0


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
        database.register_instances({path.name: _digest(path) for path in {job.path for job in jobs}})
        missing = {job.key: job for job in jobs}
        for key in database.done() & missing.keys():
            del missing[key]
        if missing:
            with dask_workers(cluster, cores) if cluster else local_workers(cores) as workers:
                _try_out(database, missing.values(), workers)
                for solver in solvers:
                    database.register_solver(solver.name, solver.template, solver.answer, solver.version())
                numbers = (len({job.path for job in jobs}), len({job.seed for job in jobs}))
                place = cluster or "local cores"
                database.begin_session(_now(), _facts(solvers, *numbers, cutoff, wall_limit, memory_limit, place))
                with tqdm(total=len(jobs), initial=len(jobs) - len(missing), unit="run", disable=not progress) as bar:
                    _Progress(database, missing, workers, bar).do_all()
        return database.runs()


class _Progress:
    """What is still to be done: not yet claimed, claimed, under way here, or with another collector."""

    def __init__(self, database: Store, missing: dict[Key, Job], workers: Workers, bar: tqdm[Any]) -> None:
        self.database, self.missing, self.workers, self.bar = database, missing, workers, bar
        self.unclaimed, self.claimed, self.elsewhere = deque(missing), deque[Key](), set[Key]()
        self.under_way: dict[Future[Result], Key] = {}
        self.failures = Counter[Key]()
        self.told = bar.disable

    def do_all(self) -> None:
        """Do every missing run here, unless another collector does it."""
        try:
            while self.missing:
                self.start()
                if self.under_way:
                    self.finish()
                elif not self.unclaimed:
                    self.see_what_others_did()
        finally:
            for future in self.under_way:
                future.cancel()

    def start(self) -> None:
        """Claim runs and start as many as there is room for."""
        slots = self.workers.slots()
        if len(self.claimed) < slots and self.unclaimed:
            wanted = [self.unclaimed.popleft() for _ in range(min(len(self.unclaimed), CLAIMED_AHEAD * slots))]
            ours = self.database.claim(wanted)
            self.claimed.extend(ours)
            self.elsewhere |= set(wanted) - set(ours)
        while self.claimed and len(self.under_way) < slots:
            key = self.claimed.popleft()
            self.under_way[self.workers.pool.submit(run_job, self.missing[key])] = key

    def finish(self) -> None:
        """Wait until a run ends, and store all that have; try again those that were lost or interrupted."""
        finished = concurrent.futures.wait(self.under_way, 5.0, concurrent.futures.FIRST_COMPLETED).done
        lost = {self.under_way[future]: error for future in finished if (error := _error(future))}
        done = [future.result() for future in finished if self.under_way.pop(future) not in lost]
        self.database.add(result.run for result in done)  # with nothing done it tells others that we are alive
        for result in done:
            if result.run.status == INTERRUPTED and self.another_try(result.run.key):
                self.unclaimed.append(result.run.key)
            else:
                del self.missing[result.run.key]
                self.bar.update()
        if not self.told and any(result.run.core is None for result in done):
            note = "note: other collectors hold all cores; runs are not bound to one and disturb each other."
            self.bar.write(note, file=sys.stderr)
            self.told = True
        for key, error in lost.items():
            if not isinstance(error, SupervisorGone) or not self.another_try(key):
                raise CollectError(_lost(self.missing[key], error)) from error
            self.claimed.append(key)

    def another_try(self, key: Key) -> bool:
        """Whether a run that failed for reasons outside the solver is to be tried once more."""
        self.failures[key] += 1
        return self.failures[key] < ATTEMPTS

    def see_what_others_did(self) -> None:
        """Take off what other collectors have done; the rest is to be claimed again, in case one of them died."""
        for key in self.database.done() & self.elsewhere:
            del self.missing[key]
            self.elsewhere.remove(key)
            self.bar.update()
        self.unclaimed.extend(self.elsewhere)
        if self.elsewhere:
            time.sleep(1.0)
        self.elsewhere.clear()


def _error(future: Future[Result]) -> BaseException | None:
    """Return why a run was lost; a cluster that is gone cancels what it had."""
    return CancelledError("the cluster let go of it.") if future.cancelled() else future.exception()


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
            short = replace(job, cutoff=min(job.cutoff, TRY_OUT_SECONDS))
            result = workers.pool.submit(run_job, short).result()
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
        f"solver {job.solver.name}: {what}, {tries} times out of {tries}. No run was recorded. The last command "
        f"was: {command}\nThe last it printed was:\n{printed}\n"
        "Runs work in an empty folder of their own: give files in the command by their full paths."
    )


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
