"""Past the data: predictions far from all training instances, and past every observed time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.distributions.families import get_family
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.familiarity import OUTSIDE
from bayes_distnet.models.network.open_tail import OpenTail

FAR = 1.5  # a row is far from this multiple of the reach of the training data on
FARTHEST = 16.0  # multiple of the distance from which on a row is far; farther away predictions become no wider
DOUBT = 0.05  # fraction, given to the wide distribution, of the probability past every observed time
FAR_LOCATIONS = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])  # of the components far away, in spreads of all runs


@dataclass(frozen=True)
class Extrapolation:
    """The range of the training runs, and wider predictions past it and far from the training instances.

    Parameters
    ----------
    family : str
        Family of the predictions.
    center : float
        Location of log time of all runs.
    spread : float
        Spread of log time of all runs.
    reach : float
        Largest distance of a training row from the middle of the training data: the mean square of its scaled features.
    horizon : float
        Longest observed time if runs were censored, else infinity.
    tail : OpenTail
        How far runs go past the horizon.
    """

    family: str
    center: float
    spread: float
    reach: float
    horizon: float
    tail: OpenTail

    def far(self, x: FloatArray, distance: FloatArray) -> FloatArray:
        """Return how far rows are from the training data, in units of the distance from which on they are far.

        Two measures are taken, and the larger one counts. The mean square of the scaled features sees rows of which
        most features are unusual, also within their ranges. One feature far out hardly changes a mean over many, and
        has a limit after scaling: `TrainingRange` sees it.

        Parameters
        ----------
        x : array
            Scaled features.
        distance : array
            (n,) distance of the same rows from the ranges of the training data, see `TrainingRange`.

        Returns
        -------
        array
            (n,) ratios of at least 1, which is not far.
        """
        spread = mean_square(x) / (FAR * self.reach) if self.reach else np.zeros(len(x))  # 0: no feature varies
        return np.clip(np.maximum(spread, distance / OUTSIDE), 1.0, FARTHEST)

    def open_ended(self, rtd: RuntimeDistribution) -> RuntimeDistribution:
        """Keep the probability of passing the longest observed time, and leave open how far past it runs go.

        Parameters
        ----------
        rtd : RuntimeDistribution
            Predictions.

        Returns
        -------
        RuntimeDistribution
            The same predictions where all runs finished; else with the tail that was learnt, see `OpenTail`.
        """
        return self.tail.of(rtd, self.family, self.horizon, self.spread) if np.isfinite(self.horizon) else rtd

    def gated(self, rtd: RuntimeDistribution, far: FloatArray, doubt: float = DOUBT) -> RuntimeDistribution:
        """Return predictions that give way to a wide distribution outside the training data.

        Far from the training data, weight draws alone extrapolate the location along a line: all features far below
        the training data would give a tiny runtime with an even tinier interquartile range in seconds. All that is
        known there is the order of magnitude of the runtimes so far. The probability past all observed times has never
        been tested either, and a fraction of it, `doubt`, goes to the wide distribution too.

        Parameters
        ----------
        rtd : RuntimeDistribution
            Predictions.
        far : array
            (n,) result of `far` for the same rows.
        doubt : float
            Fraction of the probability past all observed times.

        Returns
        -------
        RuntimeDistribution
            One row per row of `rtd`.
        """
        rtd = self.open_ended(rtd)
        trust = far**-2.0 * (1.0 - doubt * self._passing(rtd)) if doubt else far**-2.0
        # Several components side by side instead of a single wide one, whose tail would dominate every mean.
        location = FAR_LOCATIONS * far[:, None] ** 0.25
        raw = np.stack([location, np.zeros_like(location)], axis=-1)
        wide = RuntimeDistribution(get_family(self.family).from_raw(raw, self.center, self.spread))
        return RuntimeDistribution.mixture([(rtd, trust), (wide, 1.0 - trust)])

    def untested(self, rtd: RuntimeDistribution, far: FloatArray) -> FloatArray:
        """Return the fraction of predictions that no training run supports: far away, or past every observed time.

        Parameters
        ----------
        rtd : RuntimeDistribution
            Predictions.
        far : array
            (n,) result of `far` for the same rows.

        Returns
        -------
        array
            (n,) fractions.
        """
        return 1.0 - far**-2.0 * (1.0 - self.tail.open_fraction * self._passing(rtd))

    def _passing(self, rtd: RuntimeDistribution) -> FloatArray:
        """Probability of passing every observed time."""
        return rtd.sf(self.horizon) if np.isfinite(self.horizon) else np.zeros(len(rtd))


def mean_square(x: FloatArray) -> FloatArray:
    """Return the distance of scaled rows from the middle of the training data."""
    return np.mean(x**2, axis=1) if x.shape[1] else np.zeros(len(x))
