"""Past the data: far from all training instances, and past every observed time."""

from __future__ import annotations

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.distributions.families import get_family
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution

FAR = 1.5  # a row is far from here on, times how far the training data reach


DOUBT = 0.05  # of what lies past every observed time


OPEN_SHARE = 0.3  # of what lies past every observed time: dearer if the tail is lognormal, safer if it is not


OPEN_SPREAD = 1.0  # of log time, at least: runtimes of one solver differ by factors of e, whatever the cutoff let show


MOST_CERTAIN = 0.98  # of getting, or of not getting, past every observed time


FAR_LOCATIONS = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])  # of the law out there, in spreads of all runs


def open_ended(rtd: RuntimeDistribution, horizon: float, spread: float, family: str) -> RuntimeDistribution:
    """Hold the probability of passing the longest observed time, but leave open how far past it runs go.

    Runs that were cut off test that probability, and nothing tests the tail behind it: a cutoff close to the fastest
    runs shows a narrow law where slow ones take many times as long. So a part of the untested share goes to a law that
    passes the horizon with the same probability and is as wide as all runs together, or as runtimes usually are.
    """
    if not np.isfinite(horizon):
        return rtd
    passing = rtd.sf(horizon)
    kind = get_family(family)
    wide = kind.from_raw(np.zeros((1, kind.n_raw)), 0.0, max(spread, OPEN_SPREAD))
    reached = wide.quantile(1.0 - np.clip(passing, 1.0 - MOST_CERTAIN, MOST_CERTAIN))
    other = RuntimeDistribution(wide.scaled((horizon / reached)[:, None]))
    return RuntimeDistribution.mixture([(rtd, 1.0 - OPEN_SHARE * passing), (other, OPEN_SHARE * passing)])


def distance(x: FloatArray) -> FloatArray:
    """How far rows lie from the middle of the training data: the mean square of the scaled features."""
    return np.mean(x**2, axis=1) if x.shape[1] else np.zeros(len(x))
