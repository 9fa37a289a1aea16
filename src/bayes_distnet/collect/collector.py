"""Collect runs: every solver on every instance with every seed, each exactly once, into a store."""

from __future__ import annotations

import concurrent.futures
import os
import sys
import time
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from typing import Any

from tqdm.auto import tqdm

from bayes_distnet.collect.connection import SupervisorGone
from bayes_distnet.collect.executor import check_linux
from bayes_distnet.collect.further import FurtherRuns, plan_further
from bayes_distnet.collect.jobs import Job, Result, run_job
from bayes_distnet.collect.plan import MEMORY_LIMIT, digest, plan_runs
from bayes_distnet.collect.session import now, session_facts
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.collect.try_out import try_out
from bayes_distnet.collect.workers import Workers, dask_workers, local_workers
from bayes_distnet.data.run import Key
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.data.statuses import INTERRUPTED
from bayes_distnet.data.store import Store
from bayes_distnet.errors import CollectError

CLAIMED_AHEAD = 8  # runs claimed at once per slot: each claim waits for the disk
LOCAL = "local cores"  # place of runs without a cluster
ATTEMPTS = 3  # times that a run is started if it is interrupted or its supervisor is killed


def collect_runs(
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

    Runs that are in the store are not done again: after a collection was stopped or killed, the same call continues
    it. Several collectors may work on one store at the same time.

    Parameters
    ----------
    solvers : sequence of Solver
        Solvers to run: see `find_solver` and `from_command`.
    instances : iterable of paths
        Instance files with different names.
    seeds : int or sequence of int
        Number of seeds (1, 2, ...), or the seeds.
    store : path
        SQLite file; it is created if it does not exist.
    cutoff : float
        CPU seconds per run.
    cutoffs : mapping, optional
        Other cutoffs for single instances, by file name.
    wall_limit : float, optional
        Seconds of wall-clock time per run; by default twice the cutoff plus 10 s.
    memory_limit : int or None, default 4 GiB
        Resident bytes per run; None for no limit.
    cores : int, optional
        Number of runs at a time, one per core; by default all cores that this program may use.
    cluster : str, optional
        Address of a Dask scheduler, or "local" to start one. By default runs are done on cores of this machine.
    progress : bool, default False
        Whether to show a progress bar.

    Returns
    -------
    RunTable
        All runs of the store.

    Raises
    ------
    SettingError
        If this system is not Linux, or an argument cannot be used.
    StoreError
        If the store has runs of other instance files, commands or versions under the same names.
    CollectError
        If a solver fails on its first instances, or runs are lost.
    """
    check_linux()
    jobs = plan_runs(solvers, instances, seeds, cutoff, cutoffs or {}, wall_limit, memory_limit)
    with Store(store) as database:
        facts = session_facts(solvers, jobs, cutoff, cluster or LOCAL)
        return _collect(database, solvers, jobs, facts, cores, cluster, progress)


def collect_further(
    solvers: Sequence[Solver],
    instances: Iterable[str | os.PathLike[str]],
    plan: Mapping[str, FurtherRuns],
    *,
    store: str | os.PathLike[str],
    wall_limit: float | None = None,
    memory_limit: int | None = MEMORY_LIMIT,
    cores: int | None = None,
    cluster: str | None = None,
    progress: bool = False,
) -> RunTable:
    """Do the runs of a plan, with seeds that are not in the store yet, and return all runs of the store.

    After a collection was stopped or killed, the same call continues it with the same seeds: a plan that is done once
    is not done again.

    Parameters
    ----------
    solvers : sequence of Solver
        Solvers to run: see `find_solver` and `from_command`.
    instances : iterable of paths
        Instance files with different names; those that the plan does not name are left out.
    plan : mapping
        Number of new seeds and cutoff by file name: the result of `read_plan`.
    store : path
        SQLite file; it is created if it does not exist.
    wall_limit, memory_limit, cores, cluster, progress : as for `collect_runs`
        Limits, and where runs are done.

    Returns
    -------
    RunTable
        All runs of the store.

    Raises
    ------
    SettingError
        If this system is not Linux, or an instance of the plan has no file.
    StoreError
        If the store has runs of other instance files, commands or versions under the same names.
    CollectError
        If a solver fails on its first instances, or runs are lost.
    """
    check_linux()
    files = list(instances)
    with Store(store) as database:
        jobs, record = plan_further(
            solvers, files, plan, database.done(), database.sessions(), wall_limit, memory_limit
        )
        longest = max(job.cutoff for job in jobs)
        facts = session_facts(solvers, jobs, longest, cluster or LOCAL) | {"plan": record}
        return _collect(database, solvers, jobs, facts, cores, cluster, progress)


def _collect(
    database: Store,
    solvers: Sequence[Solver],
    jobs: Sequence[Job],
    facts: dict[str, Any],
    cores: int | None,
    cluster: str | None,
    progress: bool,
) -> RunTable:
    """Do the jobs that are not in the store."""
    database.register_instances({path.name: digest(path) for path in {job.path for job in jobs}})
    missing = {job.key: job for job in jobs}
    done = database.done()
    for key in done & missing.keys():
        del missing[key]
    if missing:
        with dask_workers(cluster, cores) if cluster else local_workers(cores) as workers:
            try_out(missing.values(), workers, tried={solver for solver, _, _ in done})
            for solver in solvers:
                database.register_solver(solver.name, solver.template, solver.answer, solver.version())
            database.begin_session(now(), facts)
            with tqdm(total=len(jobs), initial=len(jobs) - len(missing), unit="run", disable=not progress) as bar:
                _Collection(database, missing, workers, bar).do_all()
    return database.runs()


class _Collection:
    """The missing runs: unclaimed, claimed, submitted to workers, or claimed by another collector."""

    def __init__(self, database: Store, missing: dict[Key, Job], workers: Workers, bar: tqdm[Any]) -> None:
        self.database, self.missing, self.workers, self.bar = database, missing, workers, bar
        self.unclaimed, self.claimed, self.elsewhere = deque(missing), deque[Key](), set[Key]()
        self.submitted: dict[Future[Result], Key] = {}
        self.failures = Counter[Key]()
        self.warned = bar.disable

    def do_all(self) -> None:
        """Do every missing run, unless another collector does it."""
        try:
            while self.missing:
                self.start()
                if self.submitted:
                    self.finish()
                elif not self.unclaimed:
                    self.check_other_collectors()
        finally:
            for future in self.submitted:
                future.cancel()

    def start(self) -> None:
        """Claim runs, and submit as many as the workers have slots."""
        slots = self.workers.slots()
        if len(self.claimed) < slots and self.unclaimed:
            wanted = [self.unclaimed.popleft() for _ in range(min(len(self.unclaimed), CLAIMED_AHEAD * slots))]
            ours = self.database.claim(wanted)
            self.claimed.extend(ours)
            self.elsewhere |= set(wanted) - set(ours)
        while self.claimed and len(self.submitted) < slots:
            key = self.claimed.popleft()
            self.submitted[self.workers.pool.submit(run_job, self.missing[key])] = key

    def finish(self) -> None:
        """Wait for the end of a run, and store all finished runs; try lost and interrupted runs again."""
        finished = concurrent.futures.wait(self.submitted, 5.0, concurrent.futures.FIRST_COMPLETED).done
        lost = {self.submitted[future]: error for future in finished if (error := _error(future))}
        done = [future.result() for future in finished if self.submitted.pop(future) not in lost]
        self.database.add(result.run for result in done)  # even without runs: it shows that this collector is alive
        for result in done:
            if result.run.status == INTERRUPTED and self.may_try_again(result.run.key):
                self.unclaimed.append(result.run.key)
            else:
                del self.missing[result.run.key]
                self.bar.update()
        if not self.warned and any(result.run.core is None for result in done):
            note = "note: other collectors hold all cores; runs are not bound to a core and disturb each other."
            self.bar.write(note, file=sys.stderr)
            self.warned = True
        for key, error in lost.items():
            if not isinstance(error, SupervisorGone) or not self.may_try_again(key):
                raise CollectError(_lost(self.missing[key], error)) from error
            self.claimed.append(key)

    def may_try_again(self, key: Key) -> bool:
        """Count a failure that is not the solver's; whether the run may be tried once more."""
        self.failures[key] += 1
        return self.failures[key] < ATTEMPTS

    def check_other_collectors(self) -> None:
        """Drop runs that other collectors have done; claim the others again, in case their collector is dead."""
        for key in self.database.done() & self.elsewhere:
            del self.missing[key]
            self.elsewhere.remove(key)
            self.bar.update()
        self.unclaimed.extend(self.elsewhere)
        if self.elsewhere:
            time.sleep(1.0)
        self.elsewhere.clear()


def _error(future: Future[Result]) -> BaseException | None:
    """Return the error by which a run was lost; a cluster that is gone cancels its runs."""
    return CancelledError("the cluster cancelled it.") if future.cancelled() else future.exception()


def _lost(job: Job, error: BaseException) -> str:
    return (
        f"{job.solver.name} on {job.path.name} with seed {job.seed}: {error} Finished runs are in the store; "
        "the same command continues from there."
    )
