"""Places of labels, so that none covers another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move labels apart, as little as possible.

    Parameters
    ----------
    places : sequence of float
        Where labels would be, in any order.
    gap : float
        Least distance between two labels.
    low, high : float
        Ends of the space for labels. If they do not all fit at this distance, they are as far apart as they can be.

    Returns
    -------
    list of float
        New places, in the order of `places`.

    Examples
    --------
    >>> spread([10.0, 11.0, 50.0], gap=8.0, low=0.0, high=60.0)
    [6.5, 14.5, 50.0]
    """
    if not places:
        return []
    gap = min(gap, (high - low) / max(len(places) - 1, 1))
    order = np.argsort(places, kind="stable")
    groups: list[tuple[float, int]] = []  # middle of each group of touching labels, and their number
    for wish in np.asarray(places, dtype=float)[order]:
        middle, size = _inside(wish, 1, gap, low, high), 1
        while groups and middle - (size - 1) * gap / 2 < groups[-1][0] + (groups[-1][1] - 1) * gap / 2 + gap:
            other, number = groups.pop()
            middle = _inside((middle * size + other * number) / (size + number), size + number, gap, low, high)
            size += number
        groups.append((middle, size))
    found = [middle + (i - (size - 1) / 2) * gap for middle, size in groups for i in range(size)]
    result = np.empty(len(places))
    result[order] = found
    return [float(value) for value in result]


def _inside(middle: float, size: int, gap: float, low: float, high: float) -> float:
    """Move a group of labels into the space."""
    half = (size - 1) * gap / 2
    return float(min(max(middle, low + half), high - half))
