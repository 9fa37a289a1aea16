"""Colouring of small-world graphs: a ring of near neighbours in which some edges are moved to random nodes."""

from __future__ import annotations

import numpy as np

from bayes_distnet.collect.instances.cnf import Clause, dimacs, exactly_one
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_at_least, is_number

#: Range of the number of nodes in `draw`, by (neighbours on each side of the ring, colours). For these pairs, a random
#: graph with as many edges is close to needing one more colour.
NODES = {(4, 4): (150, 400), (6, 5): (90, 180), (7, 5): (50, 95)}
#: Range of the fraction of moved edges in `draw`.
MOVED = (0.3, 0.9)


def draw(rng: np.random.Generator) -> str:
    """Return an instance of random size, with about as many colours as the graph needs."""
    reach, colours = list(NODES)[rng.integers(len(NODES))]
    nodes = int(rng.integers(*NODES[reach, colours], endpoint=True))
    return colouring(rng, nodes, reach, float(rng.uniform(*MOVED)), colours)


def colouring(rng: np.random.Generator, nodes: int, reach: int, moved: float, colours: int) -> str:
    """Return the CNF of colouring a small-world graph.

    The graph connects each node of a ring with the next `reach` nodes. The far end of each edge is moved to a random
    node with probability `moved` (Watts and Strogatz, 1998). Variable `node * colours + colour + 1` is true if the
    node has the colour; both are counted from 0.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness.
    nodes : int
        Number of nodes, at least `2 * reach + 2`.
    reach : int
        Number of neighbours on each side of the ring.
    moved : float
        Probability that an edge is moved, from 0 to 1.
    colours : int
        Number of colours.

    Returns
    -------
    str
        DIMACS text.

    Examples
    --------
    >>> colouring(np.random.default_rng(0), 10, 2, 0.0, 3).splitlines()[:2]
    ['c colouring: 10 nodes, 20 edges, 0% moved, 3 colours', 'p cnf 30 100']
    """
    check_at_least("reach", reach, 1)
    check_at_least("nodes", nodes, 2 * reach + 2)
    check_at_least("colours", colours, 1)
    if not is_number(moved) or not 0 <= moved <= 1:
        raise SettingError(f"moved={moved!r}: expected a fraction of edges, from 0 to 1.")
    edges = small_world(rng, nodes, reach, moved)
    clauses: list[Clause] = []
    for node in range(nodes):
        clauses += exactly_one(range(node * colours + 1, (node + 1) * colours + 1))
    clauses += [(-(a * colours + c + 1), -(b * colours + c + 1)) for a, b in edges for c in range(colours)]
    comment = f"colouring: {nodes} nodes, {len(edges)} edges, {moved:.0%} moved, {colours} colours"
    return dimacs(clauses, nodes * colours, comment)


def small_world(rng: np.random.Generator, nodes: int, reach: int, moved: float) -> list[tuple[int, int]]:
    """Return the edges of a small-world graph, as in `colouring`.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness.
    nodes : int
        Number of nodes.
    reach : int
        Number of neighbours on each side of the ring.
    moved : float
        Probability that an edge is moved.

    Returns
    -------
    list of tuple of int
        Edges as (lower node, higher node), sorted.
    """
    edges = {_edge(a, (a + step) % nodes) for a in range(nodes) for step in range(1, reach + 1)}
    for a, b in sorted(edges):
        if rng.random() >= moved:
            continue
        free = [c for c in range(nodes) if c != a and _edge(a, c) not in edges]
        if free:
            edges.remove((a, b))
            edges.add(_edge(a, free[rng.integers(len(free))]))
    return sorted(edges)


def _edge(a: int, b: int) -> tuple[int, int]:
    return min(a, b), max(a, b)
