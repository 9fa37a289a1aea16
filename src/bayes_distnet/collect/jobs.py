"""One run as a job: its description, its execution on the core of a thread, and its result.

Each thread that does runs has an executor of its own, bound to a core of its own, so that runs do not disturb each
other.
"""

from __future__ import annotations

import datetime
import os
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bayes_distnet.collect.connection import SupervisorGone
from bayes_distnet.collect.executor import Executor
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.data.compressed import plain_file
from bayes_distnet.data.run import Key, Run
from bayes_distnet.errors import CollectError

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


_own = threading.local()


def _own_executor() -> Executor:
    """Return the executor of this thread; it is started at the first call."""
    if getattr(_own, "process", None) != os.getpid():
        _own.executor, _own.process = Executor(pin=True), os.getpid()
    executor: Executor = _own.executor
    if (group := getattr(_own, "group", None)) is not None:
        group.add(executor)
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
        with plain_file(job.path, executor.scratch) as file:  # solvers differ in what they can decompress, and how fast
            outcome = executor.run(
                job.solver.command(file, seed=job.seed, cutoff=job.cutoff, folder=job.path.parent),
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


class ThreadExecutors:
    """The executors of the threads of a pool, which are closed together."""

    def __init__(self) -> None:
        self.executors, self.closing, self.lock = set[Executor](), False, threading.Lock()

    def join(self) -> None:
        """Let this thread's executor belong to the group; to be called once by each thread."""
        _own.group = self

    def add(self, executor: Executor) -> None:
        """Add an executor; after `close` it is closed at once."""
        with self.lock:
            self.executors.add(executor)
            if not self.closing:
                return
        executor.close()  # it started while the others were being closed

    def close(self) -> None:
        """Close all executors, which kills their current runs."""
        with self.lock:
            self.closing = True
        with ThreadPoolExecutor(max(1, len(self.executors))) as pool:  # at once: a stopped one takes seconds
            list(pool.map(Executor.close, self.executors))
