"""Gaussian kernels around predicted runtimes: their mean is a distribution on the whole line, in log space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.special
from scipy.optimize.elementwise import find_root

from bayes_distnet.arrays import BoolArray, FloatArray, IndexArray
from bayes_distnet.distributions.special.elementary import HALF_LOG_2PI, LOG_2, log1mexp, log_sum_exp


@dataclass(frozen=True)
class Kernels:
    """n rows of S kernels of equal weight; methods take times (n, m) or (1, m) of any sign.

    Parameters
    ----------
    centres : ndarray
        (n, S) seconds.
    width : ndarray
        (n, 1) standard deviation of the kernels in seconds.
    """

    centres: FloatArray
    width: FloatArray

    def __len__(self) -> int:
        return len(self.centres)

    @property
    def count(self) -> int:
        """S, the number of kernels per row."""
        return int(self.centres.shape[1])

    @property
    def first(self) -> FloatArray:
        """(n,) smallest centre."""
        return np.asarray(self.centres.min(axis=1))

    @property
    def last(self) -> FloatArray:
        """(n,) largest centre."""
        return np.asarray(self.centres.max(axis=1))

    def take(self, rows: IndexArray | slice) -> Kernels:
        """Return some of the rows."""
        return Kernels(self.centres[rows], self.width[rows])

    def standardised(self, times: FloatArray) -> FloatArray:
        """(n, m, S) distances of times from the centres, in widths."""
        return np.asarray((times[..., None] - self.centres[:, None, :]) / self.width[:, None, :])

    def log_cdf(self, times: FloatArray) -> FloatArray:
        """(n, m) log of the probability up to each time."""
        return self._mix(scipy.special.log_ndtr(self.standardised(times)))

    def log_sf(self, times: FloatArray) -> FloatArray:
        """(n, m) log of the probability beyond each time, also relatively accurate where it is close to 0."""
        log_sf = self._mix(scipy.special.log_ndtr(-self.standardised(times)))
        near = log_sf > -LOG_2
        if near.any():
            # Close to 0 only the lower tail has digits left.
            log_sf = np.where(near, log1mexp(np.minimum(self.log_cdf(times), 0.0)), log_sf)
        return np.asarray(np.minimum(log_sf, 0.0))

    def log_pdf(self, times: FloatArray) -> FloatArray:
        """(n, m) log density."""
        return np.asarray(self._mix(-0.5 * self.standardised(times) ** 2 - HALF_LOG_2PI) - np.log(self.width))

    def _mix(self, log_terms: FloatArray) -> FloatArray:
        """(n, m): log of the mean over the kernels of exp of (n, m, S) terms."""
        return np.asarray(log_sum_exp(log_terms) - np.log(self.count))

    def isf(self, log_sf: FloatArray) -> FloatArray:
        """(n,) times at which each row has log survival (n,), finite and negative."""
        upper = log_sf < -LOG_2
        log_tail = np.where(upper, log_sf, log1mexp(log_sf))
        z = scipy.special.ndtri_exp(log_tail) * np.where(upper, -1.0, 1.0)
        # Every kernel has the quantile centre + width * z; the quantile of their mean lies between those.
        low, high = self.first + self.width[:, 0] * z, self.last + self.width[:, 0] * z
        margin = 1e-3 * self.width[:, 0] + 4 * np.spacing(np.maximum(np.abs(low), np.abs(high)))

        def miss(times: FloatArray, log_tail: FloatArray, upper: BoolArray, rows: IndexArray) -> FloatArray:
            part, times = self.take(rows), times[:, None]
            return np.where(upper, log_tail - part.log_sf(times)[:, 0], part.log_cdf(times)[:, 0] - log_tail)

        root = find_root(miss, (low - margin, high + margin), args=(log_tail, upper, np.arange(len(self))))
        return np.asarray(root.x)
