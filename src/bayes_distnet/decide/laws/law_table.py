r"""Tables of the runtime distributions that an instance may have: what every decision is computed from.

A prediction leaves open which instance it stands for. `LawTable` holds D of the distributions that the instance itself
may have, from easy to hard, with equal weights. A decision computes what follows from each of them and averages the
results, never the distributions: a restart or a copy draws a new run, not a new instance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import scipy.special
from numpy.typing import ArrayLike

from bayes_distnet.arrays import FloatArray, IndexArray
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes, check_distribution
from bayes_distnet.validation import check_at_least

# Distributions per instance. Equal slices leave out the hardest 1 in 64 instances: expected times are 1 % short where
# the deviation of log time is 1 and the effect 0.4, and 3 % where it is 1.5. In return no decision hangs on instances
# that are so hard that their chance of finishing before a short cutoff is practically zero.
DRAWS = 32
POINTS = 256  # times per instance
RARE = 1e-6  # probability on each side of the tabulated times
SMALL = 1e-9  # first tabulated time over the last one, where runs may take no time at all


def hardness_scores(count: int = DRAWS) -> FloatArray:
    """Return the normal scores of `count` equal slices of instances, from easy to hard."""
    check_at_least("count", count, 1)
    return np.asarray(scipy.special.ndtri((np.arange(count) + 0.5) / count))


@dataclass(frozen=True)
class LawTable:
    """D possible runtime distributions of each of n instances, at m times.

    Between tabulated times, the log of the survival probability is a line in time; past the last one, in log time.

    Parameters
    ----------
    times : ndarray
        (n, m) seconds, positive and increasing.
    log_sf : ndarray
        (n, D, m) logs of survival probabilities.
    """

    times: FloatArray
    log_sf: FloatArray

    @classmethod
    def of(cls, rtd: PredictedRuntimes, *, hardness: ArrayLike | None = None, times: ArrayLike | None = None) -> Self:
        """Tabulate predictions.

        Parameters
        ----------
        rtd : PredictedRuntimes
            Predicted runtimes, one row per instance.
        hardness : array-like, optional
            Normal scores of the distributions, (D,) or (n, D): see `PredictedRuntimes.log_sf_given`. By default 32
            equal slices from easy to hard.
        times : array-like, optional
            Positive, increasing times, (m,) or (n, m); by default a geometric grid over all likely times.

        Returns
        -------
        LawTable
            One row per row of `rtd`.
        """
        check_distribution(rtd)
        grid = _likely_times(rtd) if times is None else np.asarray(times, dtype=float)
        grid = np.array(np.broadcast_to(grid, (len(rtd), grid.shape[-1])))
        return cls(grid, rtd.log_sf_given(hardness_scores() if hardness is None else hardness, grid))

    def __len__(self) -> int:
        return len(self.times)

    @property
    def n_draws(self) -> int:
        """D, the number of distributions per instance."""
        return int(self.log_sf.shape[1])

    def take(self, rows: IndexArray | slice) -> LawTable:
        """Return some of the rows."""
        return LawTable(self.times[rows], self.log_sf[rows])

    @cached_property
    def sf(self) -> FloatArray:
        """(n, D, m) survival probabilities."""
        return np.exp(self.log_sf)

    @cached_property
    def cdf(self) -> FloatArray:
        """(n, D, m) probabilities of having finished."""
        return -np.expm1(self.log_sf)

    @cached_property
    def spent(self) -> FloatArray:
        """(n, D, m) expected seconds of a run that is stopped at the time: E[min(T, t)] in each distribution."""
        first = self.times[:, None, :1] * _mean_between(np.zeros_like(self.log_sf[..., :1]), self.log_sf[..., :1])
        pieces = np.diff(self.times)[:, None] * _mean_between(self.log_sf[..., :-1], self.log_sf[..., 1:])
        return np.cumsum(np.concatenate([first, pieces], axis=2), axis=2)

    @cached_property
    def mean(self) -> FloatArray:
        """(n, D) expected seconds of a run in each distribution; infinite where the tail is too heavy."""
        return np.asarray(self.spent[..., -1] + self._beyond)

    def at(self, times: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return log survival and expected seconds at any times.

        Parameters
        ----------
        times : ndarray
            (n, k) seconds, not negative; infinity is allowed.

        Returns
        -------
        log_sf, spent : ndarray
            (n, D, k) logs of survival probabilities, and expected seconds of a run that is stopped at the time.
        """
        inner = np.minimum(times, self.times[:, -1:])
        grid, (log_sf, spent) = np.pad(self.times, ((0, 0), (1, 0))), (_from_zero(a) for a in (self.log_sf, self.spent))
        right = np.array([np.searchsorted(row, t) for row, t in zip(grid, inner, strict=True)]).reshape(inner.shape)
        right = np.clip(right, 1, grid.shape[1] - 1)
        left_time, right_time = (np.take_along_axis(grid, at, axis=1) for at in (right - 1, right))
        left, after = (np.take_along_axis(log_sf, at[:, None], axis=2) for at in (right - 1, right))
        before = np.take_along_axis(spent, right[:, None] - 1, axis=2)
        fraction = ((inner - left_time) / (right_time - left_time))[:, None]
        with np.errstate(invalid="ignore"):
            here = np.where(fraction > 0, left + (after - left) * fraction, left)
        here = np.where(fraction == 1, after, here)
        inside = before + (inner - left_time)[:, None] * _mean_between(left, here)
        past = times[:, None] > self.times[:, -1:, None]
        further = self._past(np.maximum(times / self.times[:, -1:], 1.0)) if past.any() else (here, 0.0)
        return np.where(past, further[0], here), inside + np.where(past, further[1], 0.0)

    def _past(self, ratio: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Log survival (n, D, k) at multiples (n, k) of the last time, and the expected seconds between them."""
        power, end = self._power[..., None], self.log_sf[..., -1:]
        steps = np.log(ratio)[:, None]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            log_sf = end - np.where(steps > 0, power * steps, 0.0)
            between = np.where(power == 1.0, steps, np.expm1((1.0 - power) * steps) / (1.0 - power))
            between = np.where(np.isinf(power), 0.0, between) * self.times[:, -1:, None] * np.exp(end)
        log_sf = np.where(np.isposinf(steps), np.where(power > 0, -np.inf, end), log_sf)
        return log_sf, np.where(np.isneginf(end), 0.0, between)

    @property
    def _power(self) -> FloatArray:
        """(n, D) powers of time with which survival falls past the last time; infinite where nothing is left."""
        end, steps = self.log_sf[..., -1], np.log(self.times[:, -1] / self.times[:, -2])[:, None]
        with np.errstate(invalid="ignore"):
            return np.where(np.isfinite(end), (self.log_sf[..., -2] - end) / steps, np.inf)

    @property
    def _beyond(self) -> FloatArray:
        """(n, D) expected seconds past the last time."""
        end, power = self.log_sf[..., -1], self._power
        with np.errstate(divide="ignore", invalid="ignore"):
            beyond = self.times[:, -1:] * np.exp(end) / (power - 1.0)
        return np.where(np.isneginf(end), 0.0, np.where(power > 1.0, beyond, np.inf))


def _from_zero(values: FloatArray) -> FloatArray:
    """(n, D, m + 1) with the value 0 at time 0 in front: log survival and seconds spent both start there."""
    return np.pad(values, ((0, 0), (0, 0), (1, 0)))


def _mean_between(left: FloatArray, right: FloatArray) -> FloatArray:
    """Mean of exp of a line from `left` to `right`: (exp(left) - exp(right)) / (left - right)."""
    gap = left - right
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        mean = np.exp(left) * -np.expm1(-gap) / gap
    return np.where(gap > 1e-12, np.where(np.isinf(gap), 0.0, mean), np.exp(left))


def _likely_times(rtd: PredictedRuntimes) -> FloatArray:
    """(n, m) geometric grids that leave out a probability of `RARE` on each side."""
    ends = rtd.quantile([RARE, 1.0 - RARE])
    last = np.maximum(ends[:, 1:], np.finfo(float).tiny ** 0.5)
    # Some probability at 0 s, as a kernel estimate has it, must not spread the grid over all small numbers.
    first = np.where(ends[:, :1] > 0, np.maximum(ends[:, :1], np.finfo(float).tiny ** 0.5), SMALL * last)
    low, high = np.log(first), np.log(last)
    return np.exp(low + (np.maximum(high, low + 1e-6) - low) * np.linspace(0.0, 1.0, POINTS))
