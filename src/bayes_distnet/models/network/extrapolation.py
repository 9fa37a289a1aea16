"""Past the data: predictions far from all training instances, and past every observed time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.distributions.families import get_family
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution

FAR = 1.5  # a row is far from this multiple of the reach of the training data on
DOUBT = 0.05  # fraction, given to the wide distribution, of the probability past every observed time
OPEN_FRACTION = 0.3  # fraction of the probability past every observed time: costly if the tail is lognormal, else safe
OPEN_SPREAD = 1.0  # least spread of log time there: runtimes of one solver differ by factors of e
MOST_CERTAIN = 0.98  # largest probability of passing, or of not passing, every observed time
FAR_LOCATIONS = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])  # of the components far away, in spreads of all runs


@dataclass(frozen=True)
class Extrapolation:
    """The range of the training data, and wider predictions outside of it.

    Parameters
    ----------
    family : str
        Family of the predictions.
    center : float
        Location of log time of all runs.
    spread : float
        Spread of log time of all runs.
    reach : float
        Largest distance of a training row from the middle of the training data, see `distance`.
    horizon : float
        Longest observed time if runs were censored, else infinity.
    """

    family: str
    center: float
    spread: float
    reach: float
    horizon: float

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

    def gated(self, rtd: RuntimeDistribution, x: FloatArray, doubt: float = DOUBT) -> RuntimeDistribution:
        """Return predictions that give way to a wide distribution outside the training data.

        Far from the training data, weight draws alone extrapolate the location along a line: all features far below
        the training data would give a tiny runtime with an even tinier interquartile range in seconds. All that is
        known there is the order of magnitude of the runtimes so far. The probability past all observed times has never
        been tested either, and a fraction of it, `doubt`, goes to the wide distribution too.

        Parameters
        ----------
        rtd : RuntimeDistribution
            Predictions.
        x : array
            Scaled features of the same rows.
        doubt : float
            Fraction of the probability past all observed times.

        Returns
        -------
        RuntimeDistribution
            One row per row of `rtd`.
        """
        rtd = self.open_ended(rtd)
        if self.reach == 0.0:  # no feature varies
            return rtd
        ratio = self._distance_ratio(x)
        trust = ratio**-2.0 * (1.0 - doubt * self._passing(rtd))
        # Several components side by side instead of a single wide one, whose tail would dominate every mean.
        location = FAR_LOCATIONS * ratio[:, None] ** 0.25
        raw = np.stack([location, np.zeros_like(location)], axis=-1)
        wide = RuntimeDistribution(get_family(self.family).from_raw(raw, self.center, self.spread))
        return RuntimeDistribution.mixture([(rtd, trust), (wide, 1.0 - trust)])

    def untested(self, rtd: RuntimeDistribution, x: FloatArray) -> FloatArray:
        """Return the fraction of predictions that no training run supports: far away, or past every observed time.

        Parameters
        ----------
        rtd : RuntimeDistribution
            Predictions.
        x : array
            Scaled features of the same rows.

        Returns
        -------
        array
            (n,) fractions.
        """
        near = 1.0 if self.reach == 0.0 else self._distance_ratio(x) ** -2.0
        return 1.0 - near * (1.0 - OPEN_FRACTION * self._passing(rtd))

    def _distance_ratio(self, x: FloatArray) -> FloatArray:
        """Distance in units of that from which on a row is far; at least 1."""
        return np.maximum(distance(x) / (FAR * self.reach), 1.0)

    def _passing(self, rtd: RuntimeDistribution) -> FloatArray:
        """Probability of passing every observed time."""
        return rtd.sf(self.horizon) if np.isfinite(self.horizon) else np.zeros(len(rtd))


def distance(x: FloatArray) -> FloatArray:
    """Return the distance of rows from the middle of the training data: the mean square of the scaled features."""
    return np.mean(x**2, axis=1) if x.shape[1] else np.zeros(len(x))
