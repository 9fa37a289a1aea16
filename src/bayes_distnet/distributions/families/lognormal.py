"""Log-normal runtimes."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.special

from bayes_distnet.arrays import Array
from bayes_distnet.distributions.families.base import Family
from bayes_distnet.distributions.families.links import exp_time, location_and_spread
from bayes_distnet.distributions.families.samples import SPREAD_FLOOR, samples_last
from bayes_distnet.distributions.special.dispatch import namespace
from bayes_distnet.distributions.special.elementary import HALF_LOG_2PI, log_difference
from bayes_distnet.distributions.special.normal import log_ndtr


@dataclass(frozen=True, eq=False)
class LogNormal(Family):
    r"""Log-normal runtimes, $\log T \sim N(\mathrm{loc}, \mathrm{scale}^2)$.

    Parameters
    ----------
    loc : array
        Mean of log runtime.
    scale : array
        Standard deviation of log runtime, positive.

    Examples
    --------
    >>> LogNormal(loc=0.0, scale=1.0).log_sf(np.exp(30.0)).round(6).item()
    -454.321244
    """

    loc: Array
    scale: Array

    name = "lognormal"
    label = "lognormal"
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
        return cls(raw[..., 0], exp_time(raw[..., 1]))

    @classmethod
    def from_raw(cls, raw: Array, center: Array, spread: Array) -> Self:
        return cls(*location_and_spread(raw, center, spread))

    @classmethod
    def from_samples(cls, y: Array, axis: int = -1) -> Self:
        xp, y = samples_last(y, axis)
        log_y = xp.log(y)
        loc = log_y.mean(-1)
        variance = ((log_y - loc[..., None]) ** 2).mean(-1)
        return cls(loc, xp.sqrt(xp.maximum(variance, SPREAD_FLOOR**2)))
