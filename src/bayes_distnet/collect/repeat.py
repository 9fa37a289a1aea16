"""Runs done again with the same seed: how much of their spread is the machine's."""

from __future__ import annotations

import concurrent.futures
import os
from collections.abc import Iterable, Sequence

import pandas as pd
from tqdm import tqdm

from bayes_distnet.collect.collector import _digest
from bayes_distnet.collect.plan import MEMORY_LIMIT, _check_instances
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.collect.workers import Job, local_workers, run_job
from bayes_distnet.data.statuses import SOLVED
from bayes_distnet.data.store import Store
from bayes_distnet.errors import CollectError
from bayes_distnet.validation import check_at_least


def repeat(
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
    """Do `count` random solved runs of a store again, here and with the same seeds.

    Returns a row a run with both times: how far they differ tells how much of the spread between runs is the
    machine's (`relative_difference`). The store keeps them too.
    """
    check_at_least("count", count, 1)
    paths = {path.name: path for path in _check_instances(instances)}
    by_name = {solver.name: solver for solver in solvers}
    with Store(store) as database, local_workers(cores) as workers:
        database.register_instances({name: _digest(path) for name, path in paths.items()})
        for solver in solvers:
            database.register_solver(solver.name, solver.template, solver.answer, solver.version())
        frame = database.runs().frame
        known = frame["instance"].isin(list(paths)) & frame["solver"].isin(list(by_name))
        frame = frame[(frame["status"] == SOLVED) & known]
        if frame.empty:
            raise CollectError(f"{store}: no solved run of these solvers on these instances to repeat.")
        chosen = frame.sample(min(count, len(frame)), random_state=random_state)
        futures = {}
        columns = (chosen[name].tolist() for name in ("solver", "instance", "seed", "cutoff", "seconds"))
        for name, instance, number, cutoff, seconds in zip(*columns, strict=True):
            job = Job(by_name[name], paths[instance], number, cutoff, None, memory_limit)
            futures[workers.pool.submit(run_job, job)] = float(seconds)
        rows = []
        for future in tqdm(concurrent.futures.as_completed(futures), total=len(futures), disable=not progress):
            run = future.result().run
            if run.status == SOLVED:
                database.add_repeat(run.key, futures[future], run.seconds)
                rows.append((*run.key, futures[future], run.seconds))
    return pd.DataFrame(rows, columns=["solver", "instance", "seed", "seconds", "again"])


def relative_difference(repeats: pd.DataFrame) -> pd.Series[float]:
    """Return by what part of their mean the two times of each repeated run differ."""
    return (repeats["again"] - repeats["seconds"]).abs() / (repeats["again"] + repeats["seconds"]) * 2
