"""An online learner over a sequence of instances: a bandit that divides them between two policies.

After Gagliolo and Schmidhuber, "Learning restart strategies" (IJCAI 2007): one arm is the universal sequence, whose
bound holds for every instance; the other follows a model that is learnt from the attempts so far, most of which were
stopped. An exponentially weighted bandit learns from the total time per instance which of the two to use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from bayes_distnet.decide.restarts.policies.base import RestartPolicy
from bayes_distnet.decide.restarts.policies.fixed import Fixed
from bayes_distnet.decide.restarts.policies.luby import Luby
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_positive, check_seed

LEAST_FINISHED = 3  # runs from which a cutoff is estimated
UNIVERSAL, MODEL = 0, 1


class OnlineLearner:
    """A bandit over {universal, model-based} for a sequence of instances.

    For each instance, `policy` returns the policy to follow, and `learn` takes the attempts that it led to. An instance
    on which the model-based policy spends more time than the universal sequence has ever taken is continued with that
    sequence: the time per instance is bounded, and so are the losses.

    Parameters
    ----------
    unit : float
        Unit of the universal sequence in seconds.
    random_state : int, default 0
        Seed of the choice between the arms.
    """

    def __init__(self, unit: float, random_state: int = 0) -> None:
        check_positive("unit", unit)
        self.unit = float(unit)
        self._rng = np.random.default_rng(check_seed("random_state", random_state))
        self._losses, self._rounds, self._scale = np.zeros(2), 0, float(unit)
        self._budget = float(unit)  # of the model-based policy per instance; its own time must not raise it
        self._finished: Counter[float] = Counter()  # seconds of attempts, and how often
        self._stopped: Counter[float] = Counter()
        self._arm: int | None = None

    @property
    def probabilities(self) -> tuple[float, float]:
        """Probabilities of the universal and of the model-based policy."""
        if not self._rounds:
            return 0.5, 0.5
        rate = np.sqrt(np.log(2.0) / (2.0 * self._rounds))
        weights = np.exp(-rate * (self._losses - self._losses.min()))
        explore = min(1.0, np.sqrt(2.0 * np.log(2.0) / self._rounds))  # both arms are tried again and again
        share = (1.0 - explore) * weights / weights.sum() + 0.5 * explore
        return float(share[0]), float(share[1])

    def policy(self, model: RestartPolicy | None = None) -> RestartPolicy:
        """Choose the policy for the next instance.

        Parameters
        ----------
        model : RestartPolicy, optional
            Model-based policy; by default the best cutoff for the attempts so far on all instances.

        Returns
        -------
        RestartPolicy
            Policy to follow until the instance is solved.
        """
        universal = Luby(self.unit)
        model = self.learnt_policy() if model is None else model
        self._arm = UNIVERSAL if model is None else int(self._rng.random() < self.probabilities[MODEL])
        return universal if self._arm == UNIVERSAL or model is None else _Bounded(model, universal, self._budget)

    def learn(self, failed: Sequence[float], last: float) -> None:
        """Learn from an instance that has been solved.

        Parameters
        ----------
        failed : sequence of float
            Seconds of the attempts that were stopped.
        last : float
            Seconds of the attempt that finished.

        Raises
        ------
        SettingError
            `policy` was not called before.
        """
        if self._arm is None:
            raise SettingError("learn: ask for a policy first.")
        self._stopped.update(map(float, failed))
        self._finished[float(last)] += 1
        total = float(sum(failed)) + float(last)
        if self._arm == UNIVERSAL:
            self._budget = max(self._budget, total)
        if self.learnt_policy() is not None:
            self._weigh(total, self._arm)
        self._arm = None

    def _weigh(self, total: float, arm: int) -> None:
        """Update the bandit; a larger loss than all before doubles the scale, on which learning starts again."""
        if total > self._scale:
            self._scale = 2.0 ** np.ceil(np.log2(total))
            self._losses, self._rounds = np.zeros(2), 0
        chance = self.probabilities[arm]
        self._losses[arm] += total / self._scale / chance
        self._rounds += 1

    def learnt_policy(self) -> Fixed | None:
        """Return the best fixed cutoff for the attempts so far (Kaplan and Meier's estimate); None if too few."""
        if self._finished.total() < LEAST_FINISHED:
            return None
        times = np.array(sorted(self._finished.keys() | self._stopped.keys()))
        ended, stopped = (np.array([seen[t] for t in times.tolist()]) for seen in (self._finished, self._stopped))
        # Of equal times the finished ones come first: a run that was stopped then had not finished yet.
        at_risk = np.cumsum((ended + stopped)[::-1])[::-1]
        survival = np.cumprod(1.0 - ended / at_risk)
        before = np.concatenate([[1.0], survival[:-1]])
        spent = np.cumsum(before * np.diff(times, prepend=0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            costs = np.where(ended > 0, spent / (1.0 - survival), np.inf)
        return Fixed(float(times[np.argmin(costs)]))


class _Bounded(RestartPolicy):
    """A policy that gives way to another one after some time."""

    def __init__(self, first: RestartPolicy, then: RestartPolicy, bound: float) -> None:
        self.first, self.then, self.bound = first, then, bound

    def next_cutoff(self, failed: Sequence[float]) -> float:
        """Return the cutoff of the first policy until its time is over, then that of the other."""
        spent = np.cumsum(failed)
        over = int(np.searchsorted(spent, self.bound)) + 1
        if len(failed) < over:
            left = self.bound - (float(spent[-1]) if len(failed) else 0.0)
            return min(self.first.next_cutoff(failed), max(left, 1e-9))
        return self.then.next_cutoff(failed[over:])
