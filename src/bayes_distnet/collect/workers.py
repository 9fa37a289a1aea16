"""Where runs are done: on cores of this machine, or on a Dask cluster. Both offer `concurrent.futures`' interface.

Each thread that does runs has an executor of its own, bound to a core of its own, so that runs do not disturb each
other.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import Executor as Pool
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from bayes_distnet.collect.executor import Executor, SupervisorGone
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.data.run import Key, Run
from bayes_distnet.errors import CollectError, SettingError
from bayes_distnet.validation import check_at_least

CONNECT_SECONDS = 30


@dataclass(frozen=True)
class Job:
    """One run to be done."""

    solver: Solver
    path: Path
    seed: int
    cutoff: float
    wall_limit: float | None
    memory_limit: int | None

    @property
    def key(self) -> Key:
        """What tells its run from others."""
        return self.solver.name, self.path.name, self.seed


@dataclass(frozen=True)
class Result:
    """A run, and the end of what the solver printed: for messages, not for the store."""

    run: Run
    printed: str


class Workers(Protocol):
    """A place where jobs are done."""

    @property
    def pool(self) -> Pool:
        """What takes jobs."""
        ...

    def slots(self) -> int:
        """Return how many jobs to have under way."""
        ...


_own = threading.local()


def _own_executor() -> Executor:
    """Return this thread's executor, started when it is first needed."""
    if getattr(_own, "process", None) != os.getpid():
        _own.executor, _own.process = Executor(pin=True), os.getpid()
    executor: Executor = _own.executor
    if (opened := getattr(_own, "opened", None)) is not None:
        opened.add(executor)
    return executor


def run_job(job: Job) -> Result:
    """Do one job on this thread's core."""
    if not job.path.is_file():
        raise CollectError(f"{job.path}: no such file on {socket.gethostname()}. Workers must see the same files.")
    executor = _own_executor()
    started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    try:
        outcome = executor.run(
            job.solver.command(job.path, seed=job.seed, cutoff=job.cutoff),
            cutoff=job.cutoff,
            wall_limit=job.wall_limit,
            memory_limit=job.memory_limit,
            read_answer=job.solver.read_answer,
        )
    except SupervisorGone:
        _own.process = None  # the next job gets a new one
        raise
    run = Run(
        *job.key,
        status=outcome.status,
        seconds=outcome.seconds,
        wall_seconds=outcome.wall_seconds,
        cutoff=job.cutoff,
        answer=outcome.answer,
        exit_code=outcome.exit_code,
        memory=outcome.memory,
        started=started,
        host=socket.gethostname(),
        core=executor.core,
    )
    return Result(run, (outcome.output + outcome.errors)[-2000:])


class _Opened:
    """The executors of a pool's threads, to be closed together."""

    def __init__(self) -> None:
        self.executors, self.closing, self.lock = set[Executor](), False, threading.Lock()

    def add(self, executor: Executor) -> None:
        with self.lock:
            self.executors.add(executor)
            if not self.closing:
                return
        executor.close()  # it was starting while the others were closed

    def close(self) -> None:
        with self.lock:
            self.closing = True
        for executor in self.executors:
            executor.close()


@dataclass(frozen=True)
class _Local:
    pool: Pool
    cores: int

    def slots(self) -> int:
        return self.cores


@contextlib.contextmanager
def local_workers(cores: int | None = None) -> Iterator[Workers]:
    """Do runs on this machine, one a core, on all cores this program may use unless told how many."""
    allowed = len(os.sched_getaffinity(0))
    cores = allowed if cores is None else cores
    check_at_least("cores", cores, 1)
    if cores > allowed:
        raise SettingError(f"cores={cores}: this program may use {allowed}, and one run a core is the rule.")
    opened = _Opened()
    pool = ThreadPoolExecutor(cores, "run", initializer=lambda: setattr(_own, "opened", opened))
    try:
        yield _Local(pool, cores)
    finally:
        # Runs in flight end now: closing an executor kills what it runs, and its thread comes back with an error.
        pool.shutdown(wait=False, cancel_futures=True)
        opened.close()
        pool.shutdown(wait=True)


@dataclass(frozen=True)
class DaskWorkers:
    """Workers of a Dask cluster."""

    pool: Pool
    client: Any

    def slots(self) -> int:
        """Return how many jobs to have under way."""
        # One job waiting for each under way: a worker need not wait for the next one to travel.
        try:
            return 2 * max(1, sum(map(int, self.client.nthreads().values())))
        except Exception as error:
            raise CollectError(f"the cluster is lost ({error}). The same command goes on from here.") from error


@contextlib.contextmanager
def dask_workers(address: str, cores: int | None = None) -> Iterator[DaskWorkers]:
    """Do runs on a Dask cluster: `tcp://...`, the address of its scheduler, or `local` to start one here.

    Start workers with one thread each (`dask worker --nthreads 1`): one run a core.
    """
    try:
        from distributed import Client, LocalCluster
    except ModuleNotFoundError as error:
        raise SettingError("cluster: Dask is not installed; pip install 'bayes-distnet[cluster]'.") from error
    if cores is not None:
        check_at_least("cores", cores, 1)
    with contextlib.ExitStack() as stack:
        if address == "local":
            workers = len(os.sched_getaffinity(0)) if cores is None else cores
            cluster = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
            stack.callback(cluster.close)
            address = cluster.scheduler_address
        try:
            client = Client(address, timeout=CONNECT_SECONDS)
        except Exception as error:  # OSError, ValueError or TypeError, by what is wrong with the address
            raise CollectError(f"cluster {address}: no scheduler answers there ({error}).") from error
        stack.callback(client.close)
        try:
            client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except TimeoutError as error:
            raise CollectError(
                f"cluster {address}: it has no workers. Start some with: dask worker {address}"
            ) from error
        yield DaskWorkers(client.get_executor(pure=False), client)
