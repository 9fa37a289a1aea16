r"""Weights of a linear pool by the continuous ranked probability score (CRPS) in place of the log score.

The CRPS of a mixture of predictions with survival functions :math:`S_k` is quadratic in its weights:

.. math:: \int_0^h \Big(\sum_k w_k S_k(t) - 1\{t < y\}\Big)^2 dt
    = \sum_{kl} w_k w_l \int_0^h S_k S_l\,dt - 2 \sum_k w_k E[\min(T_k, y)] + y, \qquad y \le h

so that the data are needed once, for one matrix and one vector, and the best weights are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, combinations
from typing import Self

import numpy as np

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.pooling import PSEUDO_COUNT, SCORED_ROWS, Rows

GRID = 400  # times per row at which survival functions are multiplied: mean CRPS to about 1e-4 of itself
FOOT, HEAD = 1e-5, 1e-6  # probability of ending before the first time of the grid, and of passing the last one
ROUNDING = 1e-12  # of weights, below which a negative one counts as zero


@dataclass(frozen=True)
class MeanCrps:
    """Mean CRPS over runs as a function of the weights of a pool.

    Parameters
    ----------
    products : array
        (k, k) mean integrals of the product of two survival functions, in seconds.
    means : array
        (k,) mean of E[min(T, y)] over runs y, in seconds.
    constant : float
        Mean of y.
    runs : int
        Number of runs.
    """

    products: FloatArray
    means: FloatArray
    constant: float
    runs: int

    @classmethod
    def of(cls, parts: list[Rows], observations: Observations) -> Self:
        """Collect what the score needs, some rows at a time.

        Nothing is known about an instance past its smallest cutoff: its integrals end there. If any run was cut off,
        those of an instance all of whose runs finished end at the longest observed time. With an end for cut-off runs
        only, a prediction would pay for long tails where runs finished and never gain by them where they did not. The
        score is proper where all runs have one cutoff, or each instance has its own and reaches it; it is close to
        that where cutoffs differ from run to run.

        Parameters
        ----------
        parts : list of Rows
            Predictions of the same instances, one row per instance.
        observations : Observations
            Runs of these instances.

        Returns
        -------
        MeanCrps
            The mean over all runs, in seconds.
        """
        seconds, finished = observations.matrix()
        present = ~np.isnan(seconds)
        ends = horizons(seconds, finished)
        count, size = int(present.sum()), len(parts)
        products, means, constant = np.zeros((size, size)), np.zeros(size), 0.0
        for start in range(0, len(seconds), SCORED_ROWS):
            rows = slice(start, start + SCORED_ROWS)
            some = [part[rows] for part in parts]
            runs = present[rows]
            times = np.where(runs, np.minimum(seconds[rows], ends[rows, None]), 1.0)
            products += np.einsum("i,ikl->kl", runs.sum(axis=1), survival_products(some, ends[rows]))
            means += [np.where(runs, one.restricted_mean(times), 0.0).sum() for one in some]
            constant += times[runs].sum()
        return cls(products / count, means / count, constant / count, count)

    def __call__(self, weights: FloatArray) -> float:
        """Return the mean CRPS of a pool."""
        return float(weights @ self.products @ weights - 2.0 * self.means @ weights + self.constant)

    def best_weights(self) -> FloatArray:
        """Return the weights, not negative and with sum one, of the lowest mean CRPS.

        Every set of parts is tried, with the best weights of sum one for it: a pool has few parts, and the minimum is
        that of one of the sets.

        Returns
        -------
        array
            One weight per part.
        """
        size = len(self.means)
        sets = chain.from_iterable(combinations(range(size), count) for count in range(1, size + 1))
        return min(filter(_is_pool, (self._stationary(list(some)) for some in sets)), key=self)

    def _stationary(self, some: list[int]) -> FloatArray:
        """Return the weights of sum one at which the score of a set of parts is stationary; zero for the others."""
        count = len(some)
        unit = np.trace(self.products) / len(self.means) or 1.0  # seconds: both kinds of equations in one size
        system = np.ones((count + 1, count + 1))
        system[:count, :count] = self.products[np.ix_(some, some)] / unit
        system[count, count] = 0.0
        # Least squares: parts that predict the same have more than one solution.
        solution = np.linalg.lstsq(system, np.r_[self.means[some] / unit, 1.0])[0]
        weights = np.zeros(len(self.means))
        weights[some] = solution[:count]
        return np.where(np.abs(weights) < ROUNDING, 0.0, weights)


def crps_weights(parts: list[Rows], observations: Observations) -> FloatArray:
    """Return the weights of a linear pool that minimise the mean CRPS.

    The score is in seconds: runs of slow instances count most, as they do in the score itself.

    Parameters
    ----------
    parts : list of Rows
        Predictions of instances that the parts have not seen, one row per instance.
    observations : Observations
        Runs of these instances; see `MeanCrps.of` on censored ones.

    Returns
    -------
    array
        One weight per part; the pseudo-counts of `pool_weights` keep all of them above zero.

    Examples
    --------
    >>> from bayes_distnet.distributions.families import LogNormal
    >>> short, long = (RuntimeDistribution(LogNormal(np.log([[median]]), 0.1)) for median in (1.0, 9.0))
    >>> runs = Observations(np.zeros(96, dtype=int), np.full(96, 1.0), np.full(96, True), 1)
    >>> crps_weights([short, long], runs).round(6).tolist()
    [0.98, 0.02]
    """
    score = MeanCrps.of(parts, observations)
    counts = score.runs * score.best_weights() + PSEUDO_COUNT
    return np.asarray(counts / counts.sum())


def horizons(seconds: FloatArray, finished: BoolArray) -> FloatArray:
    """Return the time per instance past which no run is compared with a prediction.

    Parameters
    ----------
    seconds : array
        (n, m) runtimes and cutoffs; NaN where there is no run.
    finished : array
        (n, m) False for a run that was cut off.

    Returns
    -------
    array
        (n,) smallest cutoff; where an instance has none, the longest time of all, or infinity if no run was cut off.
    """
    cut_off = ~np.isnan(seconds) & ~finished
    longest = np.nanmax(seconds) if cut_off.any() else np.inf
    return np.asarray(np.where(cut_off, seconds, longest).min(axis=1))


def survival_products(parts: list[RuntimeDistribution], ends: FloatArray) -> FloatArray:
    """Integrate the products of two survival functions from zero to an end, by the trapezoidal rule in log time.

    Parameters
    ----------
    parts : list of RuntimeDistribution
        k predictions of the same n rows.
    ends : array
        (n,) seconds; may be infinite.

    Returns
    -------
    array
        (n, k, k) seconds.
    """
    low = np.minimum(np.min([part.quantile(FOOT) for part in parts], axis=0), ends)
    high = np.minimum(np.max([part.quantile(1.0 - HEAD) for part in parts], axis=0), ends)
    times = np.exp(np.linspace(np.log(low), np.log(high), GRID, axis=1))
    steps = np.diff(times, axis=1)
    widths = np.zeros(times.shape)
    widths[:, :-1] += steps / 2
    widths[:, 1:] += steps / 2
    widths[:, 0] += low  # no run ends before: all survival functions are one
    survival = np.stack([part.sf(times) for part in parts], axis=1)
    return np.asarray((survival * widths[:, None, :]) @ survival.swapaxes(1, 2))


def _is_pool(weights: FloatArray) -> bool:
    return bool(np.all(weights >= 0) and np.isclose(weights.sum(), 1.0))
