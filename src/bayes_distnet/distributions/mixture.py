r"""The arithmetic behind :class:`bayes_distnet.RuntimeDistribution`: rows of mixtures, in log space.

Row i of a :class:`Mixture` has the survival function

.. math:: SF(x) = \Bigl[\sum_j w_j \Bigl(\frac{sf_j(start + x)}{sf_j(start)}\Bigr)^{copies}\Bigr]^{power},

with `w` the weights of the components *given that the run is still alive at* `start`. This form is closed
under the two things a user does to a runtime distribution: having waited for t more seconds (`start` grows, the
weights are updated) and taking the fastest of k copies (`power` or `copies` grows). Nothing here checks its
input or splits work into blocks; distribution.py does.

Several components may make up one draw (`draws`). Copies then share the draw and not the component: in place of
:math:`sf_j(start + x) / sf_j(start)` stands the mean of these ratios over the components of j's draw, by weight. The
formula holds as it is, since the weights of a draw's components sum to its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bayes_distnet.arrays import BoolArray, FloatArray, IndexArray
from bayes_distnet.distributions.families import Family

# Below this, a sum of survival terms is done in log space: exp() would lose digits to denormal numbers.
_TINY = 1e-250

# Elements of one temporary array. Half a megabyte stays in a core's cache; larger blocks are no faster.
BLOCK = 2**16


def blocks(count: int, width: int) -> Iterator[slice]:
    """Slices of `count` problems that need `width` elements each, of about `BLOCK` elements."""
    tall = max(1, BLOCK // max(1, width))
    return (slice(top, min(top + tall, count)) for top in range(0, count, tall))


@dataclass(frozen=True)
class Mixture:
    """n rows of S components; see the module for the formula.

    Args:
        components: parameters of shape (n, S).
        log_weights: (n, S), or (1, S) when all rows share them; each row sums to one after exp.
        start: (n,) seconds already survived; minus infinity where a family on the whole line is unconditioned.
        copies: (n,) number of copies that share their draw.
        power: (n,) number of independent copies of the whole mixture.
        log_alive: (n, S) `log sf_j(start)`, or None where no row was conditioned.
        draws: (n, S), or (1, S) when all rows share them: the draw of each component, numbered from 0 in each row.
            None where each component is a draw of its own.
    """

    components: Family
    log_weights: FloatArray
    start: FloatArray
    copies: FloatArray
    power: FloatArray
    log_alive: FloatArray | None = None
    draws: IndexArray | None = None

    @property
    def n_components(self) -> int:
        return int(self.log_weights.shape[1])

    @cached_property
    def weights(self) -> FloatArray:
        weights: FloatArray = np.exp(self.log_weights)
        return weights

    @cached_property
    def is_plain(self) -> bool:
        """Whether no row was conditioned and no minimum was taken inside the mixture."""
        return self.log_alive is None and bool(np.all(self.copies == 1))

    @cached_property
    def starts_at_zero(self) -> Any:
        """(n,) whether a row lives on [0, inf) rather than on the whole line."""
        return np.isfinite(self.start)

    def take(self, rows: Any) -> Mixture:
        """The mixture of some rows (a slice or an index array)."""
        return Mixture(
            self.components.take(rows),
            self.log_weights if len(self.log_weights) == 1 else self.log_weights[rows],
            self.start[rows],
            self.copies[rows],
            self.power[rows],
            None if self.log_alive is None else self.log_alive[rows],
            self.draws if self.draws is None or len(self.draws) == 1 else self.draws[rows],
        )

    def thin(self, size: int) -> Mixture:
        """Keep `size` equally weighted components a row: a cheap stand-in to start a root search from."""
        cumulative = np.cumsum(self.weights, axis=1)
        levels = (np.arange(size) + 0.5) / size * cumulative[:, -1:]
        picks = (cumulative[:, None, :] < levels[:, :, None]).sum(axis=2)
        picks = np.minimum(picks, self.n_components - 1)
        if len(picks) == 1:
            index: Any = np.s_[:, picks[0]]
        else:
            index = (np.arange(len(picks))[:, None], picks)
        return replace(
            self,
            components=self.components.take(index),
            log_weights=np.full((1, size), -np.log(size)),
            log_alive=None if self.log_alive is None else self.log_alive[index],
            draws=None,
        )

    def split(self) -> Mixture:
        """Every component as a row of its own, whatever its draw: n * S rows of one component, row-major."""
        n, size = len(self.start), self.n_components
        parameters = {name: value.reshape(-1, 1) for name, value in self.components.parameters().items()}
        return Mixture(
            type(self.components)(**parameters),
            np.zeros((1, 1)),
            np.repeat(self.start, size),
            np.repeat(self.copies, size),
            np.ones(n * size),
            None if self.log_alive is None else self.log_alive.reshape(-1, 1),
        )

    def condition(self, waited: FloatArray) -> Mixture:
        """What is left after waiting for a scalar or (n,) seconds more."""
        start = np.where(self.starts_at_zero, self.start, 0.0) + waited
        alive = np.zeros((len(start), self.n_components))
        before: FloatArray | float = 0.0 if self.log_alive is None else self.log_alive
        with np.errstate(all="ignore"):
            for rows in blocks(len(start), self.n_components):
                # A runtime family is alive at 0 by definition; do not ask it.
                known = self.components.positive & (start[rows, None] == 0)
                log_sf = self.components.take(rows).log_sf(np.where(known, 1.0, start[rows, None]))
                # Infinite only for absurd times, where it would leave no weights to compare.
                alive[rows] = np.where(known, 0.0, np.maximum(log_sf, -1e200))
            log_weights = self._survived(alive - before)
            log_weights = log_weights - log_sum_exp(log_weights)[:, None]
        return replace(self, log_weights=log_weights, start=start, log_alive=alive)

    def draw(self, rng: np.random.Generator, size: int) -> IndexArray:
        """(n, size) components drawn by their weights."""
        cumulative = np.cumsum(self.weights, axis=1)
        cumulative = np.broadcast_to(cumulative / cumulative[:, -1:], (len(self.start), self.n_components))
        uniform = rng.random((len(self.start), size))
        drawn = [np.searchsorted(line, u, side="right") for line, u in zip(cumulative, uniform, strict=True)]
        return np.asarray(drawn, dtype=np.intp).reshape(uniform.shape)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything but the family's name; `log_alive` follows from the rest."""
        shape = len(self.start), self.n_components
        return {
            **{name: np.array(value) for name, value in self.components.parameters().items()},
            "log_weights": np.array(np.broadcast_to(self.log_weights, shape)),
            "start": self.start.copy(),
            "copies": self.copies.copy(),
            "power": self.power.copy(),
            **({} if self.draws is None else {"draws": np.array(np.broadcast_to(self.draws, shape))}),
        }

    @classmethod
    def from_arrays(cls, components: Family, arrays: Mapping[str, Any], draws: IndexArray | None) -> Mixture:
        """Make again what `to_arrays` took apart."""
        log_weights, start, copies, power = (
            np.asarray(arrays[name], dtype=np.float64) for name in ("log_weights", "start", "copies", "power")
        )
        fresh = cls(components, log_weights, np.where(np.isfinite(start), 0.0, start), copies, power, draws=draws)
        if components.positive and not np.any(start):
            return fresh
        waited = np.isfinite(start)
        conditioned = fresh.condition(np.where(waited, start, 0.0))
        log_alive = np.where(waited[:, None], cast(FloatArray, conditioned.log_alive), 0.0)
        if not waited.any():
            return fresh
        return replace(fresh, start=start, log_alive=log_alive)

    @classmethod
    def stack(cls, parts: Sequence[Mixture]) -> Mixture:
        """Rows of several mixtures of one family, filled up to the same number of components with weight 0."""
        size = max(part.n_components for part in parts)
        conditioned = any(part.log_alive is not None for part in parts)
        # The first component stands in for the missing ones.
        columns = [np.where(np.arange(size) < part.n_components, np.arange(size), 0) for part in parts]
        log_weights, log_alive = [], []
        for part, column in zip(parts, columns, strict=True):
            n = len(part.start)
            weights = np.broadcast_to(part.log_weights, (n, part.n_components))[:, column]
            log_weights.append(np.where(np.arange(size) < part.n_components, weights, -np.inf))
            log_alive.append(np.zeros((n, size)) if part.log_alive is None else part.log_alive[:, column])
        return cls(
            _join([part.components.take(np.s_[:, column]) for part, column in zip(parts, columns, strict=True)], 0),
            np.concatenate(log_weights),
            np.concatenate([part.start for part in parts]),
            np.concatenate([part.copies for part in parts]),
            np.concatenate([part.power for part in parts]),
            np.concatenate(log_alive) if conditioned else None,
            _stacked_draws(parts, columns),
        )

    @classmethod
    def pool(cls, parts: Sequence[Mixture], log_weights: FloatArray) -> Mixture:
        """The components of several mixtures of the same rows, side by side, under new weights."""
        n = len(parts[0].start)
        alive = [np.zeros((n, part.n_components)) if part.log_alive is None else part.log_alive for part in parts]
        conditioned = any(part.log_alive is not None for part in parts)
        return replace(
            parts[0],
            components=_join([part.components for part in parts], 1),
            log_weights=log_weights,
            log_alive=np.concatenate(alive, axis=1) if conditioned else None,
            draws=_pooled_draws(parts),
        )

    # -- draws -------------------------------------------------------------------------------------------------

    @cached_property
    def n_draws(self) -> int:
        return self.n_components if self.draws is None else int(self.draws.max(initial=0)) + 1

    @cached_property
    def draw_weights(self) -> FloatArray:
        """(n, D) or (1, D): the weight of every draw, the sum of its components'."""
        return self.weights if self.draws is None else np.exp(self._draw_sums(self.log_weights))

    def split_draws(self) -> Mixture:
        """Every draw as a row of its own, the mixture of its components: n * D rows, row-major.

        Copies that share a draw are independent but for that: they become the row's `power`.
        """
        if self.draws is None:
            return self.split()
        n, (columns, present) = len(self.start), self._members
        width = columns.shape[2]
        at = np.arange(n)[:, None, None], columns
        log_weights = np.where(present, np.broadcast_to(self.log_weights, (n, self.n_components))[at], -np.inf)
        # A draw without a weight still needs to be some distribution.
        log_weights = np.where((log_weights > -np.inf).any(axis=2, keepdims=True), log_weights, 0.0)
        log_weights = log_weights - log_sum_exp(log_weights)[..., None]
        parameters = {name: value[at].reshape(-1, width) for name, value in self.components.parameters().items()}
        return Mixture(
            type(self.components)(**parameters),
            log_weights.reshape(-1, width),
            np.repeat(self.start, self.n_draws),
            np.ones(n * self.n_draws),
            np.repeat(self.copies, self.n_draws),
            None if self.log_alive is None else self.log_alive[at].reshape(-1, width),
        )

    @cached_property
    def shares_draws(self) -> bool:
        """Whether copies share draws of several components."""
        return self.draws is not None and bool(np.any(self.copies != 1))

    @cached_property
    def _members(self) -> tuple[IndexArray, BoolArray]:
        """(n, D, G) or (1, D, G): the components of every draw, and whether there are as many."""
        draws = cast(IndexArray, self.draws)
        lines = np.arange(len(draws))[:, None]
        order = np.argsort(draws, axis=1, kind="stable")
        flat = (lines * self.n_draws + draws).ravel()
        sizes = np.bincount(flat, minlength=len(draws) * self.n_draws).reshape(len(draws), self.n_draws)
        label = draws[lines, order]
        place = np.arange(self.n_components) - (np.cumsum(sizes, axis=1) - sizes)[lines, label]
        columns = np.zeros((*sizes.shape, int(sizes.max(initial=1))), dtype=np.intp)
        columns[lines, label, place] = order
        return columns, np.arange(columns.shape[2]) < sizes[..., None]

    def _draw_sums(self, log_terms: FloatArray) -> FloatArray:
        """(n, D): log of the sum over every draw's components of exp of (n, S) terms."""
        columns, present = self._members
        n = len(log_terms) if len(columns) == 1 else len(columns)
        gathered = np.broadcast_to(log_terms, (n, self.n_components))[np.arange(n)[:, None, None], columns]
        return log_sum_exp(np.where(present, gathered, -np.inf))

    def _at_components(self, values: FloatArray) -> FloatArray:
        """From (n, D) or (n, D, m) values of draws to those (n, S) or (n, S, m) of each component's draw."""
        return values[np.arange(len(values))[:, None], cast(IndexArray, self.draws)]

    def _survived(self, log_ratio: FloatArray) -> FloatArray:
        """(n, S) log weights, not normalised, of components of which a copy survived with exp of (n, S)."""
        copies = self.copies[:, None]
        if not self.shares_draws:
            return self.log_weights + copies * log_ratio
        before, after = self._draw_sums(self.log_weights), self._draw_sums(self.log_weights + log_ratio)
        # All copies but one count with the whole draw; the one left says which components it is made of from now on.
        others = np.where(np.isfinite(before), after - before, 0.0)
        return self.log_weights + log_ratio + (copies - 1) * self._at_components(others)

    # -- values at times x > 0, finite, of shape (n, m) or (1, m) --------------------------------------------

    def log_sf(self, x: FloatArray) -> FloatArray:
        """(n, m): log survival of the mixture, also relatively accurate where it is close to 0."""
        return self._power(self._mix(self._copied(self._copy_log_sf(x))))

    def log_sf_pdf(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(n, m) twice: log survival and log density; one call shares the work."""
        one = self._copy_log_sf(x)
        log_sf = self._mix(self._copied(one))
        log_pdf = self._mix_density(x, one)
        if np.any(self.power != 1):
            power = self.power[:, None]
            log_pdf = log_pdf + np.log(power) + (power - 1) * log_sf
        return self._power(log_sf), log_pdf

    def log_pdf(self, x: FloatArray) -> FloatArray:
        """(n, m): log density."""
        if not self.is_plain or np.any(self.power != 1):
            return self.log_sf_pdf(x)[1]
        return self._mix_density(x, None)

    # -- helpers -----------------------------------------------------------------------------------------------

    def _spread(self) -> Family:
        """The components with an axis for times in the middle: (n, 1, S)."""
        return self.components.take(np.s_[:, None, :])

    def _time(self, x: FloatArray) -> FloatArray:
        if self.log_alive is None:
            return x
        return np.where(self.starts_at_zero, self.start, 0.0)[:, None] + x

    def _copy_log_sf(self, x: FloatArray) -> FloatArray:
        """(n, m, S): log survival past x more seconds of one copy of a component, or of its draw if that is shared."""
        if self.shares_draws:
            draws = replace(self, copies=np.ones(len(self.start))).split_draws()
            values = draws.log_sf(x if len(x) == 1 else np.repeat(x, self.n_draws, axis=0))
            return self._at_components(values.reshape(len(self.start), self.n_draws, -1)).swapaxes(1, 2)
        log_sf: FloatArray = self._spread().log_sf(self._time(x)[..., None])
        if self.log_alive is not None:
            log_sf = np.minimum(log_sf - self.log_alive[:, None, :], 0.0)
        return log_sf

    def _copied(self, log_sf: FloatArray) -> FloatArray:
        return log_sf if np.all(self.copies == 1) else log_sf * self.copies[:, None, None]

    def _power(self, log_sf: FloatArray) -> FloatArray:
        return log_sf if np.all(self.power == 1) else log_sf * self.power[:, None]

    def _mix(self, log_terms: FloatArray) -> FloatArray:
        """Log sum_j w_j exp(log_terms_j) for terms <= 0, relatively accurate near 0 and in the deep tail."""
        if self.n_components == 1:
            return log_terms[..., 0]
        total = np.vecdot(np.exp(log_terms), self.weights[:, None, :])
        with np.errstate(divide="ignore"):
            mixed: FloatArray = np.minimum(np.log(total), 0.0)
        deep = total < _TINY
        if deep.any():
            mixed[deep] = log_sum_exp(log_terms[deep] + self._weights_at(deep, log=True))
        # 1 - total has no digits left where total is close to one: add up the cdf terms instead.
        near = total > 0.999
        if near.any():
            below = -np.vecdot(np.expm1(log_terms[near]), self._weights_at(near))
            mixed[near] = np.log1p(-below)
        return mixed

    def _mix_density(self, x: FloatArray, copy_log_sf: FloatArray | None) -> FloatArray:
        terms: FloatArray = self._spread().log_prob(self._time(x)[..., None])
        if self.log_alive is not None:
            terms = terms - self.log_alive[:, None, :]
        if copy_log_sf is not None and np.any(self.copies != 1):
            copies = self.copies[:, None, None]
            terms = terms + np.log(copies) + (copies - 1) * np.maximum(copy_log_sf, -1e300)
        if self.n_components == 1:
            return terms[..., 0]
        with np.errstate(divide="ignore", over="ignore"):
            total = np.vecdot(np.exp(terms), self.weights[:, None, :])
            mixed: FloatArray = np.log(total)
        extreme = ~((total > _TINY) & (total < 1 / _TINY))
        if extreme.any():
            mixed[extreme] = log_sum_exp(terms[extreme] + self._weights_at(extreme, log=True))
        return mixed

    def _weights_at(self, mask: BoolArray, *, log: bool = False) -> FloatArray:
        weights = self.log_weights if log else self.weights
        return weights if len(weights) == 1 else weights[np.nonzero(mask)[0]]


def _join(families: Sequence[Family], axis: int) -> Family:
    """One family with the parameters of several, along rows (0) or components (1)."""
    return type(families[0])(
        **{
            name: np.concatenate([family.parameters()[name] for family in families], axis=axis)
            for name in families[0].parameter_names
        }
    )


def _stacked_draws(parts: Sequence[Mixture], columns: Sequence[IndexArray]) -> IndexArray | None:
    """The draws of `Mixture.stack`; a component that only fills up belongs to the draw of the one it copies."""
    if all(part.draws is None for part in parts):
        return None
    lines = [_draws_of(part)[:, column] for part, column in zip(parts, columns, strict=True)]
    if all(len(line) == 1 and np.array_equal(line, lines[0]) for line in lines):
        return lines[0]
    return np.concatenate(
        [np.broadcast_to(line, (len(part.start), line.shape[1])) for part, line in zip(parts, lines, strict=True)]
    )


def _pooled_draws(parts: Sequence[Mixture]) -> IndexArray | None:
    """The draws of `Mixture.pool`: those of different parts stay apart."""
    if all(part.draws is None for part in parts):
        return None
    firsts = np.cumsum([0, *(part.n_draws for part in parts)])
    lines = [_draws_of(part) + first for part, first in zip(parts, firsts[:-1], strict=True)]
    n = 1 if all(len(line) == 1 for line in lines) else len(parts[0].start)
    return np.hstack([np.broadcast_to(line, (n, line.shape[1])) for line in lines])


def _draws_of(part: Mixture) -> IndexArray:
    return np.arange(part.n_components)[None] if part.draws is None else part.draws


def log_sum_exp(terms: FloatArray) -> FloatArray:
    """Over the last axis; minus infinity where every term is."""
    top = terms.max(axis=-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(terms - top).sum(axis=-1)) + top[..., 0])


def weighted_quantiles(
    values: FloatArray, weights: FloatArray, levels: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Along the last axis: the smallest value that, with all below it, has at least the share asked for."""
    order = np.argsort(values, axis=-1)
    values = np.take_along_axis(values, order, axis=-1)
    cumulative = np.cumsum(np.take_along_axis(np.broadcast_to(weights, values.shape), order, axis=-1), axis=-1)
    low, high = (
        np.take_along_axis(
            values, np.argmax(cumulative >= level * cumulative[..., -1:] - 1e-12, axis=-1)[..., None], -1
        )
        for level in levels
    )
    return low[..., 0], high[..., 0]
