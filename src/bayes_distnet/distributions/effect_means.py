"""Mean runtimes of single instances: integrals of their survival functions, given the instance effect."""

from __future__ import annotations

import numpy as np
import scipy.special

from bayes_distnet.arrays import FloatArray, IndexArray
from bayes_distnet.distributions.blocks import blocks
from bayes_distnet.distributions.effect_mixture import EffectMixture
from bayes_distnet.distributions.numeric import integrate

# Log survival at the ends of the pieces of an integral, at these normal scores of the instance's own distribution. A
# lognormal needs the last ones if its deviation in log time is above 5, a power law if its mean is nearly infinite.
_EDGES = scipy.special.log_ndtr(-np.array([-8.0, -3.0, -1.0, 1.0, 3.0, 8.0, 20.0]))
_SHORTEST, _LONGEST = 1e-300, 1e300  # seconds
_RTOL, _DEPTH = 1e-7, 12


def means_until(mixture: EffectMixture, value: FloatArray, times: FloatArray) -> FloatArray:
    r"""Return the mean of min(X, t), X the time left, for instances with given effects.

    It is :math:`\int_0^t sf_a(x)\,dx`, taken over log time and adaptively.

    Parameters
    ----------
    mixture : EffectMixture
        n rows.
    value : ndarray
        (n,) effects.
    times : ndarray
        (n, m) seconds t; infinity asks for the mean itself.

    Returns
    -------
    ndarray
        (n, m) seconds; `inf` where a mean is infinite, t where it is not positive.
    """
    result = np.empty(times.shape)
    for rows in blocks(len(mixture), times.shape[1] * _EDGES.size * 15):
        result[rows] = _means_until(mixture.take(rows), value[rows], times[rows])
    return result


def _means_until(mixture: EffectMixture, value: FloatArray, times: FloatArray) -> FloatArray:
    n, m = times.shape
    with np.errstate(all="ignore"):
        edges = mixture.quantile_at(value, np.broadcast_to(_EDGES, (n, _EDGES.size)))
        edges = np.clip(edges, _SHORTEST, _LONGEST)
        foot = edges[:, :1]
        pieces = np.log(np.clip(times[..., None], foot[..., None], edges[:, None, :])).reshape(n * m, -1)

        def survival(owner: IndexArray, y: FloatArray) -> FloatArray:
            values = np.empty(y.shape)
            for block in blocks(owner.size, y.shape[1] * mixture.marginal.n_components):
                rows = owner[block] // m
                values[block] = mixture.take(rows).log_sf_at(value[rows], np.exp(y[block]))
            return np.asarray(np.exp(values + y))

        owner = np.repeat(np.arange(n * m), _EDGES.size - 1)
        parts = integrate(survival, owner, pieces[:, :-1].ravel(), pieces[:, 1:].ravel(), _RTOL, depth=_DEPTH)
        means = np.where(times <= foot, times, foot + parts.reshape(n, m, -1).sum(axis=2))
    return np.where(np.isinf(times) & (mixture.tail_index() <= 1.0)[:, None], np.inf, means)
