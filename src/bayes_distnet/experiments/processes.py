"""Processes that do the jobs of an experiment: on this machine, one thread each, or on a Dask cluster."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor as Pool
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from threadpoolctl import threadpool_limits
from tqdm.auto import tqdm

from bayes_distnet.collect.cores import usable_cores
from bayes_distnet.errors import BayesDistNetError, CollectError
from bayes_distnet.experiments.jobs import Job
from bayes_distnet.experiments.results import Record
from bayes_distnet.experiments.tasks import Task, do_task
from bayes_distnet.interrupts import kept_from_children
from bayes_distnet.validation import check_at_least

XLA_FLAGS = "XLA_FLAGS"  # environment variable that JAX's compiler reads
ONE_THREAD = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


@dataclass(frozen=True)
class Processes:
    """A pool of processes.

    Parameters
    ----------
    pool : Executor or None
        The pool; None if this process does the jobs itself.
    size : int
        Number of tasks that are done at once.
    """

    pool: Pool | None
    size: int

    def do(self, tasks: Sequence[Task], folder: str, fingerprint: str) -> Iterator[tuple[Job, Record]]:
        """Do the jobs of tasks on the data in a results folder.

        Parameters
        ----------
        tasks : sequence of Task
            Jobs to do, those that share work together.
        folder : str
            Results folder.
        fingerprint : str
            Digest of its data.

        Yields
        ------
        tuple of Job and dict
            A job and its record, in the order in which tasks end.

        Raises
        ------
        CollectError
            A process has died, or the cluster has lost a job.
        """
        if self.pool is None:
            for task in tasks:
                yield from do_task(task, folder, fingerprint)
            return
        with kept_from_children():  # the first tasks start processes
            waiting = {self.pool.submit(do_task, task, folder, fingerprint) for task in tasks}
        for future in as_completed(waiting):
            waiting.remove(future)
            yield from _result(future)


def _result(future: Future[list[tuple[Job, Record]]]) -> list[tuple[Job, Record]]:
    try:
        return future.result()
    except BayesDistNetError:
        raise
    except BrokenProcessPool as error:
        raise CollectError(
            "a process that did jobs has died. If memory ran out, the same command with fewer cores resumes from here; "
            "a script that calls run_experiment must do so under if __name__ == '__main__':"
        ) from error
    except Exception as error:  # a Dask worker or the cluster is lost
        raise CollectError(f"a job was lost ({error}). The same command resumes from here.") from error


@contextlib.contextmanager
def local_processes(cores: int | None = None) -> Iterator[Processes]:
    """Do jobs on this machine, in one process per core with one thread each.

    The matrices of these models are small: two processes with one thread each do twice as much as one with two threads.

    Parameters
    ----------
    cores : int, optional
        Number of processes; by default one per core. With one core this process does the jobs itself.

    Yields
    ------
    Processes
        The pool, which ends with the `with` block.
    """
    size = usable_cores() if cores is None else cores
    check_at_least("cores", size, 1)
    if size == 1:  # no process to wait for; if JAX has started already, it keeps its threads
        flags = os.environ.get(XLA_FLAGS)
        try:
            with threadpool_limits(1):
                one_thread()
                yield Processes(None, 1)
        finally:
            os.environ.pop(XLA_FLAGS) if flags is None else os.environ.update({XLA_FLAGS: flags})
        return
    pool = ProcessPoolExecutor(size, multiprocessing.get_context("spawn"), _begin)
    try:
        yield Processes(pool, size)
    except BaseException:
        for child in list((getattr(pool, "_processes", None) or {}).values()):
            child.kill()  # a process would finish its job first
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextlib.contextmanager
def dask_processes(address: str, cores: int | None = None) -> Iterator[Processes]:
    """Do jobs on a Dask cluster whose workers see the results folder.

    Parameters
    ----------
    address : str
        Address of the scheduler, or "local" to start one on this machine.
    cores : int, optional
        Number of workers of a local cluster; by default one per core.

    Yields
    ------
    Processes
        The workers.
    """
    from bayes_distnet.collect.workers import dask_workers

    with dask_workers(address, cores) as workers:
        workers.client.register_plugin(_one_thread_plugin())
        yield Processes(workers.pool, max(1, workers.slots() // 2))


def _begin() -> None:
    """Keep a process to one thread, leave Ctrl-C to its parent, and end it when its parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    one_thread()
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _one_thread_plugin() -> Any:
    """Return the plugin that keeps workers to one thread: also those that start later, in place of dead ones."""
    from distributed import WorkerPlugin

    class OneThread(WorkerPlugin):
        name = "bayes-distnet-one-thread"

        def setup(self, worker: Any) -> None:
            one_thread()

    return OneThread()


def one_thread() -> None:
    """Keep linear algebra in this process to one thread, and JAX, unless it has started."""
    os.environ[XLA_FLAGS] = f"{os.environ.get(XLA_FLAGS, '')} {ONE_THREAD}".strip()
    threadpool_limits(1)


class Pace:
    """Progress bar whose time left takes into account that models differ in cost.

    Parameters
    ----------
    total : int
        Number of all jobs.
    left : sequence of Job
        Jobs that are not done.
    at_once : int
        Number of jobs that are done at once.
    what : str
        Text before the bar.
    shown : bool
        Whether to show it.
    """

    def __init__(self, total: int, left: Sequence[Job], at_once: int, what: str, *, shown: bool) -> None:
        self._left: dict[str, int] = defaultdict(int)
        for job in left:
            self._left[job.model] += 1
        self._spent: dict[str, list[float]] = defaultdict(list)
        self._at_once = at_once
        self._failed = 0
        self._bar = tqdm(
            total=total,
            initial=total - len(left),
            desc=what,
            unit="job",
            disable=not shown,
            file=sys.stderr,
            bar_format="{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} jobs [{elapsed}{postfix}]",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.close()

    def done(self, job: Job, record: Record) -> None:
        """Count a job that is done.

        Parameters
        ----------
        job : Job
            The job.
        record : dict
            Its record.
        """
        self._left[job.model] -= 1
        self._failed += "error" in record
        if "seconds" in record:
            self._spent[job.model].append(record["seconds"])
        left = f"about {_duration(self.seconds_left())} left"
        self._bar.set_postfix_str(left + (f", {self._failed} failed" if self._failed else ""), refresh=False)
        self._bar.update()

    def seconds_left(self) -> float:
        """Return the expected time left, in seconds: jobs left times the mean cost of their model so far."""
        every = [cost for costs in self._spent.values() for cost in costs]
        usual = sum(every) / len(every) if every else 1.0
        mean = {model: sum(costs) / len(costs) for model, costs in self._spent.items()}
        return sum(count * mean.get(model, usual) for model, count in self._left.items()) / self._at_once


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
