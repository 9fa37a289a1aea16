"""The normal distribution on the whole line."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.special

from bayes_distnet.arrays import Array
from bayes_distnet.distributions.families.base import Family
from bayes_distnet.distributions.families.samples import SPREAD_FLOOR, samples_last
from bayes_distnet.distributions.special.elementary import HALF_LOG_2PI
from bayes_distnet.distributions.special.normal import log_ndtr


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
