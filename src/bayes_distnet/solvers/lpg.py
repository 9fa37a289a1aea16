"""LPG, the stochastic local-search planner of the paper's LPG-Zenotravel scenario (Apache licence)."""

from bayes_distnet.solvers.base import Solver, program


def lpg() -> Solver:
    """Return LPG; the domain is the file `domain.pddl` beside the problem."""
    path = program("lpg", wheel="up-lpg", inside="up_lpg/lpg", solver="lpg")
    words = (path, "-o", "{folder}/domain.pddl", "-f", "{instance}", "-n", "1", "-seed", "{seed}", "-noout")
    return Solver("lpg", words, r"^(Solution number: 1)\b")
