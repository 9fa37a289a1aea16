"""RuntimeDistribution: what every model predicts, one mixture of runtime distributions an instance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayes_distnet.arrays import FloatArray, IndexArray
from bayes_distnet.distributions.checks import (
    check_components,
    check_keys,
    check_share,
    check_state,
    check_times,
    check_weights,
)
from bayes_distnet.distributions.families import Family, Normal, get_family
from bayes_distnet.distributions.mixture import Mixture, blocks, weighted_quantiles
from bayes_distnet.distributions.moments import (
    draw_moments,
    mixture_moment,
    restricted_mean,
    variance_of_means,
    weighted,
)
from bayes_distnet.distributions.quantiles import solve
from bayes_distnet.errors import RuntimeDataError, SettingError
from bayes_distnet.validation import check_at_least, check_level, check_numbers, check_seed

_T = TypeVar("_T", bound="RuntimeDistribution")


class RuntimeDistribution:
    r"""The distribution of the runtime of n instances, in seconds; each row is a mixture of S components.

    A component is one weight draw of a Bayesian model, one tree of a forest; a model without such draws has S = 1.
    Where one component cannot hold the shape of a draw, several make it up together: see `draws`.
    Row i has the survival function :math:`P(T_i > t) = \sum_j w_{ij}\, sf_{ij}(t)`. Arithmetic is float64 and in log
    space, so that deep tails neither underflow nor turn into NaN.

    Times `t` and levels `p` may be a scalar (the answer has shape (n,)), an array (m,) that is common to all rows (the
    answer is (n, m)), or an array (n, m) with values of its own for every row.

    Args:
        components: a family whose parameters broadcast to (n, S); (n,) means one component a row.
        weights: (S,) or (n, S), not negative; normalised to sum to one in each row. Equal by default.
        draws: (S,) or (n, S) whole numbers that name the draw of each component. `band`, `epistemic`, `aleatoric` and
            `minimum_of(shared=True)` take components of one draw as its shape, not as disagreement. Each component is
            a draw of its own by default.

    Raises:
        SettingError: parameters, weights or draws that are not numbers, or out of range; the message names the row.

    Example:
        >>> import numpy as np
        >>> from bayes_distnet.distributions.families import LogNormal
        >>> rtd = RuntimeDistribution(LogNormal(loc=np.log([[1.0, 4.0], [9.0, 9.0]]), scale=0.5))
        >>> rtd
        RuntimeDistribution(2 rows x 2 lognormal components, median 2 to 9 s)
        >>> rtd.median().round(6)
        array([2., 9.])
        >>> rtd.cdf([1.0, 2.0, 4.0]).shape
        (2, 3)
        >>> rtd[0].given_alive(10.0).median().round(3)     # of what is left after ten seconds
        array([1.585])
    """

    def __init__(self, components: Family, weights: ArrayLike | None = None, draws: ArrayLike | None = None) -> None:
        components, (n, size) = check_components(components)
        start = np.full(n, 0.0 if components.positive else -np.inf)
        log_weights, labels = check_weights(weights, n, size), _check_draws(draws, n, size)
        self._mixture = Mixture(components, log_weights, start, np.ones(n), np.ones(n), draws=labels)

    @classmethod
    def _of(cls, mixture: Mixture) -> Self:
        new = cls.__new__(cls)
        new._mixture = mixture
        return new

    # -- what it is made of ------------------------------------------------------------------------------------

    @property
    def components(self) -> Family:
        """The family, with parameters of shape (n, S)."""
        return self._mixture.components

    @property
    def family(self) -> str:
        """The family's name."""
        return self.components.name

    @property
    def n_components(self) -> int:
        """S, the number of components a row."""
        return self._mixture.n_components

    @property
    def weights(self) -> FloatArray:
        """(n, S) weights of the components (given that the run is alive, after `given_alive`); rows sum to one."""
        return np.broadcast_to(self._mixture.weights, (len(self), self.n_components)).copy()

    @property
    def draws(self) -> IndexArray | None:
        """The draw of each component, numbered from 0, as the class takes it: (S,), (n, S), or None (each its own)."""
        labels = self._mixture.draws
        return None if labels is None else (labels[0] if len(labels) == 1 else labels).copy()

    def __len__(self) -> int:
        return len(self._mixture.start)

    def __repr__(self) -> str:
        # Worth solving for in a notebook, not in the log of a run with many rows.
        medians = self.median() if 0 < len(self) * self.n_components <= 10_000 else np.empty(0)
        middle = f", median {medians.min():.3g} to {medians.max():.3g} s" if medians.size else ""
        return f"RuntimeDistribution({len(self)} rows x {self.n_components} {self.family} components{middle})"

    def __getitem__(self, rows: Any) -> Self:
        """Some of the rows: an integer (one row), a slice, a mask, or an array of indices."""
        if not isinstance(rows, slice):
            rows = np.asarray(rows)
            if rows.dtype == bool and rows.shape == (len(self),):
                rows = np.flatnonzero(rows)
            if rows.size == 0:
                rows = rows.astype(np.intp)
            if rows.ndim > 1 or rows.dtype.kind not in "iu":
                raise IndexError(
                    f"rows must be an integer, a slice, a mask of length {len(self)} or a list of integers, "
                    f"not {rows.dtype} of shape {rows.shape}"
                )
            rows = np.atleast_1d(rows)
            outside = (rows < -len(self)) | (rows >= len(self))
            if outside.any():
                raise IndexError(f"row {rows[outside][0]} of a distribution with {len(self)} rows")
        return self._of(self._mixture.take(rows))

    # -- values ------------------------------------------------------------------------------------------------

    def pdf(self, t: ArrayLike) -> FloatArray:
        """Density at t, per second; 0 at t <= 0."""
        with np.errstate(over="ignore", under="ignore"):
            return np.exp(self.log_pdf(t))

    def log_pdf(self, t: ArrayLike) -> FloatArray:
        """Log density at t; finite in tails where the density itself underflows."""
        return self._evaluate(t, Mixture.log_pdf, below=-np.inf)

    def cdf(self, t: ArrayLike) -> FloatArray:
        """Probability of having finished by t; relatively accurate for small t too."""
        return 0.0 - np.expm1(self.log_sf(t))

    def sf(self, t: ArrayLike) -> FloatArray:
        """Probability of running longer than t."""
        with np.errstate(under="ignore"):
            return np.exp(self.log_sf(t))

    def log_sf(self, t: ArrayLike) -> FloatArray:
        """Log of the probability of running longer than t; finite where that probability underflows."""
        return self._evaluate(t, Mixture.log_sf, below=0.0)

    def quantile(self, p: ArrayLike) -> FloatArray:
        """The time by which a share p of the runs has finished, exact to 1e-9; 0 at p = 0 and inf at p = 1."""
        levels, shape = self._shaped(check_numbers("p", p), "p")
        if not np.all((levels >= 0) & (levels <= 1)):
            raise SettingError(f"p is {levels[~((levels >= 0) & (levels <= 1))][0]}; a quantile level lies in [0, 1]")
        levels = np.broadcast_to(levels, (len(self), levels.shape[1]))
        lowest = np.where(self._mixture.starts_at_zero, 0.0, -np.inf)[:, None]
        result = np.where(levels == 1, np.inf, lowest)
        rows, columns = np.nonzero((levels > 0) & (levels < 1))
        result[rows, columns] = solve(self._mixture, rows, np.log1p(-levels[rows, columns]))
        return result.reshape(shape)

    def median(self) -> FloatArray:
        """(n,) the time by which half of the runs have finished."""
        return self.quantile(0.5)

    def iqr(self) -> FloatArray:
        """(n,) the interquartile range, in seconds."""
        low, high = self.interval(0.5)
        return high - low

    def interval(self, level: float = 0.9) -> tuple[FloatArray, FloatArray]:
        """Ends (n,), (n,) of the central interval that holds a run with probability `level`."""
        level = check_level(level)
        ends = self.quantile([0.5 - 0.5 * level, 0.5 + 0.5 * level])
        return ends[:, 0], ends[:, 1]

    def mean(self) -> FloatArray:
        """(n,) expected runtime; `inf` where a component with a weight has a tail too heavy to have one.

        A closed form, also after `given_alive`; after `minimum_of` an integral, good to about 1e-9 (1e-6 in mixtures
        of spikes and tails over many decades).
        """
        return mixture_moment(self._mixture, 1)

    def variance(self) -> FloatArray:
        """(n,) variance in s², `inf` where infinite; `epistemic()` + `aleatoric()`."""
        return mixture_moment(self._mixture, 2)

    def std(self) -> FloatArray:
        """(n,) standard deviation in seconds."""
        return np.sqrt(self.variance())

    def restricted_mean(self, t: ArrayLike) -> FloatArray:
        r"""E[min(T, t)] = :math:`\int_0^t P(T > x)\,dx`: the expected cost of a run that is stopped at t.

        Finite for every finite t, also where the mean is not; as accurate as `mean`.

        Example:
            >>> from bayes_distnet.distributions.families import LogLogistic
            >>> rtd = RuntimeDistribution(LogLogistic(scale=[1.0], shape=[1.0]))
            >>> rtd.mean(), rtd.restricted_mean(1.0).round(6)       # log 2
            (array([inf]), array([0.693147]))
        """
        times, shape = self._shaped(check_times(t), "t")
        times = np.array(np.broadcast_to(times, (len(self), times.shape[1])))
        inside = np.isfinite(times) & ((times > 0) | ~self._mixture.starts_at_zero[:, None])
        result = np.minimum(times, 0.0)  # all of it at t <= 0
        rows = np.flatnonzero((times == np.inf).any(axis=1))
        if rows.size:
            result[rows] = np.where(times[rows] == np.inf, self[rows].mean()[:, None], result[rows])
        rows = np.flatnonzero(inside.any(axis=1))
        if rows.size:
            means = restricted_mean(self._mixture.take(rows), np.where(inside, times, 1.0)[rows])
            result[rows] = np.where(inside[rows], means, result[rows])
        return result.reshape(shape)

    def sample(self, size: int, random_state: int = 0) -> FloatArray:
        """Runtimes (n, size) drawn from every row; the same for the same seed."""
        check_at_least("size", size, 0)
        rng, mixture = np.random.default_rng(check_seed("random_state", random_state)), self._mixture
        if mixture.is_plain and np.all(mixture.power == 1):
            drawn = self.components.take((np.arange(len(self))[:, None], mixture.draw(rng, size)))
            return np.asarray(drawn.sample(rng, (len(self), size)))
        if self.n_components > 1 and np.all(mixture.power == 1) and not mixture.shares_draws:
            # A component has a closed quantile function, the mixture does not.
            picks = np.arange(len(self))[:, None] * self.n_components + mixture.draw(rng, size)
            single = self._of(mixture.split().take(picks.ravel()))
            return single.quantile(rng.random((picks.size, 1))).reshape(picks.shape)
        return self.quantile(rng.random((len(self), size)))

    # -- what the draws disagree about -------------------------------------------------------------------------

    def band(
        self, level: float = 0.9, *, q: float | None = None, t: ArrayLike | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """How far the draws disagree: the middle `level` of their q-quantiles, or of their cdfs at t.

        Args:
            level: share of the draws (by weight) between the two ends.
            q: the quantile asked about, the median by default.
            t: times, to ask about the probability of having finished by then instead.

        Returns:
            Lower and upper ends: (n,) for a quantile or a scalar t, (n, m) for m times.

        Raises:
            SettingError: after `minimum_of(k)` with independent copies, which leaves no draws to compare.

        Example:
            >>> import numpy as np
            >>> from bayes_distnet.distributions.families import LogNormal
            >>> rtd = RuntimeDistribution(LogNormal(loc=[np.linspace(0.0, 1.0, 101)], scale=1.0))
            >>> np.round(rtd.band(0.9), 3)                     # exp(0.05), exp(0.95)
            array([[1.051],
                   [2.586]])
        """
        level = check_level(level)
        self._need_draws("band")
        ends = 0.5 - 0.5 * level, 0.5 + 0.5 * level
        mixture = self._mixture
        if t is None:
            values = self._of(mixture.split_draws()).quantile(0.5 if q is None else check_level(q, "q"))
            return weighted_quantiles(values.reshape(len(self), mixture.n_draws), mixture.draw_weights, ends)
        if q is not None:
            raise SettingError("band takes q (a quantile level) or t (times), not both")
        times, shape = self._shaped(check_times(t), "t")
        low, high = np.empty((2, len(self), times.shape[1]))
        for rows, columns in self._blocks(times.shape[1]):
            part = mixture.take(rows)
            x = times[0, columns] if len(times) == 1 else np.repeat(times[rows, columns], part.n_draws, axis=0)
            cdf = self._of(part.split_draws()).cdf(x).reshape(len(part.start), part.n_draws, -1).swapaxes(1, 2)
            low[rows, columns], high[rows, columns] = weighted_quantiles(cdf, part.draw_weights[:, None], ends)
        return low.reshape(shape), high.reshape(shape)

    def epistemic(self) -> FloatArray:
        """(n,) variance of the draws' means, in s²: what more data about the instances would remove."""
        self._need_draws("epistemic")
        return variance_of_means(self._mixture.draw_weights, draw_moments(self._mixture, 1))

    def aleatoric(self) -> FloatArray:
        """(n,) mean of the draws' variances, in s²: the luck of the run itself."""
        self._need_draws("aleatoric")
        return weighted(self._mixture.draw_weights, draw_moments(self._mixture, 2))

    def _need_draws(self, what: str) -> None:
        if np.any(self._mixture.power != 1):
            raise SettingError(
                f"{what}() compares draws, but the minimum of independent copies mixes them; "
                f"use minimum_of(k, shared=True)"
            )

    # -- what follows from it ----------------------------------------------------------------------------------

    def given_alive(self, t: ArrayLike) -> Self:
        """The distribution of what is left, T - t, for a run that is still going after t seconds.

        Components that expected the run to be over by then lose weight: the fact that it is not is evidence.

        Args:
            t: seconds survived, a scalar or (n,); finite, not negative.
        """
        waited = check_numbers("given_alive", t, RuntimeDataError)
        if waited.shape not in ((), (len(self),)) or not np.all(np.isfinite(waited) & (waited >= 0)):
            raise RuntimeDataError(
                f"given_alive takes seconds survived, a finite scalar or one for each of the {len(self)} rows; "
                f"got {t!r}"
            )
        if self.components.positive and not np.any(waited):
            return self._of(self._mixture)
        return self._of(self._mixture.condition(waited))

    def minimum_of(self, k: int, *, shared: bool = False) -> Self:
        r"""The distribution of the fastest of k parallel copies.

        With `shared=False` the copies are independent in everything, so :math:`P(\min > t) = P(T > t)^k`. Copies
        that run on the *same instance* are not: what the model does not know about the instance is the same for all of
        them. With `shared=True` they share the draw, :math:`P(\min > t) = \sum_d w_d\, sf_d(t)^k`, which is never
        smaller (Jensen): parallel copies protect against bad luck, not against a hard instance. A draw d is a component
        or, after `RuntimeDistribution(..., draws=...)`, the mixture of several.

        Example:
            >>> import numpy as np
            >>> from bayes_distnet.distributions.families import Exponential
            >>> rtd = RuntimeDistribution(Exponential(scale=[[1.0, 100.0]]))      # easy or hard, who knows
            >>> rtd.minimum_of(8).mean().round(2), rtd.minimum_of(8, shared=True).mean().round(2)
            (array([0.34]), array([6.31]))
        """
        check_at_least("k", k, 1)
        # With one component there is nothing to share, and copies of it keep the closed forms.
        field = "copies" if shared or self.n_components == 1 else "power"
        return self._of(replace(self._mixture, **{field: getattr(self._mixture, field) * float(k)}))

    @classmethod
    def concat(cls, parts: Sequence[Self]) -> Self:
        """Rows of several distributions of one family, one after the other.

        Rows with fewer components than others are filled up with components of weight 0; rows keep their own draws.
        """
        return cls._of(Mixture.stack([part._mixture for part in _same_family(parts)]))

    @classmethod
    def mixture(cls, parts: Sequence[tuple[Self, ArrayLike]]) -> Self:
        """Pool distributions of one family row by row, each with a weight; their draws stay apart.

        Args:
            parts: pairs of a distribution of n rows and its weight, a scalar or (n,); weights need not sum to one.

        Example:
            >>> from bayes_distnet.distributions.families import Exponential
            >>> a, b = (RuntimeDistribution(Exponential(scale=[s])) for s in (1.0, 5.0))
            >>> RuntimeDistribution.mixture([(a, 3.0), (b, 1.0)]).mean()
            array([2.])
        """
        rtds = _same_family([rtd for rtd, _ in parts])
        first, n = rtds[0]._mixture, len(rtds[0])
        for rtd in rtds:
            other = rtd._mixture
            if len(rtd) != n or np.any(other.start != first.start) or np.any(other.copies != first.copies):
                raise SettingError("a mixture pools distributions of the same rows, conditioned in the same way")
            if np.any(other.power != 1):
                raise SettingError("pool before taking the minimum of independent copies, not after")
        weights = np.hstack([rtd.weights * check_share(weight, n) for rtd, weight in parts])
        return cls._of(Mixture.pool([rtd._mixture for rtd in rtds], check_weights(weights, n, weights.shape[1])))

    # -- to and from arrays ------------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Any]:
        """Everything as plain arrays, and the family's name under "family"; see `from_arrays`."""
        return {"family": self.family, **self._mixture.to_arrays()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """Make again what `to_arrays` took apart.

        Example:
            >>> from bayes_distnet.distributions.families import Exponential
            >>> rtd = RuntimeDistribution(Exponential(scale=[[1.0, 3.0]])).given_alive(2.0)
            >>> bool(RuntimeDistribution.from_arrays(rtd.to_arrays()).mean() == rtd.mean())
            True

        """
        check_keys(arrays, ("family",))
        name = str(arrays["family"])
        family = Normal if name == Normal.name else get_family(name)
        check_keys(arrays, (*family.parameter_names, "log_weights", "start", "copies", "power"))
        components, shape = check_components(family(**{key: arrays[key] for key in family.parameter_names}))
        state, draws = check_state(arrays, shape, family.positive), _check_draws(arrays.get("draws"), *shape)
        return cls._of(Mixture.from_arrays(components, state, draws))

    # -- machinery ---------------------------------------------------------------------------------------------

    def _shaped(self, array: FloatArray, name: str) -> tuple[FloatArray, tuple[int, ...]]:
        """Times or levels as (n, m), or (1, m) if common to all rows, and the shape of the answer."""
        n = len(self)
        if array.ndim == 0:
            return array.reshape(1, 1), (n,)
        if array.ndim == 1:
            return array[None, :], (n, array.size)
        if array.ndim == 2 and len(array) == n:
            return array, array.shape
        raise SettingError(
            f"{name} has shape {array.shape}; give a scalar, m values for all rows, or an array ({n}, m) with a line "
            f"for each of the {n} rows"
        )

    def _evaluate(
        self, t: ArrayLike, function: Callable[[Mixture, FloatArray], FloatArray], *, below: float
    ) -> FloatArray:
        """A log density or log survival, with its known values at t <= 0 (`below`) and at infinity (minus inf)."""
        times, shape = self._shaped(check_times(t), "t")
        on_line = ~self._mixture.starts_at_zero[:, None]
        under = (times == -np.inf) | ((times <= 0) & ~on_line)
        known = under | (times == np.inf)
        if known.any():
            # Families are only asked about times inside; a grid common to all rows stays common.
            times = np.where(known if len(times) > 1 or on_line.any() else known[:1], 1.0, times)
        result = np.empty((len(self), times.shape[1]))
        with np.errstate(all="ignore"):
            for rows, columns in self._blocks(times.shape[1]):
                x = times[:, columns] if len(times) == 1 else times[rows, columns]
                result[rows, columns] = function(self._mixture.take(rows), x)
        if known.any():
            result = np.where(known, np.where(under, below, -np.inf), result)
        return result.reshape(shape)

    def _blocks(self, m: int) -> list[tuple[slice, slice]]:
        """Rows and times whose product with S is about one block."""
        return [
            (rows, columns)
            for columns in blocks(m, self.n_components)
            for rows in blocks(len(self), self.n_components * (columns.stop - columns.start))
        ]


def _check_draws(draws: ArrayLike | None, n: int, size: int) -> IndexArray | None:
    """Return the draws of components, (1, S) or (n, S), numbered from 0 in each row; None if each is its own."""
    if draws is None:
        return None
    labels: NDArray[Any] = check_numbers("draws", draws)
    if labels.shape not in ((size,), (n, size)):
        raise SettingError(
            f"draws have shape {labels.shape}; for {n} rows of {size} components give ({size},) or ({n}, {size})"
        )
    whole = np.isfinite(labels) & (labels == np.round(labels))
    if not whole.all():
        raise SettingError(f"draws: expected a whole number for each component, its draw; found {labels[~whole][0]}")
    labels = np.atleast_2d(labels)
    labels = labels[:1] if np.all(labels == labels[:1]) else labels
    order = np.argsort(labels, axis=1, kind="stable")
    step = np.diff(np.take_along_axis(labels, order, axis=1), axis=1, prepend=-np.inf) > 0
    numbered = np.empty(labels.shape, dtype=np.intp)
    np.put_along_axis(numbered, order, np.cumsum(step, axis=1) - 1, axis=1)
    return None if np.all(numbered.max(axis=1) == size - 1) else numbered


def check_distribution(rtd: Any) -> None:
    """Raise a `SettingError` unless this is a `RuntimeDistribution`."""
    if not isinstance(rtd, RuntimeDistribution):
        raise SettingError(
            f"expected a RuntimeDistribution, found {type(rtd).__name__}. A model's predict_distribution(X) gives one."
        )


def _same_family(parts: Sequence[_T]) -> Sequence[_T]:
    if not parts:
        raise SettingError("nothing to put together: the list of distributions is empty")
    for part in parts:
        check_distribution(part)
    names = sorted({part.family for part in parts})
    if len(names) > 1:
        raise SettingError(f"distributions of different families cannot be put together: {', '.join(names)}")
    return parts
