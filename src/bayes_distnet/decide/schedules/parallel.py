"""Several cores: which solvers side by side, and how many copies of each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayes_distnet.arrays import BoolArray, FloatArray, IntArray
from bayes_distnet.decide.laws.joint_laws import LEAST, JointLaws
from bayes_distnet.decide.laws.objectives import Objective


def best_together(
    laws: JointLaws, cores: int, objective: Objective, *, copies: Sequence[bool] | None = None
) -> tuple[IntArray, FloatArray]:
    """Choose solvers that run side by side until one of them answers.

    Solvers are added one by one, each time the one that makes the objective least together with those before it; then
    single solvers are exchanged as long as that helps. Solvers that fail on the same instances add little to each
    other.

    Parameters
    ----------
    laws : JointLaws
        Laws of n rows.
    cores : int
        Number of solvers and copies.
    objective : Objective
        What is to be small.
    copies : sequence of bool, optional
        Per solver, whether further copies with other seeds are of use; none by default.

    Returns
    -------
    counts : array of int
        (n, S) copies of every solver. Fewer than `cores` if there are no more solvers.
    cost : array
        (n,) costs.
    """
    solvers = len(laws.solvers)
    repeated = np.zeros(solvers, dtype=bool) if copies is None else np.asarray(copies, dtype=bool)
    counts = np.zeros((len(laws), solvers), dtype=np.int64)
    log_sf = np.maximum(laws.log_sf, LEAST)
    total = np.zeros(log_sf[:, 0].shape)
    cost = np.full(len(laws), np.inf)
    for _ in range(cores if repeated.any() else min(cores, solvers)):
        counts, total, cost = _with_one_more(laws, log_sf, total, counts, repeated, objective, cost)
    for _ in range(cores):
        improved = False
        for solver in range(solvers):
            rows = np.flatnonzero(counts[:, solver])
            if not rows.size or cores == 1:
                continue
            part = laws.take(rows)
            fewer = counts[rows].copy()
            fewer[:, solver] -= 1
            rest = total[rows] - log_sf[rows, solver]
            new, sums, value = _with_one_more(
                part, log_sf[rows], rest, fewer, repeated, objective, np.full(len(rows), np.inf)
            )
            better = value < cost[rows] * (1.0 - 1e-9) - 1e-12
            counts[rows[better]], total[rows[better]], cost[rows[better]] = new[better], sums[better], value[better]
            improved |= bool(better.any())
        if not improved:
            break
    return counts, cost


def _with_one_more(
    laws: JointLaws,
    log_sf: FloatArray,
    total: FloatArray,
    counts: IntArray,
    repeated: BoolArray,
    objective: Objective,
    cost: FloatArray,
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Add the solver, or a copy, that makes the objective least; rows for which there is none stay as they are."""
    rows = np.arange(len(laws))
    costs = np.full(counts.shape, np.inf)
    for solver in range(counts.shape[1]):
        possible = repeated[solver] | (counts[:, solver] == 0)
        if possible.any():
            value = objective.cost(laws.averaged(total + log_sf[:, solver]))[:, 0]
            costs[:, solver] = np.where(possible, np.where(np.isnan(value), np.inf, value), np.inf)
    best = costs.argmin(axis=1)
    open_rows = repeated[best] | (counts[rows, best] == 0)
    counts = counts.copy()
    counts[rows, best] += open_rows
    total = total + np.where(open_rows[:, None, None], log_sf[rows, best], 0.0)
    return counts, total, np.where(open_rows, costs[rows, best], cost)
