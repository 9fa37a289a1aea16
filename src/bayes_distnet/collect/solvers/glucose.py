"""Glucose, a conflict-driven SAT solver that keeps clauses of few levels (MIT licence)."""

from bayes_distnet.collect.solvers.base import Solver, program
from bayes_distnet.collect.solvers.sat import SAT_ANSWER

# Like MiniSat's, its search is deterministic unless random decisions are asked for.
OPTIONS = ("-verb=0", "-rnd-init", "-rnd-freq=0.01", "-rnd-seed={seed}")


def glucose() -> Solver:
    """Return Glucose."""
    path = program("glucose", wheel="passagemath-glucose", inside="sage_wheels/bin/glucose", solver="glucose")
    return Solver("glucose", (path, *OPTIONS, "{instance}"), SAT_ANSWER, smallest_seed=1)
