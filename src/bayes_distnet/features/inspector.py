"""A separate program that reads a clean CNF with gbdc and MiniSat, and prints their figures as JSON.

`python inspector.py HOME structure FILE` or `python inspector.py HOME propagation FILE SEED`, where HOME is the folder
of the library that is needed. Both libraries are C++ that may crash and has no time limit, so `cnf` runs this program
under one. All other imports are from the standard library, and late: it should start in milliseconds.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random

DEPTHS = (1, 4, 16)  # numbers of random decisions propagated together
TRIALS = 40  # repetitions per depth
CONFLICTS = (100, 1000)  # conflicts after which a search ends


def main() -> None:
    """Print the figures of the group and the file that the command line names."""
    package, group, path, *more = sys.argv[1:]
    sys.path.insert(0, package)
    print(json.dumps(structure(path) if group == "structure" else propagation(path, int(more[0]))))


def structure(path: str) -> dict[str, float]:
    """Compute the base features of gbdc.

    Parameters
    ----------
    path : str
        A clean DIMACS file.

    Returns
    -------
    dict
        Figures by name.
    """
    import gbdc

    return {f"structure.{name}": float(value) for name, value in gbdc.extract_base_features(path).items()}


def propagation(path: str, seed: int) -> dict[str, float]:
    """Measure unit propagation after random decisions, and propagations in the first conflicts of a search.

    Parameters
    ----------
    path : str
        A clean DIMACS file.
    seed : int
        Seed of the random decisions.

    Returns
    -------
    dict
        Figures by name.
    """
    import random

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
    """Measure the fraction of variables that decisions imply, and how often decisions contradict each other.

    Parameters
    ----------
    solver : pysat solver
        Solver with all clauses.
    variables : int
        Number of variables.
    rng : random.Random
        Source of the decisions.

    Returns
    -------
    dict
        Figures by name.
    """
    from statistics import fmean, pstdev

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
    """Count propagations and decisions of a search that ends after a number of conflicts.

    Parameters
    ----------
    solver : pysat solver
        Solver with all clauses.
    conflicts : int
        Number of conflicts.

    Returns
    -------
    dict
        Figures by name.
    """
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
