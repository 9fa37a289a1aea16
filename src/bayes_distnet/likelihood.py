"""The likelihood equations of the families whose maximum-likelihood fit has no closed form.

Each function takes positive samples along an axis, NumPy's or JAX's, and returns the family's parameters;
with JAX they can be differentiated. Samples that are all equal get the smallest spread of log time there is.
"""

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from bayes_distnet.special import namespace, repeat, stop_gradient
from bayes_distnet.special_gamma import excess, log_minus_digamma, log_minus_digamma_slope

Array = Any

#: Smallest standard deviation of log time that a fit gives: equal samples have a likelihood too.
SPREAD_FLOOR = 1e-3
#: Standard deviation of log T of a log-logistic and of a Weibull distribution with shape 1.
LOGISTIC_STD, GUMBEL_STD = math.pi / math.sqrt(3.0), math.pi / math.sqrt(6.0)


def samples_last(y: Array, axis: int) -> tuple[ModuleType, Array]:
    """Return the namespace, and the samples with their axis moved to the end."""
    xp = namespace(y)
    y = np.asarray(y, dtype=float) if xp is np else y
    return xp, xp.moveaxis(y, axis, -1)


def _iterate(step: Callable[[Array, Array], Array], data: Array, start: Array, count: int) -> Array:
    """Solve a likelihood equation: constant Newton steps, then one that JAX differentiates.

    By the implicit function theorem the last step, its slope held constant, has the gradient of the solution.
    """
    fixed = stop_gradient(data)
    theta = repeat(lambda theta: step(fixed, theta), stop_gradient(start), count)
    return step(data, stop_gradient(theta))


def fit_weibull(y: Array, axis: int = -1) -> tuple[Array, Array]:
    """Return Weibull scale and shape of largest likelihood.

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

    shape = xp.minimum(_iterate(step, x, GUMBEL_STD / deviation, 8), GUMBEL_STD / SPREAD_FLOOR)
    a = shape[..., None] * x
    top = stop_gradient(a.max(-1, keepdims=True))
    log_power_mean = (xp.log(xp.exp(a - top).mean(-1)) + top[..., 0]) / shape
    return xp.exp(center + log_power_mean), shape


def fit_gamma(y: Array, axis: int = -1) -> tuple[Array, Array]:
    """Return gamma shape and scale of largest likelihood.

    >>> shape, scale = fit_gamma(np.random.default_rng(0).gamma(2.0, 1.0, 100_000))
    >>> shape.round(1).item(), scale.round(1).item()
    (2.0, 1.0)
    """
    xp, y = samples_last(y, axis)
    mean = y.mean(-1)
    # log mean(y) - mean(log y), with the cancellation done on paper; about half the squared variation.
    gap = xp.maximum(excess(y, mean[..., None]).mean(-1), 0.5 * SPREAD_FLOOR**2)

    def step(gap: Array, shape: Array) -> Array:
        # Newton's step for log(log shape - digamma(shape)) = log gap in log shape, almost a straight line.
        value = log_minus_digamma(shape)
        return shape * xp.exp(value / (shape * log_minus_digamma_slope(shape)) * xp.log(gap / value))

    # Within 1.5 % of the answer.
    start = (3.0 - gap + xp.sqrt((gap - 3.0) ** 2 + 24.0 * gap)) / (12.0 * gap)
    shape = _iterate(step, gap, start, 3)
    return shape, mean / shape


def fit_loglogistic(y: Array, axis: int = -1) -> tuple[Array, Array]:
    """Return log-logistic scale and shape of largest likelihood.

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
    slope, shift = _iterate(step, x, start, 14)
    shape = xp.minimum(slope / deviation, LOGISTIC_STD / SPREAD_FLOOR)
    return xp.exp(center + deviation * shift / slope), shape
