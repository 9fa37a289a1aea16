"""Runs repeated with the same seed: the part of their spread that is due to the machine."""

from __future__ import annotations

import concurrent.futures
import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path

import pandas as pd
from tqdm.auto import tqdm

from bayes_distnet.collect.executor import check_linux
from bayes_distnet.collect.jobs import Job, Result, run_job
from bayes_distnet.collect.plan import MEMORY_LIMIT, check_instances, digest
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.collect.workers import Workers, local_workers
from bayes_distnet.data.statuses import SOLVED
from bayes_distnet.data.store import Store
from bayes_distnet.errors import CollectError
from bayes_distnet.validation import check_at_least


def repeat_runs(
    solvers: Sequence[Solver],
    instances: Iterable[str | os.PathLike[str]],
    count: int,
    *,
    store: str | os.PathLike[str],
    memory_limit: int | None = MEMORY_LIMIT,
    cores: int | None = None,
    random_state: int = 0,
    progress: bool = False,
) -> pd.DataFrame:
    """Repeat random solved runs of a store on this machine, with the same seeds; the store keeps the repeats.

    Parameters
    ----------
    solvers : sequence of Solver
        Solvers whose runs may be repeated.
    instances : iterable of paths
        Instance files whose runs may be repeated.
    count : int
        Number of runs; fewer if the store has fewer.
    store : path
        SQLite file with runs.
    memory_limit : int or None, default 4 GiB
        Resident bytes per run; None for no limit.
    cores : int, optional
        Number of runs at a time, one per core; by default all cores that this program may use.
    random_state : int, default 0
        Seed of the choice of runs.
    progress : bool, default False
        Whether to show a progress bar.

    Returns
    -------
    DataFrame
        One row per repeated run that was solved again, with the seconds of both runs: see `relative_difference`.

    Raises
    ------
    SettingError
        If this system is not Linux, or an argument cannot be used.
    CollectError
        If the store has no solved run of these solvers on these instances.
    """
    check_linux()
    check_at_least("count", count, 1)
    paths = {path.name: path for path in check_instances(instances)}
    by_name = {solver.name: solver for solver in solvers}
    with Store(store) as database, local_workers(cores) as workers:
        database.register_instances({name: digest(path) for name, path in paths.items()})
        for solver in solvers:
            database.register_solver(solver.name, solver.template, solver.answer, solver.version())
        frame = database.runs().frame
        known = frame["instance"].isin(list(paths)) & frame["solver"].isin(list(by_name))
        frame = frame[(frame["status"] == SOLVED) & known]
        if frame.empty:
            raise CollectError(f"{store}: no solved run of these solvers on these instances to repeat.")
        chosen = frame.sample(min(count, len(frame)), random_state=random_state)
        submitted = _submit(chosen, by_name, paths, memory_limit, workers)
        rows = []
        for future in tqdm(concurrent.futures.as_completed(submitted), total=len(submitted), disable=not progress):
            run = future.result().run
            if run.status == SOLVED:
                database.add_repeat(run.key, submitted[future], run.seconds)
                rows.append((*run.key, submitted[future], run.seconds))
    return pd.DataFrame(rows, columns=["solver", "instance", "seed", "seconds", "again"])


def _submit(
    chosen: pd.DataFrame,
    solvers: Mapping[str, Solver],
    paths: Mapping[str, Path],
    memory_limit: int | None,
    workers: Workers,
) -> dict[Future[Result], float]:
    """Submit chosen runs; return the seconds of the first run by the future of the repeated run."""
    submitted = {}
    columns = (chosen[name].tolist() for name in ("solver", "instance", "seed", "cutoff", "seconds"))
    for name, instance, seed, cutoff, seconds in zip(*columns, strict=True):
        job = Job(solvers[name], paths[instance], seed, cutoff, None, memory_limit)
        submitted[workers.pool.submit(run_job, job)] = float(seconds)
    return submitted


def relative_difference(repeats: pd.DataFrame) -> pd.Series[float]:
    """Return the difference of the two runtimes of each repeated run, relative to their mean.

    Parameters
    ----------
    repeats : DataFrame
        Table with columns `seconds` and `again`, one row per repeated run.

    Returns
    -------
    Series of float
        Relative differences, from 0 to 2.

    Examples
    --------
    >>> relative_difference(pd.DataFrame({"seconds": [1.0], "again": [3.0]})).tolist()
    [1.0]
    """
    return (repeats["again"] - repeats["seconds"]).abs() / (repeats["again"] + repeats["seconds"]) * 2
