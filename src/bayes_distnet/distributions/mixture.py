r"""The arithmetic behind :class:`bayes_distnet.RuntimeDistribution`: rows of mixtures, in log space.

Row i of a :class:`Mixture` has the survival function

.. math:: SF(x) = \Bigl[\sum_j w_j \Bigl(\frac{sf_j(start + x)}{sf_j(start)}\Bigr)^{copies}\Bigr]^{power},

with `w` the weights of the components *given that the run is still alive at* `start`. This form is closed under the
two operations on a runtime distribution: having waited for t more seconds (`start` grows, the weights are updated) and
taking the fastest of k copies (`power` or `copies` grows). Nothing here checks its input or splits work into blocks;
`PredictedRuntimes` does.

Several components may make up one draw (`draws`). Copies then share the draw and not the component: in place of
:math:`sf_j(start + x) / sf_j(start)` stands the mean of these ratios over the components of j's draw, by weight. The
formula holds as it is, since the weights of a draw's components sum to its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bayes_distnet.arrays import BoolArray, FloatArray, IndexArray
from bayes_distnet.distributions.blocks import blocks
from bayes_distnet.distributions.draws import Draws
from bayes_distnet.distributions.families import Family, LogNormal
from bayes_distnet.distributions.lognormal_sums import NEAR_ONE, TINY, LogNormalSums
from bayes_distnet.distributions.special.elementary import log_sum_exp


@dataclass(frozen=True)
class Mixture:
    """n rows of S components; see the module for the formula.

    Parameters
    ----------
    components : Family
        Parameters of shape (n, S).
    log_weights : ndarray
        (n, S), or (1, S) where all rows share them; each row sums to one after exp.
    start : ndarray
        (n,) seconds already survived.
    copies : ndarray
        (n,) number of copies that share their draw.
    power : ndarray
        (n,) number of independent copies of the whole mixture.
    log_alive : ndarray, optional
        (n, S) `log sf_j(start)`; None where no row was conditioned.
    draws : Draws, optional
        The draw of each component; None where each component is a draw of its own.
    """

    components: Family
    log_weights: FloatArray
    start: FloatArray
    copies: FloatArray
    power: FloatArray
    log_alive: FloatArray | None = None
    draws: Draws | None = None

    def __len__(self) -> int:
        return len(self.start)

    @property
    def n_components(self) -> int:
        """S, the number of components per row."""
        return int(self.log_weights.shape[1])

    @cached_property
    def weights(self) -> FloatArray:
        """(n, S) or (1, S) weights of the components."""
        weights: FloatArray = np.exp(self.log_weights)
        return weights

    @cached_property
    def is_plain(self) -> bool:
        """Whether no row was conditioned and no minimum was taken inside the mixture."""
        return self.log_alive is None and bool(np.all(self.copies == 1))

    def take(self, rows: IndexArray | slice) -> Mixture:
        """Return the mixture of some rows."""
        return Mixture(
            self.components.take(rows),
            self.log_weights if len(self.log_weights) == 1 else self.log_weights[rows],
            self.start[rows],
            self.copies[rows],
            self.power[rows],
            None if self.log_alive is None else self.log_alive[rows],
            None if self.draws is None else self.draws.take(rows),
        )

    def thin(self, size: int) -> Mixture:
        """Keep `size` equally weighted components per row: a cheap substitute to start a root search from."""
        cumulative = np.cumsum(self.weights, axis=1)
        levels = (np.arange(size) + 0.5) / size * cumulative[:, -1:]
        picks = (cumulative[:, None, :] < levels[:, :, None]).sum(axis=2)
        picks = np.minimum(picks, self.n_components - 1)
        index = np.s_[:, picks[0]] if len(picks) == 1 else (np.arange(len(picks))[:, None], picks)
        return replace(
            self,
            components=self.components.take(index),
            log_weights=np.full((1, size), -np.log(size)),
            log_alive=None if self.log_alive is None else self.log_alive[index],
            draws=None,
        )

    def split(self) -> Mixture:
        """Return every component as a row of its own, regardless of draws: n * S rows of one component, row-major."""
        n, size = len(self), self.n_components
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
        """Return the mixture of the time left after waiting for a scalar or (n,) seconds more."""
        start = self.start + waited
        alive = np.zeros((len(start), self.n_components))
        before: FloatArray | float = 0.0 if self.log_alive is None else self.log_alive
        with np.errstate(all="ignore"):
            for rows in blocks(len(start), self.n_components):
                # Every family is alive at 0 by definition, and only defined above.
                known = start[rows, None] == 0
                log_sf = self.components.take(rows).log_sf(np.where(known, 1.0, start[rows, None]))
                # Infinite only for absurd times, where it would leave no weights to compare.
                alive[rows] = np.where(known, 0.0, np.maximum(log_sf, -1e200))
            log_weights = self._survived(alive - before)
            log_weights = log_weights - log_sum_exp(log_weights)[:, None]
        return replace(self, log_weights=log_weights, start=start, log_alive=alive)

    # -- draws of several components -----------------------------------------------------------------------------

    @property
    def n_draws(self) -> int:
        """D, the number of draws per row."""
        return self.n_components if self.draws is None else self.draws.count

    @cached_property
    def draw_weights(self) -> FloatArray:
        """(n, D) or (1, D): the weight of every draw, the sum of its components'."""
        return self.weights if self.draws is None else np.exp(self.draws.log_sums(self.log_weights))

    @cached_property
    def shares_draws(self) -> bool:
        """Whether copies share draws of several components."""
        return self.draws is not None and bool(np.any(self.copies != 1))

    def split_draws(self) -> Mixture:
        """Return every draw as a row of its own, the mixture of its components: n * D rows, row-major."""
        # Copies that share a draw are independent otherwise: they become the row's `power`.
        if self.draws is None:
            return self.split()
        n, (columns, present) = len(self), self.draws.members
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

    def _survived(self, log_ratio: FloatArray) -> FloatArray:
        """(n, S) log weights, not normalised, of components of which a copy survived with exp of (n, S)."""
        copies = self.copies[:, None]
        if self.draws is None or not self.shares_draws:
            return self.log_weights + copies * log_ratio
        before, after = self.draws.log_sums(self.log_weights), self.draws.log_sums(self.log_weights + log_ratio)
        # All copies except one count with the whole draw; the last one gives the components it consists of from now on.
        others = np.where(np.isfinite(before), after - before, 0.0)
        return self.log_weights + log_ratio + (copies - 1) * self.draws.at_components(others)

    # -- values at times x > 0, finite, of shape (n, m) or (1, m) --------------------------------------------

    def log_sf(self, x: FloatArray) -> FloatArray:
        """(n, m): log survival of the mixture, also relatively accurate where it is close to 0."""
        if (sums := self._sums(x)) is not None:
            return self._power(sums.log_sf())
        return self._power(self._mix(self._copied(self._copy_log_sf(x))))

    def log_sf_pdf(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(n, m) twice: log survival and log density; one call shares the work."""
        if (sums := self._sums(x)) is not None:
            log_sf, log_pdf = sums.log_sf(), sums.log_pdf()
        else:
            one = self._copy_log_sf(x)
            log_sf, log_pdf = self._mix(self._copied(one)), self._mix_density(x, one)
        if np.any(self.power != 1):
            power = self.power[:, None]
            log_pdf = log_pdf + np.log(power) + (power - 1) * log_sf
        return self._power(log_sf), log_pdf

    def log_pdf(self, x: FloatArray) -> FloatArray:
        """(n, m): log density."""
        if not self.is_plain or np.any(self.power != 1):
            return self.log_sf_pdf(x)[1]
        sums = self._sums(x)
        return self._mix_density(x, None) if sums is None else sums.log_pdf()

    # -- helpers -----------------------------------------------------------------------------------------------

    def _sums(self, x: FloatArray) -> LogNormalSums | None:
        """The quick way, for mixtures of lognormals that were neither conditioned nor copied; else None."""
        if self.n_components == 1 or not self.is_plain or not isinstance(self.components, LogNormal):
            return None
        return LogNormalSums(self.components, self.weights, self.log_weights, x)

    def _spread(self) -> Family:
        """The components with an axis for times in the middle: (n, 1, S)."""
        return self.components.take(np.s_[:, None, :])

    def _time(self, x: FloatArray) -> FloatArray:
        return x if self.log_alive is None else self.start[:, None] + x

    def _copy_log_sf(self, x: FloatArray) -> FloatArray:
        """(n, m, S): log survival past x more seconds of one copy of a component, or of its draw if that is shared."""
        if self.draws is not None and self.shares_draws:
            draws = replace(self, copies=np.ones(len(self))).split_draws()
            values = draws.log_sf(x if len(x) == 1 else np.repeat(x, self.n_draws, axis=0))
            return self.draws.at_components(values.reshape(len(self), self.n_draws, -1)).swapaxes(1, 2)
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
        deep = total < TINY
        if deep.any():
            mixed[deep] = log_sum_exp(log_terms[deep] + self._weights_at(deep, log=True))
        # 1 - total has no digits left where total is close to one: add up the cdf terms instead.
        near = total > NEAR_ONE
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
        extreme = ~((total > TINY) & (total < 1 / TINY))
        if extreme.any():
            mixed[extreme] = log_sum_exp(terms[extreme] + self._weights_at(extreme, log=True))
        return mixed

    def _weights_at(self, mask: BoolArray, *, log: bool = False) -> FloatArray:
        weights = self.log_weights if log else self.weights
        return weights if len(weights) == 1 else weights[np.nonzero(mask)[0]]
