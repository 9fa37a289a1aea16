from itertools import combinations, permutations
from math import factorial

import numpy as np
import pytest

from bayes_distnet.models.explanation.shapley import sample_orders, shapley

X = np.array([2.0, -1.0, 0.5, 3.0])
BACKGROUND = np.random.default_rng(0).normal(size=(5, 4))


def interacting(rows):
    """A function with interactions of two, three and four features."""
    a, b, c, d = rows.T
    return np.stack([a + 2 * b * c + a * b * d + np.sin(a * b * c * d), a * b - c], axis=1)


def value_of(function, x, background):
    return lambda own, rows: function(np.where(own, x, background[rows]))


def by_definition(function, x, background):
    """The weighted sum over all subsets of the other features, averaged over the background."""
    n, found = len(x), []
    for player in range(n):
        others, total = [j for j in range(n) if j != player], 0.0
        for size in range(n):
            for subset in combinations(others, size):
                before = np.isin(np.arange(n), subset)
                after = before | (np.arange(n) == player)
                step = function(np.where(after, x, background)) - function(np.where(before, x, background))
                total = total + factorial(size) * factorial(n - size - 1) / factorial(n) * step.mean(axis=0)
        found.append(total)
    return np.array(found)


def test_all_orders_give_the_definition():
    orders = np.array(list(permutations(range(4))) * len(BACKGROUND))
    rows = np.repeat(np.arange(len(BACKGROUND)), 24)
    found = shapley(value_of(interacting, X, BACKGROUND), X != BACKGROUND, orders, rows)
    np.testing.assert_allclose(found.values, by_definition(interacting, X, BACKGROUND), atol=1e-12)


def test_an_order_and_its_reverse_are_exact_for_pairs_of_features():
    def pairs(rows):
        a, b, c, d = rows.T
        return (a * b - 3 * b * d + np.exp(c) * d + np.abs(a))[:, None]

    orders, rows = sample_orders(4, 5, 5, random_state=1)
    found = shapley(value_of(pairs, X, BACKGROUND), X != BACKGROUND, orders, rows)
    assert len(rows) == 5
    np.testing.assert_allclose(found.values, by_definition(pairs, X, BACKGROUND), atol=1e-12)


def test_contributions_add_up_whatever_is_sampled():
    for pairs in (1, 3, 40):
        found = shapley(value_of(interacting, X, BACKGROUND), X != BACKGROUND, *sample_orders(4, 5, pairs, 0))
        np.testing.assert_allclose(found.values.sum(axis=0), found.predicted - found.base, atol=1e-12)
        np.testing.assert_allclose(found.base, interacting(BACKGROUND).mean(axis=0))
        np.testing.assert_allclose(found.predicted, interacting(X[None])[0])


def test_standard_errors_are_those_of_repeated_sampling():
    one = BACKGROUND[:1]
    found = [shapley(value_of(interacting, X, one), one != X, *sample_orders(4, 1, 30, seed)) for seed in range(200)]
    actual = np.std([one.values[:, 0] for one in found], axis=0)
    stated = np.sqrt(np.mean([one.errors[:, 0] ** 2 for one in found], axis=0))
    np.testing.assert_allclose(stated, actual, rtol=0.15)
    assert np.isnan(shapley(value_of(interacting, X, one), one != X, *sample_orders(4, 1, 1, 0)).errors).all()


def test_rows_that_do_not_differ_are_computed_once():
    computed = []
    background = np.array([[2.0, -1.0, 0.5, 1.0], [2.0, -1.0, 0.5, 2.0]])  # only the last feature differs

    def value(own, rows):
        computed.append(len(rows))
        return interacting(np.where(own, X, background[rows]))

    found = shapley(value, background != X, *sample_orders(4, 2, 32, 0))
    assert sum(computed) == 3  # the instance and both background rows
    np.testing.assert_allclose(found.values[:3], 0.0)


@pytest.mark.parametrize("players", [1, 2, 9])
def test_every_background_row_is_used_equally_often(players):
    orders, rows = sample_orders(players, 7, 30, 0)
    assert (np.bincount(rows) == 5).all()
    assert (np.sort(orders, axis=1) == np.arange(players)).all()
