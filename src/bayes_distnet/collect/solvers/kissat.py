"""Kissat, winner of SAT competitions since 2020 (MIT licence)."""

from bayes_distnet.collect.solvers.base import Solver, program
from bayes_distnet.collect.solvers.sat import SAT_ANSWER


def kissat() -> Solver:
    """Return Kissat; it simplifies while it searches, and its seed drives its random choices."""
    path = program("kissat", wheel="passagemath-kissat", inside="sage_wheels/bin/kissat", solver="kissat")
    return Solver(
        "kissat",
        (path, "-q", "-n", "--seed={seed}", "{instance}"),
        SAT_ANSWER,
        (path, "--version"),
        solution_template=(path, "-q", "--seed={seed}", "{instance}"),
    )
