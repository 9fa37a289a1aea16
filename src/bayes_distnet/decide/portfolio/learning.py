"""Learning a portfolio: models per solver, dependence, choice, worth of features, presolver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from tqdm.auto import tqdm

from bayes_distnet.arrays import FloatArray, IndexArray
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.decide.laws.dependence import Dependence, learn_dependence
from bayes_distnet.decide.laws.expected_costs import expected_costs
from bayes_distnet.decide.laws.objectives import Objective, find_objective
from bayes_distnet.decide.portfolio.feature_choice import with_paying_features
from bayes_distnet.decide.portfolio.fitted import Portfolio
from bayes_distnet.decide.portfolio.presolving import learn_presolver
from bayes_distnet.decide.portfolio.quick_choice import QuickChoice
from bayes_distnet.decide.portfolio.quick_learning import SECONDS, learn_quick_choice
from bayes_distnet.decide.portfolio.runs import PortfolioRuns
from bayes_distnet.decide.portfolio.selector import Selector
from bayes_distnet.decide.portfolio.solver_model import SolverModel, fit_solver, run_scores
from bayes_distnet.decide.schedules.slot import Slot
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.errors import SettingError
from bayes_distnet.models.base import RuntimeEstimator


@dataclass(frozen=True)
class LearningSettings:
    """Settings of a `PortfolioModel`, checked and complete.

    Parameters
    ----------
    base : RuntimeEstimator
        Unfitted model; every solver gets a copy.
    objective : str or callable
        Objective that the choice is learnt for.
    cutoff : float or None
        Seconds after which a run is stopped; None takes it from the data.
    overhead : float
        Seconds that a decision by features costs besides.
    presolve, fallback : bool
        Whether a presolver, and a threshold of the fallback, may be learnt.
    n_jobs : int or None
        Solvers that are fitted at the same time, and threads of forests.
    seed : int
        Fixes the result.
    shown : bool
        Whether a progress bar is shown.
    """

    base: RuntimeEstimator
    objective: str | Callable[[FloatArray], ArrayLike]
    cutoff: float | None
    overhead: float
    presolve: bool
    fallback: bool
    n_jobs: int | None
    seed: int
    shown: bool


def learn_portfolio(data: Dataset, settings: LearningSettings) -> Portfolio:
    """Learn a portfolio from the runs of several solvers.

    Parameters
    ----------
    data : Dataset
        Runs and features.
    settings : LearningSettings
        Settings.

    Returns
    -------
    Portfolio
        What was learnt.
    """
    runs = PortfolioRuns.of(data, settings.cutoff, settings.overhead)
    objective = find_objective(settings.objective, cutoff=runs.cutoff)
    if objective.of_runs is None:
        raise SettingError(f"objective={settings.objective!r}: it has no cost of a single run to learn a choice from.")
    kept: tuple[str, ...] | None = None
    if data.feature_groups is not None:
        runs, kept = with_paying_features(runs, data.feature_groups, objective, settings.seed)
    models, dependence, unseen = _fit_solvers(runs, settings)
    selector, chosen = _fit_selector(runs, objective, expected_costs(unseen, objective), settings)
    decision = _Decision(runs, chosen, "model")
    if selector is not None:
        decision = _cheapest_decision(runs, objective, selector.single_best, decision, settings)
    presolver: tuple[Slot, ...] = ()
    if settings.presolve and len(runs.solvers) > 1:
        fee = np.zeros(len(runs.features)) if decision.how == SINGLE_BEST else decision.runs.fee
        presolver = learn_presolver(runs.times, decision.chosen, fee, objective, runs.solvers, runs.cutoff)
    return Portfolio(
        solvers=runs.solvers,
        left_out=runs.left_out,
        models=tuple(models),
        dependence=dependence,
        objective=objective,
        cutoff=runs.cutoff,
        columns=runs.columns,
        groups=kept,
        feature_cost=float(np.median(decision.runs.fee)),
        seconds=runs.seconds,
        finished=runs.finished,
        selector=selector,
        uses_features=selector is not None and decision.how != SINGLE_BEST,
        presolver=presolver,
        quick=decision.quick,
    )


SINGLE_BEST = "single best"


@dataclass(frozen=True)
class _Decision:
    """A way to decide: its choices on unseen training instances, and the runs with what it charges."""

    runs: PortfolioRuns
    chosen: IndexArray
    how: str
    quick: QuickChoice | None = None

    def cost(self, objective: Objective) -> float:
        """Mean cost, with the seconds of features and overhead."""
        return float(self.runs.charged().costs(objective)[np.arange(len(self.chosen)), self.chosen].mean())


def _cheapest_decision(
    runs: PortfolioRuns, objective: Objective, best: int, by_model: _Decision, settings: LearningSettings
) -> _Decision:
    """Compare the single best solver, a quick choice, and the model's, all on unseen instances."""
    least = float(runs.costs(objective)[:, best].mean())
    found = _Decision(runs, np.full_like(by_model.chosen, best), SINGLE_BEST)
    ways = [by_model]
    if settings.overhead > 0 and isinstance(settings.objective, str):
        quick_runs = replace(runs, overhead=min(settings.overhead, SECONDS))
        if (learnt := learn_quick_choice(quick_runs, objective, settings.objective, settings.seed)) is not None:
            ways.append(_Decision(quick_runs, learnt[1], "quick", learnt[0]))
    for way in ways:
        if (cost := way.cost(objective)) < least:
            least, found = cost, way
    return found


def _fit_solvers(
    runs: PortfolioRuns, settings: LearningSettings
) -> tuple[list[SolverModel], Dependence, Mapping[str, PredictedRuntimes]]:
    """Fit a model per solver, and learn their dependence from predictions of unseen instances, returned last."""
    features, count = runs.features.set_axis(list(runs.columns), axis=1), len(runs.solvers)
    jobs = (delayed(fit_solver)(settings.base, features, runs.seconds[:, s], runs.finished[:, s]) for s in range(count))
    fits = Parallel(n_jobs=settings.n_jobs, prefer="threads", return_as="generator")(jobs)
    parts = list(tqdm(fits, total=count, desc="fitting", unit="solver", disable=not settings.shown))
    unseen = {solver: rtd for solver, (_, rtd) in zip(runs.solvers, parts, strict=True)}
    scores = np.stack([run_scores(rtd, runs.seconds[:, s]) for s, rtd in enumerate(unseen.values())], axis=1)
    sizes, assumed = np.array([m.size for m, _ in parts]), np.array([m.assumed for m, _ in parts])
    dependence, sizes = learn_dependence(scores, runs.finished, sizes, assumed)
    return [model.resized(size) for (model, _), size in zip(parts, sizes, strict=True)], dependence, unseen


def _fit_selector(
    runs: PortfolioRuns, objective: Objective, predicted: FloatArray, settings: LearningSettings
) -> tuple[Selector | None, IndexArray]:
    """Learn the choice of one solver; return it with the choices on unseen instances."""
    if len(runs.solvers) == 1:
        return None, np.zeros(len(runs.features), dtype=np.intp)
    selector, unseen = Selector.fit(
        runs.features.to_numpy(float),
        runs.costs(objective),
        predicted,
        fallback=settings.fallback,
        random_state=settings.seed,
        n_jobs=settings.n_jobs,
    )
    return selector, unseen.chosen
