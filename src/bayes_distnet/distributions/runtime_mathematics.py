"""What a kind of predicted runtimes has to write: its mathematics, for checked arrays of one shape."""

from __future__ import annotations

from abc import abstractmethod
from typing import Self

import numpy as np

from bayes_distnet.arrays import BoolArray, FloatArray, IndexArray
from bayes_distnet.distributions.ignorance import Ignorance


class RuntimeMathematics(Ignorance):
    """The methods that a subclass of `PredictedRuntimes` writes; the rest of its face follows from them."""

    @property
    @abstractmethod
    def family(self) -> str:
        """Name of the family of the components."""

    @property
    @abstractmethod
    def n_components(self) -> int:
        """S, the number of components per row."""

    @property
    @abstractmethod
    def weights(self) -> FloatArray:
        """(n, S) weights of the components (given that the run is alive, after `given_alive`); rows sum to one."""

    @property
    def samples(self) -> FloatArray | None:
        """(n, S) predicted runtimes that the distribution was estimated from; None if it was not."""
        return None

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def mean(self) -> FloatArray:
        """(n,) expected runtime."""

    @abstractmethod
    def variance(self) -> FloatArray:
        """(n,) variance in s²."""

    @abstractmethod
    def log_joint(
        self, seconds: FloatArray, finished: BoolArray, present: BoolArray, tick: float | None = None
    ) -> FloatArray:
        """(n,) log density of all runs (n, k) of an instance together; where there is no run, any positive seconds.

        Parameters
        ----------
        seconds, finished, present : ndarray
            Runs.
        tick : float, optional
            Tick of the timer that showed the seconds; densities are then means over ticks.

        Returns
        -------
        ndarray
            Logs of densities per second for each finished run, of probabilities for each other run.
        """

    @property
    @abstractmethod
    def _lowest(self) -> float:
        """End of the support: 0, or minus infinity."""

    @abstractmethod
    def _take(self, rows: IndexArray | slice) -> Self: ...

    @abstractmethod
    def _log_sf(self, times: FloatArray) -> FloatArray:
        """(n, m) at times (n, m) or (1, m) inside the support."""

    @abstractmethod
    def _log_pdf(self, times: FloatArray) -> FloatArray:
        """(n, m) at times (n, m) or (1, m) inside the support."""

    @abstractmethod
    def _solve(self, rows: IndexArray, log_sf: FloatArray) -> FloatArray:
        """(k,) times at which rows (k,) reach finite, negative log survival (k,)."""

    @abstractmethod
    def _restricted_mean(self, times: FloatArray) -> FloatArray:
        """(n, m) E[min(T, t)] at finite times (n, m) inside the support."""

    @abstractmethod
    def _sample(self, rng: np.random.Generator, size: int) -> FloatArray: ...

    @abstractmethod
    def _given_alive(self, waited: FloatArray) -> Self:
        """Condition on having survived a scalar or (n,) seconds."""

    def _log_sf_given(self, hardness: FloatArray, times: FloatArray) -> FloatArray:
        """(n, D, m) log survival at times (n, m) inside the support, of instances of hardness (n, D)."""
        log_sf = np.broadcast_to(self._log_sf(times), (len(self), times.shape[1]))
        return np.repeat(log_sf[:, None, :], hardness.shape[1], axis=1)
