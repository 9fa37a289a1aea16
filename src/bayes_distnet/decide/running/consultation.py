"""Answers to the questions about one instance: which solver, which cutoff, how many copies, go on or stop.

Nothing is run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from bayes_distnet.decide.advice import advise
from bayes_distnet.decide.decisions import Advice
from bayes_distnet.decide.restarts.best_cutoff import best_cutoff
from bayes_distnet.decide.running.planners import (
    PortfolioPlanner,
    SavedPlanner,
    Schedule,
    SolverPlanner,
    luck_is_known,
    one_row,
    planner_of,
)
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_at_least

BAND = 0.9


@dataclass(frozen=True)
class SolverOutlook:
    """What to expect of one solver on an instance, in seconds.

    Parameters
    ----------
    solver : str
        The solver.
    median, low, high : float
        Median runtime, and the band in which the instance's own median lies with probability 0.9.
    q90 : float
        Time by which nine of ten runs have finished.
    within : float or None
        Chance of finishing before the deadline.
    two_copies : float
        Median with two copies side by side.
    cutoff : float
        Restart cutoff; infinite: do not restart.
    restarts : str
        The reason.
    """

    solver: str
    median: float
    low: float
    high: float
    q90: float
    within: float | None
    two_copies: float
    cutoff: float
    restarts: str

    @classmethod
    def of(cls, solver: str, rtd: PredictedRuntimes, deadline: float | None) -> SolverOutlook:
        """Read the outlook off a prediction of one row."""
        low, high = rtd.band(BAND)
        cutoff, why = math.inf, "Do not restart: one run per instance shows nothing about the luck of a run."
        if luck_is_known(rtd):
            cut = best_cutoff(rtd)
            cutoff, why = float(cut.cutoff[0]), cut.why[0]
        return cls(
            solver,
            float(rtd.median()[0]),
            float(low[0]),
            float(high[0]),
            float(rtd.quantile(0.9)[0]),
            None if deadline is None else float(rtd.cdf(deadline)[0]),
            float(rtd.minimum_of(2).median()[0]),
            cutoff,
            why,
        )


@dataclass(frozen=True)
class Consultation:
    """Answers about one instance.

    Parameters
    ----------
    instance : str
        Name of the instance.
    outlooks : tuple of SolverOutlook
        One per solver.
    schedule : Schedule
        What to run from the start.
    cores : int
        Number of cores of the schedule.
    advice : Advice or None
        What to do with a run that has been going for some time.
    """

    instance: str
    outlooks: tuple[SolverOutlook, ...]
    schedule: Schedule
    cores: int
    advice: Advice | None

    def as_dict(self) -> dict[str, Any]:
        """Return the answers as JSON can hold them, except infinity."""
        return {
            "instance": self.instance,
            "solvers": [asdict(outlook) for outlook in self.outlooks],
            "cores": self.cores,
            "plan": self.schedule.as_dict(),
            "advice": None if self.advice is None else self.advice.as_dict(),
        }


def consult(
    model: Any,
    features: Mapping[str, float],
    *,
    instance: str = "",
    elapsed: float | None = None,
    running: str | None = None,
    deadline: float | None = None,
    cores: int = 1,
    objective: str | None = None,
    solvers: Sequence[str] | None = None,
) -> Consultation:
    """Answer the questions about one instance.

    Parameters
    ----------
    model : path, PortfolioModel or RuntimeEstimator
        A folder that `fit` wrote, or a fitted model.
    features : mapping
        Features of the instance.
    instance : str
        Its name.
    elapsed : float or None
        Seconds that a solver has been running without an answer.
    running : str or None
        That solver; by default the one that the model would have chosen.
    deadline : float or None
        Seconds from the start before which an answer is wanted.
    cores : int, default 1
        Number of cores.
    objective : str or None
        What to make small: see `find_objective`.
    solvers : sequence of str or None
        Solvers to choose from; by default all that the model knows.

    Returns
    -------
    Consultation
        The answers.

    Raises
    ------
    SettingError
        A solver that the model does not know, or seconds that cannot be used.
    """
    check_at_least("cores", cores, 1)
    planner = planner_of(model)
    names = list(planner.facts.solvers if solvers is None else solvers)
    if unknown := [name for name in (*names, *([running] if running else [])) if name not in planner.facts.solvers]:
        raise SettingError(f"solver {unknown[0]!r}: the model knows {', '.join(planner.facts.solvers)}.")
    loaded = planner.loaded if isinstance(planner, SavedPlanner) else planner
    assert isinstance(loaded, PortfolioPlanner | SolverPlanner)
    if isinstance(loaded, PortfolioPlanner):
        row = pd.DataFrame([dict(features)])
        predicted = loaded.model.predict_distribution(row)
        extra: dict[str, Any] = {"running": running, "solvers": names}
    else:
        row = one_row(loaded.model, features)
        predicted = {loaded.solver: loaded.model.predict_distribution(row)}
        extra = {}
    advice = None
    if elapsed is not None:
        advice = advise(loaded.model, row, elapsed, deadline=deadline, objective=objective, **extra)
    return Consultation(
        instance,
        tuple(SolverOutlook.of(name, predicted[name], deadline) for name in names),
        loaded.plan(features, solvers=names, deadline=deadline, cores=cores, objective=objective),
        cores,
        advice,
    )
