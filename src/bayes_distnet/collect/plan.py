"""The runs of a grid of solvers, instances and seeds."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.collect.workers import Job
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_at_least, check_positive

MEMORY_LIMIT = 4 << 30


MOST_SEEDS = 10**6


def plan(
    solvers: Sequence[Solver],
    instances: Iterable[str | os.PathLike[str]],
    seeds: int | Sequence[int],
    cutoff: float,
    cutoffs: Mapping[str, float],
    wall_limit: float | None = None,
    memory_limit: int | None = MEMORY_LIMIT,
) -> list[Job]:
    """Return the runs of the grid, in the order they are to be done.

    Seed by seed, and for each seed all instances in a new random order: whatever changes on the machine in the
    meantime touches all instances alike, the time left is told well, and a collection that is cut short has some
    runs of every instance.
    """
    paths = _check_instances(instances)
    numbers = _check_seeds(seeds, solvers)
    check_positive("cutoff", cutoff)
    if unknown := sorted(set(cutoffs) - {path.name for path in paths}, key=str):
        raise SettingError(f"cutoffs: {unknown[0]!r} is none of the instances ({len(unknown)} such names).")
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


def _check_instances(instances: Iterable[str | os.PathLike[str]]) -> list[Path]:
    paths = [Path(os.path.abspath(path)) for path in instances]
    if not paths:
        raise SettingError("instances: none given.")
    for path in paths:
        if not path.is_file():
            raise SettingError(f"instance {path}: no such file.")
        if not path.name.isprintable():
            raise SettingError(f"instance {str(path)!r}: a name with characters that cannot be printed. Rename it.")
    names: dict[str, Path] = {}
    for path in paths:
        if names.setdefault(path.name, path) != path:
            raise SettingError(
                f"instances: {names[path.name]} and {path} have the same name, and runs are told apart by it. "
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
        raise SettingError(f"seeds: {len(seeds)} are too many; at most {MOST_SEEDS}.")
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
        raise SettingError("seeds: none given.")
    for solver in solvers:
        if len(numbers) > 1 and not solver.takes_seed:
            raise SettingError(
                f"solver {solver.name}: its command has no {{seed}}, so its {len(numbers)} runs would be the same run."
            )
    return numbers
