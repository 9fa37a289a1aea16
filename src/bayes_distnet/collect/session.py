"""The circumstances of a collection, which the store keeps so that its runs can be collected again."""

from __future__ import annotations

import contextlib
import datetime
import platform
from collections.abc import Sequence
from typing import Any

import bayes_distnet
from bayes_distnet.collect.cores import usable_cores
from bayes_distnet.collect.jobs import Job
from bayes_distnet.collect.solvers.base import Solver


def now() -> str:
    """Return the time in UTC, to the second."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def session_facts(solvers: Sequence[Solver], jobs: Sequence[Job], cutoff: float, place: str) -> dict[str, Any]:
    """Return the facts that are needed to collect the same runs again.

    Parameters
    ----------
    solvers : sequence of Solver
        All solvers of the collection.
    jobs : sequence of Job
        All runs of the collection; at least one.
    cutoff : float
        CPU seconds per run; single instances may have other cutoffs.
    place : str
        Place where the runs are done.

    Returns
    -------
    dict
        Versions, machine, numbers and limits.
    """
    return {
        "version": bayes_distnet.__version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": _processor(),
        "cores": usable_cores(),
        "place": place,
        "solvers": [solver.name for solver in solvers],
        "instances": len({job.path for job in jobs}),
        "seeds": len({job.seed for job in jobs}),
        "cutoff": cutoff,
        "wall_limit": jobs[0].wall_limit,
        "memory_limit": jobs[0].memory_limit,
    }


def _processor() -> str:
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()
