"""Replay of restart policies on recorded runs: expected total time of a policy on an instance.

An attempt with cutoff c is a recorded run, drawn with replacement, that is stopped at c. Its outcome depends on the
recorded runs alone: the fraction that finished by c, and the mean of their seconds stopped at c. So the expected total
time of a sequence of cutoffs is a sum that is computed exactly, without simulation.

Runs that were cut off when they were recorded are only known to be longer. No attempt is longer than that limit: a
policy that would wait longer is stopped there and starts again. For a policy that never restarts, this is the time up
to the limit over the fraction that finished: a policy, too, and where tails are heavy a faster one than waiting on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.decide.restarts.policies.base import RestartPolicy
from bayes_distnet.errors import RuntimeDataError

# Replay ends when the probability that all attempts so far have failed is below this; the rest is added as a geometric
# series of the last cutoff.
NEGLIGIBLE = 1e-6
MOST_ATTEMPTS = 2**14


@dataclass(frozen=True)
class RecordedRuns:
    """Recorded runs of one instance, ready for replay.

    Parameters
    ----------
    seconds : ndarray
        (k,) seconds in increasing order.
    finished : ndarray
        (k,) whether each run finished; the others were cut off.
    added : float, default 0.0
        Finished runs that are added to any number of at least one: see `smoothed`.
    """

    seconds: FloatArray
    finished: BoolArray
    added: float = 0.0

    @classmethod
    def of(cls, seconds: FloatArray, finished: BoolArray) -> RecordedRuns:
        """Take the runs of an instance; NaN where there is none.

        Parameters
        ----------
        seconds, finished : ndarray
            (k,) runs.

        Returns
        -------
        RecordedRuns
            The runs that exist.

        Raises
        ------
        RuntimeDataError
            There is none.
        """
        there = ~np.isnan(seconds)
        if not there.any():
            raise RuntimeDataError("replay: an instance without any run; give at least one.")
        order = np.argsort(seconds[there], kind="stable")
        return cls(seconds[there][order], finished[there][order])

    def __len__(self) -> int:
        return len(self.seconds)

    @property
    def limit(self) -> float:
        """Longest cutoff that can be replayed: the first time at which a run was cut off; infinite if none was."""
        return float(self.seconds[~self.finished].min(initial=np.inf))

    def attempt(self, cutoffs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the expected seconds of attempts with these cutoffs, and their probability of finishing.

        Parameters
        ----------
        cutoffs : ndarray
            Positive seconds; those past the limit count as the limit.

        Returns
        -------
        seconds, chance : ndarray
            Of the same shape.
        """
        at = np.minimum(cutoffs, self.limit)
        ended = np.searchsorted(self.seconds, at, side="right")
        sums = np.concatenate([[0.0], np.cumsum(self.seconds)])[ended]
        with np.errstate(invalid="ignore"):
            spent = sums + np.where(ended < len(self), (len(self) - ended) * at, 0.0)
        # At the limit itself runs that were cut off there have not finished.
        done = np.concatenate([[0.0], np.cumsum(self.finished)])[ended]
        chance = np.where(done > 0, (done + self.added) / (len(self) + self.added), 0.0)
        return spent / len(self), chance

    def smoothed(self) -> RecordedRuns:
        """Return the same runs for tuning: with few runs, the log of (k + 1/2) / (n + 1/2) has almost no bias."""
        # The log of k / n is too small on average, the more the fewer runs finish: short cutoffs would look worse.
        return replace(self, added=0.5)

    def halves(self, random_state: int = 0) -> tuple[RecordedRuns, RecordedRuns]:
        """Split the runs at random into two halves: one to choose on, one to score on."""
        order = np.random.default_rng(random_state).permutation(len(self))
        first, second = np.sort(order[: len(self) // 2]), np.sort(order[len(self) // 2 :])
        parts = [RecordedRuns(self.seconds[rows], self.finished[rows], self.added) for rows in (first, second)]
        return parts[0], parts[1]


def fixed_time(runs: RecordedRuns, cutoffs: FloatArray, overhead: float = 0.0) -> FloatArray:
    """Return the expected total seconds under fixed cutoffs.

    Parameters
    ----------
    runs : RecordedRuns
        Runs of an instance.
    cutoffs : ndarray
        Positive seconds; infinity: no restarts.
    overhead : float, default 0.0
        Seconds lost per restart.

    Returns
    -------
    ndarray
        Seconds of the same shape. Where no recorded run finishes in time, the price is that of stopping every run at
        the shortest recorded time, with half a run finishing by then.

    Examples
    --------
    >>> runs = RecordedRuns.of(np.array([1.0, 2.0, 30.0]), np.array([True, True, True]))
    >>> fixed_time(runs, np.array([2.0, np.inf]))       # (1 + 2 + 2) / 2 and 33 / 3
    array([ 2.5, 11. ])
    """
    # A cutoff below all recorded times must not look cheap because it is short.
    spent, chance = runs.attempt(np.maximum(cutoffs, runs.seconds[0]))
    finished_by = runs.attempt(cutoffs)[1]
    chance = np.where(finished_by > 0, chance, 0.5 / len(runs))
    return np.asarray((spent + overhead * (1.0 - chance)) / chance)


def policy_time(runs: RecordedRuns, policy: RestartPolicy, overhead: float = 0.0) -> float:
    """Return the expected total seconds of a policy.

    Parameters
    ----------
    runs : RecordedRuns
        Runs of an instance.
    policy : RestartPolicy
        The policy, which sees the attempts that failed.
    overhead : float, default 0.0
        Seconds lost per restart.

    Returns
    -------
    float
        Seconds.
    """
    total, alive, length, start = 0.0, 1.0, 16, 0
    while True:
        cutoffs = np.minimum(policy.sequence(length), runs.limit)[start:]
        spent, chance = runs.attempt(cutoffs)
        left = alive * np.cumprod(1.0 - chance)
        before = np.concatenate([[alive], left[:-1]])
        total += float((before * (spent + overhead * (1.0 - chance))).sum())
        alive, start = float(left[-1]), length
        if alive < NEGLIGIBLE or length >= MOST_ATTEMPTS:
            return total + alive * float(fixed_time(runs, cutoffs[-1:], overhead)[0])
        length *= 4


def simulate(
    runs: RecordedRuns,
    next_cutoff: Callable[[list[float]], float],
    rng: np.random.Generator,
    overhead: float = 0.0,
    most_attempts: int = MOST_ATTEMPTS,
) -> tuple[list[float], float]:
    """Draw runs until one finishes: for learners, which change with what they see.

    Parameters
    ----------
    runs : RecordedRuns
        Runs of an instance.
    next_cutoff : callable
        Cutoff of the next attempt, given the seconds of those that failed.
    rng : Generator
        Draws the runs.
    overhead : float, default 0.0
        Seconds lost per restart.
    most_attempts : int, default 16384
        Attempts after which the run in hand counts as finished.

    Returns
    -------
    failed : list of float
        Seconds of the attempts that failed.
    last : float
        Seconds of the attempt that finished; the total time is the sum of all, with `overhead` per failure.
    """
    failed: list[float] = []
    while True:
        cutoff = min(next_cutoff(failed), runs.limit)
        drawn = int(rng.integers(len(runs)))
        seconds, ended = float(runs.seconds[drawn]), bool(runs.finished[drawn])
        if (ended and seconds <= cutoff) or len(failed) >= most_attempts:
            return failed, min(seconds, cutoff)
        failed.append(cutoff)
