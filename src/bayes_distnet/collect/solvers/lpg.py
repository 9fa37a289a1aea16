"""LPG, the stochastic local-search planner of the paper's LPG-Zenotravel scenario (Apache licence)."""

from bayes_distnet.collect.solvers.base import Solver, program

# At LPG's own noise (0.1) its search on ZenoTravel is over after a few hundred steps, and most of a run is grounding,
# the same for every seed. With more noise the search decides how long a run takes.
NOISE = "0.4"


def lpg() -> Solver:
    """Return LPG; the domain is the file `domain.pddl` beside the problem."""
    path = program("lpg", wheel="up-lpg", inside="up_lpg/lpg", solver="lpg")
    files = ("-o", "{folder}/domain.pddl", "-f", "{instance}", "-noout")
    # Its exit code is 0 without a plan too.
    return Solver("lpg", (path, *files, "-n", "1", "-seed", "{seed}", "-noise", NOISE), r"^\s*Solution number: (1)\b")
