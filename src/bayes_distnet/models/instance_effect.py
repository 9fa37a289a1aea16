r"""How much of a prediction's spread is ignorance about the instance: learnt from runs of unseen instances.

Runs of one instance are alike beyond what the features predict. Given predictions of instances that the model has not
seen, the normal scores of their runs are correlated within an instance; that correlation is the size of the
`InstanceEffect`. Three facts shape the estimate:

- The predictions may be off or too wide as a whole, which is no matter of the split: mean and variance of the normal
  scores are estimated along with the correlation, and forgotten.
- With few instances the correlation is uncertain: a weak prior, learnt from the shipped data, keeps it away from 0.
- Solvers with the same seed tend to be lucky or unlucky on all instances at once (15 % of the variance of normal
  scores for LPG, below 1 % for clasp). Where all instances were run with the same k seeds, that variance V spreads the
  runs of an instance but not the instances, which hides V / k of the effect; and the mean luck of these seeds, of
  variance V / k, is in every prediction. Both are added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.optimize
import scipy.special

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.instance_effect import GRID, LARGEST, InstanceEffect, normal_scores
from bayes_distnet.distributions.instance_runtimes import InstanceRuntimes
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.saving import Arrays, check_array

#: Prior of the size: logit(size) is normal with this median and deviation.
USUAL, USUAL_SPREAD = 0.12, 1.0
#: Size where there is one run per instance: about that of the shipped data with two runs per instance, rounded up,
#: since one run leaves a model more unsure than two.
ASSUMED = 0.2
MOST_RUNS = 4000  # runs that the size is learnt from: more change it by less than its own error


@dataclass(frozen=True)
class EffectSize:
    """Fraction of the variance of normal scores that the runs of an instance share.

    Parameters
    ----------
    share : float
        The fraction.
    assumed : bool
        Whether it was assumed, since no instance had two runs.
    """

    share: float
    assumed: bool

    @classmethod
    def fit(cls, unseen: RuntimeDistribution, observations: Observations) -> Self:
        """Learn the size from predictions of instances that the model has not seen.

        Parameters
        ----------
        unseen : RuntimeDistribution
            Out-of-fold predictions of the training instances.
        observations : Observations
            Their runs. Instances with a single run say nothing about the split.

        Returns
        -------
        EffectSize
            The size; assumed if no instance has two runs.
        """
        several = np.flatnonzero(observations.runs_of_each() > 1)
        if not several.size:
            return cls(ASSUMED, assumed=True)
        seconds, finished = observations.matrix()
        few = max(1, MOST_RUNS // seconds.shape[1])
        rows = np.sort(np.random.default_rng(0).permutation(several)[:few])
        present = ~np.isnan(seconds[rows])
        scores = normal_scores(unseen[rows].log_sf(np.where(present, seconds[rows], 1.0)))
        scores = np.clip(scores, GRID[0], GRID[-1])
        share, variance = _fit_correlation(scores, finished[rows], present)
        if np.all(finished[rows]):
            share += 2.0 * _seed_variance(scores, (1.0 - share) * variance) / variance / scores.shape[1]
        return cls(min(share, LARGEST), assumed=False)

    def of(self, rtd: RuntimeDistribution, untested: FloatArray) -> InstanceRuntimes:
        """Return predictions with the effect.

        Parameters
        ----------
        rtd : RuntimeDistribution
            Predictions of single runs.
        untested : array
            (n,) part of each prediction that no training run supports: all of it is ignorance.

        Returns
        -------
        InstanceRuntimes
            The same predictions of single runs.
        """
        share = 1.0 - (1.0 - self.share) * (1.0 - untested)
        return InstanceRuntimes(rtd, InstanceEffect.of(share, len(rtd), assumed=self.assumed))

    def to_arrays(self) -> Arrays:
        """Return the size as plain arrays."""
        return {"effect": np.array([self.share, float(self.assumed)])}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Restore a size from the result of `to_arrays`."""
        check_array("effect", arrays["effect"], "f", 2)
        share, assumed = map(float, arrays["effect"])
        return cls(share, bool(assumed))


def _fit_correlation(scores: FloatArray, finished: BoolArray, present: BoolArray) -> tuple[float, float]:
    """Maximum a posteriori of the correlation within rows of censored normals (n, k), and of their variance."""
    log_grid = -0.5 * GRID**2 - scipy.special.logsumexp(-0.5 * GRID**2)
    instance, _ = np.nonzero(present)
    runs, done = scores[present], finished[present]

    def loss(theta: FloatArray) -> float:
        mean, logit, log_spread = theta
        share, spread = scipy.special.expit(logit), np.exp(log_spread)
        luck = np.sqrt(1.0 - share) * spread
        standard = (runs[:, None] - mean - np.sqrt(share) * spread * GRID) / luck
        terms = np.empty_like(standard)
        terms[done] = -0.5 * standard[done] ** 2 - np.log(luck)
        terms[~done] = scipy.special.log_ndtr(-standard[~done])
        starts = np.flatnonzero(np.diff(instance, prepend=-1))
        joint = np.add.reduceat(terms, starts, axis=0)
        prior = ((logit - scipy.special.logit(USUAL)) / USUAL_SPREAD) ** 2 + mean**2
        return float(0.5 * prior - scipy.special.logsumexp(joint + log_grid, axis=1).sum())

    start = np.array([0.0, scipy.special.logit(USUAL), 0.0])
    best = scipy.optimize.minimize(loss, start, method="Nelder-Mead", options={"xatol": 1e-3, "fatol": 1e-3})
    return float(scipy.special.expit(best.x[1])), float(np.exp(2.0 * best.x[2]))


def _seed_variance(scores: FloatArray, luck: float) -> float:
    """Variance of what a seed adds to all instances, if columns (runs) are seeds; near 0 if they are not."""
    n, k = scores.shape
    columns = (scores - scores.mean(axis=1, keepdims=True)).mean(axis=0)
    return max(0.0, float((columns**2).mean() * k / (k - 1) - luck / n))
