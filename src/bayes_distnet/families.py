"""The families of runtime distributions: mathematics only; see `family` for what all of them share."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.special

from bayes_distnet.errors import SettingError
from bayes_distnet.family import LOG_TIME_RANGE, RAW_SPREAD_RANGE, Family, solve_log_quantile
from bayes_distnet.likelihood import (
    GUMBEL_STD,
    LOGISTIC_STD,
    SPREAD_FLOOR,
    fit_gamma,
    fit_loglogistic,
    fit_weibull,
    samples_last,
)
from bayes_distnet.special import (
    HALF_LOG_2PI,
    capped_exp,
    ig_exponent,
    ig_log_sf,
    log_difference,
    log_ndtr,
    log_ratio,
    mills_ratio,
    namespace,
    ratio,
    softplus,
)
from bayes_distnet.special_gamma import SCIPY_SHAPE, gamma_log_prob, gamma_log_sf, log_gamma_1p

__all__ = [
    "FAMILIES",
    "Exponential",
    "Family",
    "Gamma",
    "InverseGaussian",
    "LogLogistic",
    "LogNormal",
    "Normal",
    "Weibull",
    "get_family",
]

Array = Any


def _location_and_spread(raw: Array, center: Array, spread: Array) -> tuple[Array, Array]:
    """Return location and spread of log time from raw outputs; the spread is relative to the data's."""
    xp = namespace(raw, center, spread)
    return center + spread * raw[..., 0], spread * xp.exp(xp.clip(raw[..., 1], *RAW_SPREAD_RANGE))


def _exp_time(log_time: Array) -> Array:
    xp = namespace(log_time)
    return xp.exp(xp.clip(log_time, *LOG_TIME_RANGE))


@dataclass(frozen=True, eq=False)
class LogNormal(Family):
    r"""Log-normal runtimes, $\log T \sim N(\mathrm{loc}, \mathrm{scale}^2)$.

    >>> LogNormal(loc=0.0, scale=1.0).log_sf(np.exp(30.0)).round(6).item()
    -454.321244
    """

    loc: Array
    scale: Array

    name = "lognormal"
    parameter_names = ("loc", "scale")
    time_parameters = ()

    def log_prob(self, t: Array) -> Array:
        xp, t, loc, scale = self._arrays(t)
        z = log_difference(t, loc) / scale
        return -0.5 * z * z - xp.log(t) - xp.log(scale) - HALF_LOG_2PI

    def log_sf(self, t: Array) -> Array:
        _, t, loc, scale = self._arrays(t)
        # Not log(1 - cdf): that is log(0) from about six deviations on.
        return log_ndtr(-log_difference(t, loc) / scale)

    def quantile(self, p: Array) -> Array:
        _, p, loc, scale = self._arrays(p)
        with np.errstate(over="ignore", under="ignore"):
            return np.exp(loc + scale * scipy.special.ndtri(p))

    def _log_quantile(self, log_p: Array, log_q: Array) -> Array:
        _, loc, scale = self._arrays()
        lower = log_p < log_q
        z = scipy.special.ndtri_exp(np.where(lower, log_p, log_q))
        return loc + scale * np.where(lower, z, -z)

    def mean(self) -> Array:
        _, loc, scale = self._arrays()
        with np.errstate(over="ignore", under="ignore"):
            return np.exp(loc + 0.5 * scale**2)

    def variance(self) -> Array:
        _, loc, scale = self._arrays()
        with np.errstate(over="ignore", under="ignore"):
            return np.exp(2.0 * loc + scale**2) * np.expm1(scale**2)

    def log_mean_beyond(self, t: Array) -> Array:
        _, t, loc, scale = self._arrays(t)
        with np.errstate(divide="ignore"):
            return loc + 0.5 * scale**2 + log_ndtr(scale - (np.log(np.maximum(t, 0.0)) - loc) / scale)

    def sample(self, rng: np.random.Generator, shape: int | tuple[int, ...]) -> Array:
        _, loc, scale = self._arrays()
        with np.errstate(over="ignore", under="ignore"):
            return np.exp(loc + scale * rng.standard_normal(shape))

    def scaled(self, factor: Array) -> Self:
        return type(self)(self.loc + namespace(self.loc, factor).log(factor), self.scale)

    @classmethod
    def from_log_parameters(cls, raw: Array) -> Self:
        return cls(raw[..., 0], _exp_time(raw[..., 1]))

    @classmethod
    def from_raw(cls, raw: Array, center: Array, spread: Array) -> Self:
        return cls(*_location_and_spread(raw, center, spread))

    @classmethod
    def from_samples(cls, y: Array, axis: int = -1) -> Self:
        xp, y = samples_last(y, axis)
        log_y = xp.log(y)
        loc = log_y.mean(-1)
        variance = ((log_y - loc[..., None]) ** 2).mean(-1)
        return cls(loc, xp.sqrt(xp.maximum(variance, SPREAD_FLOOR**2)))


