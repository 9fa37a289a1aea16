"""One lognormal in place of several: the same mean and variance of log time."""

from __future__ import annotations

import numpy as np

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution


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


def merge_neighbours(
    loc: FloatArray, scale: FloatArray, weights: FloatArray, groups: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Put one lognormal in place of every few with neighbouring locations.

    Parameters
    ----------
    loc, scale : array
        (rows, components) of lognormals.
    weights : array
        (rows, components) or (components,), not negative.
    groups : int
        Largest number of lognormals per row afterwards.

    Returns
    -------
    loc, scale, weights : array
        (rows, groups), in ascending order of the locations.

    Examples
    --------
    >>> loc, scale, weights = merge_neighbours(np.array([[9.0, -1.0, 1.0, 9.0]]), np.ones((1, 4)), np.full(4, 0.25), 2)
    >>> loc.tolist(), (scale**2).round(9).tolist(), weights.tolist()
    ([[0.0, 9.0]], [[2.0, 1.0]], [[0.5, 0.5]])
    """
    n = loc.shape[1]
    order = np.argsort(loc, axis=1)
    loc, scale, weights = (np.take_along_axis(a, order, 1) for a in (loc, scale, np.broadcast_to(weights, loc.shape)))
    starts = np.unique(np.linspace(0, n, groups, endpoint=False).astype(np.int64))
    # Components without weight must not leave a group without a mean.
    loc, scale = match_moments(loc, scale, np.maximum(weights, np.finfo(float).tiny), starts)
    return loc, scale, np.add.reduceat(weights, starts, axis=1)


def draw_starts(rtd: RuntimeDistribution) -> IntArray:
    """Return the first component of every draw of a prediction, in which the parts of a draw stand side by side."""
    labels = np.arange(rtd.n_components) if rtd.draws is None else rtd.draws
    return np.flatnonzero(np.diff(labels, prepend=-1))
