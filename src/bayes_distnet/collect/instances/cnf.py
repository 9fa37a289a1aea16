"""Writing clauses as DIMACS CNF text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

Clause = Sequence[int]


def dimacs(clauses: Sequence[Clause], variables: int, comment: str) -> str:
    """Return clauses over the variables 1 to `variables` as DIMACS text, under one comment line.

    >>> print(dimacs([(1, -2), (2,)], 2, "an example"), end="")
    c an example
    p cnf 2 2
    1 -2 0
    2 0
    """
    lines = [f"c {comment}", f"p cnf {variables} {len(clauses)}"]
    lines += [" ".join(map(str, (*clause, 0))) for clause in clauses]
    return "\n".join(lines) + "\n"


def exactly_one(literals: Sequence[int]) -> list[Clause]:
    """Return the clauses that hold when exactly one of the literals does.

    >>> exactly_one([1, 2])
    [(1, 2), (-1, -2)]
    """
    return [tuple(literals), *at_most_one(literals)]


def at_most_one(literals: Iterable[int]) -> list[Clause]:
    """Return the clauses that hold when no two of the literals do."""
    return [(-a, -b) for a, b in combinations(literals, 2)]
