"""The base of all families: everything that follows from a family's own mathematics is derived here, once.

A family writes `log_prob`, `log_sf`, `mean`, `variance`, `log_mean_beyond`, `from_raw`, `from_samples` and
`_log_quantile`. Everything else (the censored likelihood, cdf, quantiles, samples) comes from this module, and
so does a solver for quantiles without a closed form.
"""

from abc import ABC, abstractmethod
from types import EllipsisType
from typing import ClassVar, Self, TypeAlias

import numpy as np

from bayes_distnet.arrays import Array, BoolArray, FloatArray, IndexArray
from bayes_distnet.distributions.special.dispatch import namespace
from bayes_distnet.distributions.special.elementary import log1mexp

#: Range of the second raw output, the log of the relative spread.
RAW_SPREAD_RANGE = (-4.0, 0.5)
#: Range of the log of a time made from a raw output, so that no family overflows in float32.
LOG_TIME_RANGE = (-35.0, 40.0)

_Axis: TypeAlias = int | slice | EllipsisType | list[int] | IndexArray | BoolArray | None
#: An index of an array with any number of axes.
Index: TypeAlias = _Axis | tuple[_Axis, ...]


class Family(ABC):
    """A parametric family of distributions of positive runtimes; a subclass is a frozen dataclass of its parameters.

    Parameters are arrays or numbers that broadcast against each other and against the times. `log_prob`, `log_sf`,
    `log_likelihood`, `scaled`, `take` and the class methods take NumPy and JAX arrays, and can be compiled and
    differentiated with JAX: build the family inside the compiled function. All other methods are NumPy, in float64.
    """

    name: ClassVar[str]  # as settings and files spell it
    label: ClassVar[str]  # as tables and reports show it
    parameter_names: ClassVar[tuple[str, ...]]
    time_parameters: ClassVar[tuple[str, ...]]  # the parameters in seconds
    n_raw: ClassVar[int] = 2  # raw network outputs per component

    # Written by each family.

    @abstractmethod
    def log_prob(self, t: Array) -> Array:
        """Log density at t > 0 seconds."""

    @abstractmethod
    def log_sf(self, t: Array) -> Array:
        """Log of the probability of running longer than t > 0 seconds."""

    @abstractmethod
    def mean(self) -> Array:
        """Mean in seconds; `inf` where it is infinite."""

    @abstractmethod
    def variance(self) -> Array:
        """Variance in seconds squared; `inf` where it is infinite."""

    @abstractmethod
    def _log_quantile(self, log_p: Array, log_q: Array) -> Array:
        """Log of the time at which `log_cdf` is `log_p` and `log_sf` is `log_q`."""

    @abstractmethod
    def log_mean_beyond(self, t: Array) -> Array:
        """Log of E[T; T > t], also where `mean_beyond` underflows; `inf` for an infinite mean."""

    @classmethod
    @abstractmethod
    def from_raw(cls, raw: Array, center: Array, spread: Array) -> Self:
        """Make the parameters from raw network outputs in standardised log time.

        Parameters
        ----------
        raw : array
            Outputs, shape (..., n_raw): the location, and the log of the relative spread (held to [-4, 0.5]).
        center : array
            Mean of log time in the training data.
        spread : array
            Standard deviation of log time in the training data.

        Returns
        -------
        Family
            Parameters of shape (...).
        """

    @classmethod
    @abstractmethod
    def from_samples(cls, y: Array, axis: int = -1) -> Self:
        """Fit the parameters to positive samples along an axis by maximum likelihood, differentiably.

        Samples that are all equal, or a single one, get the smallest spread allowed: 1e-3 in log time.

        Parameters
        ----------
        y : array
            Samples in seconds, positive.
        axis : int, default -1
            The axis of the samples.

        Returns
        -------
        Family
            Parameters of the shape of the other axes.
        """

    # Derived from it.

    def parameters(self) -> dict[str, Array]:
        """Return the parameters by name."""
        return {name: getattr(self, name) for name in self.parameter_names}

    def take(self, index: Index) -> Self:
        """Return the family with every parameter array, at the parameters' common shape, indexed."""
        _, *arrays = self._arrays()
        return type(self)(*(a[index] for a in namespace(*arrays).broadcast_arrays(*arrays)))

    def scaled(self, factor: Array) -> Self:
        """Return the distribution of the runtime times a factor.

        Parameters
        ----------
        factor : array
            Positive; broadcasts against the parameters.

        Returns
        -------
        Family
            The same family in another unit of time.

        Examples
        --------
        >>> from bayes_distnet.distributions.families.weibull import Weibull
        >>> Weibull(scale=2.0, shape=3.0).scaled(10.0)
        Weibull(scale=20.0, shape=3.0)
        """
        seconds = {name: getattr(self, name) * factor for name in self.time_parameters}
        return type(self)(**(self.parameters() | seconds))

    @classmethod
    def from_log_parameters(cls, raw: Array) -> Self:
        """Make every parameter the exponential of its raw output, raw[..., i], as DistNet was published.

        A location of log time is the output itself: its exponential is the median.

        Parameters
        ----------
        raw : array
            Outputs, shape (..., n_raw).

        Returns
        -------
        Family
            Parameters of shape (...).
        """
        xp = namespace(raw)
        return cls(*(xp.exp(xp.clip(raw[..., i], *LOG_TIME_RANGE)) for i in range(cls.n_raw)))

    def _arrays(self, *others: Array) -> tuple[Array, ...]:
        """Return the namespace, then the other arrays and the parameters as floating arrays."""
        arrays = [*others, *(getattr(self, name) for name in self.parameter_names)]
        xp = namespace(*arrays)
        if xp is np:
            return np, *(np.asarray(a, dtype=float) for a in arrays)
        return xp, *(xp.asarray(a) for a in arrays)

    def log_likelihood(self, t: Array, finished: Array) -> Array:
        """Return the log density of a finished run, the log survival of one that was cut off at t.

        Parameters
        ----------
        t : array
            Seconds, positive.
        finished : array
            False where the run was cut off at t.

        Returns
        -------
        array
            Log likelihood per run.

        Examples
        --------
        >>> from bayes_distnet.distributions.families.exponential import Exponential
        >>> Exponential(2.0).log_likelihood(np.array([4.0, 4.0]), np.array([True, False])).round(3).tolist()
        [-2.693, -2.0]
        """
        xp = namespace(t, finished, *self.parameters().values())
        # Both are finite with finite gradients for every t > 0: the one not taken cannot spoil the gradient.
        return xp.where(finished, self.log_prob(t), self.log_sf(t))

    def prob(self, t: Array) -> Array:
        """Density at t seconds, per second; 0 for t <= 0."""
        inside, t = self._inside(t)
        with np.errstate(over="ignore", under="ignore"):
            return np.where(inside & (t != np.inf), np.exp(self.log_prob(np.where(t == np.inf, 1.0, t))), 0.0)

    def cdf(self, t: Array) -> Array:
        """Probability of having finished by t seconds."""
        inside, t = self._inside(t)
        return np.where(inside, -np.expm1(self.log_sf(t)), 0.0)

    def sf(self, t: Array) -> Array:
        """Probability of running longer than t seconds."""
        inside, t = self._inside(t)
        with np.errstate(under="ignore"):
            return np.where(inside, np.exp(self.log_sf(t)), 1.0)

    def log_cdf(self, t: Array) -> Array:
        """Log of the probability of having finished by t seconds."""
        inside, t = self._inside(t)
        return np.where(inside, log1mexp(self.log_sf(t)), -np.inf)

    def _inside(self, t: Array) -> tuple[BoolArray, FloatArray]:
        t = np.asarray(t, dtype=float)
        inside = ~(t <= 0)
        return inside, np.where(inside, t, 1.0)

    def quantile(self, p: Array) -> Array:
        """Time in seconds by which a fraction p of the runs has finished; p = 0 gives 0 and p = 1 gives inf."""
        p = np.asarray(p, dtype=float)
        with np.errstate(all="ignore"):
            return np.exp(self._log_quantile(np.log(p), np.log1p(-p)))

    def log_isf(self, log_q: Array) -> Array:
        """Log of the time at which `log_sf` equals `log_q`, also where exp(log_q) underflows."""
        log_q = np.asarray(log_q, dtype=float)
        with np.errstate(all="ignore"):
            return self._log_quantile(log1mexp(log_q), log_q)

    def mean_beyond(self, t: Array) -> Array:
        """Partial expectation E[T; T > t] in seconds; `mean_beyond(0)` is the mean."""
        with np.errstate(over="ignore", under="ignore"):
            return np.exp(self.log_mean_beyond(t))

    def sample(self, rng: np.random.Generator, shape: int | tuple[int, ...]) -> Array:
        """Draw runtimes.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of randomness.
        shape : int or tuple of int
            Shape of the result; the parameters broadcast against it.

        Returns
        -------
        ndarray
            Seconds.

        Examples
        --------
        >>> from bayes_distnet.distributions.families.lognormal import LogNormal
        >>> LogNormal(0.0, np.array([1.0, 2.0])).sample(np.random.default_rng(0), (3, 2)).shape
        (3, 2)
        """
        # An exponential variate is minus the log of a uniform one, without its end at 2^-53.
        return np.exp(self.log_isf(-rng.standard_exponential(shape)))


