"""Past the data: predictions far from all training instances, and past every observed time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.distributions.families import get_family
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.familiarity import OUTSIDE

FAR = 1.5  # a row is far from this multiple of the reach of the training data on
FARTHEST = 16.0  # multiple of the distance from which on a row is far; farther away predictions become no wider
DOUBT = 0.05  # fraction, given to the wide distribution, of the probability past every observed time
OPEN_FRACTION = 0.3  # fraction of the probability past every observed time: costly if the tail is lognormal, else safe
OPEN_SPREAD = 1.0  # least spread of log time there: runtimes of one solver differ by factors of e
MOST_CERTAIN = 0.98  # largest probability of passing, or of not passing, every observed time
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
    """

    family: str
    center: float
    spread: float
    reach: float
    horizon: float

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

        Censored runs test that probability, and nothing tests the tail behind it: a cutoff close to the fastest runs
        shows a narrow distribution where slow runs take many times as long. So a fraction of the untested probability
        goes to a distribution that passes the horizon with the same probability and is as wide as all runs together,
        or as runtimes usually are.

        Parameters
        ----------
        rtd : RuntimeDistribution
            Predictions.

        Returns
        -------
        RuntimeDistribution
            The same predictions where all runs finished, wider ones past the horizon elsewhere.
        """
        if not np.isfinite(self.horizon):
            return rtd
        passing = self._passing(rtd)
        kind = get_family(self.family)
        wide = kind.from_raw(np.zeros((1, kind.n_raw)), 0.0, max(self.spread, OPEN_SPREAD))
        reached = wide.quantile(1.0 - np.clip(passing, 1.0 - MOST_CERTAIN, MOST_CERTAIN))
        other = RuntimeDistribution(wide.scaled((self.horizon / reached)[:, None]))
        return RuntimeDistribution.mixture([(rtd, 1.0 - OPEN_FRACTION * passing), (other, OPEN_FRACTION * passing)])

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
        trust = far**-2.0 * (1.0 - doubt * self._passing(rtd))
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
        return 1.0 - far**-2.0 * (1.0 - OPEN_FRACTION * self._passing(rtd))

    def _passing(self, rtd: RuntimeDistribution) -> FloatArray:
        """Probability of passing every observed time."""
        return rtd.sf(self.horizon) if np.isfinite(self.horizon) else np.zeros(len(rtd))


def mean_square(x: FloatArray) -> FloatArray:
    """Return the distance of scaled rows from the middle of the training data."""
    return np.mean(x**2, axis=1) if x.shape[1] else np.zeros(len(x))
