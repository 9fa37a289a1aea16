"""Where jobs of an experiment are done: processes of this machine, one thread each, or a Dask cluster."""

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
from typing import Self

from threadpoolctl import threadpool_limits
from tqdm import tqdm

from bayes_distnet.collect.workers import dask_workers
from bayes_distnet.errors import BayesDistNetError, CollectError
from bayes_distnet.experiments.jobs import Job, do_job
from bayes_distnet.experiments.results import Record
from bayes_distnet.validation import check_at_least

ONE_THREAD = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
XLA_FLAGS, JOBLIB_CORES = "XLA_FLAGS", "LOKY_MAX_CPU_COUNT"


@dataclass(frozen=True)
class Processes:
    """A pool, and how many jobs it does at once; without a pool, this process does them itself."""

    pool: Pool | None
    size: int

    def do(self, jobs: Sequence[Job], folder: str, fingerprint: str) -> Iterator[tuple[Job, Record]]:
        """Do jobs on the data in a results folder, and yield what came out as each is done."""
        if self.pool is None:
            yield from ((job, do_job(job, folder, fingerprint)) for job in jobs)
            return
        waiting = {self.pool.submit(do_job, job, folder, fingerprint): job for job in jobs}
        for future in as_completed(waiting):
            yield waiting.pop(future), _result(future)


def _result(future: Future[Record]) -> Record:
    try:
        return future.result()
    except BayesDistNetError:
        raise
    except BrokenProcessPool as error:
        raise CollectError(
            "a process that did jobs has died. If memory ran out, the same command goes on from here with fewer cores; "
            "a script that calls run_experiment must do so under if __name__ == '__main__':"
        ) from error
    except Exception as error:  # a Dask worker or the cluster is lost
        raise CollectError(f"a job was lost ({error}). The same command goes on from here.") from error


@contextlib.contextmanager
def local_processes(cores: int | None = None) -> Iterator[Processes]:
    """Do jobs on this machine, one process a core and one thread a process.

    The matrices of these models are small: two processes with a thread each do twice as much as one with two threads.
    """
    size = len(os.sched_getaffinity(0)) if cores is None else cores
    check_at_least("cores", size, 1)
    if size == 1:  # no process to wait for; if JAX has started already, it keeps the threads it has
        before = {name: os.environ.get(name) for name in (JOBLIB_CORES, XLA_FLAGS)}
        try:
            with threadpool_limits(1):
                one_thread()
                yield Processes(None, 1)
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})
        return
    pool = ProcessPoolExecutor(size, multiprocessing.get_context("spawn"), _begin)
    try:
        yield Processes(pool, size)
    except BaseException:
        for child in list((getattr(pool, "_processes", None) or {}).values()):
            child.terminate()  # they would first finish what they are doing
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextlib.contextmanager
def dask_processes(address: str, cores: int | None = None) -> Iterator[Processes]:
    """Do jobs on a Dask cluster whose workers see the results folder: see `workers.dask_workers`."""
    with dask_workers(address, cores) as workers:
        workers.client.run(one_thread)
        yield Processes(workers.pool, max(1, workers.slots() // 2))


def _begin() -> None:
    """Keep a process to one thread, deaf to Ctrl-C (its parent will tell), and never alive without its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    one_thread()
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def one_thread() -> None:
    """Keep this process to one thread: of JAX, unless it has started, of joblib and of linear algebra."""
    os.environ[XLA_FLAGS] = f"{os.environ.get(XLA_FLAGS, '')} {ONE_THREAD}".strip()
    os.environ[JOBLIB_CORES] = "1"
    threadpool_limits(1)


class Pace:
    """A progress bar that knows that models differ in cost: the time left is that of each model's jobs left."""

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
        """Count a job that was done."""
        self._left[job.model] -= 1
        self._failed += "error" in record
        if "seconds" in record:
            self._spent[job.model].append(record["seconds"])
        left = f"about {_duration(self.seconds_left())} left"
        self._bar.set_postfix_str(left + (f", {self._failed} failed" if self._failed else ""), refresh=False)
        self._bar.update()

    def seconds_left(self) -> float:
        """Return how long the rest will take, at the mean cost of each model so far."""
        every = [cost for costs in self._spent.values() for cost in costs]
        usual = sum(every) / len(every) if every else 1.0
        mean = {model: sum(costs) / len(costs) for model, costs in self._spent.items()}
        return sum(count * mean.get(model, usual) for model, count in self._left.items()) / self._at_once


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
