"""InstanceRuntimes: predictions that keep the luck of a run apart from ignorance about its instance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from bayes_distnet.arrays import BoolArray, FloatArray, IndexArray
from bayes_distnet.distributions.checks import check_runs
from bayes_distnet.distributions.effect_means import means_until
from bayes_distnet.distributions.effect_mixture import EffectMixture
from bayes_distnet.distributions.instance_effect import InstanceEffect
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_at_least


class InstanceRuntimes(PredictedRuntimes):
    """Predicted runtimes of n instances, with the part of their spread that all runs of an instance share.

    Everything that is asked about a single run is answered by the prediction of a single run. Bands, minima of parallel
    copies, and runs that have been seen of the instance rest on the instance effect.

    Parameters
    ----------
    marginal : RuntimeDistribution
        Distribution of one run of each instance.
    effect : InstanceEffect
        Size of the effect, and the belief about its value.

    Examples
    --------
    >>> from bayes_distnet.distributions.families import LogNormal
    >>> marginal = RuntimeDistribution(LogNormal(loc=[0.0], scale=[1.0]))
    >>> rtd = InstanceRuntimes(marginal, InstanceEffect.of(0.36, 1))    # 0.36 ignorance, 0.64 luck
    >>> rtd.median(), np.round(rtd.band(0.9), 3).ravel()                # exp(-+0.6 * 1.645)
    (array([1.]), array([0.373, 2.683]))
    >>> rtd.unsure_share().round(3)
    array([0.36])
    >>> hard = rtd.given_runs([[5.0, 7.0, 6.0]])                        # three slow runs of this instance
    >>> hard.median().round(2), hard.unsure_share().round(2)
    (array([3.06]), array([0.17]))
    """

    def __init__(self, marginal: RuntimeDistribution, effect: InstanceEffect) -> None:
        if not isinstance(marginal, RuntimeDistribution) or len(marginal) != len(effect):
            raise SettingError(f"marginal: expected a RuntimeDistribution of {len(effect)} rows, found {marginal!r}")
        self._mixture = EffectMixture(marginal, effect)

    @classmethod
    def _of(cls, mixture: EffectMixture) -> Self:
        new = cls.__new__(cls)
        new._mixture = mixture
        return new

    @classmethod
    def concat(cls, parts: Sequence[Self]) -> Self:
        """Put rows of several predictions below each other; each keeps its own instance effect.

        Parameters
        ----------
        parts : sequence of InstanceRuntimes
            At least one, all of one family; of whole runs, that is before `given_alive` and `minimum_of`.

        Returns
        -------
        InstanceRuntimes
            As many rows as all parts together.
        """
        if odd := [type(part).__name__ for part in parts if not isinstance(part, InstanceRuntimes)]:
            raise SettingError(f"expected InstanceRuntimes to put together, found {odd[0]}")
        if any(part._mixture.start is not None or part._mixture.copies is not None for part in parts):
            raise SettingError("concat() takes predictions of whole runs: call given_alive or minimum_of afterwards")
        effect = InstanceEffect.concat([part.effect for part in parts])
        return cls(RuntimeDistribution.concat([part.marginal for part in parts]), effect)

    # -- its parts -----------------------------------------------------------------------------------------------

    @property
    def marginal(self) -> RuntimeDistribution:
        """Distribution of one run of each instance, before anything was seen of it."""
        return self._mixture.marginal

    @property
    def effect(self) -> InstanceEffect:
        """Size of the effect, and the belief about its value."""
        return self._mixture.effect

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
        """(n, S) weights of the components of the prediction of a single run."""
        return self.marginal.weights

    def __len__(self) -> int:
        return len(self._mixture)

    def __repr__(self) -> str:
        low, high = (f"{size:.2g}" for size in (self.effect.size.min(initial=1), self.effect.size.max(initial=0)))
        sizes = low if low == high else f"{low} to {high}"
        assumed = ", assumed" if self.effect.assumed else ""
        return f"{super().__repr__()[:-1]}, instance effect {sizes if len(self) else 'none'}{assumed})"

    def _take(self, rows: IndexArray | slice) -> Self:
        return self._of(self._mixture.take(rows))

    # -- values ----------------------------------------------------------------------------------------------------

    @property
    def _lowest(self) -> float:
        return 0.0

    def _log_sf(self, times: FloatArray) -> FloatArray:
        if (single := self._mixture.single) is not None:
            return single._log_sf(times)
        return self._mixture.log_sf(self._mixture.scores(times))

    def _log_pdf(self, times: FloatArray) -> FloatArray:
        if (single := self._mixture.single) is not None:
            return single._log_pdf(times)
        own = self.marginal.log_pdf(self._mixture.waited + times)
        return own + self._mixture.relative_log_density(self._mixture.scores(times))

    def _solve(self, rows: IndexArray, log_sf: FloatArray) -> FloatArray:
        if (single := self._mixture.single) is not None:
            return single._solve(rows, log_sf)
        return self._mixture.take(rows).solve(log_sf)

    def mean(self) -> FloatArray:
        """(n,) expected runtime; after `given_runs` and `minimum_of` an integral over 17 deviations."""
        return single.mean() if (single := self._mixture.single) is not None else self._moments()[0]

    def variance(self) -> FloatArray:
        """(n,) variance in s²."""
        if (single := self._mixture.single) is not None:
            return single.variance()
        mean, square = self._moments()
        return square - mean**2

    def _moments(self) -> tuple[FloatArray, FloatArray]:
        times, weights = self._mixture.table()
        with np.errstate(over="ignore", invalid="ignore"):
            mean, square = (weights * times).sum(axis=1), (weights * times**2).sum(axis=1)
        return np.where(np.isinf(self.marginal.mean()), np.inf, mean), square

    def _restricted_mean(self, times: FloatArray) -> FloatArray:
        if (single := self._mixture.single) is not None:
            return single._restricted_mean(times)
        left, weights = self._mixture.table()
        return np.asarray((weights[:, None] * np.minimum(left[:, None], times[..., None])).sum(axis=2))

    def _sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        if (single := self._mixture.single) is not None:
            return single._sample(rng, size)
        return self.quantile(rng.random((len(self), size)))

    # -- ignorance about the instance ----------------------------------------------------------------------------

    def _band(
        self, ends: tuple[float, float], q: float, times: FloatArray | None, mean: bool
    ) -> tuple[FloatArray, FloatArray]:
        mixture = self._mixture.with_belief()
        values = mixture.effect.quantiles(ends)  # every number of an instance is monotone in its effect
        if mean:
            until = np.full((len(self), 1), np.inf) if times is None else times
            until = np.broadcast_to(until, (len(self), until.shape[1]))
            low, high = (means_until(mixture, value, until) for value in values)
            return (low[:, 0], high[:, 0]) if times is None else (low, high)
        if times is None:
            level = np.full((len(self), 1), np.log1p(-q))
            low, high = (mixture.quantile_at(value, level)[:, 0] for value in values)
            return low, high
        times = np.broadcast_to(times, (len(self), times.shape[1]))
        high, low = (mixture.cdf_at(value, times) for value in values)
        return low, high

    def _log_sf_given(self, hardness: FloatArray, times: FloatArray) -> FloatArray:
        return self._mixture.with_belief().log_sf_given(hardness, times)

    @property
    def splits(self) -> bool:
        """True: the instance effect is what they are for."""
        return True

    def unsure_share(self) -> FloatArray:
        """(n,) fraction of the variance of log time that is ignorance about the instance; the rest is luck."""
        return self._mixture.log_share_between()

    def epistemic(self) -> FloatArray:
        """(n,) variance, over instances that the prediction may stand for, of their mean runtimes, in s²."""
        return self._mixture.share_between(np.positive) * self.variance()

    def aleatoric(self) -> FloatArray:
        """(n,) mean, over instances that the prediction may stand for, of their variances, in s²."""
        return self.variance() - self.epistemic()

    def log_joint(
        self, seconds: FloatArray, finished: BoolArray, present: BoolArray, tick: float | None = None
    ) -> FloatArray:
        """(n,) log density of all runs (n, k) of an instance together; where there is no run, any positive seconds."""
        return self._mixture.log_joint(seconds, finished, present, tick)

    # -- other distributions made from it ------------------------------------------------------------------------

    def _given_alive(self, waited: FloatArray) -> Self:
        return self._of(self._mixture.wait(waited)) if np.any(waited) else self

    def minimum_of(self, k: int, *, independent: bool = False) -> PredictedRuntimes:
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

        Raises
        ------
        SettingError
            If independent copies are asked for of a minimum, or after `given_runs`.
        """
        check_at_least("k", k, 1)
        if not independent:
            return self._of(self._mixture.copied(k))
        if (single := self._mixture.single) is None:
            raise SettingError("minimum_of(independent=True): take it before given_runs and before other minima")
        return single.minimum_of(k, independent=True)

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
        RuntimeDataError
            If the runs are no runtimes of these rows.
        SettingError
            After `given_alive` or `minimum_of`.
        """
        if self._mixture.start is not None or self._mixture.copies is not None:
            raise SettingError("given_runs: condition on runs first, then on waiting or on the fastest of copies")
        return self._of(self._mixture.given_runs(*check_runs(seconds, finished, len(self))))
