"""One lognormal in place of several: the same mean and variance of log time."""

from __future__ import annotations

import numpy as np

from bayes_distnet.arrays import FloatArray, IntArray


def match_moments(
    loc: FloatArray, scale: FloatArray, weights: FloatArray, starts: IntArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return location and scale of one lognormal per group of neighbouring columns.

    Parameters
    ----------
    loc, scale : array
        (rows, components) of lognormals.
    weights : array
        (rows, components) or (components,), not negative; relative weights within a group.
    starts : array or None
        First column of every group, ascending from 0; None takes all columns as one group.

    Returns
    -------
    loc, scale : array
        (rows, groups).

    Examples
    --------
    >>> loc, scale = match_moments(np.array([[-1.0, 1.0]]), np.array([[1.0, 1.0]]), np.ones(2))
    >>> loc.tolist(), (scale**2).round(9).tolist()
    ([[0.0]], [[2.0]])
    """
    weights = np.broadcast_to(weights, loc.shape)
    if starts is None:
        weights = weights / weights.sum(axis=1, keepdims=True)
        center = (weights * loc).sum(axis=1, keepdims=True)
        return center, np.sqrt((weights * (scale**2 + (loc - center) ** 2)).sum(axis=1, keepdims=True))
    sizes = np.diff(np.r_[starts, loc.shape[1]])
    total = np.add.reduceat(weights, starts, axis=1)
    center = np.add.reduceat(weights * loc, starts, axis=1) / total
    square = scale**2 + (loc - np.repeat(center, sizes, axis=1)) ** 2
    return center, np.sqrt(np.add.reduceat(weights * square, starts, axis=1) / total)
