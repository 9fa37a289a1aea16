"""The plan of a collection: the runs of a grid of solvers, instances and seeds."""

from __future__ import annotations

import hashlib
import itertools
import os
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bayes_distnet.collect.jobs import Job
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_at_least, check_positive

MEMORY_LIMIT = 4 << 30  # resident bytes that a run may use, if no other limit is given
MOST_SEEDS = 10**6


def plan_runs(
    solvers: Sequence[Solver],
    instances: Iterable[str | os.PathLike[str]],
    seeds: int | Sequence[int],
    cutoff: float,
    cutoffs: Mapping[str, float],
    wall_limit: float | None = None,
    memory_limit: int | None = MEMORY_LIMIT,
) -> list[Job]:
    """Return the runs of the grid, in the order in which they are to be done.

    Runs are ordered by seed, and for each seed all instances come in a new random order. So a change of the machine's
    speed affects all instances, the estimate of the time left is good, and a collection that is stopped early has
    some runs of every instance.

    Parameters
    ----------
    solvers : sequence of Solver
        Solvers with different names.
    instances : iterable of paths
        Instance files with different names.
    seeds : int or sequence of int
        Number of seeds (1, 2, ...), or the seeds.
    cutoff : float
        CPU seconds per run.
    cutoffs : mapping
        Other cutoffs for single instances, by file name.
    wall_limit : float, optional
        Seconds of wall-clock time per run; by default twice the cutoff plus 10 s.
    memory_limit : int or None
        Resident bytes per run; None for no limit.

    Returns
    -------
    list of Job
        One job per run.

    Raises
    ------
    SettingError
        If a file does not exist, two names are the same, or a number is out of range.
    """
    paths = check_instances(instances)
    numbers = _check_seeds(seeds, solvers)
    check_positive("cutoff", cutoff)
    if unknown := sorted(set(cutoffs) - {path.name for path in paths}, key=str):
        raise SettingError(f"cutoffs: {unknown[0]!r} is not among the instances ({len(unknown)} such names).")
    for name, value in cutoffs.items():
        check_positive(f"cutoffs[{name!r}]", value)
    jobs = []
    for seed in numbers:
        cells = list(itertools.product(paths, solvers))
        random.Random(seed).shuffle(cells)
        for path, solver in cells:
            own = float(cutoffs.get(path.name, cutoff))
            jobs.append(Job(solver, path, seed, own, wall_limit, memory_limit))
    return jobs


def check_instances(instances: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Return the full paths of instance files, sorted.

    Parameters
    ----------
    instances : iterable of paths
        Instance files.

    Returns
    -------
    list of Path
        Full paths, each once.

    Raises
    ------
    SettingError
        If there are none, a file does not exist, or two files have the same name.
    """
    paths = [Path(os.path.abspath(path)) for path in instances]
    if not paths:
        raise SettingError("instances: none given.")
    for path in paths:
        if not path.is_file():
            raise SettingError(f"instance {path}: no such file.")
        if not path.name.isprintable():
            raise SettingError(f"instance {str(path)!r}: the name has characters that cannot be printed. Rename it.")
    names: dict[str, Path] = {}
    for path in paths:
        if names.setdefault(path.name, path) != path:
            raise SettingError(
                f"instances: {names[path.name]} and {path} have the same name, which identifies their runs. "
                "Rename one of them."
            )
    return sorted(set(paths))


def _check_seeds(seeds: int | Sequence[int], solvers: Sequence[Solver]) -> list[int]:
    if not solvers:
        raise SettingError("solvers: none given.")
    if len({solver.name for solver in solvers}) < len(solvers):
        raise SettingError(f"solvers: two of {[solver.name for solver in solvers]} have the same name.")
    if isinstance(seeds, int):
        check_at_least("seeds", seeds, 1)
        seeds = range(1, seeds + 1)
    if len(seeds) > MOST_SEEDS:
        raise SettingError(f"seeds: found {len(seeds)}, expected at most {MOST_SEEDS}.")
    for number in seeds:
        check_at_least("seed", number, 0)
    numbers = [int(number) for number in dict.fromkeys(seeds)]
    for number in numbers:
        for solver in solvers:
            if not solver.smallest_seed <= number <= solver.largest_seed:
                raise SettingError(
                    f"seed {number}: {solver.name} takes seeds from {solver.smallest_seed} to {solver.largest_seed}."
                )
    if not numbers:
        raise SettingError("seeds: none given. A range ends with its larger number, as in 0-99.")
    for solver in solvers:
        if len(numbers) > 1 and not solver.takes_seed:
            raise SettingError(
                f"solver {solver.name}: its command has no {{seed}}, so its {len(numbers)} runs would be the same."
            )
    return numbers


def digest(path: Path) -> str:
    """Return the SHA-256 digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
