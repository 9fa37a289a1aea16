"""Expected costs of predicted runtimes under an objective."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.decide.laws.joint_laws import JointLaws, likely_times
from bayes_distnet.decide.laws.law_table import LawTable
from bayes_distnet.decide.laws.objectives import Objective
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes


def expected_costs(predicted: Mapping[str, PredictedRuntimes], objective: Objective) -> FloatArray:
    """Return the cost (n, S) of running each solver alone.

    Parameters
    ----------
    predicted : mapping
        Predicted runtimes by solver, one row per instance.
    objective : Objective
        What is to be small.

    Returns
    -------
    array
        Costs of single runs; infinite where an expected time is.
    """
    costs = []
    for rtd in predicted.values():
        times = likely_times({"": rtd}, objective.horizon)
        costs.append(objective.cost(LawTable(times, rtd.log_sf(times)[:, None, :]))[:, 0])
    return np.stack(costs, axis=1)


def drawn_costs(laws: JointLaws, objective: Objective, random_state: int) -> FloatArray:
    """Return the cost (n, S) of each solver on one instance per row, drawn from those that it may stand for."""
    rng = np.random.default_rng(random_state)
    reached = np.cumsum(np.exp(laws.log_weights), axis=1)
    draw = np.minimum((reached < rng.random((len(laws), 1))).sum(axis=1), laws.n_draws - 1)
    rows = np.arange(len(laws))
    return np.stack(
        [
            objective.cost(LawTable(laws.times, laws.log_sf[rows, s, draw][:, None, :]))[:, 0]
            for s in range(len(laws.solvers))
        ],
        axis=1,
    )
