"""Objectives: what a decision is to make small, as a number per tabulated distribution.

An objective takes a `LawTable` and returns one cost per distribution, where less is better. The distribution may be
that of a solver, of a schedule or of several solvers side by side: an objective sees only when the answer comes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.decide.laws.law_table import LawTable
from bayes_distnet.decide.laws.law_values import chances_between, sf_and_spent_at, time_at
from bayes_distnet.errors import SettingError
from bayes_distnet.registry import Registry, load
from bayes_distnet.validation import check_level, check_positive

PENALISED = re.compile(r"par([1-9][0-9]*)")


@dataclass(frozen=True)
class Objective:
    """An objective with its settings.

    Parameters
    ----------
    name : str
        Name with settings, as sentences show it: "PAR10 at 500 s".
    key : tuple
        Name and settings; equal keys are the same objective.
    cost : callable
        Takes a `LawTable`, returns costs (n, D); less is better.
    of_runs : callable or None
        Takes seconds and whether each run finished, returns the cost of every run; None for objectives that are no
        average over runs, such as a quantile.
    unit : str
        Unit of `shown`: "s", or "" for chances and utilities.
    shown : callable
        Turns a cost into the number that is shown: a chance of finishing is 1 less the cost.
    horizon : float or None
        Time past which the objective makes no difference between finishing times; None if there is none.
    """

    name: str
    key: tuple[Any, ...]
    cost: Callable[[LawTable], FloatArray]
    of_runs: Callable[[FloatArray, BoolArray], FloatArray] | None
    unit: str = "s"
    shown: Callable[[FloatArray], FloatArray] = np.asarray
    horizon: float | None = None


@dataclass(frozen=True)
class ObjectiveEntry:
    """An entry of the registry of objectives.

    Parameters
    ----------
    key : str
        Its name.
    label : str
        Explanation in a few words.
    needs : tuple of str
        Settings that it needs: "cutoff", "deadline", "level".
    source : str
        Function that builds it, as "module:function".
    """

    key: str
    label: str
    needs: tuple[str, ...]
    source: str


_HERE = "bayes_distnet.decide.laws.objectives"
OBJECTIVES = Registry(
    "objective",
    [
        ObjectiveEntry("time", "expected seconds, up to the cutoff if there is one", (), f"{_HERE}:expected_time"),
        ObjectiveEntry(
            "par10", "expected seconds, ten times the cutoff if not finished", ("cutoff",), f"{_HERE}:par10"
        ),
        ObjectiveEntry("par2", "expected seconds, twice the cutoff if not finished", ("cutoff",), f"{_HERE}:par2"),
        ObjectiveEntry("deadline", "chance to finish before a deadline", ("deadline",), f"{_HERE}:finish_by"),
        ObjectiveEntry(
            "quantile", "time by which a fraction of the runs has finished", ("level",), f"{_HERE}:quantile"
        ),
        ObjectiveEntry("cvar", "mean of the slowest runs, those past a quantile", ("level",), f"{_HERE}:tail_mean"),
    ],
)


def find_objective(
    objective: str | Callable[[FloatArray], ArrayLike] | Objective,
    *,
    cutoff: float | None = None,
    deadline: float | None = None,
    level: float | None = None,
) -> Objective:
    """Return an objective with its settings.

    Parameters
    ----------
    objective : str, callable or Objective
        A name in `OBJECTIVES`; "parK" for any whole number K; or a utility: a function of an array of seconds, larger
        is better, whose expectation is made large. An `Objective` is returned as it is.
    cutoff : float or None
        Seconds after which a run is stopped.
    deadline : float or None
        Seconds before which an answer is wanted.
    level : float or None
        Level of a quantile, between 0 and 1.

    Returns
    -------
    Objective
        The objective.

    Raises
    ------
    SettingError
        A name that is unknown, or a setting that is missing or impossible.

    Examples
    --------
    >>> from bayes_distnet.distributions.families import Exponential
    >>> from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
    >>> table = LawTable.of(RuntimeDistribution(Exponential(scale=[1.0, 10.0])), hardness=[0.0])
    >>> find_objective("par10", cutoff=5.0).cost(table).round(3).ravel()      # 1 - exp(-5) + 45 exp(-5), ...
    array([ 1.296, 31.229])
    >>> find_objective(lambda t: t < 1.0).name
    'utility <lambda>'
    """
    if isinstance(objective, Objective):
        return objective
    settings = {"cutoff": cutoff, "deadline": deadline, "level": level}
    for name in ("cutoff", "deadline"):
        if settings[name] is not None:
            check_positive(name, settings[name])
    if callable(objective):
        return utility(objective, cutoff=cutoff)
    penalised = PENALISED.fullmatch(objective) if isinstance(objective, str) else None
    entry = (
        OBJECTIVES["par10"] if penalised else OBJECTIVES.find(objective, ", parK for any K, or a function of seconds")
    )
    for name in entry.needs:
        if settings[name] is None:
            raise SettingError(f"objective {objective!r} needs {name}: give {name}=..., {_MEANINGS[name]}.")
    if penalised:
        return penalised_time(float(cutoff or 0.0), int(penalised[1]))
    built: Objective = load(entry.source)(**settings)
    return built


_MEANINGS = {
    "cutoff": "the seconds after which a run is stopped",
    "deadline": "the seconds before which an answer is wanted",
    "level": "a number between 0 and 1",
}


def expected_time(cutoff: float | None = None, **_: Any) -> Objective:
    """Expected seconds until the answer, or until the cutoff if that comes first."""

    def cost(table: LawTable) -> FloatArray:
        return table.mean if cutoff is None else sf_and_spent_at(table, cutoff)[1]

    name = "expected time" if cutoff is None else f"expected time up to {cutoff:g} s"
    # Recorded runs that were cut off do not tell their time: they count as what was spent on them.
    return Objective(name, ("time", cutoff), cost, lambda t, finished: np.minimum(t, cutoff or np.inf), horizon=cutoff)


def penalised_time(cutoff: float, factor: int) -> Objective:
    """Expected seconds, where a run that is not finished at the cutoff counts as `factor` times the cutoff (PAR-k)."""

    def cost(table: LawTable) -> FloatArray:
        alive, spent = sf_and_spent_at(table, cutoff)
        return spent + (factor - 1.0) * cutoff * alive

    def of_runs(seconds: FloatArray, finished: BoolArray) -> FloatArray:
        return np.where(finished & (seconds <= cutoff), seconds, factor * cutoff)

    return Objective(f"PAR{factor} at {cutoff:g} s", ("par", factor, cutoff), cost, of_runs, horizon=cutoff)


def par10(cutoff: float, **_: Any) -> Objective:
    """PAR10: ten times the cutoff for a run that is not finished then."""
    return penalised_time(cutoff, 10)


def par2(cutoff: float, **_: Any) -> Objective:
    """PAR2: twice the cutoff for a run that is not finished then."""
    return penalised_time(cutoff, 2)


def finish_by(deadline: float, **_: Any) -> Objective:
    """Chance to finish before a deadline; the cost is the chance not to."""
    return Objective(
        f"chance to finish within {deadline:g} s",
        ("deadline", deadline),
        lambda table: sf_and_spent_at(table, deadline)[0],
        lambda seconds, finished: np.where(finished & (seconds <= deadline), 0.0, 1.0),
        unit="",
        shown=lambda cost: 1.0 - np.asarray(cost),
        horizon=deadline,
    )


def quantile(level: float, **_: Any) -> Objective:
    """Time by which a fraction `level` of the runs has finished."""
    level = check_level(level)
    return Objective(f"{level:g} quantile", ("quantile", level), lambda table: time_at(table, 1.0 - level), None)


def tail_mean(level: float, cutoff: float | None = None, **_: Any) -> Objective:
    """Mean time of the runs past the quantile at `level` (CVaR), stopped at the cutoff if there is one."""
    level = check_level(level)

    def cost(table: LawTable) -> FloatArray:
        start = time_at(table, 1.0 - level)
        total = table.mean if cutoff is None else sf_and_spent_at(table, cutoff)[1]
        start = start if cutoff is None else np.minimum(start, cutoff)
        return np.asarray(start + np.maximum(total - sf_and_spent_at(table, start)[1], 0.0) / (1.0 - level))

    stop = "" if cutoff is None else f" up to {cutoff:g} s"
    name = f"mean of the slowest {1.0 - level:.3g}{stop}"
    return Objective(name, ("cvar", level, cutoff), cost, None, horizon=cutoff)


def utility(function: Callable[[FloatArray], ArrayLike], *, cutoff: float | None = None) -> Objective:
    """Expectation of a utility of seconds, made large; a run that is stopped at the cutoff has the utility of that."""

    def worth(seconds: FloatArray) -> FloatArray:
        try:
            values = np.asarray(function(seconds), dtype=float)
        except (TypeError, ValueError) as error:
            raise SettingError(f"objective: the utility must take an array of seconds ({error}).") from error
        if values.shape != seconds.shape or np.isnan(values).any():
            raise SettingError(
                f"objective: the utility of {seconds.shape} seconds must be as many numbers, none of them NaN; found "
                f"shape {values.shape}."
            )
        return values

    def cost(table: LawTable) -> FloatArray:
        times, chances = chances_between(table, cutoff)
        return np.asarray(-(chances * worth(times)[:, None, :]).sum(axis=2))

    return Objective(
        f"utility {getattr(function, '__name__', 'of seconds')}",
        ("utility", function, cutoff),
        cost,
        lambda seconds, finished: -worth(np.minimum(seconds, cutoff or np.inf)),
        unit="",
        shown=lambda cost: -np.asarray(cost),
        horizon=cutoff,
    )