@dataclass(frozen=True, eq=False)
class InverseGaussian(Family):
    r"""Inverse Gaussian runtimes with mean mu and shape lam, both in seconds; variance $\mu^3 / \lambda$.

    >>> InverseGaussian(mu=2.0, lam=4.0).variance().item()
    2.0
    """

    mu: Array
    lam: Array

    name = "inverse-gaussian"
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
        log_mean, variation = _location_and_spread(raw, center, spread)
        mu = _exp_time(log_mean)
        return cls(mu, mu / variation**2)

    @classmethod
    def from_samples(cls, y: Array, axis: int = -1) -> Self:
        xp, y = samples_last(y, axis)
        mu = y.mean(-1)
        m = mu[..., None]
        # mu / lam = mu mean(1/y - 1/mu), with the cancellation done on paper.
        variation = (((y - m) / m) ** 2 * (m / y)).mean(-1)
        return cls(mu, mu / xp.maximum(variation, SPREAD_FLOOR**2))


@dataclass(frozen=True, eq=False)
class Exponential(Family):
    r"""Exponential runtimes with mean `scale`: a solver without memory, for which restarts change nothing.

    >>> Exponential(scale=2.0).quantile(0.5).round(4).item()
    1.3863
    """

    scale: Array

    name = "exponential"
    parameter_names = ("scale",)
    time_parameters = ("scale",)
    n_raw = 1

    def log_prob(self, t: Array) -> Array:
        xp, t, scale = self._arrays(t)
        return -xp.log(scale) - ratio(t, scale)

    def log_sf(self, t: Array) -> Array:
        _, t, scale = self._arrays(t)
        return -ratio(t, scale)

    def _log_quantile(self, log_p: Array, log_q: Array) -> Array:
        return np.log(self._arrays()[1]) + np.log(-log_q)

    def mean(self) -> Array:
        return self._arrays()[1]

    def variance(self) -> Array:
        with np.errstate(over="ignore", under="ignore"):
            return self._arrays()[1] ** 2

    def log_mean_beyond(self, t: Array) -> Array:
        _, t, scale = self._arrays(t)
        t = np.maximum(t, 0.0)
        with np.errstate(invalid="ignore"):
            return np.where(t < np.inf, np.log(t + scale) - t / scale, -np.inf)

    @classmethod
    def from_raw(cls, raw: Array, center: Array, spread: Array) -> Self:
        return cls(_exp_time(center + spread * raw[..., 0]))

    @classmethod
    def from_samples(cls, y: Array, axis: int = -1) -> Self:
        return cls(samples_last(y, axis)[1].mean(-1))


@dataclass(frozen=True, eq=False)
class Weibull(Family):
    r"""Weibull runtimes, $P(T > t) = \exp(-(t/\mathrm{scale})^{\mathrm{shape}})$.

    >>> Weibull(scale=1.0, shape=2.0).log_sf(3.0).round(9).item()
    -9.0
    """

    scale: Array
    shape: Array

    name = "weibull"
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
        location, deviation = _location_and_spread(raw, center, spread)
        return cls(_exp_time(location), GUMBEL_STD / deviation)

    @classmethod
    def from_samples(cls, y: Array, axis: int = -1) -> Self:
        return cls(*fit_weibull(y, axis))