def solve_log_quantile(family: Family, log_p: Array, log_q: Array, start: Array) -> Array:
    """Solve for the log of the time at which `log_cdf` is `log_p` and `log_sf` is `log_q`, without a closed form.

    Newton steps from a start inside a bracket, for the smaller one of log cdf and log sf. SciPy's
    `elementwise.find_root` takes 3 to 7 times as long for the inverse Gaussian, since it has no use for the start.

    Parameters
    ----------
    family : Family
        Parameters that broadcast against the other arguments.
    log_p, log_q : array
        Log probabilities that sum to one after exp.
    start : array
        First guess of the log time.

    Returns
    -------
    ndarray
        Log times; minus infinity where `log_p` is, infinity where `log_q` is minus infinity.
    """
    log_p, log_q, u, *parameters = np.broadcast_arrays(log_p, log_q, start, *family._arrays()[1:])
    shape = u.shape
    log_p, log_q, u, *parameters = (a.ravel() for a in (log_p, log_q, u, *parameters))
    answer = np.where(np.isneginf(log_p), -np.inf, np.where(np.isneginf(log_q), np.inf, np.nan))
    lower, target = log_p < log_q, np.minimum(log_p, log_q)
    open_ = np.flatnonzero(np.isfinite(log_p) & np.isfinite(log_q))
    u = np.clip(u[open_], -740.0, 700.0)
    low, high = np.full(u.shape, -745.0), np.full(u.shape, 709.0)
    for _ in range(100):  # bisection alone would take 60
        if not open_.size:
            break
        part, left, aim = type(family)(*(a[open_] for a in parameters)), lower[open_], target[open_]
        t = np.exp(u)
        log_sf = part.log_sf(t)
        tail = np.where(left, log1mexp(log_sf), log_sf)
        gap = np.where(left, tail - aim, aim - tail)  # positive where u is too large
        low, high = np.where(gap < 0, u, low), np.where(gap > 0, u, high)
        # Newton's step for log(-log tail), which is closer to a straight line than log tail itself.
        change = np.log(aim / tail) * tail / np.exp(part.log_prob(t) + u - tail)
        following = u + np.where(left, change, -change)
        newton = (following >= low) & (following <= high)
        following = np.where(newton, following, 0.5 * (low + high))
        # Newton's step squares the error: after one this small, only rounding remains.
        done = (newton & (np.abs(change) < 1e-9)) | (gap == 0)
        answer[open_[done]] = following[done]
        open_, u, low, high = (a[~done] for a in (open_, following, low, high))
    answer[open_] = u
    return answer.reshape(shape)
