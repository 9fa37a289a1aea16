r"""The design of further runs: which of them teach most about target instances for their cost, chosen one by one.

Log time of a run is :math:`f_i + a_i + e`: the part :math:`f_i` that the features predict, known up to the covariance
of the model's draws; the effect :math:`a_i` of the instance, of variance :math:`\tau_i^2`; and luck, of variance
:math:`\sigma_i^2`. Runs whose luck has the information :math:`S_i` together (one finished run has :math:`1/\sigma_i^2`)
measure :math:`f_i` with precision :math:`1 / (\tau_i^2 + 1 / S_i)`: a second run of an instance adds little.

A Gaussian model has exact answers: a measurement of noise :math:`r` changes the covariance by a matrix of rank one, and
the log score of a run of target j falls by :math:`\frac12 \log(v_j / v_j')` in expectation, where :math:`v_j` and
:math:`v_j'` are the variance of its log time before and after.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from bayes_distnet.arrays import FloatArray, IndexArray

LEAST_INFORMATION = 1e-12  # keeps the noise of a run that teaches nothing finite
#: Power of the expected seconds that a gain is divided by. 1 would be best if the covariance were exact; 0.5 was ahead
#: of it in replays on clasp-factoring (docs/suggest.md).
COST_POWER = 0.5
AT_ONCE = 64  # candidates whose gains are computed together


@dataclass(frozen=True)
class Pick:
    """One run that is to be done.

    Parameters
    ----------
    candidate, option : int
        Row and column of `Candidates`.
    seconds : float
        Expected cost.
    gain : float
        Expected fall of the log score of a run, averaged over targets.
    """

    candidate: int
    option: int
    seconds: float
    gain: float


@dataclass(frozen=True)
class Candidates:
    """Instances that may be run.

    Parameters
    ----------
    deviations : array
        (n, D) A with covariance A A' of the part of log time that features predict.
    effect : array
        (n,) variance of the instance effect, at least 0.
    information : array
        (n, C) information of the luck of one run under each of C cutoffs.
    seconds : array
        (n, C) expected cost of a run under each cutoff.
    seen : array
        (n,) information of the runs that the model has learnt from already; 0 for a new instance.
    most : array of int
        (n,) largest number of further runs.
    """

    deviations: FloatArray
    effect: FloatArray
    information: FloatArray
    seconds: FloatArray
    seen: FloatArray
    most: IndexArray

    def noise(self, rows: IndexArray, seen: FloatArray, information: FloatArray) -> FloatArray:
        """Return the noise of one further run as a measurement of the part that features predict.

        Parameters
        ----------
        rows : array of int
            (k,) candidates.
        seen : array
            (k,) information of the runs so far.
        information : array
            (k,) or (k, C) information of the further run.

        Returns
        -------
        array
            Variances, of the shape of `information`.
        """
        before, effect = (part.reshape(-1, *[1] * (information.ndim - 1)) for part in (seen, self.effect[rows]))
        after = before + information
        added = after / (1.0 + effect * after) - before / (1.0 + effect * before)
        return np.asarray(1.0 / np.maximum(added, LEAST_INFORMATION))


class _Belief:
    """The covariance of candidates and targets, which every run makes smaller."""

    def __init__(self, candidates: FloatArray, targets: FloatArray, noise: FloatArray) -> None:
        self.candidates, self.targets = candidates, targets
        self.draws = np.eye(candidates.shape[1])  # covariance of the draws' directions
        self.own = (candidates**2).sum(axis=1)  # (n,) variance of candidates
        self.across = targets @ candidates.T  # (m, n)
        self.variance = (targets**2).sum(axis=1) + noise  # (m,) of the log time of a run

    def gains(self, rows: IndexArray, noise: FloatArray) -> FloatArray:
        """(k, C) fall of the log score, averaged over targets, by a run of some candidates with noise (k, C)."""
        square = self.across[:, rows] ** 2 / self.variance[:, None]
        columns = [-0.5 * np.log1p(-square / (self.own[rows] + column)).mean(axis=0) for column in noise.T]
        return np.stack(columns, axis=1)

    def learn(self, row: int, noise: float) -> None:
        """Take a run into account."""
        direction = self.draws @ self.candidates[row]
        own, target = self.candidates @ direction, self.targets @ direction
        total = self.own[row] + noise
        self.draws -= np.outer(direction, direction / total)
        self.across -= np.outer(target, own / total)
        self.variance -= target**2 / total
        self.own = np.maximum(self.own - own**2 / total, 0.0)


def choose(candidates: Candidates, targets: FloatArray, noise: FloatArray, budget: float) -> Iterator[Pick]:
    """Choose runs one by one, each with the largest gain for its cost among those that fit into the budget left.

    All runs of an instance have the cutoff of the first one.

    Parameters
    ----------
    candidates : Candidates
        Instances that may be run.
    targets : array
        (m, D) deviations of the targets, by the same draws.
    noise : array
        (m,) variance of log time of a run of a target, apart from the draws.
    budget : float
        Expected seconds of all runs together.

    Yields
    ------
    Pick
        Runs, in the order of choice.
    """
    belief = _Belief(candidates.deviations, targets, noise)
    seen, left = candidates.seen.copy(), candidates.most.copy()
    allowed = np.ones(candidates.seconds.shape, dtype=bool)
    rate = np.full(candidates.seconds.shape, np.inf)
    options = np.arange(candidates.seconds.shape[1])
    while True:
        usable = allowed & (candidates.seconds <= budget) & (left > 0)[:, None]
        if not usable.any():
            return
        best = np.where(usable, rate, -np.inf).max(axis=1)
        fresh = np.zeros(len(best), dtype=bool)
        # Gains fall with every run: an old one that is behind a new one of another candidate need not be computed.
        while not fresh[row := int(np.argmax(best))]:
            old = np.flatnonzero(~fresh & (best > -np.inf))
            rows = old if np.isinf(best[row]) else old[np.argsort(-best[old], kind="stable")[:AT_ONCE]]
            noises = candidates.noise(rows, seen[rows], candidates.information[rows])
            rate[rows] = belief.gains(rows, noises) / candidates.seconds[rows] ** COST_POWER
            best[rows] = np.where(usable[rows], rate[rows], -np.inf).max(axis=1)
            fresh[rows] = True
        option = int(np.argmax(np.where(usable[row], rate[row], -np.inf)))
        seconds = float(candidates.seconds[row, option])
        if not rate[row, option] > 0:
            return
        yield Pick(row, option, seconds, float(rate[row, option]) * seconds**COST_POWER)
        one = np.array([row])
        belief.learn(row, float(candidates.noise(one, seen[one], candidates.information[one, option])[0]))
        seen[row] += candidates.information[row, option]
        left[row] -= 1
        allowed[row] = options == option
        budget -= seconds


def gain_of(candidates: Candidates, targets: FloatArray, noise: FloatArray, rows: Iterable[int]) -> Iterator[float]:
    """Return the gains of runs under the last cutoff in a given order.

    Parameters
    ----------
    candidates : Candidates
        Instances that may be run.
    targets, noise : array
        As for `choose`.
    rows : iterable of int
        Candidates, in the order of their runs.

    Yields
    ------
    float
        Gain of the next run.
    """
    belief, seen = _Belief(candidates.deviations, targets, noise), candidates.seen.copy()
    for row in rows:
        one = np.array([row])
        noises = candidates.noise(one, seen[one], candidates.information[one, -1:])
        yield float(belief.gains(one, noises)[0, 0])
        belief.learn(row, float(noises[0, 0]))
        seen[row] += candidates.information[row, -1]
