r"""How much of a prediction's spread is ignorance about the instance: learnt from runs of unseen instances.

Runs of one instance are alike beyond what the features predict. Given predictions of instances that the model has not
seen, the normal scores of their runs are correlated within an instance; that correlation is the size of the
`InstanceEffect`. Three facts shape the estimate:

- The predictions may be off or too wide as a whole, which is no matter of the split: mean and variance of the normal
  scores are estimated along with the correlation, and forgotten.
- With few instances the correlation is uncertain: a weak prior, chosen on the shipped data, keeps it away from 0.
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
from bayes_distnet.models.pooling import Rows
from bayes_distnet.models.saving import Arrays, check_array

#: Prior of the size: logit(size) is normal with this median and deviation.
USUAL, USUAL_SPREAD = 0.12, 1.0
#: Size where there is one run per instance: about that of the shipped data with two runs per instance, rounded up,
#: since one run leaves a model more unsure than two.
ASSUMED = 0.2
NEWTON_STEPS = 10
MOST_RUNS = 4000  # runs that the size is learnt from, which bounds the time of the fit


@dataclass(frozen=True)
class EffectSize:
    """Fraction of the variance of normal scores that the runs of an instance share.

    Parameters
    ----------
    fraction : float
        The fraction.
    assumed : bool
        Whether it was assumed, since no instance had two runs.
    """

    fraction: float
    assumed: bool

    @classmethod
    def fit(cls, unseen: Rows, observations: Observations) -> Self:
        """Learn the size from predictions of instances that the model has not seen.

        Parameters
        ----------
        unseen : Rows
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
        mean, spread, fraction = _fit_correlation(scores, finished[rows], present)
        seeds = _seed_variance((scores - mean) / spread, finished[rows], present, 1.0 - fraction)
        return cls(min(fraction + 2.0 * seeds / scores.shape[1], LARGEST), assumed=False)

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
        return with_effect(rtd, self.fraction, untested, assumed=self.assumed)

    def shared(self, network: RuntimeDistribution) -> FloatArray:
        """Return the fraction of every row of a prediction."""
        return np.full(len(network), self.fraction)

    def to_arrays(self) -> Arrays:
        """Return the size as plain arrays."""
        return {"effect": np.array([self.fraction, float(self.assumed)])}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Restore a size from the result of `to_arrays`."""
        check_array("effect", arrays["effect"], "f", 2)
        fraction, assumed = map(float, arrays["effect"])
        return cls(fraction, bool(assumed))


def with_effect(
    rtd: RuntimeDistribution, fraction: FloatArray | float, untested: FloatArray, *, assumed: bool
) -> InstanceRuntimes:
    """Return predictions with the effect: all of what no training run supports is ignorance.

    Parameters
    ----------
    rtd : RuntimeDistribution
        Predictions of single runs.
    fraction : float or array
        Fraction of the variance that the runs of an instance share, where training runs support the prediction.
    untested : array
        (n,) part of each prediction that no training run supports.
    assumed : bool
        Whether the fraction was assumed.

    Returns
    -------
    InstanceRuntimes
        The same predictions of single runs.
    """
    total = 1.0 - (1.0 - fraction) * (1.0 - untested)
    return InstanceRuntimes(rtd, InstanceEffect.of(total, len(rtd), assumed=assumed))


def _fit_correlation(scores: FloatArray, finished: BoolArray, present: BoolArray) -> tuple[float, float, float]:
    """Maximum a posteriori of mean and spread of censored normals (n, k), and of the correlation within rows."""
    log_grid = -0.5 * GRID**2 - scipy.special.logsumexp(-0.5 * GRID**2)
    # The likelihood of finished runs is a parabola in the effect: three sums per instance are all it takes.
    count, total, squares = (np.where(finished, scores**power, 0.0).sum(axis=1)[:, None] for power in (0, 1, 2))
    censored = present & ~finished
    instance, late = np.nonzero(censored)[0], scores[censored]

    def loss(theta: FloatArray) -> float:
        mean, logit, log_spread = theta
        fraction, spread = scipy.special.expit(logit), np.exp(log_spread)
        luck, middle = np.sqrt(1.0 - fraction) * spread, mean + np.sqrt(fraction) * spread * GRID
        joint = -0.5 * (squares - 2.0 * total * middle + count * middle**2) / luck**2 - count * np.log(luck)
        np.add.at(joint, instance, scipy.special.log_ndtr((middle - late[:, None]) / luck))
        prior = ((logit - scipy.special.logit(USUAL)) / USUAL_SPREAD) ** 2 + mean**2
        return float(0.5 * prior - scipy.special.logsumexp(joint + log_grid, axis=1).sum())

    start = np.array([0.0, scipy.special.logit(USUAL), 0.0])
    best = scipy.optimize.minimize(loss, start, method="Nelder-Mead", options={"xatol": 1e-3, "fatol": 1e-3})
    mean, logit, log_spread = best.x
    return float(mean), float(np.exp(log_spread)), float(scipy.special.expit(logit))


def _seed_variance(scores: FloatArray, finished: BoolArray, present: BoolArray, luck: float) -> float:
    """Variance of what a seed adds to all instances, if columns of standardised scores are seeds; near 0 if not."""
    shifts, variance = np.zeros(scores.shape[1]), 0.0
    for _ in range(NEWTON_STEPS):  # maximum likelihood of a shift per column; without censored runs the first is exact
        spread = np.sqrt(1.0 - variance)  # within columns
        left = (scores - shifts) / spread
        hazard = np.exp(-0.5 * left**2 - 0.5 * np.log(2 * np.pi) - scipy.special.log_ndtr(-left))
        slope = np.where(present, np.where(finished, left, hazard), 0.0).sum(axis=0)
        information = np.where(present, np.where(finished, 1.0, hazard * (hazard - left)), 0.0).sum(axis=0)
        information = np.maximum(information, 1.0)
        shifts = shifts + spread * slope / information
        variance = float(np.clip(shifts.var(ddof=1) - np.mean((luck - variance) / information), 0.0, 0.9 * luck))
    return variance
