"""PortfolioModel: several solvers, what links them, and which of them to run."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted
from tqdm import tqdm

from bayes_distnet.arrays import FloatArray, IndexArray
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.decide.choosing import choose_solvers
from bayes_distnet.decide.decisions import Choice, Plan
from bayes_distnet.decide.dependence import Dependence, learn_dependence
from bayes_distnet.decide.expected_costs import expected_costs
from bayes_distnet.decide.joint_laws import DRAWS, JointLaws
from bayes_distnet.decide.objectives import Objective, find_objective, penalised_time
from bayes_distnet.decide.planning import Settings, plan_schedules, static_plan
from bayes_distnet.decide.portfolio import Portfolio
from bayes_distnet.decide.portfolio_files import read_portfolio, write_portfolio
from bayes_distnet.decide.portfolio_runs import PortfolioRuns
from bayes_distnet.decide.presolving import learn_presolver
from bayes_distnet.decide.selector import Selector
from bayes_distnet.decide.slots import Slot
from bayes_distnet.decide.solver_model import SolverModel, fit_solver, run_scores
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.errors import SettingError
from bayes_distnet.models.base import RuntimeEstimator, seed_of
from bayes_distnet.models.hybrid import HybridDistNet
from bayes_distnet.validation import check_positive


class PortfolioModel(BaseEstimator):
    """Distribution models of several solvers, the dependence between them, and a learnt choice of one.

    Parameters
    ----------
    base : RuntimeEstimator or None, default None
        Unfitted model; every solver gets a copy. None is `HybridDistNet()`.
    objective : str or callable, default "par10"
        Objective that the choice is learnt for; other objectives rest on distributions and similar instances.
    cutoff : float or None, default None
        Seconds after which a run is stopped; None takes it from the data.
    presolve : bool, default True
        Whether a presolver may be learnt.
    fallback : bool, default True
        Whether the choice may fall back to the single best solver where no other is clearly better.
    n_jobs : int or None, default None
        Solvers that are fitted at the same time, and threads of forests, as in scikit-learn.
    random_state : int, RandomState instance, Generator or None, default 0
        Fixes the result.
    verbose : bool or None, default None
        Whether a progress bar is shown; None shows it on a terminal only.

    Examples
    --------
    >>> from bayes_distnet import RandomForest, load_dataset
    >>> data = load_dataset("sat-portfolio").take(range(0, 300, 6))
    >>> model = PortfolioModel(RandomForest(n_estimators=20), presolve=False).fit(data)
    >>> model.solvers_
    ('clasp', 'glucose', 'kissat')
    >>> choice = model.choose(data.features[:2], objective="deadline", deadline=0.2)
    >>> choice.solver.shape, choice.costs.shape
    ((2,), (2, 3))
    """

    def __init__(
        self,
        base: RuntimeEstimator | None = None,
        *,
        objective: str | Callable[[FloatArray], ArrayLike] = "par10",
        cutoff: float | None = None,
        presolve: bool = True,
        fallback: bool = True,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: bool | None = None,
    ) -> None:
        self.base = base
        self.objective = objective
        self.cutoff = cutoff
        self.presolve = presolve
        self.fallback = fallback
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    # -- learning ------------------------------------------------------------------------------------------------

    def fit(self, data: Dataset) -> Self:
        """Learn from the runs of several solvers.

        Parameters
        ----------
        data : Dataset
            Runs and features. Runs that failed count as cut off.

        Returns
        -------
        self
            The fitted model.

        Raises
        ------
        RuntimeDataError
            No solver has enough finished runs.
        """
        if hasattr(self, "portfolio_"):
            del self.portfolio_  # a fit that fails leaves an unfitted model
        seed = seed_of(self.random_state)
        runs = PortfolioRuns.of(data, self.cutoff)
        objective = find_objective(self.objective, cutoff=runs.cutoff)
        if objective.of_runs is None:
            raise SettingError(
                f"objective={self.objective!r}: a choice is learnt from costs of single runs; this has none."
            )
        models, dependence, unseen = self._fit_solvers(runs)
        selector, chosen = self._fit_selector(runs, objective, expected_costs(unseen, objective), seed)
        pays = selector is not None and _features_pay(runs, objective, chosen, selector.single_best)
        if selector is not None and not pays:
            chosen = np.full_like(chosen, selector.single_best)
        fee = runs.fee if pays else np.zeros(len(runs.features))
        presolver: tuple[Slot, ...] = ()
        if self.presolve and len(runs.solvers) > 1:
            presolver = learn_presolver(runs.times, chosen, fee, objective, runs.solvers, runs.cutoff)
        self.portfolio_ = Portfolio(
            solvers=runs.solvers,
            left_out=runs.left_out,
            models=tuple(models),
            dependence=dependence,
            objective=objective,
            cutoff=runs.cutoff,
            columns=runs.columns,
            feature_cost=float(np.median(runs.fee)),
            seconds=runs.seconds,
            finished=runs.finished,
            selector=selector,
            uses_features=pays,
            presolver=presolver,
        )
        return self

    def _fit_solvers(
        self, runs: PortfolioRuns
    ) -> tuple[list[SolverModel], Dependence, Mapping[str, PredictedRuntimes]]:
        """Fit a model per solver, and learn their dependence from predictions of unseen instances, returned last."""
        base = HybridDistNet(verbose=False) if self.base is None else clone(self.base)
        shown = sys.stderr.isatty() if self.verbose is None else self.verbose
        features = runs.features.set_axis(list(runs.columns), axis=1)
        jobs = (
            delayed(fit_solver)(base, features, runs.seconds[:, s], runs.finished[:, s])
            for s in range(len(runs.solvers))
        )
        fits = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")(jobs)
        parts = list(tqdm(fits, total=len(runs.solvers), desc="fitting", unit="solver", disable=not shown))
        unseen = {solver: rtd for solver, (_, rtd) in zip(runs.solvers, parts, strict=True)}
        scores = np.stack([run_scores(rtd, runs.seconds[:, s]) for s, rtd in enumerate(unseen.values())], axis=1)
        sizes, assumed = np.array([m.size for m, _ in parts]), np.array([m.assumed for m, _ in parts])
        dependence, sizes = learn_dependence(scores, runs.finished, sizes, assumed)
        return [model.resized(size) for (model, _), size in zip(parts, sizes, strict=True)], dependence, unseen

    def _fit_selector(
        self, runs: PortfolioRuns, objective: Objective, predicted: FloatArray, seed: int
    ) -> tuple[Selector | None, IndexArray]:
        """Learn the choice of one solver; return it with the choices on unseen instances."""
        if len(runs.solvers) == 1:
            return None, np.zeros(len(runs.features), dtype=np.intp)
        selector, unseen = Selector.fit(
            runs.features.to_numpy(float),
            runs.costs(objective),
            predicted,
            fallback=self.fallback,
            random_state=seed,
            n_jobs=self.n_jobs,
        )
        return selector, unseen.chosen

    # -- what was learnt -------------------------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "portfolio_")

    @property
    def _fitted(self) -> Portfolio:
        check_is_fitted(self)
        return self.portfolio_

    @property
    def solvers_(self) -> tuple[str, ...]:
        """Solvers that can be chosen."""
        return self._fitted.solvers

    @property
    def left_out_(self) -> dict[str, str]:
        """Solvers that cannot be chosen, with the reason."""
        return self._fitted.left_out

    @property
    def cutoff_(self) -> float:
        """Seconds after which a run is stopped."""
        return self._fitted.cutoff

    @property
    def sbs_(self) -> str:
        """Single best solver: the one with the least mean cost on the training instances."""
        return self._fitted.solvers[self._fitted.single_best]

    @property
    def dependence_(self) -> Dependence:
        """Correlation of the instance effects of the solvers."""
        return self._fitted.dependence

    @property
    def presolver_(self) -> tuple[Slot, ...]:
        """Schedule to run before features are computed; often empty."""
        return self._fitted.presolver

    @property
    def selector_(self) -> Selector | None:
        """Learnt choice of one solver; None where there is only one."""
        return self._fitted.selector

    @property
    def columns_(self) -> tuple[str, ...]:
        """Features that are used."""
        return self._fitted.columns

    @property
    def feature_cost_(self) -> float:
        """Median seconds of computing the features of a training instance; 0 if unknown."""
        return self._fitted.feature_cost

    @property
    def uses_features_(self) -> bool:
        """Whether choices by features are worth their seconds; if not, run `sbs_` without computing them."""
        return self._fitted.uses_features

    # -- predictions ---------------------------------------------------------------------------------------------

    def predict_distribution(self, X: Any) -> dict[str, PredictedRuntimes]:
        """Predict the runtimes of every solver.

        Parameters
        ----------
        X : array-like or DataFrame
            Features, one row per instance.

        Returns
        -------
        dict
            Predicted runtimes by solver.
        """
        return self._fitted.predict(self._fitted.rows(X), self._fitted.allowed(None))

    def joint(
        self, X: Any, *, until: float | None = None, solvers: Iterable[str] | None = None, n_draws: int = DRAWS
    ) -> JointLaws:
        """Tabulate what each row may stand for: drawn instances, and similar training instances.

        Parameters
        ----------
        X : array-like or DataFrame
            Features, one row per instance.
        until : float or None
            Last tabulated second; None takes all likely times.
        solvers : iterable of str or None
            Some of the solvers; None takes all.
        n_draws : int, default 64
            Number of drawn instances.

        Returns
        -------
        JointLaws
            Laws of the solvers on each of these instances.
        """
        own = self._fitted
        return own.joint(own.rows(X), own.allowed(solvers), until=until, n_draws=n_draws)

    # -- decisions -----------------------------------------------------------------------------------------------

    def choose(
        self,
        X: Any,
        objective: str | Callable[[FloatArray], ArrayLike] | Objective | None = None,
        *,
        cutoff: float | None = None,
        deadline: float | None = None,
        level: float | None = None,
        solvers: Iterable[str] | None = None,
        thompson: bool = False,
        random_state: int = 0,
    ) -> Choice:
        """Choose a solver per instance.

        Parameters
        ----------
        X : array-like or DataFrame
            Features, one row per instance.
        objective : str, callable or None
            See `find_objective`; None is the objective that the model was fitted for.
        cutoff, deadline, level : float or None
            Settings of the objective; `cutoff` is that of the data if the objective needs one.
        solvers : iterable of str or None
            Solvers to choose from, such as those that are installed; None takes all.
        thompson : bool, default False
            Whether to choose at random, each solver as often as it is believed to be the best (Thompson sampling):
            while runs are collected and learnt from, this finds out about solvers that may be better than they seem.
        random_state : int, default 0
            Fixes the choice by Thompson sampling.

        Returns
        -------
        Choice
            Solver, expected value of the objective and reason per instance.
        """
        own = self._fitted
        goal = own.objective
        if objective is not None or cutoff is not None:
            wanted = self.objective if objective is None else objective
            penalised = isinstance(wanted, str) and wanted.startswith("par")
            limit = own.cutoff if cutoff is None and penalised else cutoff
            goal = find_objective(wanted, cutoff=limit, deadline=deadline, level=level)
        return choose_solvers(own, own.rows(X), goal, own.allowed(solvers), random_state if thompson else None)

    def plan(
        self,
        X: Any,
        deadline: float,
        *,
        cores: int = 1,
        objective: str | Callable[[FloatArray], ArrayLike] | Objective | None = None,
        level: float | None = None,
        method: str = "greedy",
        solvers: Iterable[str] | None = None,
        copies: bool | None = None,
        slowdown: float = 1.0,
        feature_cost: float = 0.0,
        cutoffs: dict[str, FloatArray] | None = None,
    ) -> Plan:
        """Plan a schedule per instance.

        Parameters
        ----------
        X : array-like or DataFrame
            Features, one row per instance.
        deadline : float
            Seconds before which an answer is wanted.
        cores : int, default 1
            Number of cores.
        objective : str, callable or None
            See `find_objective`; None is PAR10 with the deadline as its cutoff.
        level : float or None
            Level of a quantile, where the objective needs one.
        method : {"greedy", "exact"}, default "greedy"
            How slots on one core are chosen; "exact" takes at most ten solvers.
        solvers : iterable of str or None
            Solvers to choose from; None takes all.
        copies : bool or None
            Whether several copies of a solver, with different seeds, may run side by side. None: where runs with several
            seeds have shown how much of a runtime is luck.
        slowdown : float, default 1.0
            Factor by which runs take longer when all cores are busy, as measured on the machine.
        feature_cost : float, default 0.0
            Seconds of the deadline that the features take. If nothing is left, the plan does without them.
        cutoffs : dict or None
            Restart cutoffs (n,) by solver; infinite where a solver is not restarted.

        Returns
        -------
        Plan
            Slots, expected value of the objective, chance of an answer and reason per instance.
        """
        own = self._fitted
        rows, allowed = own.rows(X), own.allowed(solvers)
        settings = self._settings(
            deadline, objective, level, cores=cores, method=method, copies=copies, slowdown=slowdown
        )
        if feature_cost >= deadline:
            note = f"the features take {feature_cost:.3g} s, longer than the deadline, and are left out; "
            return static_plan(own, settings, allowed, note)
        if feature_cost > 0:
            settings = self._settings(
                deadline - feature_cost, objective, level, cores=cores, method=method, copies=copies, slowdown=slowdown
            )
        return plan_schedules(own, rows, settings, allowed, cutoffs or {})

    def _settings(
        self,
        deadline: float,
        objective: str | Callable[[FloatArray], ArrayLike] | Objective | None,
        level: float | None,
        **others: Any,
    ) -> Settings:
        check_positive("deadline", deadline)
        if objective is None:
            goal = penalised_time(float(deadline), 10)
        else:
            goal = find_objective(objective, cutoff=deadline, deadline=deadline, level=level)
        return Settings(float(deadline), goal, **others)

    def plan_without_features(self, deadline: float, *, cores: int = 1, solvers: Iterable[str] | None = None) -> Plan:
        """Plan one schedule for all instances, from the training runs alone.

        Parameters
        ----------
        deadline : float
            Seconds before which an answer is wanted.
        cores : int, default 1
            Number of cores.
        solvers : iterable of str or None
            Solvers to choose from; None takes all.

        Returns
        -------
        Plan
            One row.
        """
        own = self._fitted
        return static_plan(own, self._settings(deadline, None, None, cores=cores), own.allowed(solvers))

    # -- on disk -------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a folder: JSON and arrays, with one folder per solver inside.

        Parameters
        ----------
        path : path
            The folder; created if missing.
        """
        settings = self.get_params(deep=False)
        write_portfolio(self._fitted, {name: value for name, value in settings.items() if name != "base"}, Path(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model that `save` wrote. Nothing in the folder is executed.

        Parameters
        ----------
        path : path
            The folder.

        Returns
        -------
        PortfolioModel
            The fitted model.
        """
        portfolio, settings = read_portfolio(Path(path))
        model = cls(clone(portfolio.models[0].model), **settings)
        model.portfolio_ = portfolio
        return model


def _features_pay(runs: PortfolioRuns, objective: Objective, chosen: IndexArray, best: int) -> bool:
    """Whether choices on unseen instances, with the seconds of the features, cost less than the single best solver."""
    paid = runs.charged().costs(objective)[np.arange(len(chosen)), chosen]
    return bool(paid.mean() < runs.costs(objective)[:, best].mean())
