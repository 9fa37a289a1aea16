"""Planners: what to run on one instance, from a model in memory or in a folder.

The facts about a model that are needed first (its solvers, the presolver, the cost of features) come from the header of
its folder. So a run starts at once; the model itself is loaded when its features are there.
"""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayes_distnet.decide.running.facts import PORTFOLIO, Facts, saved_facts, solver_name
from bayes_distnet.decide.schedules.slot import Slot
from bayes_distnet.models.header import read_header

if TYPE_CHECKING:
    import pandas as pd

    from bayes_distnet.decide.portfolio.model import PortfolioModel
    from bayes_distnet.decide.restarts.cutoffs import Cutoffs
    from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
    from bayes_distnet.models.base import RuntimeEstimator


@dataclass(frozen=True)
class Schedule:
    """What to run on one instance.

    Parameters
    ----------
    slots : tuple of Slot
        Solvers, cores and times.
    why : str
        The reason in one sentence.
    """

    slots: tuple[Slot, ...]
    why: str

    def as_dict(self) -> dict[str, Any]:
        """Return the schedule as JSON can hold it."""
        return {"slots": [slot.as_dict() for slot in self.slots], "why": self.why}


class Planner(ABC):
    """A source of schedules for single instances.

    Parameters
    ----------
    facts : Facts
        Facts about its model.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    @abstractmethod
    def plan(
        self,
        features: Mapping[str, float] | None,
        *,
        solvers: Sequence[str],
        deadline: float | None = None,
        cores: int = 1,
        objective: str | None = None,
    ) -> Schedule:
        """Plan the runs on one instance.

        Parameters
        ----------
        features : mapping or None
            Features of the instance; None if they are not known.
        solvers : sequence of str
            Solvers that can be run.
        deadline : float or None
            Seconds before which an answer is wanted.
        cores : int, default 1
            Number of cores.
        objective : str or None
            What to make small: see `find_objective`.

        Returns
        -------
        Schedule
            The schedule.
        """

    def prepare(self) -> None:  # noqa: B027 - most planners have nothing to prepare
        """Load what `plan` needs; it may be called in another thread."""

    def without_features(self, solvers: Sequence[str], cores: int, why: str) -> Schedule:
        """Return the schedule where features are not known: the best solvers on the training data, side by side.

        Parameters
        ----------
        solvers : sequence of str
            Solvers that can be run.
        cores : int
            Number of cores.
        why : str
            Reason why there are no features.

        Returns
        -------
        Schedule
            The schedule.
        """
        static = tuple(slot for slot in self.facts.static if slot.solver in solvers)
        if static and cores == 1:
            return Schedule(static, f"{why}; the best schedule for the training data.")
        order = [name for name in self.facts.solvers if name in solvers]
        length = self.facts.cutoff if len(order) > 1 else math.inf
        slots = tuple(Slot(order[core % len(order)], 0.0, length, core) for core in range(cores))
        best = " and ".join(dict.fromkeys(slot.solver for slot in slots))
        return Schedule(slots, f"{why}; {best} first, as the best on the training data.")

    def quick(self, features: Mapping[str, float], solvers: Sequence[str]) -> Schedule:
        """Return a schedule on one core by the quick choice, for which no model is loaded.

        Parameters
        ----------
        features : mapping
            Features of the instance.
        solvers : sequence of str
            Solvers that can be run.

        Returns
        -------
        Schedule
            The solvers in the order of their expected costs, the last one to the end.
        """
        choice = self.facts.quick
        assert choice is not None
        order = choice.order(features, solvers)
        length = self.facts.cutoff if len(order) > 1 else math.inf
        slots = tuple(Slot(name, number * length, length) for number, (name, _) in enumerate(order))
        costs = ", ".join(f"{cost:.3g} s for {name}" for name, cost in order)
        return Schedule(slots, f"{order[0][0]} first: on similar training instances, {choice.objective} is {costs}.")


class PortfolioPlanner(Planner):
    """Schedules of a portfolio model.

    Parameters
    ----------
    model : PortfolioModel
        A fitted model.
    """

    def __init__(self, model: PortfolioModel) -> None:
        best_first = tuple(sorted(model.solvers_, key=lambda name: name != model.sbs_))
        super().__init__(
            Facts(
                best_first,
                model.presolver_,
                model.feature_cost_,
                model.cutoff_,
                model.uses_features_,
                groups=model.groups_,
                quick=model.quick_,
            )
        )
        self.model = model

    def plan(
        self,
        features: Mapping[str, float] | None,
        *,
        solvers: Sequence[str],
        deadline: float | None = None,
        cores: int = 1,
        objective: str | None = None,
    ) -> Schedule:
        """Plan the runs on one instance; see `Planner.plan`."""
        from bayes_distnet.decide.schedules.planning import HORIZON

        limit = HORIZON * self.model.cutoff_ if deadline is None else deadline
        if objective is None and deadline is None:
            objective = "time"
        if features is None:
            plan = self.model.plan_without_features(limit, cores=cores, solvers=solvers)
            return Schedule(plan.slots[0], plan.why[0])
        row = _table(features)
        predicted = self.model.predict_distribution(row)
        cutoffs = {name: restarts_of(predicted[name]).cutoff for name in solvers if luck_is_known(predicted[name])}
        plan = self.model.plan(row, limit, cores=cores, objective=objective, solvers=solvers, cutoffs=cutoffs)
        return Schedule(plan.slots[0], plan.why[0])


class SolverPlanner(Planner):
    """Schedules of a model of one solver: a copy per core, restarted where that pays.

    Parameters
    ----------
    model : RuntimeEstimator
        A fitted model.
    solver : str
        Name of its solver.
    """

    def __init__(self, model: RuntimeEstimator, solver: str) -> None:
        super().__init__(Facts((solver,)))
        self.model, self.solver = model, solver

    def plan(
        self,
        features: Mapping[str, float] | None,
        *,
        solvers: Sequence[str],
        deadline: float | None = None,
        cores: int = 1,
        objective: str | None = None,
    ) -> Schedule:
        """Plan the runs on one instance; see `Planner.plan`."""
        if features is None:
            return self.without_features(solvers, cores, "no features")
        rtd = self.model.predict_distribution(one_row(self.model, features))
        cutoff, why = math.inf, "Do not restart: one run per instance shows nothing about the luck of a run."
        if luck_is_known(rtd):
            cut = restarts_of(rtd)
            cutoff, why = float(cut.cutoff[0]), cut.why[0]
        return Schedule(tuple(Slot(self.solver, 0.0, math.inf, core, cutoff) for core in range(cores)), why)


class SavedPlanner(Planner):
    """Schedules of a saved model, which is loaded when it is first asked.

    Parameters
    ----------
    path : Path
        Folder of the model.
    facts : Facts
        Facts from its header.
    """

    def __init__(self, path: Path, facts: Facts) -> None:
        super().__init__(facts)
        self.path = path

    @cached_property
    def loaded(self) -> Planner:
        """Planner of the loaded model."""
        if read_header(self.path).get("model") == PORTFOLIO:
            from bayes_distnet.decide.portfolio.model import PortfolioModel

            return PortfolioPlanner(PortfolioModel.load(self.path))
        from bayes_distnet.models.library import load_model

        return SolverPlanner(load_model(self.path), self.facts.solvers[0])

    def prepare(self) -> None:
        """Load the model."""
        _ = self.loaded

    def plan(self, features: Mapping[str, float] | None, **settings: Any) -> Schedule:
        """Plan the runs on one instance; see `Planner.plan`."""
        return self.loaded.plan(features, **settings)


def planner_of(model: Any, solver: str | None = None) -> Planner:
    """Return the planner of a model.

    Parameters
    ----------
    model : path, PortfolioModel, RuntimeEstimator or Planner
        A folder that `fit` wrote, or a fitted model.
    solver : str or None
        Name of the solver of a model that has no record of it.

    Returns
    -------
    Planner
        The planner.

    Raises
    ------
    ModelFileError
        A folder without a model.
    SettingError
        A model of one solver whose name is not known.
    """
    if isinstance(model, Planner):
        return model
    if isinstance(model, str | os.PathLike):
        return SavedPlanner(Path(model), saved_facts(Path(model), solver))
    if hasattr(model, "portfolio_"):
        return PortfolioPlanner(model)
    record = getattr(model, "training_record_", None)
    return SolverPlanner(model, solver_name(type(model).__name__, "" if record is None else record.solver, solver))


def luck_is_known(rtd: PredictedRuntimes) -> bool:
    """Whether runs with several seeds have shown how much of a runtime is luck, which a restart draws anew."""
    effect = getattr(rtd, "effect", None)
    return effect is None or not effect.assumed


def restarts_of(rtd: PredictedRuntimes) -> Cutoffs:
    """Return the best restart cutoff of a prediction; imported late, since most runs need none."""
    from bayes_distnet.decide.restarts.best_cutoff import best_cutoff

    return best_cutoff(rtd)


def _table(features: Mapping[str, float]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame([dict(features)])


def one_row(model: RuntimeEstimator, features: Mapping[str, float]) -> pd.DataFrame:
    """Return the features that a model was fitted on, as a table of one row; those that are not there are missing."""
    table = _table(features)
    names = getattr(model, "feature_names_in_", None)
    return table if names is None else table.reindex(columns=list(names))
