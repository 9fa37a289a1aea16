"""Exponential runtimes."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from bayes_distnet.arrays import Array
from bayes_distnet.distributions.families.base import Family
from bayes_distnet.distributions.families.links import exp_time
from bayes_distnet.distributions.families.samples import samples_last
from bayes_distnet.distributions.special.elementary import ratio


@dataclass(frozen=True, eq=False)
class Exponential(Family):
    r"""Exponential runtimes with mean `scale`: a solver without memory, for which restarts change nothing.

    Parameters
    ----------
    scale : array
        Mean in seconds, positive.

    Examples
    --------
    >>> Exponential(scale=2.0).quantile(0.5).round(4).item()
    1.3863
    """

    scale: Array

    name = "exponential"
    label = "exponential"
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
        return cls(exp_time(center + spread * raw[..., 0]))

    @classmethod
    def from_samples(cls, y: Array, axis: int = -1) -> Self:
        return cls(samples_last(y, axis)[1].mean(-1))
