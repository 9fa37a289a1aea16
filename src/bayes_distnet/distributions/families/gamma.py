"""Gamma runtimes."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.special

from bayes_distnet.arrays import Array
from bayes_distnet.distributions.families.base import Family, solve_log_quantile
from bayes_distnet.distributions.families.links import exp_time, location_and_spread
from bayes_distnet.distributions.families.samples import SPREAD_FLOOR, iterate, samples_last
from bayes_distnet.distributions.special.elementary import ratio
from bayes_distnet.distributions.special.gamma import (
    SCIPY_SHAPE,
    excess,
    gamma_log_prob,
    gamma_log_sf,
    log_gamma_1p,
    log_minus_digamma,
    log_minus_digamma_slope,
)


def fit_gamma(y: Array, axis: int = -1) -> tuple[Array, Array]:
    """Return gamma shape and scale of largest likelihood.

    Parameters
    ----------
    y : array
        Positive samples.
    axis : int, default -1
        Axis of the samples.

    Returns
    -------
    shape, scale : array
        The other axes of `y`.

    Examples
    --------
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
    shape = iterate(step, gap, start, 3)
    return shape, mean / shape


@dataclass(frozen=True, eq=False)
class Gamma(Family):
    r"""Gamma runtimes with mean shape · scale.

    Parameters
    ----------
    shape : array
        Inverse squared coefficient of variation, positive.
    scale : array
        Seconds, positive.

    Examples
    --------
    >>> Gamma(shape=3.0, scale=2.0).mean().item()
    6.0
    """

    shape: Array
    scale: Array

    name = "gamma"
    label = "gamma"
    parameter_names = ("shape", "scale")
    time_parameters = ("scale",)

    def log_prob(self, t: Array) -> Array:
        xp, t, shape, scale = self._arrays(t)
        return gamma_log_prob(shape, ratio(t, scale)) - xp.log(scale)

    def log_sf(self, t: Array) -> Array:
        _, t, shape, scale = self._arrays(t)
        return gamma_log_sf(shape, ratio(t, scale))

    def _log_quantile(self, log_p: Array, log_q: Array) -> Array:
        log_p, log_q, shape, scale = np.broadcast_arrays(log_p, log_q, *self._arrays()[1:])
        lower = log_p < log_q
        x = np.empty(lower.shape)
        x[lower] = scipy.special.gammaincinv(shape[lower], np.exp(log_p[lower]))
        x[~lower] = scipy.special.gammainccinv(shape[~lower], np.exp(log_q[~lower]))
        # Where x underflows, P = x^shape / Gamma(1 + shape); where exp(log_q) does, or SciPy is not accurate,
        # Newton steps.
        answer = np.where(lower & (x < 1e-250), (log_p + log_gamma_1p(shape)) / shape, np.log(x)) + np.log(scale)
        deep = log_q < -650.0
        rest = (deep | (shape > SCIPY_SHAPE)) & np.isfinite(log_p) & np.isfinite(log_q)
        if not rest.any():
            return answer
        bound = np.log(scale) + np.log(shape + np.sqrt(-2.0 * log_q * shape) - 2.0 * log_q)
        start = np.where(deep, bound, answer)
        return np.where(rest, solve_log_quantile(self, np.where(rest, log_p, -np.inf), log_q, start), answer)

    def mean(self) -> Array:
        _, shape, scale = self._arrays()
        return shape * scale

    def variance(self) -> Array:
        _, shape, scale = self._arrays()
        return shape * scale**2

    def log_mean_beyond(self, t: Array) -> Array:
        _, t, shape, scale = self._arrays(t)
        return np.log(shape) + np.log(scale) + gamma_log_sf(shape + 1.0, np.maximum(t, 0.0) / scale)

    def sample(self, rng: np.random.Generator, shape: int | tuple[int, ...]) -> Array:
        _, k, scale = self._arrays()
        # A small shape has draws below the smallest float; a runtime is still not 0.
        draws = scale * rng.standard_gamma(np.broadcast_to(k, shape))
        return np.maximum(draws, np.finfo(float).tiny)

    @classmethod
    def from_raw(cls, raw: Array, center: Array, spread: Array) -> Self:
        log_mean, variation = location_and_spread(raw, center, spread)
        return cls(1.0 / variation**2, exp_time(log_mean) * variation**2)

    @classmethod
    def from_samples(cls, y: Array, axis: int = -1) -> Self:
        return cls(*fit_gamma(y, axis))
