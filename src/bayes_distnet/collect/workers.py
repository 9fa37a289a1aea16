"""Workers that do runs: cores of this machine or a Dask cluster, both with the interface of `concurrent.futures`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import Executor as Pool
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

from bayes_distnet.collect.cores import usable_cores
from bayes_distnet.collect.jobs import ThreadExecutors
from bayes_distnet.errors import CollectError, SettingError, not_installed
from bayes_distnet.validation import check_at_least

CONNECT_SECONDS = 30  # longest time to wait for a scheduler, and for its first worker


class Workers(Protocol):
    """A pool of workers."""

    @property
    def pool(self) -> Pool:
        """Pool that accepts jobs."""
        ...

    def slots(self) -> int:
        """Return the number of jobs to submit at once."""
        ...


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
    executors = ThreadExecutors()
    pool = ThreadPoolExecutor(cores, "run", initializer=executors.join)
    try:
        yield _Local(pool, cores)
    finally:
        # Closing an executor kills its current run, and the thread that waits for it raises an error.
        pool.shutdown(wait=False, cancel_futures=True)
        executors.close()
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
        raise not_installed("distributed", extra="cluster") from error
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
