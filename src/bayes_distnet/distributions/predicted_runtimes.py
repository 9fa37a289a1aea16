"""The common face of predicted runtimes: everything that follows from a log survival function and its inverse.

`RuntimeDistribution` (mixtures of a family), `InstanceRuntimes` (these with an instance effect) and `KernelEstimate`
(kernels over predicted runtimes) write their mathematics for checked arrays of one shape; arguments are checked,
shaped and split into blocks here, once.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from bayes_distnet.arrays import BoolArray, FloatArray, IndexArray
from bayes_distnet.distributions.blocks import blocks, grid_blocks
from bayes_distnet.distributions.checks import check_hardness, check_rows, check_times, shaped
from bayes_distnet.distributions.runtime_mathematics import RuntimeMathematics
from bayes_distnet.distributions.shown import ShownRuntimes
from bayes_distnet.errors import RuntimeDataError, SettingError
from bayes_distnet.validation import check_at_least, check_level, check_numbers, check_seed


class PredictedRuntimes(ShownRuntimes, RuntimeMathematics):
    """Predicted distributions of the runtime of n instances, in seconds; one row per instance.

    Times `t` and levels `p` may be a scalar (the answer has shape (n,)), an array (m,) that is common to all rows (the
    answer is (n, m)), or an array (n, m) with values of its own for every row.
    """

    @abstractmethod
    def minimum_of(self, k: int, *, independent: bool = False) -> PredictedRuntimes:
        """Distribution of the fastest of k parallel copies."""

    # -- rows --------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        # Worth solving for in a notebook, not in the log of a run with many rows.
        medians = self.median() if 0 < len(self) * self.n_components <= 10_000 else np.empty(0)
        middle = f", median {medians.min():.3g} to {medians.max():.3g} s" if medians.size else ""
        return f"{type(self).__name__}({len(self)} rows x {self.n_components} {self.family} components{middle})"

    def __getitem__(self, rows: SupportsIndex | slice | Sequence[int] | IndexArray | BoolArray) -> Self:
        """Return some of the rows: an integer (one row), a slice, a mask, or an array of indices."""
        chosen = rows if isinstance(rows, slice) else check_rows(rows, len(self))
        some = self._take(chosen)
        some.familiarity = None if self.familiarity is None else self.familiarity.take(chosen)
        return some

    # -- values ------------------------------------------------------------------------------------------------

    def pdf(self, t: ArrayLike) -> FloatArray:
        """Return the density at t, per second; see `log_pdf`."""
        with np.errstate(over="ignore", under="ignore"):
            return np.exp(self.log_pdf(t))

    def log_pdf(self, t: ArrayLike) -> FloatArray:
        """Return the log density at t, finite in tails where the density itself underflows.

        Parameters
        ----------
        t : array-like
            Seconds: a scalar, (m,) or (n, m).

        Returns
        -------
        ndarray
            Shape (n,) or (n, m); minus infinity outside the support.
        """
        return self._evaluate(t, lambda part, x: part._log_pdf(x), below=-np.inf)

    def cdf(self, t: ArrayLike) -> FloatArray:
        """Return the probability of having finished by t, relatively accurate for small t too; see `log_sf`."""
        return 0.0 - np.expm1(self.log_sf(t))

    def sf(self, t: ArrayLike) -> FloatArray:
        """Return the probability of running longer than t; see `log_sf`."""
        with np.errstate(under="ignore"):
            return np.exp(self.log_sf(t))

    def log_sf(self, t: ArrayLike) -> FloatArray:
        """Return the log of the probability of running longer than t, finite where that probability underflows.

        Parameters
        ----------
        t : array-like
            Seconds: a scalar, (m,) or (n, m).

        Returns
        -------
        ndarray
            Shape (n,) or (n, m).
        """
        return self._evaluate(t, lambda part, x: part._log_sf(x), below=0.0)

    def log_sf_given(self, hardness: ArrayLike, t: ArrayLike) -> FloatArray:
        """Return log survival for each of several instances that the prediction may stand for.

        The prediction does not determine the instance. Instances that agree with it are ordered from easy to hard, and
        one of hardness h is harder than a fraction Φ(h) of them. So the prediction is the average over standard normal
        h, and a decision about one instance averages over h what follows from each distribution: a restart draws a
        new run, not a new instance.

        Parameters
        ----------
        hardness : array-like
            Standard normal scores: (D,) for all rows, or (n, D).
        t : array-like
            Seconds: a scalar, (m,) or (n, m).

        Returns
        -------
        ndarray
            Shape (n, D) or (n, D, m). Without a split of ignorance from luck (`splits`), hardness changes nothing.

        Examples
        --------
        >>> from bayes_distnet.distributions.families import Exponential
        >>> from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
        >>> rtd = RuntimeDistribution(Exponential(scale=[[1.0, 100.0]]))      # an easy or a hard instance
        >>> rtd.log_sf_given([-1.0, 1.0], 10.0)
        array([[-10. ,  -0.1]])
        """
        scores = check_hardness(hardness, len(self))
        times, shape = shaped("t", check_times(t), len(self))
        times = np.broadcast_to(times, (len(self), times.shape[1]))
        under = times <= self._lowest
        known = under | (times == np.inf)
        result = np.empty((*scores.shape, times.shape[1]))
        with np.errstate(all="ignore"):
            for rows in blocks(len(self), times.shape[1] * max(scores.shape[1], self.n_components)):
                inside = np.where(known[rows], 1.0, times[rows])
                result[rows] = self._take(rows)._log_sf_given(scores[rows], inside)
        result = np.where(known[:, None], np.where(under, 0.0, -np.inf)[:, None], result)
        return result.reshape(*scores.shape, *shape[1:])

    def quantile(self, p: ArrayLike) -> FloatArray:
        """Return the time by which a fraction p of the runs has finished, exact to 1e-9.

        Parameters
        ----------
        p : array-like
            Probability levels in [0, 1]: a scalar, (m,) or (n, m).

        Returns
        -------
        ndarray
            Seconds, shape (n,) or (n, m); `inf` at p = 1, the end of the support (0 for positive runtimes) at p = 0.
        """
        levels, shape = shaped("p", check_numbers("p", p), len(self))
        valid = (levels >= 0) & (levels <= 1)
        if not np.all(valid):
            raise SettingError(f"p is {levels[~valid][0]}; a quantile level lies in [0, 1]")
        with np.errstate(divide="ignore"):
            return self._times(np.log1p(-levels)).reshape(shape)

    def time_at_log_sf(self, log_sf: ArrayLike) -> FloatArray:
        """Return the time at which log survival has a value: `quantile(1 - exp(log_sf))`, exact far in the tail too.

        Parameters
        ----------
        log_sf : array-like
            Log probabilities of running longer, at most 0: a scalar, (m,) or (n, m).

        Returns
        -------
        ndarray
            Seconds, shape (n,) or (n, m); `inf` at minus infinity.
        """
        values, shape = shaped("log_sf", check_numbers("log_sf", log_sf), len(self))
        if not np.all(values <= 0):
            raise SettingError(f"log_sf is {values[~(values <= 0)][0]}; the log of a probability is at most 0")
        return self._times(values).reshape(shape)

    def _times(self, log_sf: FloatArray) -> FloatArray:
        values = np.broadcast_to(log_sf, (len(self), log_sf.shape[1]))
        result = np.where(values == -np.inf, np.inf, self._lowest)
        rows, columns = np.nonzero((values < 0) & (values > -np.inf))
        result[rows, columns] = self._solve(rows, values[rows, columns])
        return result

    def median(self) -> FloatArray:
        """(n,) time by which half of the runs have finished."""
        return self.quantile(0.5)

    def iqr(self) -> FloatArray:
        """(n,) interquartile range, in seconds."""
        low, high = self.interval(0.5)
        return high - low

    def interval(self, level: float = 0.9) -> tuple[FloatArray, FloatArray]:
        """Return the central interval that holds a run with a given probability.

        Parameters
        ----------
        level : float, default 0.9
            Probability, strictly between 0 and 1.

        Returns
        -------
        low, high : ndarray
            Ends in seconds, each (n,).
        """
        level = check_level(level)
        ends = self.quantile([0.5 - 0.5 * level, 0.5 + 0.5 * level])
        return ends[:, 0], ends[:, 1]

    def std(self) -> FloatArray:
        """(n,) standard deviation in seconds."""
        return np.sqrt(self.variance())

    def restricted_mean(self, t: ArrayLike) -> FloatArray:
        r"""Return E[min(T, t)], the expected cost of a run that is stopped at t.

        For positive runtimes this is :math:`\int_0^t P(T > x)\,dx`. It is finite for every finite t, also where the
        mean is not, and as accurate as `mean`.

        Parameters
        ----------
        t : array-like
            Seconds: a scalar, (m,) or (n, m).

        Returns
        -------
        ndarray
            Seconds, shape (n,) or (n, m).

        Examples
        --------
        >>> from bayes_distnet.distributions.families import LogLogistic
        >>> from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
        >>> rtd = RuntimeDistribution(LogLogistic(scale=[1.0], shape=[1.0]))
        >>> rtd.mean(), rtd.restricted_mean(1.0).round(6)       # log 2
        (array([inf]), array([0.693147]))
        """
        times, shape = shaped("t", check_times(t), len(self))
        times = np.array(np.broadcast_to(times, (len(self), times.shape[1])))
        inside = np.isfinite(times) & (times > self._lowest)
        result = times.copy()  # below the support no run has ended
        rows = np.flatnonzero((times == np.inf).any(axis=1))
        if rows.size:
            result[rows] = np.where(times[rows] == np.inf, self._take(rows).mean()[:, None], result[rows])
        rows = np.flatnonzero(inside.any(axis=1))
        if rows.size:
            means = self._take(rows)._restricted_mean(np.where(inside, times, 1.0)[rows])
            result[rows] = np.where(inside[rows], means, result[rows])
        return result.reshape(shape)

    def sample(self, size: int, random_state: int = 0) -> FloatArray:
        """Draw runtimes from every row.

        Parameters
        ----------
        size : int
            Number of runtimes per row.
        random_state : int, default 0
            Seed of the random generator; the same seed gives the same runtimes.

        Returns
        -------
        ndarray
            Seconds, shape (n, size).
        """
        check_at_least("size", size, 0)
        return self._sample(np.random.default_rng(check_seed("random_state", random_state)), size)

    def given_alive(self, t: ArrayLike) -> Self:
        """Return the distribution of the time left, T - t, for a run that is still going after t seconds.

        Components that expected the run to be over by then lose weight: the fact that it is not is evidence.

        Parameters
        ----------
        t : array-like
            Seconds survived, a scalar or (n,); finite, not negative.

        Returns
        -------
        Self
            A distribution of the same class and number of rows.

        Raises
        ------
        RuntimeDataError
            If t is negative, infinite, not a number or of another shape.
        """
        waited = check_numbers("given_alive", t, RuntimeDataError)
        if waited.shape not in ((), (len(self),)) or not np.all(np.isfinite(waited) & (waited >= 0)):
            raise RuntimeDataError(
                f"given_alive takes seconds survived, a finite scalar or one for each of the {len(self)} rows; "
                f"got {t!r}"
            )
        left = self._given_alive(waited)
        left.familiarity = self.familiarity
        return left

    # -- machinery ---------------------------------------------------------------------------------------------

    def _evaluate(
        self, t: ArrayLike, function: Callable[[Self, FloatArray], FloatArray], *, below: float
    ) -> FloatArray:
        """Log density or log survival, with known values below the support (`below`) and at infinity (minus inf)."""
        times, shape = shaped("t", check_times(t), len(self))
        under = times <= self._lowest
        known = under | (times == np.inf)
        if known.any():
            # Subclasses only take times inside; a grid common to all rows stays common.
            times = np.where(known, 1.0, times)
        result = np.empty((len(self), times.shape[1]))
        with np.errstate(all="ignore"):
            for rows, columns in grid_blocks(len(self), times.shape[1], self.n_components):
                x = times[:, columns] if len(times) == 1 else times[rows, columns]
                result[rows, columns] = function(self._take(rows), x)
        if known.any():
            result = np.where(known, np.where(under, below, -np.inf), result)
        return result.reshape(shape)


def check_distribution(rtd: object) -> None:
    """Raise a `SettingError` unless these are `PredictedRuntimes`."""
    if not isinstance(rtd, PredictedRuntimes):
        raise SettingError(
            f"expected a RuntimeDistribution, found {type(rtd).__name__}. "
            f"A model's predict_distribution(X) returns one."
        )
