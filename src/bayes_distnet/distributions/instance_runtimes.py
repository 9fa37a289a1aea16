r"""InstanceRuntimes: predictions that keep the luck of a run apart from ignorance about its instance.

A prediction :math:`F` with an `InstanceEffect` says more than :math:`F`: which part of its spread all runs of the
instance share. Everything that is asked about a single run is answered by :math:`F` itself. Bands, minima of parallel
copies and runs that have been seen of the instance rest on the effect. With beliefs :math:`w_a` about its value,

.. math:: P(X > x) = \sum_a w_a \Bigl(\frac{sf_a(start + x)}{sf_a(start)}\Bigr)^{copies},

which is closed under waiting, copies that share the instance, and conditioning on its runs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import scipy.special
from numpy.typing import ArrayLike

from bayes_distnet.arrays import FloatArray, IndexArray
from bayes_distnet.distributions.checks import check_times, shaped
from bayes_distnet.distributions.instance_effect import InstanceEffect, normal_scores
from bayes_distnet.distributions.numeric import find_roots
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.distributions.special.elementary import log_sum_exp
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_at_least, check_level

# Gauss-Legendre nodes of integrals over normal scores, and the range of these: tails beyond weigh 1e-19.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(96)
_LOWEST, _HIGHEST = -8.5, 9.0


@dataclass(frozen=True, repr=False)
class InstanceRuntimes(PredictedRuntimes):
    """Predicted runtimes of n instances, with the part of their spread that all runs of an instance share.

    Parameters
    ----------
    marginal : RuntimeDistribution
        Distribution of one run of each instance.
    effect : InstanceEffect
        Size of the effect, and beliefs about it.
    start : array, optional
        (n,) seconds that the run has been going.
    copies : array, optional
        (n,) number of parallel copies.

    Examples
    --------
    >>> from bayes_distnet.distributions import LogNormal
    >>> marginal = RuntimeDistribution(LogNormal(loc=[0.0], scale=[1.0]))
    >>> rtd = InstanceRuntimes(marginal, InstanceEffect.of(0.36, 1))    # 0.36 ignorance, 0.64 luck
    >>> rtd.median(), np.round(rtd.band(0.9), 3).ravel()                # exp(-+0.6 * 1.645)
    (array([1.]), array([0.373, 2.683]))
    >>> rtd.unsure_share().round(3)
    array([0.36])
    >>> hard = rtd.given_runs([[5.0, 7.0, 6.0]])                        # three slow runs of this instance
    >>> hard.median().round(2), hard.unsure_share().round(2)
    (array([3.05]), array([0.17]))
    """

    marginal: RuntimeDistribution
    effect: InstanceEffect
    start: FloatArray | None = None
    copies: FloatArray | None = None

    # -- its parts ---------------------------------------------------------------------------------------------

    @property
    def family(self) -> str:
        """Name of the family of the components."""
        return self.marginal.family

    @property
    def n_components(self) -> int:
        """S, the number of components per row."""
        return self.marginal.n_components

    @property
    def weights(self) -> FloatArray:
        """(n, S) weights of the components of the prediction of one run."""
        return self.marginal.weights

    @property
    def samples(self) -> FloatArray | None:
        """None: the distribution was not estimated from predicted runtimes."""
        return None

    def __len__(self) -> int:
        return len(self.marginal)

    def __repr__(self) -> str:
        size = self.effect.size
        ends = f"{size.min():.2g} to {size.max():.2g}" if len(self) else "none"
        assumed = ", assumed" if self.effect.assumed else ""
        return f"{super().__repr__()[:-1]}, instance effect {ends}{assumed})"

    def _take(self, rows: IndexArray | slice) -> Self:
        start, copies = (None if state is None else state[rows] for state in (self.start, self.copies))
        return replace(
            self, marginal=self.marginal._take(rows), effect=self.effect.take(rows), start=start, copies=copies
        )

    # -- one run: the prediction itself ---------------------------------------------------------------------------

    @property
    def _single(self) -> RuntimeDistribution | None:
        """The distribution in closed form, where no run has been seen and no minimum was taken."""
        if self.copies is not None or not self.effect.is_prior:
            return None
        return self.marginal if self.start is None else self.marginal._given_alive(self.start)

    @property
    def _lowest(self) -> float:
        return 0.0

    @property
    def _waited(self) -> FloatArray:
        return np.zeros(len(self)) if self.start is None else self.start

    @property
    def _copies(self) -> FloatArray:
        return np.ones(len(self)) if self.copies is None else self.copies

    def _log_sf(self, times: FloatArray) -> FloatArray:
        if (single := self._single) is not None:
            return single._log_sf(times)
        return log_sum_exp(self._terms(self._scores(times)) + self.effect.log_weights[:, None, :])

    def _log_pdf(self, times: FloatArray) -> FloatArray:
        if (single := self._single) is not None:
            return single._log_pdf(times)
        scores, copies = self._scores(times), self._copies[:, None, None]
        own = self.marginal._log_pdf(self._waited[:, None] + times)[..., None] + self.effect.log_density(scores)
        others = self._terms(scores) - (self.effect.log_sf(scores) if np.all(np.isfinite(scores)) else 0.0)
        return log_sum_exp(own + others + np.log(copies) + self.effect.log_weights[:, None, :])

    def _scores(self, times: FloatArray) -> FloatArray:
        """Normal scores (n, m) of times left."""
        return normal_scores(self.marginal._log_sf(self._waited[:, None] + times))

    def _alive(self) -> FloatArray:
        """(n, 1, G) log survival up to the start, given every value of the effect."""
        if self.start is None:
            return np.zeros((len(self), 1, 1))
        return self.effect.log_sf(normal_scores(self.marginal.log_sf(self.start[:, None])))

    def _terms(self, scores: FloatArray) -> FloatArray:
        """(n, m, G) log survival of all copies, given every value of the effect."""
        return np.asarray(self._copies[:, None, None] * (self.effect.log_sf(scores) - self._alive()))

    def _solve(self, rows: IndexArray, log_sf: FloatArray) -> FloatArray:
        if (single := self._single) is not None:
            return single._solve(rows, log_sf)
        part = self._take(rows)

        def evaluate(index: IndexArray, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
            some = part if index.size == rows.size else part._take(index)
            terms, density = some._in_scores(scores[:, None])
            return np.log(-terms[:, 0]), np.exp(density[:, 0] - terms[:, 0]) / -terms[:, 0]

        with np.errstate(all="ignore"):
            guess = np.clip(normal_scores(log_sf), -6.0, 6.0)
            scores = find_roots(evaluate, guess, np.log(-log_sf))
        times = part.marginal._solve(np.arange(rows.size), scipy.special.log_ndtr(-scores))
        return np.asarray(times - part._waited)

    def _in_scores(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Log survival and log density at normal scores (n, m), the latter per score."""
        terms, log_weights = self._terms(scores), self.effect.log_weights[:, None, :]
        log_phi = -0.5 * scores**2 - 0.5 * np.log(2 * np.pi)
        own = self.effect.log_density(scores) - self.effect.log_sf(scores) + terms
        density = log_sum_exp(own + log_weights) + log_phi + np.log(self._copies)[:, None]
        return log_sum_exp(terms + log_weights), density

    # -- moments: integrals over normal scores -------------------------------------------------------------------

    def mean(self) -> FloatArray:
        """(n,) expected runtime; after `given_runs` and `minimum_of` an integral, good to about 1e-6."""
        return single.mean() if (single := self._single) is not None else self._moment(1)

    def variance(self) -> FloatArray:
        """(n,) variance in s²."""
        if (single := self._single) is not None:
            return single.variance()
        return self._moment(2) - self._moment(1) ** 2

    def _moment(self, order: int) -> FloatArray:
        times, weights = self._table()
        with np.errstate(over="ignore", invalid="ignore"):
            return np.where(np.isinf(self.marginal.mean()), np.inf, (weights * times**order).sum(axis=1))

    def _table(self) -> tuple[FloatArray, FloatArray]:
        """Times left (n, nodes) at Gauss-Legendre nodes of the normal scores, and their probabilities."""
        low = np.full(len(self), _LOWEST)
        if self.start is not None:
            low = np.clip(normal_scores(self.marginal.log_sf(self.start[:, None]))[:, 0], _LOWEST, _HIGHEST - 1.0)
        half = 0.5 * (_HIGHEST - low)[:, None]
        scores = low[:, None] + half * (1.0 + _NODES)
        weights = half * _WEIGHTS * np.exp(self._in_scores(scores)[1])
        return self._times_at(scores) - self._waited[:, None], weights / weights.sum(axis=1, keepdims=True)

    def _times_at(self, scores: FloatArray) -> FloatArray:
        """Times (n, m) of the prediction at normal scores (n, m)."""
        rows = np.repeat(np.arange(len(self)), scores.shape[1])
        return self.marginal._solve(rows, scipy.special.log_ndtr(-scores.ravel())).reshape(scores.shape)

    def _restricted_mean(self, times: FloatArray) -> FloatArray:
        if (single := self._single) is not None:
            return single._restricted_mean(times)
        left, weights = self._table()
        return np.asarray((weights[:, None] * np.minimum(left[:, None], times[..., None])).sum(axis=2))

    def _sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        if (single := self._single) is not None:
            return single._sample(rng, size)
        return self.quantile(rng.random((len(self), size)))

    # -- ignorance about the instance ----------------------------------------------------------------------------

    def band(
        self, level: float = 0.9, *, q: float | None = None, t: ArrayLike | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Return the range in which the instance's own q-quantile, or its own cdf at t, lies with a given probability.

        Parameters
        ----------
        level : float, default 0.9
            Probability that the instance's value lies between the two ends.
        q : float, optional
            Level of the quantile, 0.5 (the median) by default.
        t : array-like, optional
            Times, to ask for the probability of having finished by then instead.

        Returns
        -------
        low, high : ndarray
            Ends: (n,) for a quantile or a scalar t, (n, m) for m times.
        """
        level = check_level(level)
        values = self.effect.quantiles((0.5 - 0.5 * level, 0.5 + 0.5 * level))
        if t is None:
            log_q = np.log1p(-(0.5 if q is None else check_level(q, "q")))
            low, high = (self._quantile_at(value, log_q) for value in values)
            return low, high
        if q is not None:
            raise SettingError("band takes q (a quantile level) or t (times), not both")
        times, shape = shaped("t", check_times(t), len(self))
        times = np.broadcast_to(times, (len(self), times.shape[1]))
        high, low = (self._cdf_at(value, times).reshape(shape) for value in values)
        return low, high

    def _quantile_at(self, value: FloatArray, log_q: float) -> FloatArray:
        """(n,) time left at which instances with an effect of this value reach a log survival probability."""
        log_sf = log_q / self._copies + self._alive_at(value)
        scores = self.effect.scores_at(value, log_sf)
        times = self.marginal._solve(np.arange(len(self)), scipy.special.log_ndtr(-scores))
        return np.asarray(times - self._waited)

    def _cdf_at(self, value: FloatArray, times: FloatArray) -> FloatArray:
        """(n, m) probability of finishing within times left, for instances with an effect of this value."""
        scores = normal_scores(self.marginal.log_sf(self._waited[:, None] + times))
        root, rest = np.sqrt(self.effect.size), np.sqrt(1.0 - self.effect.size)
        log_sf = scipy.special.log_ndtr(-(scores - (root * value)[:, None]) / rest[:, None])
        with np.errstate(invalid="ignore"):
            left = self._copies[:, None] * (log_sf - self._alive_at(value)[:, None])
        return np.asarray(np.where(times > 0, -np.expm1(np.minimum(left, 0.0)), 0.0))

    def _alive_at(self, value: FloatArray) -> FloatArray:
        if self.start is None:
            return np.zeros(len(self))
        scores = normal_scores(self.marginal.log_sf(self.start[:, None]))[:, 0]
        root, rest = np.sqrt(self.effect.size), np.sqrt(1.0 - self.effect.size)
        return np.asarray(scipy.special.log_ndtr(-(scores - root * value) / rest))

    def unsure_share(self) -> FloatArray:
        """(n,) fraction of the variance of log time that is ignorance about the instance; the rest is luck."""
        return self._split(np.log)[0]

    def epistemic(self) -> FloatArray:
        """(n,) variance, over instances that the prediction may stand for, of their mean runtimes, in s²."""
        return self._split(lambda times: times)[0] * self.variance()

    def aleatoric(self) -> FloatArray:
        """(n,) mean, over instances that the prediction may stand for, of their variances, in s²."""
        return self.variance() - self.epistemic()

    def _split(self, of: object) -> tuple[FloatArray, FloatArray]:
        """(n,) fractions of the variance between and within instances, of a function of the time."""
        times, _ = self._table()
        values = of(np.maximum(times, 1e-300))  # type: ignore[operator]
        low, half = _LOWEST, 0.5 * (_HIGHEST - _LOWEST)
        scores = np.full((len(self), 1), low) + half * (1.0 + _NODES)
        if self.start is not None:
            start = np.clip(normal_scores(self.marginal.log_sf(self.start[:, None])), _LOWEST, _HIGHEST - 1.0)
            scores = start + 0.5 * (_HIGHEST - start) * (1.0 + _NODES)
        log_phi = -0.5 * scores**2
        terms = self.effect.log_density(scores) - self.effect.log_sf(scores) + self._terms(scores) + log_phi[..., None]
        mass = np.exp(terms - terms.max(axis=1, keepdims=True)) * _WEIGHTS[None, :, None]
        mass /= mass.sum(axis=1, keepdims=True)
        means = (mass * values[..., None]).sum(axis=1)
        squares = (mass * values[..., None] ** 2).sum(axis=1)
        belief = np.broadcast_to(self.effect.weights, means.shape)
        overall = (belief * means).sum(axis=1)
        between = (belief * (means - overall[:, None]) ** 2).sum(axis=1)
        within = (belief * np.maximum(squares - means**2, 0.0)).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return between / (between + within), within / (between + within)

    # -- other distributions made from it ------------------------------------------------------------------------

    def _given_alive(self, waited: FloatArray) -> Self:
        if not np.any(waited):
            return self
        start = self._waited + waited
        new = replace(self, start=start)
        if self._single is not None:
            return new  # the belief about the effect follows from the start, and the prediction keeps its closed form
        evidence = new._copies[:, None] * (new._alive() - self._alive())[:, 0]
        return replace(new, effect=self.effect.reweighted(evidence))

    def minimum_of(self, k: int, *, independent: bool = False) -> PredictedRuntimes:  # type: ignore[override]
        """Return the distribution of the fastest of k parallel copies.

        Parameters
        ----------
        k : int
            Number of copies, at least 1.
        independent : bool, default False
            Whether the copies run on different instances of this kind. By default they run on the same instance and
            share its effect: parallel copies protect against bad luck, not against a hard instance.

        Returns
        -------
        PredictedRuntimes
            One row per row of this one.
        """
        check_at_least("k", k, 1)
        if independent:
            if (single := self._single) is None:
                raise SettingError("minimum_of(independent=True): take it before given_runs and other minima")
            return single.minimum_of(k, independent=True)
        return replace(self._with_belief(), copies=self._copies * float(k))

    def _with_belief(self) -> Self:
        """Write the evidence of having survived so far into the belief."""
        if self._single is None or self.start is None:
            return self
        return replace(self, effect=self.effect.reweighted(self._alive()[:, 0]))

    def given_runs(self, seconds: ArrayLike, finished: ArrayLike | None = None) -> Self:
        """Condition on runs that have been seen of the same instances.

        Parameters
        ----------
        seconds : array-like
            (n, k) seconds of other runs of each instance; NaN where there is none.
        finished : array-like of bool, optional
            Same shape; False for a run that was cut off. All finished by default.

        Returns
        -------
        InstanceRuntimes
            Distribution of a further run of each instance.

        Raises
        ------
        SettingError
            If the shapes do not match.

        Examples
        --------
        See the class.
        """
        runs = np.asarray(seconds, dtype=float)
        runs = runs[None] if runs.ndim == 1 and len(self) == 1 else runs
        present = ~np.isnan(runs)
        flags = present if finished is None else np.asarray(finished, dtype=bool).reshape(runs.shape)
        if runs.ndim != 2 or len(runs) != len(self) or not np.all(runs[present] > 0):
            raise SettingError(
                f"given_runs takes positive seconds of shape ({len(self)}, runs), NaN where there is no run; "
                f"got shape {runs.shape}"
            )
        if self.start is not None or self.copies is not None:
            raise SettingError("given_runs: condition on runs first, then on the time that a run has been going")
        scores = normal_scores(self.marginal.log_sf(np.where(present, runs, 1.0)))
        return replace(self, effect=self.effect.after_runs(scores, flags & present, present))