@dataclass(frozen=True, eq=False)
class Gamma(Family):
    r"""Gamma runtimes with mean shape · scale.

    >>> Gamma(shape=3.0, scale=2.0).mean().item()
    6.0
    """

    shape: Array
    scale: Array

    name = "gamma"
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
        log_mean, variation = _location_and_spread(raw, center, spread)
        return cls(1.0 / variation**2, _exp_time(log_mean) * variation**2)

    @classmethod
    def from_samples(cls, y: Array, axis: int = -1) -> Self:
        return cls(*fit_gamma(y, axis))


@dataclass(frozen=True, eq=False)
class LogLogistic(Family):
    r"""Log-logistic runtimes, $P(T > t) = 1 / (1 + (t/\mathrm{scale})^{\mathrm{shape}})$.

    The scale is the median. The mean is infinite for shape <= 1, the variance for shape <= 2.

    >>> LogLogistic(scale=5.0, shape=1.0).mean().item()
    inf
    """

    scale: Array
    shape: Array

    name = "loglogistic"
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
        location, deviation = _location_and_spread(raw, center, spread)
        return cls(_exp_time(location), LOGISTIC_STD / deviation)

    @classmethod
    def from_samples(cls, y: Array, axis: int = -1) -> Self:
        return cls(*fit_loglogistic(y, axis))


@dataclass(frozen=True, eq=False)
class Normal(Family):
    r"""Normal law on the whole line: not a runtime family but the kernel of published density estimates.

    >>> Normal(loc=0.0, scale=1.0).cdf(0.0).item()
    0.5
    """

    loc: Array
    scale: Array

    name = "normal"
    parameter_names = ("loc", "scale")
    time_parameters = ("loc", "scale")
    positive = False

    def log_prob(self, t: Array) -> Array:
        xp, t, loc, scale = self._arrays(t)
        z = (t - loc) / scale
        return -0.5 * z * z - xp.log(scale) - HALF_LOG_2PI

    def log_sf(self, t: Array) -> Array:
        _, t, loc, scale = self._arrays(t)
        return log_ndtr((loc - t) / scale)

    def quantile(self, p: Array) -> Array:
        _, p, loc, scale = self._arrays(p)
        return loc + scale * scipy.special.ndtri(p)

    def mean(self) -> Array:
        _, loc, scale = self._arrays()
        return loc + 0.0 * scale

    def variance(self) -> Array:
        _, loc, scale = self._arrays()
        return scale**2 + 0.0 * loc

    def mean_beyond(self, t: Array) -> Array:
        _, t, loc, scale = self._arrays(t)
        return loc * self.sf(t) + scale**2 * self.prob(t)

    def sample(self, rng: np.random.Generator, shape: int | tuple[int, ...]) -> Array:
        _, loc, scale = self._arrays()
        return loc + scale * rng.standard_normal(shape)

    @classmethod
    def from_samples(cls, y: Array, axis: int = -1) -> Self:
        xp, y = samples_last(y, axis)
        loc = y.mean(-1)
        variance = ((y - loc[..., None]) ** 2).mean(-1)
        return cls(loc, xp.sqrt(xp.maximum(variance, (SPREAD_FLOOR * loc) ** 2)))


FAMILIES: dict[str, type[Family]] = {
    family.name: family for family in (LogNormal, InverseGaussian, Exponential, Weibull, Gamma, LogLogistic)
}


def get_family(family: str | type[Family]) -> type[Family]:
    """Return a family by its name; a family class is returned as it is.

    >>> get_family("weibull").__name__
    'Weibull'
    """
    if isinstance(family, type) and issubclass(family, Family):
        return family
    if isinstance(family, str) and family in FAMILIES:
        return FAMILIES[family]
    raise SettingError(f"Unknown family {family!r}; use one of {', '.join(map(repr, FAMILIES))}.")
