r"""The rule that chooses a restart cutoff from the distributions that an instance may have.

If F is the instance's own runtime distribution, every run is stopped at c, and every restart costs a further o seconds,
the expected total time is

.. math:: \frac{E[\min(T, c)] + o\,(1 - F(c))}{F(c)}.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.decide.laws.law_table import LawTable
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_choice, check_part, check_positive, is_number

OBJECTIVES = ("mean", "log")


def total_time(log_sf: FloatArray, spent: FloatArray, overhead: float) -> FloatArray:
    """Return expected total seconds of restarts.

    Parameters
    ----------
    log_sf, spent : ndarray
        Log of the probability that an attempt fails, and its expected seconds.
    overhead : float
        Seconds lost per restart.

    Returns
    -------
    ndarray
        Seconds; infinite where no run finishes in time.
    """
    finished = -np.expm1(log_sf)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        total = (spent + overhead * np.exp(log_sf)) / finished
    return np.where(finished > 0, total, np.inf)


@dataclass(frozen=True)
class CommonCurve:
    """Total time against the cutoff, averaged over many instances: what is known before anything is predicted.

    Parameters
    ----------
    cutoffs : ndarray
        (m,) seconds, increasing.
    log_seconds : ndarray
        (m,) mean log of the total time with each cutoff.
    alone : float
        Mean log of the time without restarts.
    """

    cutoffs: FloatArray
    log_seconds: FloatArray
    alone: float

    def at(self, cutoffs: FloatArray) -> FloatArray:
        """Return the mean log of the total time with any cutoffs."""
        return np.interp(np.log(cutoffs), np.log(self.cutoffs), self.log_seconds, right=self.alone)


@dataclass(frozen=True)
class Choice:
    """The best cutoff of each instance, and what speaks for it.

    Parameters
    ----------
    cutoff : ndarray
        (n,) seconds of the best cutoff.
    average : ndarray
        (n,) average of the expected seconds with that cutoff, which it minimises.
    costs, alone : ndarray
        (n, D) expected seconds with that cutoff and without restarts, in each distribution.
    gain : ndarray
        (n,) average without restarts over the average with that cutoff.
    chance : ndarray
        (n,) probability of the distributions in which the cutoff helps.
    pays : ndarray
        (n,) whether restarting is worth it.
    """

    cutoff: FloatArray
    average: FloatArray
    costs: FloatArray
    alone: FloatArray
    gain: FloatArray
    chance: FloatArray
    pays: BoolArray


@dataclass(frozen=True)
class RestartRule:
    """A rule that chooses cutoffs, and decides where restarting is worth it.

    Parameters
    ----------
    objective : {"mean", "log"}, default "mean"
        Average over the distributions that the instance may have that the cutoff minimises: the mean of their expected
        times, or the mean of the logs.
    margin : float, default 0.05
        Least expected gain: restart only if the average without restarts is larger by this fraction.
    tail : float, default 0.05
        Fraction of the slowest runs that the gain must not rest on: restart only if it pays even if these took no
        longer than the others. No prediction knows the far tail well.
    confidence : float, default 0.5
        Least probability that the instance is one on which restarting helps.
    shortest : float, default 0.001
        Shortest cutoff in seconds. Clocks and the start of a process make shorter attempts meaningless.
    adapts : bool, default True
        Whether a policy learns from failed attempts; else every attempt has the first cutoff.
    doubt : float, default 0.03
        Probability of the failures below which a policy takes the prediction for wrong; 0: never. With a common curve,
        which is not a distribution, it does so as well after -log(doubt) times the expected time.
    scale, growth : float, default 1.0
        Factors of a policy's cutoffs: of all of them, and per failed attempt. Failures show that the instance is hard,
        so that a policy may start below the best cutoff and grow.
    common : CommonCurve, optional
        Total time against the cutoff of the training instances: see `learn_rule`.
    trust : float, default 1.0
        Weight of the prediction against `common`; both count by the logs of their times.
    active : bool, default True
        Whether to restart at all: `check_rule` and `learn_rule` turn a rule off where training
        instances do not gain from it.
    """

    objective: str = "mean"
    margin: float = 0.05
    tail: float = 0.05
    confidence: float = 0.5
    shortest: float = 1e-3
    adapts: bool = True
    doubt: float = 0.03
    scale: float = 1.0
    growth: float = 1.0
    common: CommonCurve | None = None
    trust: float = 1.0
    active: bool = True

    def __post_init__(self) -> None:
        """Refuse settings that are out of range."""
        check_choice("objective", self.objective, OBJECTIVES)
        check_part(self.tail, "tail")
        check_part(self.doubt, "doubt")
        for name in ("margin", "confidence", "shortest", "trust"):
            value = getattr(self, name)
            if not is_number(value) or not 0 <= value < np.inf:
                raise SettingError(f"{name}={value!r}: expected a number of at least 0.")
        for name in ("confidence", "trust"):
            if getattr(self, name) > 1:
                raise SettingError(f"{name}={getattr(self, name)!r}: expected at most 1.")
        check_positive("scale", self.scale)
        if not is_number(self.growth) or not 1 <= self.growth < np.inf:
            raise SettingError(f"growth={self.growth!r}: expected a number of at least 1.")
        if self.trust < 1 and self.common is None:
            raise SettingError(f"trust={self.trust!r}: without a common curve there is nothing else to trust.")

    def choose(self, laws: RestartLaws, weights: FloatArray | None = None) -> Choice:
        """Choose the best cutoff of each instance.

        Parameters
        ----------
        laws : RestartLaws
            Distributions that the instances may have.
        weights : ndarray, optional
            (n, D) their probabilities; equal by default.

        Returns
        -------
        Choice
            One entry per row.
        """
        table = laws.table
        weights = np.full(laws.alone.shape, 1.0 / table.n_draws) if weights is None else weights
        average = self._with_common(self._average(laws.costs, weights), table.times)
        place = np.argmin(np.where(self._allowed(table), average, np.inf), axis=1)
        best = np.take_along_axis(average, place[:, None], axis=1)[:, 0]
        costs = np.take_along_axis(laws.costs, place[:, None, None], axis=2)[..., 0]
        gain = _ratio(self._with_common(self._average(laws.alone, weights)), best)
        chance = np.where(laws.alone > costs, weights, 0.0).sum(axis=1)
        sure = _ratio(self._with_common(self._average(laws.without_tail(self.tail), weights)), best)
        pays = (gain > 1.0) & (gain >= 1.0 + self.margin) & (sure >= 1.0) & (chance >= self.confidence - 1e-9)
        pays &= self.active
        return Choice(table.times[np.arange(len(place)), place], best, costs, laws.alone, gain, chance, pays)

    def _allowed(self, table: LawTable) -> BoolArray:
        """(n, m) times that can be cutoffs."""
        allowed = table.times >= self.shortest
        allowed[:, -1] = True  # where all likely times are shorter, the last one is as good as running on
        return allowed

    def _with_common(self, average: FloatArray, cutoffs: FloatArray | None = None) -> FloatArray:
        """Weigh averages of the prediction, with cutoffs or without restarts, against the common curve."""
        if self.common is None or self.trust == 1:
            return average
        known = self.common.alone if cutoffs is None else self.common.at(cutoffs)
        # Infinity would make its weight meaningless, and a weight of 0 would make it NaN.
        seconds = np.clip(average, np.finfo(float).tiny, np.finfo(float).max)
        return np.asarray(np.exp(self.trust * np.log(seconds) + (1.0 - self.trust) * known))

    def _average(self, costs: FloatArray, weights: FloatArray) -> FloatArray:
        """Average costs (n, D, ...) over distributions, in seconds; those of weight 0 never count."""
        weights = weights.reshape(*weights.shape, *(1 for _ in costs.shape[2:]))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if self.objective == "log":
                return np.asarray(np.exp(np.where(weights > 0, weights * np.log(costs), 0.0).sum(axis=1)))
            return np.asarray(np.where(weights > 0, weights * costs, 0.0).sum(axis=1))


class RestartLaws:
    """Costs of restarting in each distribution that an instance may have.

    Parameters
    ----------
    table : LawTable
        The distributions.
    overhead : float, default 0.0
        Seconds lost per restart.
    """

    def __init__(self, table: LawTable, overhead: float = 0.0) -> None:
        self.table = table
        self.costs = total_time(table.log_sf, table.spent, overhead)
        self.alone = table.mean

    def without_tail(self, tail: float) -> FloatArray:
        """(n, D) expected seconds without restarts, if the slowest runs took as long as the slowest of the others."""
        if tail == 0:
            return self.alone
        reached = self.table.log_sf <= np.log(tail)
        place = np.where(reached.any(axis=2), np.argmax(reached, axis=2), self.table.times.shape[1] - 1)
        return np.asarray(np.take_along_axis(self.table.spent, place[..., None], axis=2)[..., 0])


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """Quotient in which infinity over infinity is 1: nothing is gained."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(np.isinf(above) & np.isinf(below), 1.0, above / below))
