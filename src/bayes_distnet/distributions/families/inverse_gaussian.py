"""Inverse Gaussian runtimes."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.special

from bayes_distnet.arrays import Array
from bayes_distnet.distributions.families.base import Family, solve_log_quantile
from bayes_distnet.distributions.families.links import exp_time, location_and_spread
from bayes_distnet.distributions.families.samples import SPREAD_FLOOR, samples_last
from bayes_distnet.distributions.special.elementary import HALF_LOG_2PI
from bayes_distnet.distributions.special.inverse_gaussian import ig_exponent, ig_log_sf
from bayes_distnet.distributions.special.normal import mills_ratio


@dataclass(frozen=True, eq=False)
class InverseGaussian(Family):
    r"""Inverse Gaussian runtimes with mean mu and shape lam, both in seconds; variance $\mu^3 / \lambda$.

    Parameters
    ----------
    mu : array
        Mean in seconds, positive.
    lam : array
        Shape in seconds, positive.

    Examples
    --------
    >>> InverseGaussian(mu=2.0, lam=4.0).variance().item()
    2.0
    """

    mu: Array
    lam: Array

    name = "inverse-gaussian"
    label = "inverse Gaussian"
    parameter_names = ("mu", "lam")
    time_parameters = ("mu", "lam")

    def log_prob(self, t: Array) -> Array:
        xp, t, mu, lam = self._arrays(t)
        return 0.5 * xp.log(lam) - 1.5 * xp.log(t) - HALF_LOG_2PI - ig_exponent(t, mu, lam)

    def log_sf(self, t: Array) -> Array:
        _, t, mu, lam = self._arrays(t)
        return ig_log_sf(t, mu, lam)

    def _log_quantile(self, log_p: Array, log_q: Array) -> Array:
        _, mu, lam = self._arrays()
        # Start where the first of the two terms of the cdf, Phi(a), is right: a / sqrt(lam / mu) = 2 sinh(u / 2).
        a = np.where(log_p < log_q, scipy.special.ndtri_exp(log_p), -scipy.special.ndtri_exp(log_q))
        start = np.log(mu) + 2.0 * np.arcsinh(0.5 * a * np.sqrt(mu / lam))
        return solve_log_quantile(self, log_p, log_q, start)

    def mean(self) -> Array:
        _, mu, lam = self._arrays()
        return mu + 0.0 * lam

    def variance(self) -> Array:
        _, mu, lam = self._arrays()
        with np.errstate(over="ignore", under="ignore"):
            return mu**3 / lam

    def log_mean_beyond(self, t: Array) -> Array:
        _, t, mu, lam = self._arrays(t)
        # mu [Phi(-a) + exp(2 lam / mu) Phi(-b)] = mu phi(a) [R(a) + R(b)] with R the Mills ratio.
        with np.errstate(all="ignore"):
            root = np.sqrt(lam / np.maximum(t, 0.0))
            a = np.where(t < np.inf, root * ((t - mu) / mu), np.inf)
            log_density = -0.5 * a * a - HALF_LOG_2PI
            mills_b = mills_ratio(a + 2.0 * root)
            above = log_density + np.log(mills_ratio(np.maximum(a, 0.0)) + mills_b)
            below = np.log1p(np.exp(log_density) * (mills_b - mills_ratio(np.maximum(-a, 0.0))))
            return np.log(mu) + np.where(t > 0, np.where(a > 0, above, below), 0.0)

    def sample(self, rng: np.random.Generator, shape: int | tuple[int, ...]) -> Array:
        _, mu, lam = self._arrays()
        # Michael, Schucany and Haas (1976), with the smaller root written without its cancellation.
        w = rng.standard_normal(shape) ** 2 * (mu / (2.0 * lam))
        root = 1.0 / (1.0 + w + np.sqrt(w * (2.0 + w)))
        return mu * np.where(rng.random(shape) * (1.0 + root) <= 1.0, root, 1.0 / root)

    @classmethod
    def from_raw(cls, raw: Array, center: Array, spread: Array) -> Self:
        log_mean, variation = location_and_spread(raw, center, spread)
        mu = exp_time(log_mean)
        return cls(mu, mu / variation**2)

    @classmethod
    def from_samples(cls, y: Array, axis: int = -1) -> Self:
        xp, y = samples_last(y, axis)
        mu = y.mean(-1)
        m = mu[..., None]
        # mu / lam = mu mean(1/y - 1/mu), with the cancellation done on paper.
        variation = (((y - m) / m) ** 2 * (m / y)).mean(-1)
        return cls(mu, mu / xp.maximum(variation, SPREAD_FLOOR**2))
