"""Sums over the components of lognormal mixtures, which nearly every prediction is, without logs of single terms.

A term of a sum needs no logarithm as long as the sum itself neither underflows nor comes close to one. This takes half
the time of `log_sf` and `log_prob` of the family, which are the general way.
"""

from __future__ import annotations

import numpy as np
from scipy.special import log_ndtr, ndtr

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.special.elementary import HALF_LOG_2PI, log_sum_exp

# Below this, sums are done in log space: exp() would lose digits to denormal numbers.
TINY = 1e-250
# Above this, the sum of the cdf terms has the digits that 1 - sum has lost.
NEAR_ONE = 0.999


class LogNormalSums:
    """Sums over lognormals at times x of shape (n, m) or (1, m).

    Parameters
    ----------
    components : LogNormal
        (n, S) parameters.
    weights, log_weights : array
        (n, S) or (1, S).
    x : array
        Seconds, positive and finite.
    """

    def __init__(self, components: LogNormal, weights: FloatArray, log_weights: FloatArray, x: FloatArray) -> None:
        self.scale = np.asarray(components.scale, dtype=float)
        self.weights, self.log_weights = weights, log_weights
        self.log_x = np.log(x)
        self.z = (self.log_x[..., None] - np.asarray(components.loc, dtype=float)[:, None, :]) / self.scale[:, None, :]

    def log_sf(self) -> FloatArray:
        """(n, m): log survival, relatively accurate near 0 and in the deep tail."""
        total = np.vecdot(ndtr(-self.z), self.weights[:, None, :])
        with np.errstate(divide="ignore"):
            mixed: FloatArray = np.minimum(np.log(total), 0.0)
        deep, near = total < TINY, total > NEAR_ONE
        if deep.any():
            mixed[deep] = log_sum_exp(log_ndtr(-self.z[deep]) + _at(deep, self.log_weights))
        if near.any():
            mixed[near] = np.log1p(-np.vecdot(ndtr(self.z[near]), _at(near, self.weights)))
        return mixed

    def log_pdf(self) -> FloatArray:
        """(n, m): log density."""
        with np.errstate(divide="ignore", over="ignore", under="ignore"):
            powers = np.exp(-0.5 * self.z * self.z)
            total = np.vecdot(powers, (self.weights / self.scale)[:, None, :])
            mixed: FloatArray = np.log(total)
        extreme = ~((total > TINY) & (total < 1 / TINY))
        if extreme.any():
            log_shares = np.broadcast_to(self.log_weights - np.log(self.scale), self.scale.shape)
            mixed[extreme] = log_sum_exp(-0.5 * self.z[extreme] ** 2 + _at(extreme, log_shares))
        return mixed - self.log_x - HALF_LOG_2PI


def _at(mask: BoolArray, values: FloatArray) -> FloatArray:
    """Values of the rows in which (n, m) is true, one row per true element."""
    return values if len(values) == 1 else values[np.nonzero(mask)[0]]
