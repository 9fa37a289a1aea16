"""PortfolioModel: several solvers, what links them, and which of them to run."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.decide.decisions import Choice, Plan
from bayes_distnet.decide.laws.joint_laws import DRAWS, JointLaws
from bayes_distnet.decide.laws.objectives import Objective, find_objective
from bayes_distnet.decide.portfolio.attributes import PortfolioAttributes
from bayes_distnet.decide.portfolio.choosing import choose_solvers
from bayes_distnet.decide.portfolio.files import read_portfolio, write_portfolio
from bayes_distnet.decide.portfolio.learning import LearningSettings, learn_portfolio
from bayes_distnet.decide.schedules.planning import Settings, plan_schedules, static_plan
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.errors import SettingError
from bayes_distnet.models.base import RuntimeEstimator, seed_of
from bayes_distnet.models.hybrid import HybridDistNet
from bayes_distnet.validation import is_number


class PortfolioModel(PortfolioAttributes, BaseEstimator):
    """Distribution models of several solvers, the dependence between them, and a learnt choice of one.

    Parameters
    ----------
    base : RuntimeEstimator or None, default None
        Unfitted model; every solver gets a copy. None is `HybridDistNet()`.
    objective : str or callable, default "par10"
        Objective that the choice is learnt for; other objectives rest on distributions and similar instances.
    cutoff : float or None, default None
        Seconds after which a run is stopped; None takes it from the data.
    overhead : float, default 0.0
        Seconds that a decision costs besides features, such as loading the model in a new process. They are charged
        with the features; where the model is not worth them, a choice by a few trees may be (`quick_`).
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
    >>> from bayes_distnet import KNearest, load_dataset
    >>> data = load_dataset("sat-portfolio").take(range(0, 300, 6))
    >>> model = PortfolioModel(KNearest(), presolve=False).fit(data)
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
        overhead: float = 0.0,
        presolve: bool = True,
        fallback: bool = True,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: bool | None = None,
    ) -> None:
        self.base = base
        self.objective = objective
        self.cutoff = cutoff
        self.overhead = overhead
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
        if not is_number(self.overhead) or not 0 <= self.overhead < math.inf:
            raise SettingError(f"overhead={self.overhead!r}: expected seconds, 0 or more.")
        if hasattr(self, "portfolio_"):
            del self.portfolio_  # a fit that fails leaves an unfitted model
        settings = LearningSettings(
            base=HybridDistNet(verbose=False) if self.base is None else self.base,
            objective=self.objective,
            cutoff=self.cutoff,
            overhead=self.overhead,
            presolve=self.presolve,
            fallback=self.fallback,
            n_jobs=self.n_jobs,
            seed=seed_of(self.random_state),
            shown=sys.stderr.isatty() if self.verbose is None else self.verbose,
        )
        self.portfolio_ = learn_portfolio(data, settings)
        return self

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
            Whether several copies of a solver, with different seeds, may run side by side. None: where runs with
            several seeds have shown how much of a runtime is luck.
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
        settings = Settings.of(deadline, objective, level, cores=cores, method=method, copies=copies, slowdown=slowdown)
        if feature_cost >= deadline:
            note = f"the features take {feature_cost:.3g} s, longer than the deadline, and are left out; "
            return static_plan(own, settings, allowed, note)
        if feature_cost > 0:
            settings = Settings.of(
                deadline - feature_cost, objective, level, cores=cores, method=method, copies=copies, slowdown=slowdown
            )
        return plan_schedules(own, rows, settings, allowed, cutoffs or {})

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
        return static_plan(own, Settings.of(deadline, None, None, cores=cores), own.allowed(solvers))

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
