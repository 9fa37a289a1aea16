"""Quasigroup completion with holes: fill the erased cells of a Latin square."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from bayes_distnet.arrays import IntArray
from bayes_distnet.collect.instances.cnf import Clause, dimacs, exactly_one
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_at_least

#: Range of the order of the square in `draw`.
ORDER = (26, 38)
#: Range of the fraction of cells that are holes in `draw`.
HOLES = (0.38, 0.46)
#: Range of the order of the square in `draw_small`.
SMALL_ORDER = (20, 25)
#: Range of the fraction of cells that are holes in `draw_small`.
SMALL_HOLES = (0.42, 0.50)


def draw(rng: np.random.Generator) -> str:
    """Return an instance of random size, near the fraction of holes at which completion is hardest."""
    return _draw(rng, ORDER, HOLES)


def draw_small(rng: np.random.Generator) -> str:
    """Return an instance of random size that backtracking without learning can solve."""
    # Most fractions of holes are above the hardest one: there, single early decisions have the largest effect on the
    # runtime, and restarts help most.
    return _draw(rng, SMALL_ORDER, SMALL_HOLES)


def _draw(rng: np.random.Generator, orders: tuple[int, int], holes: tuple[float, float]) -> str:
    order = int(rng.integers(*orders, endpoint=True))
    return quasigroup(rng, order, round(order**2 * rng.uniform(*holes)))


def quasigroup(rng: np.random.Generator, order: int, holes: int) -> str:
    """Return the CNF of completing a random Latin square with holes; it is always satisfiable.

    There is one variable per hole and symbol that is neither in the hole's row nor in its column. Each hole takes
    exactly one symbol, and each symbol missing from a row or column takes exactly one of its holes.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness.
    order : int
        Number of rows, of columns and of symbols, at least 2.
    holes : int
        Number of holes.

    Returns
    -------
    str
        DIMACS text.

    Examples
    --------
    >>> quasigroup(np.random.default_rng(0), 5, 10).splitlines()[0]
    'c quasigroup: order 5, 10 holes'
    """
    check_at_least("order", order, 2)
    check_at_least("holes", holes, 1)
    if holes > order**2:
        raise SettingError(f"holes={holes!r}: a square of order {order} has only {order**2} cells.")
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

    Rows, columns and symbols of the cyclic square are shuffled, and then parts of random pairs of rows are swapped:
    a shuffled cyclic square alone has a regularity that solvers could exploit.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness.
    order : int
        Number of rows, of columns and of symbols.

    Returns
    -------
    array of shape (order, order)
        The square.
    """
    cells = np.arange(order)
    square: IntArray = rng.permutation(order)[(rng.permutation(order)[:, None] + rng.permutation(order)) % order]
    for _ in range(order**2):
        a, b = rng.choice(order, 2, replace=False)
        column_of = np.empty(order, dtype=np.int64)
        column_of[square[a]] = cells
        # These columns have the same symbols in both rows; each symbol leads to the next column.
        cycle = [int(rng.integers(order))]
        while (column := int(column_of[square[b, cycle[-1]]])) != cycle[0]:
            cycle.append(column)
        square[np.ix_([a, b], cycle)] = square[np.ix_([b, a], cycle)]
    return square
