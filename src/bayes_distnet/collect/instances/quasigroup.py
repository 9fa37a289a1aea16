"""Quasigroup completion with holes: fill the empty cells of a Latin square from which some were erased."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from bayes_distnet.arrays import IntArray
from bayes_distnet.collect.instances.cnf import Clause, dimacs, exactly_one
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_at_least

#: Order of the square and share of its cells that are holes in `draw`, least and most.
ORDER, HOLES = (26, 38), (0.38, 0.46)


def draw(rng: np.random.Generator) -> str:
    """Return an instance of random size, near the share of holes at which completion is hardest."""
    order = int(rng.integers(*ORDER, endpoint=True))
    return quasigroup(rng, order, round(order**2 * rng.uniform(*HOLES)))


def quasigroup(rng: np.random.Generator, order: int, holes: int) -> str:
    """Return the CNF of completing a random Latin square with this many holes; it can always be completed.

    There is a variable for each hole and symbol that is neither in its row nor in its column; each hole takes exactly
    one symbol, and each symbol missing from a row or column takes exactly one of its holes.

    >>> quasigroup(np.random.default_rng(0), 5, 10).splitlines()[0]
    'c quasigroup: order 5, 10 holes'
    """
    check_at_least("order", order, 2)
    check_at_least("holes", holes, 1)
    if holes > order**2:
        raise SettingError(f"holes={holes!r}: a square of order {order} has no more than {order**2} cells.")
    square = latin_square(rng, order)
    square.flat[rng.choice(order**2, holes, replace=False)] = -1
    in_row = [set(row) for row in square]
    in_column = [set(column) for column in square.T]
    groups: dict[tuple[str, int, int], list[int]] = defaultdict(list)
    variables = 0
    for row, column in np.argwhere(square == -1).tolist():
        for symbol in range(order):
            if symbol in in_row[row] or symbol in in_column[column]:
                continue
            variables += 1
            for group in (("cell", row, column), ("row", row, symbol), ("column", column, symbol)):
                groups[group].append(variables)
    clauses: list[Clause] = [clause for group in groups.values() for clause in exactly_one(group)]
    return dimacs(clauses, variables, f"quasigroup: order {order}, {holes} holes")


def latin_square(rng: np.random.Generator, order: int) -> IntArray:
    """Return a random Latin square of the symbols 0 to order - 1.

    It is the cyclic square with rows, columns and symbols shuffled, and then with pieces of random pairs of rows
    swapped: a shuffled cyclic square alone has a regularity that solvers could use.
    """
    cells = np.arange(order)
    square: IntArray = rng.permutation(order)[(rng.permutation(order)[:, None] + rng.permutation(order)) % order]
    for _ in range(order**2):
        a, b = rng.choice(order, 2, replace=False)
        column_of = np.empty(order, dtype=np.int64)
        column_of[square[a]] = cells
        # Columns in which the two rows hold the same symbols, found by following each symbol to the other row.
        cycle = [int(rng.integers(order))]
        while (column := int(column_of[square[b, cycle[-1]]])) != cycle[0]:
            cycle.append(column)
        square[np.ix_([a, b], cycle)] = square[np.ix_([b, a], cycle)]
    return square
