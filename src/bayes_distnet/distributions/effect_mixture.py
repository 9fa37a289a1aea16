r"""The mathematics of predictions with an instance effect, in normal scores.

With the belief :math:`w_a` about the effect, the time :math:`X` that is left of the fastest of some copies has

.. math:: P(X > x) = \sum_a w_a \Bigl(\frac{sf_a(start + x)}{sf_a(start)}\Bigr)^{copies},

which is closed under waiting, under copies that share the instance, and under conditioning on its runs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.special

from bayes_distnet.arrays import BoolArray, FloatArray, IndexArray
from bayes_distnet.distributions.blocks import blocks
from bayes_distnet.distributions.instance_effect import GRID, InstanceEffect, normal_scores
from bayes_distnet.distributions.log_share import log_share_between
from bayes_distnet.distributions.moments import tail_index
from bayes_distnet.distributions.numeric import find_roots
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.distributions.special.elementary import log_sum_exp
from bayes_distnet.distributions.ticks import log_difference, log_tick_density, tick_ends

# Gauss-Legendre nodes of integrals over normal scores, and the range of these: tails beyond weigh 1e-17.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(96)
_LOWEST, _HIGHEST = -8.5, 9.0
_UNDERFLOW = -40.0  # normal score below all probabilities that floating point numbers have


@dataclass(frozen=True)
class EffectMixture:
    """A mixture over values of the instance effect: predictions, beliefs, time waited and number of copies.

    Parameters
    ----------
    marginal : RuntimeDistribution
        Distribution of one run of each instance.
    effect : InstanceEffect
        Size of the effect, and the belief about its value.
    start : array or None
        (n,) seconds that the runs have been going.
    copies : array or None
        (n,) number of parallel copies.
    """

    marginal: RuntimeDistribution
    effect: InstanceEffect
    start: FloatArray | None = None
    copies: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.marginal)

    def take(self, rows: IndexArray | slice) -> EffectMixture:
        """Return some of the rows."""
        start, copies = (None if state is None else state[rows] for state in (self.start, self.copies))
        return EffectMixture(self.marginal[rows], self.effect.take(rows), start, copies)

    @property
    def single(self) -> RuntimeDistribution | None:
        """The distribution in closed form, where no run has been seen and no minimum was taken; else None."""
        if self.copies is not None or not self.effect.is_prior:
            return None
        return self.marginal if self.start is None else self.marginal.given_alive(self.start)

    @property
    def waited(self) -> FloatArray:
        """(n, 1) seconds that the runs have been going."""
        return np.zeros((len(self), 1)) if self.start is None else self.start[:, None]

    @property
    def _count(self) -> FloatArray:
        """(n, 1) number of copies."""
        return np.ones((len(self), 1)) if self.copies is None else self.copies[:, None]

    # -- given every value of the effect -------------------------------------------------------------------------

    def scores(self, times: FloatArray) -> FloatArray:
        """Return normal scores (n, m) of times left."""
        return normal_scores(self.marginal.log_sf(self.waited + times))

    def _alive(self) -> FloatArray:
        """(n, 1, G) log survival up to the start."""
        if self.start is None:
            return np.zeros((len(self), 1, 1))
        return self.effect.log_sf(self.scores(np.zeros((len(self), 1))))

    def _survival(self, scores: FloatArray) -> FloatArray:
        """(n, m, G) log survival of all copies."""
        return np.asarray(self._count[..., None] * (self.effect.log_sf(scores) - self._alive()))

    def _densities(self, scores: FloatArray) -> FloatArray:
        """(n, m, G) log density of the fastest copy, relative to that of the prediction."""
        own = self.effect.log_density(scores) - self.effect.log_sf(scores)
        return np.asarray(own + self._survival(scores) + np.log(self._count)[..., None])

    # -- averaged over the belief --------------------------------------------------------------------------------

    def log_sf(self, scores: FloatArray) -> FloatArray:
        """Return log survival (n, m) at normal scores."""
        return log_sum_exp(self._survival(scores) + self.effect.log_belief[:, None, :])

    def relative_log_density(self, scores: FloatArray) -> FloatArray:
        """Return the log density (n, m) at normal scores, relative to that of the prediction."""
        return log_sum_exp(self._densities(scores) + self.effect.log_belief[:, None, :])

    def solve(self, log_sf: FloatArray) -> FloatArray:
        """Return the times (n,) left at which rows reach log survival (n,)."""

        def evaluate(index: IndexArray, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
            some = self if index.size == len(self) else self.take(index)
            value = some.log_sf(scores[:, None])[:, 0]
            density = some.relative_log_density(scores[:, None])[:, 0] - 0.5 * scores**2 - 0.5 * np.log(2 * np.pi)
            return np.log(-value), np.exp(density - value) / -value

        with np.errstate(all="ignore"):
            guess = np.clip(normal_scores(log_sf), -6.0, 6.0)
            scores = find_roots(evaluate, guess, np.log(-log_sf))
        return self.times_at(scores[:, None])[:, 0]

    def times_at(self, scores: FloatArray) -> FloatArray:
        """Return times left (n, m) at normal scores (n, m)."""
        rows = np.repeat(np.arange(len(self)), scores.shape[1])
        times = self.marginal._solve(rows, scipy.special.log_ndtr(-scores.ravel())).reshape(scores.shape)
        return np.asarray(times - self.waited)

    def table(self) -> tuple[FloatArray, FloatArray]:
        """Return times left (n, nodes) and their probabilities, for integrals."""
        scores, weights = self._nodes()
        for rows in blocks(len(self), _NODES.size * GRID.size):
            weights[rows] *= np.exp(self.take(rows).relative_log_density(scores[rows]) - 0.5 * scores[rows] ** 2)
        return self.times_at(scores), weights / weights.sum(axis=1, keepdims=True)

    def _nodes(self) -> tuple[FloatArray, FloatArray]:
        """Normal scores (n, nodes) from the start on, and their weights in integrals."""
        low = np.full((len(self), 1), _LOWEST)
        if self.start is not None:
            low = np.clip(self.scores(np.zeros((len(self), 1))), _LOWEST, _HIGHEST - 1.0)
        half = 0.5 * (_HIGHEST - low)
        return low + half * (1.0 + _NODES), half * _WEIGHTS

    # -- ignorance -----------------------------------------------------------------------------------------------

    def quantile_at(self, value: FloatArray, log_sf: FloatArray) -> FloatArray:
        """Return times (n, m) left at which instances with effects (n,) reach log survival probabilities (n, m)."""
        own = log_sf / self._count + self._alive_at(value)
        return self.times_at(self.effect.scores_at(value, own))

    def log_sf_given(self, hardness: FloatArray, times: FloatArray) -> FloatArray:
        """Return log survival (n, D, m) at times left (n, m), of instances of hardness (n, D)."""
        values, scores = self.effect.values_at(hardness), self.scores(times)
        root, rest = np.sqrt(self.effect.size)[:, None, None], np.sqrt(1.0 - self.effect.size)[:, None, None]
        log_sf = scipy.special.log_ndtr((root * values[..., None] - scores[:, None, :]) / rest)
        if self.start is not None:
            alive = self.scores(np.zeros((len(self), 1)))[:, None, :]
            log_sf = log_sf - scipy.special.log_ndtr((root * values[..., None] - alive) / rest)
        return np.asarray(np.minimum(log_sf, 0.0) * self._count[..., None])

    def cdf_at(self, value: FloatArray, times: FloatArray) -> FloatArray:
        """Return the probability (n, m) of finishing within times left, for instances with effects (n,)."""
        return np.asarray(0.0 - np.expm1(self.log_sf_at(value, times)))

    def log_sf_at(self, value: FloatArray, times: FloatArray) -> FloatArray:
        """Return log survival (n, m) past times left, for instances with effects (n,)."""
        with np.errstate(invalid="ignore"):
            left = self._count * (self.effect.log_sf_at(value, self.scores(times)) - self._alive_at(value))
        return np.asarray(np.where(times > 0, np.minimum(left, 0.0), 0.0))

    def tail_index(self) -> FloatArray:
        """Return the exponent (n,) of survival far out if it is a power law, given any effect; else infinity."""
        # With normal scores of sqrt(2 index log x), luck of variance 1 - size makes an instance's own tail lighter.
        return np.asarray(tail_index(self.marginal._mixture) * self._count[:, 0] / (1.0 - self.effect.size))

    def _alive_at(self, value: FloatArray) -> FloatArray:
        """(n, 1) log survival up to the start, for instances with effects (n,)."""
        zero = np.zeros((len(self), 1))
        return zero if self.start is None else self.effect.log_sf_at(value, self.scores(zero))

    def log_share_between(self) -> FloatArray:
        """Return the fraction (n,) of the variance of log time that lies between instances."""
        if self.single is None or self.start is not None:
            return self.share_between(np.log)
        return log_share_between(self.marginal, self.effect.size)

    def share_between(self, function: np.ufunc) -> FloatArray:
        """Return the fraction (n,) of the variance of a function of the time that lies between instances."""
        result = np.empty(len(self))
        for rows in blocks(len(self), _NODES.size * GRID.size):
            result[rows] = self.take(rows).with_belief()._share_between(function)
        return result

    def _share_between(self, function: np.ufunc) -> FloatArray:
        scores, steps = self._nodes()
        values = function(np.maximum(self.times_at(scores), np.finfo(float).tiny))[..., None]
        terms = self._densities(scores) + (np.log(steps) - 0.5 * scores**2)[..., None]
        mass = np.exp(terms - terms.max(axis=1, keepdims=True))
        mass /= mass.sum(axis=1, keepdims=True)
        means = (mass * values).sum(axis=1)
        within = (mass * (values - means[:, None]) ** 2).sum(axis=1)
        belief = np.exp(self.effect.log_belief)
        between = (belief * (means - (belief * means).sum(axis=1, keepdims=True)) ** 2).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(between / (between + (belief * within).sum(axis=1)))

    # -- evidence ------------------------------------------------------------------------------------------------

    def with_belief(self) -> EffectMixture:
        """Return the same mixture with the evidence of having survived so far written into the belief."""
        if self.single is None or self.start is None:
            return self
        return replace(self, effect=self.effect.reweighted(self._alive()[:, 0]))

    def wait(self, seconds: FloatArray) -> EffectMixture:
        """Condition on having survived (n,) seconds more."""
        new = replace(self, start=self.waited[:, 0] + seconds)
        if self.single is not None:
            return new  # the belief follows from the start, and the prediction keeps its closed form
        evidence = self._count * (new._alive() - self._alive())[:, 0]
        return replace(new, effect=self.effect.reweighted(evidence))

    def copied(self, k: int) -> EffectMixture:
        """Return the distribution of the fastest of k copies on the same instance."""
        return replace(self.with_belief(), copies=self._count[:, 0] * float(k))

    def given_runs(self, seconds: FloatArray, finished: BoolArray, present: BoolArray) -> EffectMixture:
        """Condition on runs (n, k) of the instances."""
        return replace(self, effect=self.effect.reweighted(self._evidence(seconds, finished, present)))

    def log_joint(
        self, seconds: FloatArray, finished: BoolArray, present: BoolArray, tick: float | None = None
    ) -> FloatArray:
        """Return the log density (n,) of all runs (n, k) of an instance together."""
        if tick is not None:
            evidence = self._tick_evidence(seconds, finished, present, tick)
            return log_sum_exp(evidence + self.effect.log_belief)
        own = np.where(finished & present, self.marginal.log_pdf(seconds), 0.0).sum(axis=1)
        return np.asarray(own + log_sum_exp(self._evidence(seconds, finished, present) + self.effect.log_belief))

    def _evidence(self, seconds: FloatArray, finished: BoolArray, present: BoolArray) -> FloatArray:
        """(n, G) log likelihood of runs, relative to densities of the prediction."""
        scores, result = normal_scores(self.marginal.log_sf(seconds)), np.empty((len(self), GRID.size))
        for rows in blocks(len(self), seconds.shape[1] * GRID.size):
            effect, score = self.effect.take(rows), scores[rows]
            each = np.where(finished[rows, :, None], effect.log_density(score), effect.log_sf(score))
            result[rows] = np.where(present[rows, :, None], each, 0.0).sum(axis=1)
        return result

    def _tick_evidence(self, seconds: FloatArray, finished: BoolArray, present: BoolArray, tick: float) -> FloatArray:
        """(n, G) log likelihood of runs whose times a timer showed, with mean densities over its ticks."""
        low, high = tick_ends(seconds, tick)
        width, result = np.log(np.maximum(high - low, 1e-300)), np.empty((len(self), GRID.size))
        ends = [normal_scores(self.marginal.log_sf(times)) for times in (low, high, seconds)]
        ends[2] = np.maximum(ends[2], _UNDERFLOW)
        marginal = log_tick_density(self.marginal, seconds, tick)
        for rows in blocks(len(self), seconds.shape[1] * GRID.size):
            effect, (before, after, at) = self.effect.take(rows), (scores[rows] for scores in ends)
            mass, lost = log_difference(effect.log_sf(before), effect.log_sf(after))
            # Over a narrow tick the part that an instance has of the prediction's density does not change.
            part = effect.log_density(at) + marginal[rows, :, None]
            each = np.where(lost, part, mass - width[rows, :, None])
            each = np.where(finished[rows, :, None], each, effect.log_sf(at))
            result[rows] = np.where(present[rows, :, None], each, 0.0).sum(axis=1)
        return result
