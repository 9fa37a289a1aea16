import numpy as np
import pytest

from bayes_distnet.collect.instances.quasigroup import draw, draw_small, latin_square, quasigroup
from bayes_distnet.errors import SettingError


def rng():
    return np.random.default_rng(0)


def test_squares_are_latin_and_not_all_cyclic():
    square = latin_square(rng(), 8)
    for line in (*square, *square.T):
        assert sorted(line) == list(range(8))
    # In a shuffled cyclic square, any two rows differ by a shift: all cycles between them have the same length.
    lengths = [{len(cycle) for cycle in cycles(square[0], square[row])} for row in range(1, 8)]
    assert any(len(found) > 1 for found in lengths)


def cycles(first, second):
    to = dict(zip(first.tolist(), second.tolist(), strict=True))
    while to:
        symbol, cycle = next(iter(to)), []
        while symbol in to:
            cycle.append(symbol)
            symbol = to.pop(symbol)
        yield cycle


@pytest.mark.parametrize("holes", [1, 30, 100])
def test_a_satisfying_assignment_fills_every_hole(holes, read_dimacs, solve):
    text = quasigroup(rng(), 10, holes)
    clauses, variables = read_dimacs(text)
    assert sum(literal > 0 for literal in solve(text)) == holes
    assert all(clause[0] > 0 or len(clause) == 2 for clause in clauses)
    if holes == 100:
        assert variables == 1000


@pytest.mark.parametrize(("sizes", "message"), [((5, 26), "holes=26.*25"), ((5, 0), "holes=0")])
def test_unusable_sizes_are_named(sizes, message):
    with pytest.raises(SettingError, match=message):
        quasigroup(rng(), *sizes)


@pytest.mark.parametrize(
    ("drawn", "orders", "share"), [(draw, (26, 38), (0.38, 0.46)), (draw_small, (20, 25), (0.42, 0.5))]
)
def test_drawn_sizes_stay_in_their_range(drawn, orders, share):
    for seed in range(6):
        words = drawn(np.random.default_rng(seed)).split("\n")[0].replace(",", "").split()
        order, holes = int(words[3]), int(words[4])
        assert orders[0] <= order <= orders[1]
        assert share[0] * order**2 - 1 <= holes <= share[1] * order**2 + 1
