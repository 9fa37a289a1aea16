"""Advice while a solver is running: go on, restart it, or switch to another.

That there is no answer yet is evidence about the instance. Instances on which the solver would probably have finished
by now lose weight, for this solver and, through the dependence between solvers, for the others: what looked like a good
alternative at the start may look as slow as the running solver by now. A restart draws new luck on the same instance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.special
from numpy.typing import ArrayLike

from bayes_distnet.arrays import FloatArray
from bayes_distnet.decide.decisions import Advice
from bayes_distnet.decide.laws.dependence import Dependence
from bayes_distnet.decide.laws.joint_laws import LEAST, JointLaws, likely_times
from bayes_distnet.decide.laws.law_table import LawTable
from bayes_distnet.decide.laws.objectives import Objective, find_objective
from bayes_distnet.decide.laws.similar_laws import observed_laws, with_similar
from bayes_distnet.decide.portfolio.fitted import Portfolio
from bayes_distnet.decide.portfolio.model import PortfolioModel
from bayes_distnet.errors import FeatureError, SettingError
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.validation import is_number

DRAWS = 512  # instances that the row may stand for
BAND = 0.9


def advise(
    model: PortfolioModel | RuntimeEstimator,
    x: Any,
    elapsed: float,
    *,
    running: str | Sequence[str] | None = None,
    objective: str | Callable[[FloatArray], ArrayLike] | None = None,
    cutoff: float | None = None,
    deadline: float | None = None,
    level: float | None = None,
    solvers: Iterable[str] | None = None,
    overhead: float = 0.0,
) -> Advice:
    """Advise what to do with a run that has given no answer yet.

    Parameters
    ----------
    model : PortfolioModel or RuntimeEstimator
        A fitted model. With a model of a single solver, the advice is to continue or to restart.
    x : array-like or DataFrame
        Features of the instance, one row.
    elapsed : float
        Seconds that the solver has been running.
    running : str, sequence of str or None
        The solver, or several that run side by side; None is the one that the model would have chosen.
    objective : str, callable or None
        See `find_objective`. None: the chance to finish before the deadline, if one is given; else PAR10 with the
        cutoff of the call or of the model, if that is not past; else expected time.
    cutoff, deadline : float or None
        Seconds from the start of the run.
    level : float or None
        Level of a quantile, where the objective needs one.
    solvers : iterable of str or None
        Solvers that may be switched to; None takes all.
    overhead : float, default 0.0
        Seconds that a restart or a switch costs.

    Returns
    -------
    Advice
        Action, expected further cost of every action, time left and reason.

    Raises
    ------
    SettingError
        Seconds that are negative or past the deadline, or a solver that the model does not have.

    Examples
    --------
    >>> from bayes_distnet import Marginal
    >>> steady = Marginal().fit(np.zeros((40, 1)), np.exp(np.random.default_rng(0).normal(0.0, 0.3, 40)))
    >>> advise(steady, [[0.0]], elapsed=0.8).action         # most runs finish soon after
    'continue'
    """
    if not is_number(elapsed) or not 0 <= elapsed < np.inf:
        raise SettingError(f"elapsed={elapsed!r}: expected seconds, 0 or more.")
    if not is_number(overhead) or not 0 <= overhead < np.inf:
        raise SettingError(f"overhead={overhead!r}: expected seconds, 0 or more.")
    known = model.portfolio_.cutoff if isinstance(model, PortfolioModel) else None
    goal = _remaining_goal(objective, cutoff, deadline, level, elapsed, known)
    if isinstance(model, PortfolioModel):
        situation = _portfolio_situation(model, x, float(elapsed), running, solvers, goal)
    else:
        situation = _single_situation(model, x, float(elapsed), goal)
    return _advice(situation, float(elapsed), goal, float(overhead))


@dataclass(frozen=True)
class _Situation:
    """Beliefs after the time that has passed: fresh runs of every solver, and the running ones going on."""

    running: tuple[str, ...]
    fresh: JointLaws
    going_on: LawTable
    left: dict[str, float]  # time until one of the running solvers answers


def _remaining_goal(
    objective: str | Callable[[FloatArray], ArrayLike] | None,
    cutoff: float | None,
    deadline: float | None,
    level: float | None,
    elapsed: float,
    known: float | None,
) -> Objective:
    """Return the objective for the time that is left."""
    for name, limit in (("cutoff", cutoff), ("deadline", deadline)):
        if limit is not None and not limit > elapsed:
            raise SettingError(
                f"{name}={limit!r}: expected more than the {elapsed:g} s that have passed; nothing is left."
            )
    if objective is None and deadline is None and cutoff is None and known is not None and known > elapsed:
        cutoff = known
    if objective is None:
        objective = "deadline" if deadline is not None else "par10" if cutoff is not None else "time"
    if isinstance(objective, str) and objective.startswith("par") and cutoff is None:
        cutoff = known if known is not None and known > elapsed else None
    left = {
        name: None if limit is None else limit - elapsed for name, limit in (("cutoff", cutoff), ("deadline", deadline))
    }
    return find_objective(objective, level=level, **left)


def _portfolio_situation(
    model: PortfolioModel,
    x: Any,
    elapsed: float,
    running: str | Sequence[str] | None,
    solvers: Iterable[str] | None,
    goal: Objective,
) -> _Situation:
    portfolio: Portfolio = model.portfolio_
    rows = portfolio.rows(x)
    _check_one_row(len(rows))
    if running is None:
        running = str(model.choose(rows).solver[0])
    busy = portfolio.allowed(running)
    allowed = np.union1d(portfolio.allowed(solvers), busy)
    predicted = portfolio.predict(rows, allowed)
    dependence = portfolio.dependence.take([int(s) for s in allowed])
    times = likely_times(predicted, goal.horizon)
    laws = JointLaws.of(predicted, dependence, times=times, n_draws=DRAWS)
    names = tuple(portfolio.solvers[s] for s in busy)
    hardness = dependence.draws(DRAWS)
    late = np.concatenate([[elapsed], elapsed + times[0]])
    numbers = [laws.solvers.index(name) for name in names]
    log_sf = sum(predicted[name].log_sf_given(hardness[:, i], late)[0] for name, i in zip(names, numbers, strict=True))
    if portfolio.shows(None if goal.horizon is None else goal.horizon + elapsed):
        shares = portfolio.shares(rows)
        laws = with_similar(
            laws, shares, portfolio.seconds[:, allowed], portfolio.finished[:, allowed], most=len(shares[0])
        )
        seen = observed_laws(portfolio.seconds[:, busy], portfolio.finished[:, busy], late).sum(axis=0)
        log_sf = np.concatenate([log_sf, seen[np.argsort(-shares[0], kind="stable")]])
    return _situation(names, laws, np.asarray(log_sf))


def _single_situation(model: RuntimeEstimator, x: Any, elapsed: float, goal: Objective) -> _Situation:
    rtd = model.predict_distribution(x)
    _check_one_row(len(rtd))
    record = getattr(model, "training_record_", None)
    name = (record is not None and record.solver) or type(model).__name__
    dependence = Dependence(np.eye(1))
    times = likely_times({name: rtd}, goal.horizon)
    laws = JointLaws.of({name: rtd}, dependence, times=times, n_draws=DRAWS)
    late = np.concatenate([[elapsed], elapsed + times[0]])
    log_sf = rtd.log_sf_given(dependence.draws(DRAWS)[:, 0], late)[0]
    return _situation((name,), laws, log_sf)


def _situation(names: tuple[str, ...], laws: JointLaws, log_sf: FloatArray) -> _Situation:
    """Weigh instances by the survival (D,) until now, the first column of `log_sf`; the others are later times."""
    log_sf = np.maximum(log_sf, LEAST)
    fresh = laws.given_alive(log_sf[None, :, 0])
    later = np.minimum(log_sf[:, 1:] - log_sf[:, :1], 0.0)
    going_on = scipy.special.logsumexp(later + fresh.log_weights[0][:, None], axis=0)
    left = _time_left(laws.times[0], going_on, later, np.exp(fresh.log_weights[0]))
    return _Situation(names, fresh, LawTable(laws.times, going_on[None, None]), left)


def _time_left(times: FloatArray, going_on: FloatArray, later: FloatArray, weights: FloatArray) -> dict[str, float]:
    """Return median and 0.9 quantile of the time left, and the band of the median over instances.

    They are of the same laws as the expected costs: infinite where these end, at the deadline or the cutoff, before.
    """
    medians = [_quantile(times, log_sf, 0.5) for log_sf in later]
    low, high = np.quantile(
        medians, [0.5 - BAND / 2, 0.5 + BAND / 2], weights=weights / weights.sum(), method="inverted_cdf"
    )
    median, late = (_quantile(times, going_on, level) for level in (0.5, 0.9))
    # The median of a mixture may lie outside the medians of nearly all its parts.
    return {"median": median, "q90": late, "low": min(float(low), median), "high": max(float(high), median)}


def _quantile(times: FloatArray, log_sf: FloatArray, level: float) -> float:
    return float(np.interp(level, np.r_[0.0, -np.expm1(log_sf)], np.r_[0.0, times], right=np.inf))


def _check_one_row(count: int) -> None:
    if count != 1:
        raise FeatureError(f"x: expected the features of one instance, found {count} rows.")


def _advice(situation: _Situation, elapsed: float, goal: Objective, overhead: float) -> Advice:
    fresh, running = situation.fresh, situation.running
    numbers = [fresh.solvers.index(name) for name in running]
    again = [int(s in numbers) for s in range(len(fresh.solvers))]
    tables = {"continue": situation.going_on, "restart": _delayed(fresh.fastest(again), overhead)}
    alone = {
        name: float(goal.cost(_delayed(fresh.averaged(fresh.log_sf[:, s]), overhead))[0, 0])
        for s, name in enumerate(fresh.solvers)
        if s not in numbers
    }
    costs = {action: float(goal.cost(table)[0, 0]) for action, table in tables.items()}
    other = min(alone, key=lambda name: alone[name], default=None)
    if other is not None:
        costs["switch"] = alone[other]
    action = min(costs, key=lambda name: (costs[name], list(costs).index(name)))
    solver = other if action == "switch" and other is not None else " + ".join(running)
    expected = {name: float(goal.shown(np.asarray(cost))) for name, cost in costs.items()}
    return Advice(
        action,
        solver,
        expected,
        situation.left,
        _reason(action, running, other, expected, situation.left, elapsed, goal),
        elapsed,
        goal.name,
    )


def _delayed(table: LawTable, seconds: float) -> LawTable:
    """Return laws of runs that start some seconds from now."""
    if not seconds:
        return table
    start = np.full((len(table), 1), seconds)
    flat = np.zeros((*table.log_sf.shape[:2], 1))
    return LawTable(
        np.concatenate([start, table.times + seconds], axis=1), np.concatenate([flat, table.log_sf], axis=2)
    )


def _reason(
    action: str,
    running: tuple[str, ...],
    other: str | None,
    expected: Mapping[str, float],
    left: Mapping[str, float],
    elapsed: float,
    goal: Objective,
) -> str:
    unit = f" {goal.unit}" if goal.unit else ""
    values = ", ".join(
        f"{name if name != 'switch' else f'switch to {other}'} {value:.3g}{unit}" for name, value in expected.items()
    )
    if np.isfinite(left["median"]):
        more = f"{left['median']:.3g} s more in the median ({left['low']:.3g} to {left['high']:.3g})"
    else:
        more = "more than the time that is left in the median"
    return f"{action}: after {elapsed:g} s, {' and '.join(running)} needs {more}; {goal.name} from now on: {values}."
