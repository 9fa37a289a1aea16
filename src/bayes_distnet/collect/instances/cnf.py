"""Clauses as DIMACS CNF text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

Clause = Sequence[int]


def dimacs(clauses: Sequence[Clause], variables: int, comment: str) -> str:
    """Return clauses as DIMACS text.

    Parameters
    ----------
    clauses : sequence of sequences of int
        Clauses; a literal is the number of a variable, negative if it is negated.
    variables : int
        Number of variables; they are numbered from 1.
    comment : str
        Text of the comment line at the top.

    Returns
    -------
    str
        The text, with a newline at the end.

    Examples
    --------
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
    """Return clauses that hold if and only if exactly one of the literals holds.

    Parameters
    ----------
    literals : sequence of int
        Literals of different variables.

    Returns
    -------
    list of clauses
        One clause for "at least one", and one per pair for "at most one".

    Examples
    --------
    >>> exactly_one([1, 2])
    [(1, 2), (-1, -2)]
    """
    return [tuple(literals), *at_most_one(literals)]


def at_most_one(literals: Iterable[int]) -> list[Clause]:
    """Return clauses that hold if and only if no two of the literals hold."""
    return [(-a, -b) for a, b in combinations(literals, 2)]
