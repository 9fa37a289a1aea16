"""Run2Survive's rule (Tornede et al. 2020) on the censored forest of this package.

The published selector has a random survival forest per solver. The packages that have one are under the GPL or import
one that is, so that here the survival functions are those of `RandomForest`; the rule is the published one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from bayes_distnet.arrays import FloatArray
from bayes_distnet.decide.selection.peers.base import ScoringPeer
from bayes_distnet.decide.solver_runs import SolverRuns
from bayes_distnet.models.base import RuntimeEstimator, fit_runs
from bayes_distnet.models.random_forest import RandomForest

GRID = np.linspace(0.0, 1.0, 201)  # times of the integrals, in cutoffs
TRAINED = 0.7  # fraction of the training instances on which forests are grown that choose the risk
CAP = 3.0  # largest value of the logarithmic risk
# Published ranges: exponents of the polynomial risk, and factors of the logarithmic one.
EXPONENTS, FACTORS = np.linspace(1.0, 3.0, 21), np.linspace(2.0, 0.1, 20)

#: Risk of an answer at a time, as a fraction of the cutoff.
Risk = Callable[[FloatArray], FloatArray]


class Run2Survive(ScoringPeer):
    """The solver with the least expected risk runs; the risk grows with the runtime, in a way that is learnt.

    Candidates are powers of the time and capped logarithms of the time left, as published. The one whose choices have
    the least cost on a held-out part of the training instances is taken.

    Parameters
    ----------
    n_estimators : int, default 100
        Trees per solver.
    random_state : int, default 0
        Fixes the result.
    """

    def __init__(self, n_estimators: int = 100, random_state: int = 0) -> None:
        super().__init__(random_state)
        self.n_estimators = n_estimators

    def _fit(self, features: pd.DataFrame, runs: SolverRuns) -> None:
        self.cutoff_ = runs.cutoff
        order = np.random.default_rng(self.random_state).permutation(len(runs))
        grown, held = np.split(order, [max(1, int(TRAINED * len(runs)))])
        survival = self._survival(self._forests(features.iloc[grown], runs.take(grown)), features.iloc[held])
        costs = runs.par10()[held]
        risks = _candidates()
        self.risk_ = min(risks, key=lambda risk: _cost_of(_expected(survival, risk), costs)) if len(held) else risks[0]
        self.forests_ = self._forests(features, runs)

    def _forests(self, features: pd.DataFrame, runs: SolverRuns) -> list[RuntimeEstimator | None]:
        """Fit one forest per solver; None for a solver that never answers."""
        forests: list[RuntimeEstimator | None] = []
        for solver in range(len(runs.solvers)):
            seconds, finished = runs.seconds[:, solver], runs.finished[:, solver]
            model = RandomForest(n_estimators=self.n_estimators, random_state=self.random_state)
            forests.append(fit_runs(model, features, seconds, finished) if finished.any() else None)
        return forests

    def _survival(self, forests: list[RuntimeEstimator | None], features: pd.DataFrame) -> FloatArray:
        """Return the probability of no answer (rows, S, times of the grid)."""
        times = GRID[1:] * self.cutoff_
        parts = [
            np.ones((len(features), len(times))) if forest is None else _survival_at(forest, features, times)
            for forest in forests
        ]
        survival = np.stack(parts, axis=1)
        return np.concatenate([np.ones((*survival.shape[:2], 1)), survival], axis=2)

    def scores(self, features: pd.DataFrame) -> FloatArray:
        """Return expected risks."""
        return _expected(self._survival(self.forests_, features), self.risk_)


def _survival_at(forest: RuntimeEstimator, features: pd.DataFrame, times: FloatArray) -> FloatArray:
    return np.asarray(forest.predict_distribution(features).sf(np.broadcast_to(times, (len(features), len(times)))))


def _expected(survival: FloatArray, risk: Risk) -> FloatArray:
    """Integrate survival over the increments of a risk up to the cutoff."""
    return np.asarray((survival[..., :-1] * np.diff(risk(GRID))).sum(axis=-1))


def _candidates() -> list[Risk]:
    def power(exponent: float) -> Risk:
        return lambda t: t**exponent

    def log(factor: float) -> Risk:
        return lambda t: np.minimum(-factor * np.log(np.maximum(1.0 - t, 1e-300)), CAP)

    return [power(exponent) for exponent in EXPONENTS] + [log(factor) for factor in FACTORS]


def _cost_of(scores: FloatArray, costs: FloatArray) -> float:
    return float(costs[np.arange(len(costs)), np.argmin(scores, axis=1)].mean())
