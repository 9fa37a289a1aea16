"""A program of its own that reads a clean CNF with gbdc and MiniSat, and prints what they say as JSON.

`python inspector.py PACKAGES FILE SEED`, where PACKAGES are the folders of installed packages. Both libraries are C++
that may crash and know no time limit, so `cnf` runs this under one. Only the standard library is imported besides.
"""

from __future__ import annotations

import json
import os
import random
import sys
from statistics import fmean, pstdev
from typing import Any

DEPTHS = (1, 4, 16)  # random decisions propagated together
TRIALS = 40
CONFLICTS = (100, 1000)


def main() -> None:
    """Print the figures of one file."""
    packages, path, seed = sys.argv[1:]
    sys.path[:0] = packages.split(os.pathsep)
    import gbdc

    structure = {f"structure.{name}": float(value) for name, value in gbdc.extract_base_features(path).items()}
    print(json.dumps(structure | propagation(path, int(seed))))


def propagation(path: str, seed: int) -> dict[str, float]:
    """Unit propagation after random decisions, and propagations in the first conflicts of a search."""
    from pysat.solvers import Minisat22

    with open(path) as file:
        variables = int(file.readline().split()[2])
        numbers = [int(word) for word in file.read().split()]
    clauses: list[list[int]] = [[]]
    for number in numbers:
        if number:
            clauses[-1].append(number)
        else:
            clauses.append([])
    with Minisat22(bootstrap_with=clauses[:-1]) as solver:
        values = decided(solver, variables, random.Random(seed))
    for conflicts in CONFLICTS:
        with Minisat22(bootstrap_with=clauses[:-1]) as solver:
            values |= searched(solver, conflicts)
    return values


def decided(solver: Any, variables: int, rng: random.Random) -> dict[str, float]:
    """Return the part of variables that decisions imply, and how often they contradict each other."""
    values = {}
    for depth in DEPTHS:
        implied, refuted = [], 0
        for _ in range(TRIALS):
            chosen = rng.sample(range(1, variables + 1), min(depth, variables))
            possible, literals = solver.propagate([variable * rng.choice((-1, 1)) for variable in chosen])
            refuted += not possible
            implied.append(len(literals) / variables)
        values[f"propagate{depth}.implied.mean"] = fmean(implied)
        values[f"propagate{depth}.implied.std"] = pstdev(implied)
        values[f"propagate{depth}.refuted"] = refuted / TRIALS
    return values


def searched(solver: Any, conflicts: int) -> dict[str, float]:
    """Return propagations and decisions of a search that ends after so many conflicts."""
    solver.conf_budget(conflicts)
    found = solver.solve_limited()
    spent = solver.accum_stats()
    return {
        f"search{conflicts}.solved": float(found is not None),
        f"search{conflicts}.conflicts": float(spent["conflicts"]),
        f"search{conflicts}.propagations_per_conflict": spent["propagations"] / max(spent["conflicts"], 1),
        f"search{conflicts}.propagations_per_decision": spent["propagations"] / max(spent["decisions"], 1),
    }


if __name__ == "__main__":
    main()
