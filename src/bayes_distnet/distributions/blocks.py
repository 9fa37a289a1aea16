"""Blocks of work that fit into a core's cache."""

from __future__ import annotations

from collections.abc import Iterator

# Elements of one temporary array. Half a megabyte stays in a core's cache; larger blocks are no faster.
BLOCK = 2**16


def blocks(count: int, width: int) -> Iterator[slice]:
    """Split problems into blocks of about `BLOCK` elements.

    Parameters
    ----------
    count : int
        Number of problems.
    width : int
        Elements per problem.

    Returns
    -------
    iterator of slice
        Consecutive problems; a block has at least one.
    """
    tall = max(1, BLOCK // max(1, width))
    return (slice(top, min(top + tall, count)) for top in range(0, count, tall))


def grid_blocks(n: int, m: int, width: int) -> Iterator[tuple[slice, slice]]:
    """Split a table (n, m) of problems into blocks.

    Parameters
    ----------
    n, m : int
        Rows and columns.
    width : int
        Elements per problem.

    Yields
    ------
    rows, columns : slice
        A block of about `BLOCK` elements.
    """
    for columns in blocks(m, width):
        for rows in blocks(n, width * (columns.stop - columns.start)):
            yield rows, columns
