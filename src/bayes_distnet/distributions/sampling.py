"""Random runtimes from rows of mixtures."""

from __future__ import annotations

import numpy as np

from bayes_distnet.arrays import FloatArray, IndexArray
from bayes_distnet.distributions.mixture import Mixture
from bayes_distnet.distributions.quantiles import solve


def sample(mixture: Mixture, rng: np.random.Generator, size: int) -> FloatArray:
    """(n, size) runtimes drawn from every row.

    Parameters
    ----------
    mixture : Mixture
        n rows.
    rng : numpy.random.Generator
        Source of randomness.
    size : int
        Number of runtimes per row.

    Returns
    -------
    ndarray
        (n, size) seconds.
    """
    n, independent = len(mixture), bool(np.any(mixture.power != 1))
    if mixture.is_plain and not independent:
        drawn = mixture.components.take((np.arange(n)[:, None], _draw_components(mixture, rng, size)))
        return np.asarray(drawn.sample(rng, (n, size)))
    if mixture.n_components > 1 and not independent and not mixture.shares_draws:
        # A component has a closed quantile function, the mixture does not.
        picks = np.arange(n)[:, None] * mixture.n_components + _draw_components(mixture, rng, size)
        return _invert(mixture.split().take(picks.ravel()), rng.random((picks.size, 1))).reshape(picks.shape)
    return _invert(mixture, rng.random((n, size)))


def _draw_components(mixture: Mixture, rng: np.random.Generator, size: int) -> IndexArray:
    """(n, size) components drawn by their weights."""
    cumulative = np.cumsum(mixture.weights, axis=1)
    cumulative = np.broadcast_to(cumulative / cumulative[:, -1:], (len(mixture), mixture.n_components))
    uniform = rng.random((len(mixture), size))
    drawn = [np.searchsorted(line, u, side="right") for line, u in zip(cumulative, uniform, strict=True)]
    return np.asarray(drawn, dtype=np.intp).reshape(uniform.shape)


def _invert(mixture: Mixture, uniform: FloatArray) -> FloatArray:
    """(n, m) quantiles at levels (n, m) in [0, 1); a level of 0 counts as the smallest one above."""
    rows = np.repeat(np.arange(len(mixture)), uniform.shape[1])
    levels = np.maximum(uniform.ravel(), np.finfo(np.float64).tiny)
    return solve(mixture, rows, np.log1p(-levels)).reshape(uniform.shape)
