"""Ignorance about the instance, apart from the luck of its runs: what every prediction is asked about it."""

from __future__ import annotations

from abc import ABC, abstractmethod

from numpy.typing import ArrayLike

from bayes_distnet.arrays import FloatArray
from bayes_distnet.distributions.checks import check_times, shaped
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_level


class Ignorance(ABC):
    """The part of `PredictedRuntimes` that keeps ignorance and luck apart."""

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    @abstractmethod
    def splits(self) -> bool:
        """Whether ignorance is separated from luck."""

    @abstractmethod
    def epistemic(self) -> FloatArray:
        """(n,) variance of the draws' means, in s²."""

    @abstractmethod
    def aleatoric(self) -> FloatArray:
        """(n,) mean of the draws' variances, in s²."""

    @abstractmethod
    def unsure_share(self) -> FloatArray:
        """(n,) fraction of the variance of log time that lies between draws, or between instances."""

    @abstractmethod
    def _band(
        self, ends: tuple[float, float], q: float, times: FloatArray | None, mean: bool
    ) -> tuple[FloatArray, FloatArray]:
        """Ends of the band of q-quantiles or means (n,); with times (n, m) or (1, m) of cdfs or restricted means."""

    def band(
        self, level: float = 0.9, *, q: float | None = None, t: ArrayLike | None = None, mean: bool = False
    ) -> tuple[FloatArray, FloatArray]:
        """Return the range in which the instance's own median, or another of its numbers, lies with a probability.

        With an instance effect (`InstanceRuntimes`) the instance is what is unknown; else the ends hold the middle
        `level` of the draws.

        Parameters
        ----------
        level : float, default 0.9
            Probability that the instance's value lies between the two ends, or fraction of the draws (by weight).
        q : float, optional
            Level of the quantile, 0.5 (the median) by default.
        t : array-like, optional
            Times, to ask for the probability of having finished by then instead of a quantile.
        mean : bool, default False
            Whether to ask for the mean runtime instead of a quantile; with t for the mean of min(T, t), the expected
            cost of a run that is stopped at t. Infinite means are `inf`.

        Returns
        -------
        low, high : ndarray
            Ends: (n,) without t or for a scalar t, (n, m) for m times.

        Raises
        ------
        SettingError
            If q is given together with t or mean, or there are no draws to compare: for a `KernelEstimate`, and after
            `minimum_of(k)` with independent copies.

        Examples
        --------
        >>> import numpy as np
        >>> from bayes_distnet.distributions.families import LogNormal
        >>> from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
        >>> rtd = RuntimeDistribution(LogNormal(loc=[np.linspace(0.0, 1.0, 101)], scale=1.0))
        >>> np.round(rtd.band(0.9), 3).ravel()                  # of the median: exp(0.05), exp(0.95)
        array([1.051, 2.586])
        >>> np.round(rtd.band(0.9, mean=True), 3).ravel()       # of the mean: exp(0.5) times as much
        array([1.733, 4.263])
        >>> np.round(rtd.band(0.9, mean=True, t=1.0), 3).ravel()
        array([0.774, 0.938])
        """
        level = check_level(level)
        if q is not None and (t is not None or mean):
            raise SettingError("band takes q (a quantile level), or t (times) and mean, not both")
        ends = 0.5 - 0.5 * level, 0.5 + 0.5 * level
        quantile = 0.5 if q is None else check_level(q, "q")
        if t is None:
            return self._band(ends, quantile, None, mean)
        times, shape = shaped("t", check_times(t), len(self))
        low, high = self._band(ends, quantile, times, mean)
        return low.reshape(shape), high.reshape(shape)
