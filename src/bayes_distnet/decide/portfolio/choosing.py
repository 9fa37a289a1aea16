"""Choice of one solver per instance."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bayes_distnet.arrays import FloatArray, IndexArray
from bayes_distnet.decide.decisions import Choice
from bayes_distnet.decide.laws.expected_costs import drawn_costs, expected_costs
from bayes_distnet.decide.laws.objectives import Objective
from bayes_distnet.decide.portfolio.fitted import Portfolio

HOPELESS = 0.05  # chance of finishing before the cutoff below which a reason points it out


def choose_solvers(
    portfolio: Portfolio, rows: pd.DataFrame, objective: Objective, allowed: IndexArray, thompson: int | None = None
) -> Choice:
    """Choose a solver per instance.

    Parameters
    ----------
    portfolio : Portfolio
        A fitted portfolio.
    rows : DataFrame
        Features, one row per instance.
    objective : Objective
        What is to be small.
    allowed : array of int
        Solvers to choose from.
    thompson : int or None, default None
        Seed of Thompson sampling; None chooses the solver with the least expected cost.

    Returns
    -------
    Choice
        One entry per row.
    """
    names = tuple(portfolio.solvers[s] for s in allowed)
    everywhere = np.arange(len(portfolio.solvers))
    learnt = portfolio.selector is not None and objective.key == portfolio.objective.key
    predicted = portfolio.predict(rows, everywhere if learnt else allowed)
    costs = expected_costs(predicted, objective)
    note: list[str] = [""] * len(rows)
    if learnt:
        costs, picked, note = _learnt_choice(portfolio, rows, costs, allowed)
    else:
        costs = _with_similar(portfolio, rows, costs, objective, allowed)
        picked, note = _least(costs, {name: predicted[name].median() for name in names}, note)
    if thompson is not None:
        drawn = drawn_costs(portfolio.joint(rows, allowed, until=objective.horizon), objective, thompson)
        picked, note = drawn.argmin(axis=1), ["drawn at random by Thompson sampling"] * len(rows)
    expected = costs[np.arange(len(rows)), picked]
    why = tuple(_reason(names, objective, costs[i], int(picked[i]), note[i]) for i in range(len(rows)))
    solver = np.array(names, dtype=object)[picked]
    return Choice(solver, objective.shown(expected), why, objective.name, names, objective.shown(costs))


def _learnt_choice(
    portfolio: Portfolio, rows: pd.DataFrame, predicted: FloatArray, allowed: IndexArray
) -> tuple[FloatArray, IndexArray, list[str]]:
    """Expected costs, choices among those allowed, and notes, by the learnt weights."""
    selector = portfolio.selector
    assert selector is not None
    scores, similar, _ = selector.score(rows.to_numpy(float), predicted)
    picked, advantage = selector.pick(scores, allowed)
    part = selector.weights[:2] / selector.weights[:2].sum()
    costs = part[0] * predicted + part[1] * similar
    fell_back = (advantage < selector.threshold) & (
        scores[:, allowed].min(axis=1) < scores[np.arange(len(rows)), picked]
    )
    note = ["the single best solver, since no other is clearly better here" if fell else "" for fell in fell_back]
    return costs[:, allowed], np.searchsorted(allowed, picked), note


def _with_similar(
    portfolio: Portfolio, rows: pd.DataFrame, costs: FloatArray, objective: Objective, allowed: IndexArray
) -> FloatArray:
    """Average expected costs with those on similar training instances, for objectives that runs show."""
    if objective.of_runs is None or not portfolio.shows(objective.horizon):
        return costs
    seconds, finished = portfolio.seconds[:, allowed], portfolio.finished[:, allowed]
    present = ~np.isnan(seconds)
    each = np.where(present, objective.of_runs(np.where(present, seconds, portfolio.cutoff), finished), 0.0)
    count = present.sum(axis=2)
    mean = each.sum(axis=2) / np.maximum(count, 1)
    usual = mean.sum(axis=0) / np.maximum((count > 0).sum(axis=0), 1)
    return np.asarray(0.5 * (costs + portfolio.shares(rows) @ np.where(count > 0, mean, usual)))


def _least(costs: FloatArray, medians: dict[str, FloatArray], note: list[str]) -> tuple[IndexArray, list[str]]:
    """Choices of the least cost; by the median where every expected cost is infinite."""
    picked = costs.argmin(axis=1)
    endless = np.asarray(~np.isfinite(costs).any(axis=1))
    if endless.any():
        picked = np.where(endless, np.stack(list(medians.values()), axis=1).argmin(axis=1), picked)
        reason = "every expected value is infinite, so the least median decides; give a cutoff"
        note = [reason if e else n for e, n in zip(endless, note, strict=True)]
    return picked, note


def _reason(names: tuple[str, ...], objective: Objective, costs: FloatArray, picked: int, note: str) -> str:
    def shown(cost: float) -> str:
        return f"{float(objective.shown(np.asarray(cost))):.3g}{' ' + objective.unit if objective.unit else ''}"

    parts = [f"{objective.name} is {shown(costs[picked])}"]
    if len(names) == 1:
        parts.append("it is the only solver")
    else:
        other = int(np.argmin(np.where(np.arange(len(names)) == picked, np.inf, costs)))
        parts.append(f"{names[other]} has {shown(costs[other])}")
    if objective.key[0] == "par" and costs.min() > (1.0 - HOPELESS) * objective.key[1] * objective.key[2]:
        parts.append("every solver will probably be cut off")
    if note:
        parts.append(note)
    return f"{names[picked]}: {'; '.join(parts)}."
