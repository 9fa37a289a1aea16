import numpy as np
import pytest

from bayes_distnet.collect.instances.colouring import colouring, small_world
from bayes_distnet.errors import SettingError


def rng():
    return np.random.default_rng(0)


def test_a_satisfying_assignment_is_a_colouring(solve):
    nodes, colours = 40, 4
    model = solve(colouring(rng(), nodes, 2, 0.3, colours))
    edges = small_world(rng(), nodes, 2, 0.3)
    chosen = [[c for c in range(colours) if node * colours + c + 1 in model] for node in range(nodes)]
    assert all(len(own) == 1 for own in chosen)
    assert all(chosen[a] != chosen[b] for a, b in edges)


def test_a_ring_of_triangles_needs_three_colours(solve):
    # Each node of the ring forms a triangle with the next two, and 9 is a multiple of 3.
    assert solve(colouring(rng(), 9, 2, 0.0, 2)) is None
    assert solve(colouring(rng(), 9, 2, 0.0, 3)) is not None


def test_moving_edges_keeps_their_number():
    for moved in (0.0, 0.5, 1.0):
        edges = small_world(rng(), 30, 3, moved)
        assert len(set(edges)) == len(edges) == 90
        assert all(0 <= a < b < 30 for a, b in edges)
    ring = set(small_world(rng(), 30, 3, 0.0))
    assert len(ring & set(small_world(rng(), 30, 3, 1.0))) < 30


@pytest.mark.parametrize(("sizes", "message"), [((5, 2, 0.1, 3), "nodes=5"), ((10, 2, 1.5, 3), "moved=1.5")])
def test_unusable_sizes_are_named(sizes, message):
    with pytest.raises(SettingError, match=message):
        colouring(rng(), *sizes)
