"""`PortfolioModel` as a selector: presolver, choices, schedules and parallel plans in the form that is replayed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Self

import pandas as pd

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.decide.decisions import Plan
from bayes_distnet.decide.portfolio.model import PortfolioModel
from bayes_distnet.decide.schedules.slot import Slot
from bayes_distnet.decide.selection.procedures import Procedure, Schedule, Selector, Step
from bayes_distnet.decide.solver_runs import SolverRuns
from bayes_distnet.models.registry import find_model

#: Names of variants beside the model's own advice.
CHOICE, SCHEDULE, ALWAYS = "choice alone", "schedule", "features always"


class PortfolioSelector(Selector):
    """The decisions of a `PortfolioModel`.

    Its own advice is to run the presolver, and then the chosen solver, or the single best one where features do not
    pay. Variants are the choice alone, and a schedule.

    Parameters
    ----------
    base : str, default "hybrid"
        Key of the model of each solver.
    random_state : int, default 0
        Fixes the result.
    """

    def __init__(self, base: str = "hybrid", random_state: int = 0) -> None:
        self.base = base
        self.random_state = random_state

    def __repr__(self) -> str:
        return f"PortfolioSelector(base={self.base!r}, random_state={self.random_state})"

    def fit(self, data: Dataset, runs: SolverRuns) -> Self:
        """Learn from training instances; see `Selector.fit`."""
        base = find_model(self.base).build(random_state=self.random_state)
        if "verbose" in base.get_params(deep=False):
            base.set_params(verbose=False)
        self.model_ = PortfolioModel(base, random_state=self.random_state, verbose=False).fit(data)
        self.cutoff_ = runs.cutoff
        return self

    def procedures(self, features: pd.DataFrame) -> dict[str, Procedure]:
        """Decide on unseen instances; see `Selector.procedures`."""
        model = self.model_
        chosen = Procedure.choices(list(model.choose(features).solver), features=model.columns_)
        advice = chosen if model.uses_features_ else Procedure.choices([model.sbs_] * len(features), features=())
        advice = replace(advice, presolver=as_schedule(model.presolver_))
        schedule = self._planned(model.plan(features, deadline=self.cutoff_))
        return {"": advice, CHOICE: chosen, SCHEDULE: schedule}

    def parallel(self, features: pd.DataFrame, cores: int) -> dict[str, Procedure]:
        """Decide on unseen instances for several cores; see `Selector.parallel`."""
        planned = self._planned(self.model_.plan(features, deadline=self.cutoff_, cores=cores))
        advice = planned
        if not self.model_.uses_features_:
            static = self.model_.plan_without_features(self.cutoff_, cores=cores)
            advice = Procedure([as_cores(static.slots[0])] * len(features), features=())
        return {"": advice, ALWAYS: planned}

    def _planned(self, plan: Plan) -> Procedure:
        return Procedure([as_cores(slots) for slots in plan.slots], features=self.model_.columns_)


def as_cores(slots: Iterable[Slot]) -> tuple[Schedule, ...]:
    """Return the slots of each core as a schedule."""
    slots = list(slots)
    return tuple(as_schedule(s for s in slots if s.core == core) for core in sorted({slot.core for slot in slots}))


def as_schedule(slots: Iterable[Slot]) -> Schedule:
    """Return slots on one core, in the order of their starts."""
    ordered = sorted(slots, key=lambda slot: slot.start)
    return tuple(Step(slot.solver, slot.seconds, slot.cutoff) for slot in ordered)
