"""Cutoffs from a prediction, which adapt to the attempts that failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.decide.laws.law_table import LawTable
from bayes_distnet.decide.restarts.policies.base import RestartPolicy
from bayes_distnet.decide.restarts.policies.luby import Luby
from bayes_distnet.decide.restarts.rule import RestartLaws, RestartRule
from bayes_distnet.errors import SettingError


class Predicted(RestartPolicy):
    """The cutoff of the least expected time, given the prediction and the attempts that failed.

    The prediction leaves open how hard the instance is. Every failed attempt makes hard instances likelier: the
    distributions that the instance may have are weighted by the probability that they give to the failures, and the
    cutoff is chosen anew. When so many failures have become improbable under all of them, the prediction was wrong, and
    Luby's universal sequence takes over, with the last cutoff as its unit.

    Parameters
    ----------
    laws : RestartLaws or LawTable
        Distributions that the instance may have: one row, `LawTable.of(rtd[row])`.
    rule : RestartRule, optional
        Average to minimise, the gain from which on restarting is worth it, and what failures teach.
    """

    def __init__(self, laws: RestartLaws | LawTable, rule: RestartRule | None = None) -> None:
        self.laws = RestartLaws(laws) if isinstance(laws, LawTable) else laws
        if len(self.laws.table) != 1:
            raise SettingError(f"laws has {len(self.laws.table)} rows; a policy is for one instance: take one row.")
        self.rule = rule or RestartRule()
        self._forget()

    def _forget(self) -> None:
        self._seen: list[float] = []
        self._log_weights = np.zeros((1, self.laws.table.n_draws))
        self._doubted: int | None = None  # number of attempts after which the prediction was given up

    def next_cutoff(self, failed: Sequence[float]) -> float:
        """Return the best cutoff given that these attempts failed."""
        if list(failed[: len(self._seen)]) != self._seen:
            self._forget()
        for seconds in failed[len(self._seen) :]:
            self._see(float(seconds))
        if self._doubted is not None:
            return Luby(failed[self._doubted - 1]).next_cutoff(failed[self._doubted :])
        choice = self.rule.choose(self.laws, self._weights() if self.rule.adapts else None)
        factor = self.rule.scale * self.rule.growth ** len(failed)
        return max(float(choice.cutoff[0]) * factor, self.rule.shortest) if choice.pays[0] else np.inf

    def sequence(self, length: int) -> FloatArray:
        """Return the first cutoffs, (length,), if every attempt fails."""
        self._forget()
        cutoffs: list[float] = []
        while len(cutoffs) < length and self._doubted is None:
            cutoffs.append(self.next_cutoff(cutoffs))
            if cutoffs[-1] == np.inf or not self._learns:
                more = np.arange(length - len(cutoffs) + 1, dtype=float)
                with np.errstate(over="ignore"):
                    return np.append(cutoffs[:-1], cutoffs[-1] * self.rule.growth**more)
        if self._doubted is None:
            return np.array(cutoffs)
        known = np.array(self._seen[: self._doubted])
        return np.concatenate([known, Luby(known[-1]).sequence(max(length - len(known), 0))])[:length]

    @property
    def _learns(self) -> bool:
        """Whether failures change anything."""
        return self.rule.adapts or self.rule.doubt > 0

    def _see(self, seconds: float) -> None:
        """Take a failed attempt into account."""
        self._seen.append(seconds)
        if self._doubted is None:
            self._log_weights = self._log_weights + self.laws.table.at(np.array([[seconds]]))[0][..., 0]
            if np.exp(self._log_weights).mean() < self.rule.doubt or sum(self._seen) > self._patience:
                self._doubted = len(self._seen)

    @cached_property
    def _patience(self) -> float:
        """Seconds after which a rule with a common curve is given up."""
        # A geometric number of attempts takes longer with the probability `doubt`.
        if self.rule.trust == 1 or self.rule.doubt == 0:
            return np.inf
        return float(-np.log(self.rule.doubt) * self.rule.choose(self.laws).average[0])

    def _weights(self) -> FloatArray:
        """(1, D) probabilities of the distributions, given the failures."""
        largest = self._log_weights.max()
        if np.isneginf(largest):  # no distribution allows these failures: the hardest one is nearest to them
            return np.eye(1, self.laws.table.n_draws, self.laws.table.n_draws - 1)
        weights = np.exp(self._log_weights - largest)
        return np.asarray(weights / weights.sum())


def predicted(laws: RestartLaws, rule: RestartRule) -> Predicted:
    """Return the policy that follows a rule, by default adapting to failed attempts."""
    return Predicted(laws, rule)


def one_cutoff(laws: RestartLaws, rule: RestartRule) -> Predicted:
    """Return the policy that keeps the cutoff of `best_cutoff`, whatever happens."""
    return Predicted(laws, replace(rule, adapts=False, doubt=0.0, scale=1.0, growth=1.0))
