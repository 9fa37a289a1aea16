"""Log-logistic runtimes."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.special

from bayes_distnet.arrays import Array
from bayes_distnet.distributions.families.base import Family
from bayes_distnet.distributions.families.links import exp_time, location_and_spread
from bayes_distnet.distributions.families.samples import SPREAD_FLOOR, iterate, samples_last
from bayes_distnet.distributions.special.dispatch import stop_gradient
from bayes_distnet.distributions.special.elementary import log_ratio, softplus

#: Standard deviation of log T at shape 1.
LOGISTIC_STD = math.pi / math.sqrt(3.0)


def fit_loglogistic(y: Array, axis: int = -1) -> tuple[Array, Array]:
    """Return log-logistic scale and shape of largest likelihood.

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
    >>> scale, shape = fit_loglogistic(np.exp(np.random.default_rng(0).logistic(0.0, 0.5, 100_000)))
    >>> scale.round(1).item(), shape.round(1).item()
    (1.0, 2.0)
    """
    xp, y = samples_last(y, axis)
    log_y = xp.log(y)
    center = stop_gradient(log_y.mean(-1))
    variance = ((stop_gradient(log_y) - center[..., None]) ** 2).mean(-1)
    deviation = xp.sqrt(xp.maximum(variance, SPREAD_FLOOR**2))
    x = (log_y - center[..., None]) / deviation[..., None]

    def step(x: Array, theta: Array) -> Array:
        # Newton's step in (slope, shift), z = slope x - shift, in which the log likelihood is concave;
        # shortened so that no z moves further than the curvature it was computed with reaches.
        slope, shift = theta[0], theta[1]
        z = slope[..., None] * x - shift[..., None]
        half = xp.tanh(0.5 * z)
        bend = 0.5 * (1.0 - half**2)
        g0, g1 = (half * x).mean(-1) - 1.0 / slope, -half.mean(-1)
        h00, h01, h11 = (bend * x * x).mean(-1) + 1.0 / slope**2, -(bend * x).mean(-1), bend.mean(-1)
        h00, h01, h11 = (stop_gradient(h) for h in (h00, h01, h11))
        det = h00 * h11 - h01**2
        d0, d1 = (h11 * g0 - h01 * g1) / det, (h00 * g1 - h01 * g0) / det
        change = abs(d0[..., None] * x - d1[..., None]) / (2.0 + 0.5 * abs(z))
        reach = xp.maximum(change.max(-1), 2.0 * d0 / slope)
        length = stop_gradient(1.0 / xp.maximum(reach, 1.0))
        return xp.stack([slope - length * d0, shift - length * d1])

    start = xp.stack([xp.full_like(deviation, LOGISTIC_STD), xp.zeros_like(deviation)])
    slope, shift = iterate(step, x, start, 14)
    shape = xp.minimum(slope / deviation, LOGISTIC_STD / SPREAD_FLOOR)
    return xp.exp(center + deviation * shift / slope), shape


@dataclass(frozen=True, eq=False)
class LogLogistic(Family):
    r"""Log-logistic runtimes, $P(T > t) = 1 / (1 + (t/\mathrm{scale})^{\mathrm{shape}})$.

    The scale is the median. The mean is infinite for shape <= 1, the variance for shape <= 2.

    Parameters
    ----------
    scale : array
        Median in seconds, positive.
    shape : array
        Exponent of the tail, positive.

    Examples
    --------
    >>> LogLogistic(scale=5.0, shape=1.0).mean().item()
    inf
    """

    scale: Array
    shape: Array

    name = "loglogistic"
    label = "log-logistic"
    parameter_names = ("scale", "shape")
    time_parameters = ("scale",)

    def log_prob(self, t: Array) -> Array:
        xp, t, scale, shape = self._arrays(t)
        log_x = log_ratio(t, scale)
        return xp.log(shape) - xp.log(scale) + (shape - 1.0) * log_x - 2.0 * softplus(shape * log_x)

    def log_sf(self, t: Array) -> Array:
        _, t, scale, shape = self._arrays(t)
        return -softplus(shape * log_ratio(t, scale))

    def _log_quantile(self, log_p: Array, log_q: Array) -> Array:
        _, scale, shape = self._arrays()
        return np.log(scale) + (log_p - log_q) / shape

    def mean(self) -> Array:
        _, scale, shape = self._arrays()
        b = 1.0 / shape
        with np.errstate(divide="ignore", over="ignore"):
            return np.where(b < 1.0, scale / np.sinc(np.where(b < 1.0, b, 0.0)), np.inf)

    def variance(self) -> Array:
        _, scale, shape = self._arrays()
        b = 1.0 / shape
        c = np.where(b < 0.5, b, 0.0)
        with np.errstate(divide="ignore", over="ignore"):
            return np.where(b < 0.5, scale**2 * (1.0 / np.sinc(2.0 * c) - 1.0 / np.sinc(c) ** 2), np.inf)

    def log_mean_beyond(self, t: Array) -> Array:
        _, t, scale, shape = self._arrays(t)
        b = np.where(shape > 1.0, 1.0 / shape, 0.5)
        with np.errstate(all="ignore"):
            log_sf = -softplus(shape * np.log(np.maximum(t, 0.0) / scale))
            log_beta = np.log(scipy.special.betainc(1.0 - b, 1.0 + b, np.exp(log_sf)))
            # The incomplete beta function in its leading term, where it underflows.
            deep = (1.0 - b) * log_sf + np.log(np.sinc(b) / (1.0 - b))
            value = np.log(scale / np.sinc(b)) + np.where(log_beta > -600.0, log_beta, deep)
        return np.where(shape > 1.0, value, np.inf)

    @classmethod
    def from_raw(cls, raw: Array, center: Array, spread: Array) -> Self:
        location, deviation = location_and_spread(raw, center, spread)
        return cls(exp_time(location), LOGISTIC_STD / deviation)

    @classmethod
    def from_samples(cls, y: Array, axis: int = -1) -> Self:
        return cls(*fit_loglogistic(y, axis))
