"""Workers that do runs: cores of this machine or a Dask cluster, both with the interface of `concurrent.futures`.

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

from bayes_distnet.collect.cores import usable_cores
from bayes_distnet.collect.executor import Executor, SupervisorGone
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.data.store import Key, Run
from bayes_distnet.errors import CollectError, SettingError
from bayes_distnet.validation import check_at_least

CONNECT_SECONDS = 30  # longest time to wait for a scheduler, and for its first worker
PRINTED_CHARACTERS = 2000  # characters kept of the end of an output, for messages


@dataclass(frozen=True)
class Job:
    """A run that is to be done.

    Parameters
    ----------
    solver : Solver
        Solver to run.
    path : Path
        Instance file.
    seed : int
        Seed of the solver.
    cutoff : float
        Limit in CPU seconds.
    wall_limit : float or None
        Limit in seconds of wall-clock time; None for twice the cutoff plus 10 s.
    memory_limit : int or None
        Limit in resident bytes; None for no limit.
    """

    solver: Solver
    path: Path
    seed: int
    cutoff: float
    wall_limit: float | None
    memory_limit: int | None

    @property
    def key(self) -> Key:
        """Solver, instance and seed, which identify the run."""
        return self.solver.name, self.path.name, self.seed


@dataclass(frozen=True)
class Result:
    """A finished run.

    Parameters
    ----------
    run : Run
        The run, as it is stored.
    printed : str
        End of the output of the solver: for messages, not for the store.
    """

    run: Run
    printed: str


class Workers(Protocol):
    """A pool of workers."""

    @property
    def pool(self) -> Pool:
        """Pool that accepts jobs."""
        ...

    def slots(self) -> int:
        """Return the number of jobs to submit at once."""
        ...


_own = threading.local()


def _own_executor() -> Executor:
    """Return the executor of this thread; it is started at the first call."""
    if getattr(_own, "process", None) != os.getpid():
        _own.executor, _own.process = Executor(pin=True), os.getpid()
    executor: Executor = _own.executor
    if (opened := getattr(_own, "opened", None)) is not None:
        opened.add(executor)
    return executor


def run_job(job: Job) -> Result:
    """Do one job on the core of this thread.

    Parameters
    ----------
    job : Job
        Run to do.

    Returns
    -------
    Result
        The finished run.

    Raises
    ------
    CollectError
        If the instance file does not exist on this machine, or the supervisor was killed.
    """
    if not job.path.is_file():
        raise CollectError(f"{job.path}: no such file on {socket.gethostname()}. Workers need the same files.")
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
        _own.process = None  # the next job starts a new executor
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
    return Result(run, (outcome.output + outcome.errors)[-PRINTED_CHARACTERS:])


class _Opened:
    """The executors of the threads of a pool, which are closed together."""

    def __init__(self) -> None:
        self.executors, self.closing, self.lock = set[Executor](), False, threading.Lock()

    def add(self, executor: Executor) -> None:
        with self.lock:
            self.executors.add(executor)
            if not self.closing:
                return
        executor.close()  # it started while the others were being closed

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
    """Do runs on this machine, one run per core at a time.

    Parameters
    ----------
    cores : int, optional
        Number of cores; by default all cores that this program may use.

    Yields
    ------
    Workers
        Workers that end with the `with` block, together with their current runs.

    Raises
    ------
    SettingError
        If this program may not use so many cores.
    """
    allowed = usable_cores()
    cores = allowed if cores is None else cores
    check_at_least("cores", cores, 1)
    if cores > allowed:
        raise SettingError(f"cores={cores}: this program may use {allowed}, and each run needs a core of its own.")
    opened = _Opened()
    pool = ThreadPoolExecutor(cores, "run", initializer=lambda: setattr(_own, "opened", opened))
    try:
        yield _Local(pool, cores)
    finally:
        # Closing an executor kills its current run, and the thread that waits for it raises an error.
        pool.shutdown(wait=False, cancel_futures=True)
        opened.close()
        pool.shutdown(wait=True)


@dataclass(frozen=True)
class DaskWorkers:
    """Workers of a Dask cluster.

    Parameters
    ----------
    pool : concurrent.futures.Executor
        Pool that accepts jobs.
    client : distributed.Client
        Connection to the scheduler.
    """

    pool: Pool
    client: Any

    def slots(self) -> int:
        """Return the number of jobs to submit at once."""
        # One job waits per running job, so that no worker is idle while its next job is sent.
        try:
            return 2 * max(1, sum(map(int, self.client.nthreads().values())))
        except Exception as error:
            raise CollectError(f"the cluster is lost ({error}). The same command continues from here.") from error


@contextlib.contextmanager
def dask_workers(address: str, cores: int | None = None) -> Iterator[DaskWorkers]:
    """Do runs on a Dask cluster.

    Start its workers with one thread each (`dask worker --nthreads 1`), for one run per core.

    Parameters
    ----------
    address : str
        Address of the scheduler (`tcp://...`), or "local" to start a cluster on this machine.
    cores : int, optional
        Number of workers of a local cluster; by default all cores that this program may use.

    Yields
    ------
    DaskWorkers
        Workers that are released at the end of the `with` block.

    Raises
    ------
    SettingError
        If Dask is not installed.
    CollectError
        If there is no scheduler at the address, or it has no workers.
    """
    try:
        from distributed import Client, LocalCluster
    except ModuleNotFoundError as error:
        raise SettingError("cluster: Dask is not installed; pip install 'bayes-distnet[cluster]'.") from error
    if cores is not None:
        check_at_least("cores", cores, 1)
    with contextlib.ExitStack() as stack:
        if address == "local":
            workers = usable_cores() if cores is None else cores
            cluster = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
            stack.callback(cluster.close)
            address = cluster.scheduler_address
        try:
            client = Client(address, timeout=CONNECT_SECONDS)
        except Exception as error:  # an OSError, ValueError or TypeError, depending on the address
            raise CollectError(f"cluster {address}: no scheduler answers at this address ({error}).") from error
        stack.callback(client.close)
        try:
            client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except TimeoutError as error:
            raise CollectError(
                f"cluster {address}: it has no workers. Start some with: dask worker {address}"
            ) from error
        yield DaskWorkers(client.get_executor(pure=False), client)
