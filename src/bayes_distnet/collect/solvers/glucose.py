"""Glucose, a conflict-driven SAT solver that keeps learnt clauses of few decision levels (MIT licence)."""

from bayes_distnet.collect.solvers.base import Solver, program
from bayes_distnet.collect.solvers.sat import SAT_ANSWER

# As in MiniSat, the search is deterministic without these options for random decisions.
OPTIONS = ("-verb=0", "-rnd-init", "-rnd-freq=0.01", "-rnd-seed={seed}")


def glucose() -> Solver:
    """Return Glucose."""
    path = program("glucose", wheel="passagemath-glucose", inside="sage_wheels/bin/glucose", solver="glucose")
    words = (path, *OPTIONS)
    return Solver(
        "glucose",
        (*words, "{instance}"),
        SAT_ANSWER,
        smallest_seed=1,
        solution_template=(*words, "-model", "{instance}"),
    )
