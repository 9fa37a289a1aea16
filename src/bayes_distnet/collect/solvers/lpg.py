"""LPG, the stochastic local-search planner of the paper's LPG-Zenotravel scenario (Apache licence)."""

from bayes_distnet.collect.solvers.base import Solver, program

# With LPG's default noise (0.1) the search on ZenoTravel ends after a few hundred steps, and grounding, which is the
# same for every seed, takes most of a run. With more noise the search determines the runtime.
NOISE = "0.4"


def lpg() -> Solver:
    """Return LPG; the domain is the file `domain.pddl` beside the problem."""
    path = program("lpg", wheel="up-lpg", inside="up_lpg/lpg", solver="lpg")
    files = ("-o", "{folder}/domain.pddl", "-f", "{instance}", "-noout")
    # The exit code is 0 even if no plan was found.
    return Solver("lpg", (path, *files, "-n", "1", "-seed", "{seed}", "-noise", NOISE), r"^\s*Solution number: (1)\b")
