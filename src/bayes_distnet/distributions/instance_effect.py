r"""The instance effect: the part of a runtime that all runs of an instance share.

The features do not determine an instance. A prediction :math:`F` is the distribution of one run of an instance with
these features; two runs of the *same* instance are alike. With the normal score :math:`Z = \Phi^{-1}(F(T))` of a run,

.. math:: Z = \sqrt{\rho}\, A + \sqrt{1 - \rho}\, E,

where :math:`A` is standard normal and common to all runs of the instance (ignorance), and :math:`E` belongs to the run
(luck). Given :math:`A = a`, the instance has the distribution
:math:`F_a(t) = \Phi\bigl((Z(t) - \sqrt{\rho}\, a) / \sqrt{1 - \rho}\bigr)`; averaged over :math:`a` this is :math:`F`
again, exactly and for any shape of :math:`F`. So the effect changes no prediction of a single run.

Beliefs about :math:`A` are weights on a fine grid of values: sums over an even grid are as good as exact for functions
that fade like a Gaussian.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.special
from numpy.typing import ArrayLike

from bayes_distnet.arrays import FloatArray, IndexArray
from bayes_distnet.distributions.special.elementary import log1mexp, log_sum_exp
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_numbers

#: Values of the effect, in its standard deviations.
GRID = np.linspace(-6.0, 6.0, 97)
_LOG_PRIOR = -0.5 * GRID**2 - scipy.special.logsumexp(-0.5 * GRID**2)
#: Largest fraction of the variance: with a larger one, a few runs would pin the effect down between two grid points.
LARGEST = 0.95


def normal_scores(log_sf: FloatArray) -> FloatArray:
    """Return the normal scores of times with these log survival probabilities, accurate in both tails."""
    upper = log_sf < -np.log(2.0)
    with np.errstate(all="ignore"):
        high = -scipy.special.ndtri_exp(np.where(upper, log_sf, -1.0))
        low = scipy.special.ndtri_exp(log1mexp(np.where(upper, -0.1, log_sf)))
        return np.asarray(np.where(upper, high, low))


@dataclass(frozen=True)
class InstanceEffect:
    """Size of the effect of n instances, and the belief about its value.

    Parameters
    ----------
    size : array
        (n,) fraction of the variance of normal scores that all runs of an instance share.
    log_weights : array or None
        (n, G) logs of the weights of `GRID`; None as long as no run has been seen.
    assumed : bool
        Whether the size was assumed, not learnt: there was one run per instance.
    """

    size: FloatArray
    log_weights: FloatArray | None = None
    assumed: bool = False

    @classmethod
    def of(cls, size: ArrayLike, n: int, *, assumed: bool = False) -> Self:
        """Return the effect before any run of the instances has been seen.

        Parameters
        ----------
        size : array-like
            A scalar or (n,), between 0 and 1.
        n : int
            Number of instances.
        assumed : bool, default False
            Whether the size was assumed.

        Returns
        -------
        InstanceEffect
            A standard normal belief about the effect of every instance.

        Raises
        ------
        SettingError
            If a size is no number, or outside [0, 1].
        """
        sizes = check_numbers("effect", size)
        if sizes.shape not in ((), (n,)) or not np.all((sizes >= 0) & (sizes <= 1)):
            raise SettingError(
                f"effect: expected a fraction of the variance, or one for each of {n} rows; got {size!r}"
            )
        return cls(np.broadcast_to(np.minimum(sizes, LARGEST), (n,)).astype(float), assumed=assumed)

    def __len__(self) -> int:
        return len(self.size)

    @property
    def is_prior(self) -> bool:
        """Whether no run has been seen."""
        return self.log_weights is None

    @property
    def log_belief(self) -> FloatArray:
        """(n, G) logs of the weights of `GRID`, or (1, G) as long as no run has been seen."""
        return _LOG_PRIOR[None] if self.log_weights is None else self.log_weights

    def take(self, rows: IndexArray | slice) -> InstanceEffect:
        """Return some of the rows."""
        weights = None if self.log_weights is None else self.log_weights[rows]
        return InstanceEffect(self.size[rows], weights, self.assumed)

    @classmethod
    def concat(cls, parts: Sequence[InstanceEffect]) -> Self:
        """Put rows of several effects below each other."""
        seen = any(not part.is_prior for part in parts)
        beliefs = [np.broadcast_to(part.log_belief, (len(part), len(GRID))) for part in parts] if seen else None
        return cls(
            np.concatenate([part.size for part in parts]),
            None if beliefs is None else np.concatenate(beliefs),
            any(part.assumed for part in parts),
        )

    def standardised(self, scores: FloatArray) -> FloatArray:
        """Return normal scores (n, m) relative to every value of the effect, (n, m, G)."""
        root, rest = np.sqrt(self.size)[:, None, None], np.sqrt(1.0 - self.size)[:, None, None]
        return np.asarray((scores[..., None] - root * GRID) / rest)

    def log_sf_at(self, value: FloatArray, scores: FloatArray) -> FloatArray:
        """Return log survival at normal scores (n, m), given one value (n,) of the effect per row."""
        shifted = scores - (np.sqrt(self.size) * value)[:, None]
        return np.asarray(scipy.special.log_ndtr(-shifted / np.sqrt(1.0 - self.size)[:, None]))

    def log_sf(self, scores: FloatArray) -> FloatArray:
        """Return log survival at normal scores (n, m), given every value of the effect: (n, m, G)."""
        return np.asarray(scipy.special.log_ndtr(-self.standardised(scores)))

    def log_density(self, scores: FloatArray) -> FloatArray:
        """Return the log density at normal scores (n, m), given every value, relative to that of the prediction."""
        own = -0.5 * self.standardised(scores) ** 2 - 0.5 * np.log1p(-self.size)[:, None, None]
        return np.asarray(own + 0.5 * scores[..., None] ** 2)

    def scores_at(self, value: FloatArray, log_sf: FloatArray) -> FloatArray:
        """Return normal scores (n, m) at which instances with effects (n,) reach log survival probabilities (n, m)."""
        shift, rest = (np.sqrt(self.size) * value)[:, None], np.sqrt(1.0 - self.size)[:, None]
        return np.asarray(shift + rest * normal_scores(log_sf))

    def reweighted(self, log_likelihood: FloatArray) -> InstanceEffect:
        """Return the belief after evidence (n, G)."""
        log_weights = self.log_belief + log_likelihood
        return InstanceEffect(self.size, log_weights - log_sum_exp(log_weights)[:, None], self.assumed)

    def values_at(self, hardness: FloatArray) -> FloatArray:
        """Return the values (n, D) of the effect whose normal score among those believed in is `hardness` (n, D)."""
        if self.is_prior:
            return hardness
        reached = np.cumsum(np.exp(self.log_belief), axis=1)
        # Beliefs are nearly normal: between grid points, normal scores of the probability are nearly a line.
        lines, ends = scipy.special.ndtri(np.clip(reached, 1e-300, 1.0 - 1e-15)), GRID + 0.5 * (GRID[1] - GRID[0])
        return np.array([np.interp(score, line, ends) for score, line in zip(hardness, lines, strict=True)])

    def quantiles(self, levels: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
        """Return two quantiles (n,) of the belief about the effect."""
        ends = self.values_at(np.broadcast_to(scipy.special.ndtri(levels), (len(self), 2)))
        return ends[:, 0], ends[:, 1]
