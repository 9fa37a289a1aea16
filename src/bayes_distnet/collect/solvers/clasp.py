"""clasp, the conflict-driven SAT solver of the paper's clasp-factoring scenario (MIT licence).

A native `clasp` on PATH is preferred. The `clingo` package contains the same solver, but starts a Python interpreter
first, which takes about 50 ms.
"""

import importlib.util
import shutil
import sys

from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.collect.solvers.sat import SAT_ANSWER
from bayes_distnet.errors import SettingError

# Without random decisions the search of clasp hardly depends on its seed.
RANDOMISED = ("--rand-freq=0.01", "--sign-def=rnd")
# Without learning, lookahead and heuristic, half of the decisions random: backtracking as Gomes and Selman studied it.
# Some of its early random decisions can cost a run very much, and there are no restarts to undo them.
BACKTRACKING = ("--no-lookback", "--lookahead=no", "--heuristic=None", "--rand-freq=0.5")
OUTPUT, QUIET = ("--outf=1",), ("--quiet=2,2",)


def clasp_program() -> tuple[str, ...]:
    """Return the words that start clasp.

    Returns
    -------
    tuple of str
        The native program, or the interpreter with the `clingo` package.

    Raises
    ------
    SettingError
        If neither is installed.
    """
    if native := shutil.which("clasp"):
        return (native,)
    if importlib.util.find_spec("clingo") is None:
        raise SettingError(
            "solver clasp: no program 'clasp' on PATH, and the package 'clingo' is not installed. "
            "Install one of them, e.g.: pip install clingo"
        )
    return (sys.executable, "-m", "clingo", "--mode=clasp")


def clasp() -> Solver:
    """Return clasp."""
    return _clasp("clasp", RANDOMISED)


def clasp_backtracking() -> Solver:
    """Return clasp as randomised backtracking, whose runtimes have heavy tails: it learns nothing, never restarts."""
    return _clasp("clasp-backtracking", BACKTRACKING)


def _clasp(name: str, options: tuple[str, ...]) -> Solver:
    words = clasp_program()
    rest = (*options, "--seed={seed}", "{instance}")
    return Solver(
        name,
        (*words, *OUTPUT, *QUIET, *rest),
        SAT_ANSWER,
        (*words, "--version"),
        solution_template=(*words, *OUTPUT, *rest),
    )
