r"""The open tail: how far runs go past the longest observed time.

Censored runs show how likely it is to pass the longest observed time, the horizon. Nothing shows the tail behind it. A
prediction is therefore mixed with others that pass the horizon with the same probability p and differ in length:

.. math:: (1 - p + p\,w_{own})\, f + p \sum_k w_k f_k

Short ones finish soon after the horizon, long ones take many times as long. How much of each is right, the same data
show at an earlier horizon: networks that know the runs up to there only are compared with the rest of the runs (see
`fitting`). That test ends at the real horizon, so that a part of the weights is kept for what it cannot see: the closer
the two horizons are in log time, the more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.families import LogNormal, get_family
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.moment_matching import merge_neighbours
from bayes_distnet.models.pooling import run_scores
from bayes_distnet.models.saving import check_array

STRETCHES = (0.25, 0.5, 2.0)  # of log time from the horizon on, of the tails beside the own one
GROUPS = 6  # neighbouring components that are stretched as one: keeps mixtures small
OPEN_SPREAD = 1.0  # least spread of log time of the last tail: runtimes of one solver differ by factors of e
UNTESTED = np.array([0.5, 0.02, 0.03, 0.1, 0.35])  # own, STRETCHES, as wide as all runs: where nothing can be learnt
LEAST_UNTESTED = 0.15  # fraction of those weights that stays after learning: an earlier horizon may mislead
WINDOW = 0.3  # log time between two horizons after which a factor of e of that fraction is left
PSEUDO_RUNS = 20.0  # runs that the weights start with
MOST_CERTAIN = 0.98  # largest probability of passing, or of not passing, the horizon
ROUNDS = 200
LEAST_SCORE = -700.0  # smallest log likelihood of a run
TINY = np.finfo(float).tiny


@dataclass(frozen=True)
class OpenTail:
    """Weights of tails past the horizon.

    Parameters
    ----------
    weights : array
        Weight of the prediction's own tail, of the same tail compressed or stretched (`STRETCHES`), and of one that is
        as wide as all runs together.
    """

    weights: FloatArray

    def __post_init__(self) -> None:
        check_array("tail: weights", self.weights, "f", len(UNTESTED))
        if np.any(self.weights < 0) or not np.isclose(self.weights.sum(), 1.0):
            raise ValueError("tail: weights are no fractions of one")

    @classmethod
    def untested(cls, family: str) -> Self:
        """Return the weights where nothing can be learnt."""
        return cls(_untested(family))

    @property
    def open_fraction(self) -> float:
        """Fraction of the probability past the horizon that the prediction's own tail does not get."""
        return 1.0 - float(self.weights[0])

    def of(self, rtd: RuntimeDistribution, family: str, horizon: float, spread: float) -> RuntimeDistribution:
        """Return predictions with this tail.

        Parameters
        ----------
        rtd : RuntimeDistribution
            Predictions.
        family : str
            Family of the predictions.
        horizon : float
            Longest observed time.
        spread : float
            Spread of log time of all runs.

        Returns
        -------
        RuntimeDistribution
            As likely to pass the horizon as before.
        """
        passing = rtd.sf(horizon)
        _, *others = _tails(rtd, family, horizon, spread, passing)
        parts = [(other, passing * weight) for other, weight in zip(others, self.weights[1:], strict=True) if weight]
        return RuntimeDistribution.mixture([(rtd, 1.0 - self.open_fraction * passing), *parts])

    @classmethod
    def fit(
        cls, rtd: RuntimeDistribution, observations: Observations, family: str, horizon: float, spread: float
    ) -> Self:
        """Learn the weights from predictions that know no run past a horizon, by EM.

        Parameters
        ----------
        rtd : RuntimeDistribution
            Out-of-fold predictions by networks that saw every run cut off at the horizon.
        observations : Observations
            The runs as they were.
        family : str
            Family of the predictions.
        horizon : float
            Cutoff of the runs that the networks saw.
        spread : float
            Spread of log time of those runs.

        Returns
        -------
        OpenTail
            Weights that maximise the log score of all runs.
        """
        passing = rtd.sf(horizon)
        scores = np.stack([run_scores(tail, observations) for tail in _tails(rtd, family, horizon, spread, passing)], 1)
        scores = np.maximum(scores, LEAST_SCORE)  # a run that no tail allows says nothing about them
        density = np.exp(scores - scores.max(axis=1, keepdims=True))
        by_run = passing[np.sort(observations.instance)]
        start = _untested(family)
        weights = start
        for _ in range(ROUNDS):
            share = by_run[:, None] * weights * density
            total = np.maximum((1.0 - by_run) * density[:, 0] + share.sum(axis=1), TINY)
            counts = (share / total[:, None]).sum(axis=0) + PSEUDO_RUNS * start
            weights = counts / counts.sum()
        # Two horizons close to each other show nothing of how far runs go.
        window = np.log(observations.seconds.max() / horizon)
        untested = max(float(np.exp(-window / WINDOW)), LEAST_UNTESTED)
        return cls((1.0 - untested) * weights + untested * start)


def _untested(family: str) -> FloatArray:
    """Return the weights of the tails that a family has: only a lognormal's spread is known without a search."""
    weights = UNTESTED.copy()
    if family != LogNormal.name:
        weights[0] += weights[1:-1].sum()
        weights[1:-1] = 0.0
    return weights


def _tails(
    rtd: RuntimeDistribution, family: str, horizon: float, spread: float, passing: FloatArray
) -> list[RuntimeDistribution]:
    """Return the prediction itself and the others, which pass the horizon with (nearly) the same probability."""
    kind = get_family(family)
    wide = kind.from_raw(np.zeros((1, kind.n_raw)), 0.0, max(spread, OPEN_SPREAD))
    reached = wide.quantile(1.0 - np.clip(passing, 1.0 - MOST_CERTAIN, MOST_CERTAIN))
    last = RuntimeDistribution(wide.scaled((horizon / reached)[:, None]))
    if not isinstance(rtd.components, LogNormal):
        return [rtd, *[rtd] * len(STRETCHES), last]
    own = rtd.components.parameters()
    loc, scale, weights = merge_neighbours(own["loc"], own["scale"], rtd.weights, GROUPS)
    edge = np.log(horizon)
    # Stretched about the horizon, a lognormal passes it as often as before.
    return [
        rtd,
        *(RuntimeDistribution(LogNormal(edge + by * (loc - edge), by * scale), weights) for by in STRETCHES),
        last,
    ]
