r"""Shapley values by sampled orders.

A prediction for an instance x is compared with those for background rows b. Features of b are replaced by those of x
one after the other, in a random order, and each is credited with the change that it makes. The average over all orders
and all background rows is its Shapley value (interventional: features are replaced without regard to those that
remain). Every order is followed by its reverse. Together the two are exact where features act at most in pairs, since
each of a pair comes first once; all background rows are used equally often. What sampling leaves open are interactions
of three and more features.

The changes along an order add up to f(x) - f(b), so that contributions add up to f(x) less the average over the
background, up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bayes_distnet.arrays import BoolArray, FloatArray, IntArray

BLOCK = 8192  # rows that are predicted at once

#: Values (m, Q) of m mixed rows: own (m, players) says which players come from the instance, the others are those of a
#: background row (m,).
Value = Callable[[BoolArray, IntArray], FloatArray]


@dataclass(frozen=True)
class Contributions:
    """Shapley values of the players of one instance.

    Parameters
    ----------
    values, errors : ndarray of shape (players, Q)
        Contributions to every quantity and their standard errors; NaN with a single pair of orders.
    predicted : ndarray of shape (Q,)
        Quantities of the instance.
    base : ndarray of shape (Q,)
        Their averages over the background.
    """

    values: FloatArray
    errors: FloatArray
    predicted: FloatArray
    base: FloatArray


def sample_orders(players: int, background: int, pairs: int, random_state: int) -> tuple[IntArray, IntArray]:
    """Draw orders of players, all background rows equally often.

    Parameters
    ----------
    players, background : int
        Number of players and of background rows.
    pairs : int
        Least number of orders; each will be followed by its reverse.
    random_state : int
        Seed.

    Returns
    -------
    orders : ndarray of shape (N, players)
        Permutations.
    rows : ndarray of shape (N,)
        Background row of each.
    """
    rows = np.tile(np.arange(background), max(1, -(-pairs // background)))
    orders = np.tile(np.arange(players), (len(rows), 1))
    return np.random.default_rng(random_state).permuted(orders, axis=1), rows


def shapley(value: Value, differs: BoolArray, orders: IntArray, rows: IntArray) -> Contributions:
    """Compute the contributions of players.

    Parameters
    ----------
    value : callable
        Values of mixed rows.
    differs : ndarray of shape (background, players)
        Whether a player of the instance differs from that of a background row; where not, it changes nothing.
    orders, rows : ndarray
        See `sample_orders`.

    Returns
    -------
    Contributions
        Averages over orders and their reverses, and over background rows.

    Examples
    --------
    >>> x, b = np.array([2.0, 3.0]), np.array([[0.0, 1.0]])
    >>> product = lambda own, rows: np.where(own, x, b[rows]).prod(axis=1, keepdims=True)
    >>> shapley(product, x != b, *sample_orders(2, 1, 4, 0)).values.ravel()      # 2 (1 + 3) / 2 and 2 (0 + 2) / 2
    array([4., 2.])
    """
    players = orders.shape[1]
    changes = []
    size = max(1, BLOCK // (2 * max(players - 1, 1)))
    for start in range(0, len(rows), size):
        some = slice(start, start + size)
        changes.append(_changes(value, differs, orders[some], rows[some]))
    pairs = np.concatenate([change for change, _, _ in changes])
    ends = np.concatenate([background for _, background, _ in changes])
    count = len(pairs)
    spread = pairs.std(axis=0, ddof=1) if count > 1 else np.full(pairs.shape[1:], np.nan)
    return Contributions(pairs.mean(axis=0), spread / np.sqrt(count), changes[0][2], ends.mean(axis=0))


def _changes(
    value: Value, differs: BoolArray, orders: IntArray, rows: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Changes (N, players, Q) by each player, averaged over an order and its reverse; values of b (N, Q) and of x."""
    count, players = orders.shape
    place = np.argsort(orders, axis=1)
    steps = np.arange(players + 1)[None, :, None]
    forward = place[:, None, :] < steps  # after s steps, the first s players of the order are those of the instance
    own = np.stack([forward, ~forward[:, ::-1]], axis=1)  # and on the way back the last s
    at = np.broadcast_to(rows[:, None, None], own.shape[:3])
    values = _distinct(value, differs, own.reshape(-1, players), at.ravel()).reshape(count, 2, players + 1, -1)
    taken = np.diff(values, axis=2)
    there = np.take_along_axis(taken[:, 0], place[:, :, None], axis=1)
    back = np.take_along_axis(taken[:, 1], players - 1 - place[:, :, None], axis=1)
    return (there + back) / 2, values[:, 0, 0], values[0, 0, -1]


def _distinct(value: Value, differs: BoolArray, own: BoolArray, rows: IntArray) -> FloatArray:
    """Values of mixed rows, each different one computed once."""
    effective = own & differs[rows]
    whole = effective.sum(axis=1) == differs[rows].sum(axis=1)  # the instance itself, whatever the background row
    keys = np.column_stack(
        [np.where(whole, -1, rows), np.packbits(np.where(whole[:, None], True, effective), axis=1).astype(np.int64)]
    )
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return value(own[first] | whole[first, None], rows[first])[inverse.ravel()]
