"""Limits of selection: the single best solver of the training instances, and the oracle."""

from __future__ import annotations

import numpy as np

from bayes_distnet.decide.selection.procedures import Procedure
from bayes_distnet.decide.solver_runs import SolverRuns


def single_best(train: SolverRuns, n_instances: int) -> Procedure:
    """Return the choice of the solver with the least mean PAR10 on the training instances (SBS); it needs no features.

    Parameters
    ----------
    train : SolverRuns
        Runs of the training instances.
    n_instances : int
        Number of instances to decide on.

    Returns
    -------
    Procedure
        The same solver on all instances.
    """
    return Procedure.choices([train.solvers[train.single_best()]] * n_instances, features=())


def oracle(test: SolverRuns) -> Procedure:
    """Return the choice of the solver with the least PAR10 on each instance (VBS); it needs no features.

    Of solvers with several runs, the mean counts: the oracle knows the instance, not the seed.

    Parameters
    ----------
    test : SolverRuns
        Runs of the instances to decide on.

    Returns
    -------
    Procedure
        One solver per instance.
    """
    return Procedure.choices([test.solvers[best] for best in np.argmin(test.par10(), axis=1)], features=())
