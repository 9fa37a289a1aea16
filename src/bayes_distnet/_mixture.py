r"""The arithmetic behind :class:`bayes_distnet.RuntimeDistribution`: rows of mixtures, in log space.

Row i of a :class:`Mixture` has the survival function

.. math:: SF(x) = \Bigl[\sum_j w_j \Bigl(\frac{sf_j(start + x)}{sf_j(start)}\Bigr)^{copies}\Bigr]^{power},

with `w` the weights of the components *given that the run is still alive at* `start`. This form is closed
under the two things a user does to a runtime distribution: having waited for t more seconds (`start` grows, the
weights are updated) and taking the fastest of k copies (`power` or `copies` grows). Nothing here checks its
input or splits work into blocks; distribution.py does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bayes_distnet.families import Family

Array = NDArray[np.float64]

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
        copies: (n,) number of copies that share their component.
        power: (n,) number of independent copies of the whole mixture.
        log_alive: (n, S) `log sf_j(start)`, or None where no row was conditioned.
    """

    components: Family
    log_weights: Array
    start: Array
    copies: Array
    power: Array
    log_alive: Array | None = None

    @property
    def n_components(self) -> int:
        return int(self.log_weights.shape[1])

    @cached_property
    def weights(self) -> Array:
        weights: Array = np.exp(self.log_weights)
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
        )

    def split(self) -> Mixture:
        """Every component as a row of its own: n * S rows of one component, row-major."""
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

    def condition(self, waited: Array) -> Mixture:
        """What is left after waiting for a scalar or (n,) seconds more."""
        start = np.where(self.starts_at_zero, self.start, 0.0) + waited
        alive = np.zeros((len(start), self.n_components))
        before: Array | float = 0.0 if self.log_alive is None else self.log_alive
        with np.errstate(all="ignore"):
            for rows in blocks(len(start), self.n_components):
                # A runtime family is alive at 0 by definition; do not ask it.
                known = self.components.positive & (start[rows, None] == 0)
                log_sf = self.components.take(rows).log_sf(np.where(known, 1.0, start[rows, None]))
                # Infinite only for absurd times, where it would leave no weights to compare.
                alive[rows] = np.where(known, 0.0, np.maximum(log_sf, -1e200))
            log_weights = self.log_weights + self.copies[:, None] * (alive - before)
            log_weights = log_weights - log_sum_exp(log_weights)[:, None]
        return replace(self, log_weights=log_weights, start=start, log_alive=alive)

    def draw(self, rng: np.random.Generator, size: int) -> NDArray[np.intp]:
        """(n, size) components drawn by their weights."""
        cumulative = np.cumsum(self.weights, axis=1)
        cumulative = np.broadcast_to(cumulative / cumulative[:, -1:], (len(self.start), self.n_components))
        uniform = rng.random((len(self.start), size))
        drawn = [np.searchsorted(line, u, side="right") for line, u in zip(cumulative, uniform, strict=True)]
        return np.asarray(drawn, dtype=np.intp).reshape(uniform.shape)

    def to_arrays(self) -> dict[str, Array]:
        """Everything but the family's name; `log_alive` follows from the rest."""
        return {
            **{name: np.array(value) for name, value in self.components.parameters().items()},
            "log_weights": np.array(np.broadcast_to(self.log_weights, (len(self.start), self.n_components))),
            "start": self.start.copy(),
            "copies": self.copies.copy(),
            "power": self.power.copy(),
        }

    @classmethod
    def from_arrays(cls, components: Family, arrays: Mapping[str, Any]) -> Mixture:
        """Make again what `to_arrays` took apart."""
        log_weights, start, copies, power = (
            np.asarray(arrays[name], dtype=np.float64) for name in ("log_weights", "start", "copies", "power")
        )
        fresh = cls(components, log_weights, np.where(np.isfinite(start), 0.0, start), copies, power)
        if components.positive and not np.any(start):
            return fresh
        waited = np.isfinite(start)
        conditioned = fresh.condition(np.where(waited, start, 0.0))
        log_alive = np.where(waited[:, None], cast(Array, conditioned.log_alive), 0.0)
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
        )

    @classmethod
    def pool(cls, parts: Sequence[Mixture], log_weights: Array) -> Mixture:
        """The components of several mixtures of the same rows, side by side, under new weights."""
        n = len(parts[0].start)
        alive = [np.zeros((n, part.n_components)) if part.log_alive is None else part.log_alive for part in parts]
        conditioned = any(part.log_alive is not None for part in parts)
        return replace(
            parts[0],
            components=_join([part.components for part in parts], 1),
            log_weights=log_weights,
            log_alive=np.concatenate(alive, axis=1) if conditioned else None,
        )

    # -- values at times x > 0, finite, of shape (n, m) or (1, m) --------------------------------------------

    def component_log_sf(self, x: Array) -> Array:
        """(n, m, S): log of every component's survival beyond x more seconds, copies included."""
        log_sf: Array = self._spread().log_sf(self._time(x)[..., None])
        return self._derive(log_sf)

    def log_sf(self, x: Array) -> Array:
        """(n, m): log survival of the mixture, also relatively accurate where it is close to 0."""
        return self._power(self._mix(self.component_log_sf(x)))

    def log_sf_pdf(self, x: Array) -> tuple[Array, Array]:
        """(n, m) twice: log survival and log density; one call shares the work."""
        family, time = self._spread(), self._time(x)[..., None]
        raw: Array = family.log_sf(time)
        log_sf = self._mix(self._derive(raw))
        log_pdf = self._mix_density(family, time, raw)
        if np.any(self.power != 1):
            power = self.power[:, None]
            log_pdf = log_pdf + np.log(power) + (power - 1) * log_sf
        return self._power(log_sf), log_pdf

    def log_pdf(self, x: Array) -> Array:
        """(n, m): log density."""
        if not self.is_plain or np.any(self.power != 1):
            return self.log_sf_pdf(x)[1]
        return self._mix_density(self._spread(), self._time(x)[..., None], None)

    # -- helpers -----------------------------------------------------------------------------------------------

    def _spread(self) -> Family:
        """The components with an axis for times in the middle: (n, 1, S)."""
        return self.components.take(np.s_[:, None, :])

    def _time(self, x: Array) -> Array:
        if self.log_alive is None:
            return x
        return np.where(self.starts_at_zero, self.start, 0.0)[:, None] + x

    def _derive(self, log_sf: Array) -> Array:
        """From a family's log survival to that of the conditioned, copied component."""
        if self.log_alive is not None:
            log_sf = np.minimum(log_sf - self.log_alive[:, None, :], 0.0)
        if np.any(self.copies != 1):
            log_sf = log_sf * self.copies[:, None, None]
        return log_sf

    def _power(self, log_sf: Array) -> Array:
        return log_sf if np.all(self.power == 1) else log_sf * self.power[:, None]

    def _mix(self, log_terms: Array) -> Array:
        """Log sum_j w_j exp(log_terms_j) for terms <= 0, relatively accurate near 0 and in the deep tail."""
        if self.n_components == 1:
            return log_terms[..., 0]
        total = np.vecdot(np.exp(log_terms), self.weights[:, None, :])
        with np.errstate(divide="ignore"):
            mixed: Array = np.minimum(np.log(total), 0.0)
        deep = total < _TINY
        if deep.any():
            mixed[deep] = log_sum_exp(log_terms[deep] + self._weights_at(deep, log=True))
        # 1 - total has no digits left where total is close to one: add up the cdf terms instead.
        near = total > 0.999
        if near.any():
            below = -np.vecdot(np.expm1(log_terms[near]), self._weights_at(near))
            mixed[near] = np.log1p(-below)
        return mixed

    def _mix_density(self, family: Family, time: Array, log_sf: Array | None) -> Array:
        terms: Array = family.log_prob(time)
        if log_sf is not None and np.any(self.copies != 1):
            copies = self.copies[:, None, None]
            terms = terms + np.log(copies) + (copies - 1) * np.maximum(log_sf, -1e300)
        if self.log_alive is not None:
            terms = terms - self.copies[:, None, None] * self.log_alive[:, None, :]
        if self.n_components == 1:
            return terms[..., 0]
        with np.errstate(divide="ignore", over="ignore"):
            total = np.vecdot(np.exp(terms), self.weights[:, None, :])
            mixed: Array = np.log(total)
        extreme = ~((total > _TINY) & (total < 1 / _TINY))
        if extreme.any():
            mixed[extreme] = log_sum_exp(terms[extreme] + self._weights_at(extreme, log=True))
        return mixed

    def _weights_at(self, mask: NDArray[np.bool_], *, log: bool = False) -> Array:
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


def log_sum_exp(terms: Array) -> Array:
    """Over the last axis; minus infinity where every term is."""
    top = terms.max(axis=-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(terms - top).sum(axis=-1)) + top[..., 0])


def weighted_quantiles(values: Array, weights: Array, levels: tuple[float, float]) -> tuple[Array, Array]:
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
