"""Weibull runtimes."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from bayes_distnet.arrays import Array
from bayes_distnet.distributions.families.base import Family
from bayes_distnet.distributions.families.links import exp_time, location_and_spread
from bayes_distnet.distributions.families.samples import SPREAD_FLOOR, iterate, samples_last
from bayes_distnet.distributions.special.dispatch import stop_gradient
from bayes_distnet.distributions.special.elementary import capped_exp, log_ratio
from bayes_distnet.distributions.special.gamma import gamma_log_sf, log_gamma_1p

#: Standard deviation of log T at shape 1.
GUMBEL_STD = math.pi / math.sqrt(6.0)


def fit_weibull(y: Array, axis: int = -1) -> tuple[Array, Array]:
    """Return Weibull scale and shape of largest likelihood.

    Parameters
    ----------
    y : array
        Positive samples.
    axis : int, default -1
        Axis of the samples.

    Returns
    -------
    scale, shape : array
        The other axes of `y`.

    Examples
    --------
    >>> scale, shape = fit_weibull(np.random.default_rng(0).weibull(2.0, 100_000))
    >>> scale.round(1).item(), shape.round(1).item()
    (1.0, 2.0)
    """
    xp, y = samples_last(y, axis)
    log_y = xp.log(y)
    center = stop_gradient(log_y.mean(-1))
    x = log_y - center[..., None]
    deviation = xp.sqrt(xp.maximum((x**2).mean(-1), SPREAD_FLOOR**2))

    def step(x: Array, shape: Array) -> Array:
        # Newton's step in log shape for  E_w[x] - mean(x) - 1/shape = 0  with weights w ~ exp(shape x).
        a = shape[..., None] * x
        w = xp.exp(a - stop_gradient(a.max(-1, keepdims=True)))
        w = w / w.sum(-1, keepdims=True)
        mean = (w * x).sum(-1)
        slope = (w * (x - mean[..., None]) ** 2).sum(-1) * shape + 1.0 / shape
        change = (mean - x.mean(-1) - 1.0 / shape) / stop_gradient(slope)
        return shape * xp.exp(-xp.clip(change, -1.0, 1.0))

    shape = xp.minimum(iterate(step, x, GUMBEL_STD / deviation, 8), GUMBEL_STD / SPREAD_FLOOR)
    a = shape[..., None] * x
    top = stop_gradient(a.max(-1, keepdims=True))
    log_power_mean = (xp.log(xp.exp(a - top).mean(-1)) + top[..., 0]) / shape
    return xp.exp(center + log_power_mean), shape


@dataclass(frozen=True, eq=False)
class Weibull(Family):
    r"""Weibull runtimes, $P(T > t) = \exp(-(t/\mathrm{scale})^{\mathrm{shape}})$.

    Parameters
    ----------
    scale : array
        Seconds by which 63 % of the runs have finished, positive.
    shape : array
        Below 1 for a falling hazard, above for a rising one; positive.

    Examples
    --------
    >>> Weibull(scale=1.0, shape=2.0).log_sf(3.0).round(9).item()
    -9.0
    """

    scale: Array
    shape: Array

    name = "weibull"
    label = "Weibull"
    parameter_names = ("scale", "shape")
    time_parameters = ("scale",)

    def log_prob(self, t: Array) -> Array:
        xp, t, scale, shape = self._arrays(t)
        log_x = log_ratio(t, scale)
        return xp.log(shape) - xp.log(scale) + (shape - 1.0) * log_x - capped_exp(shape * log_x)

    def log_sf(self, t: Array) -> Array:
        _, t, scale, shape = self._arrays(t)
        return -capped_exp(shape * log_ratio(t, scale))

    def _log_quantile(self, log_p: Array, log_q: Array) -> Array:
        _, scale, shape = self._arrays()
        return np.log(scale) + np.log(-log_q) / shape

    def mean(self) -> Array:
        _, scale, shape = self._arrays()
        with np.errstate(over="ignore"):
            return scale * np.exp(log_gamma_1p(1.0 / shape))

    def variance(self) -> Array:
        _, scale, shape = self._arrays()
        first, second = log_gamma_1p(1.0 / shape), log_gamma_1p(2.0 / shape)
        with np.errstate(over="ignore"):
            return scale**2 * np.exp(2.0 * first) * np.expm1(second - 2.0 * first)

    def log_mean_beyond(self, t: Array) -> Array:
        _, t, scale, shape = self._arrays(t)
        with np.errstate(over="ignore"):
            x = (np.maximum(t, 0.0) / scale) ** shape
        return np.log(scale) + log_gamma_1p(1.0 / shape) + gamma_log_sf(1.0 + 1.0 / shape, x)

    @classmethod
    def from_raw(cls, raw: Array, center: Array, spread: Array) -> Self:
        location, deviation = location_and_spread(raw, center, spread)
        return cls(exp_time(location), GUMBEL_STD / deviation)

    @classmethod
    def from_samples(cls, y: Array, axis: int = -1) -> Self:
        return cls(*fit_weibull(y, axis))
