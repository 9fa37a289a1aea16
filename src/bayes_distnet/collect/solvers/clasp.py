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
OPTIONS = ("--outf=1", "--quiet=2,2", *RANDOMISED, "--seed={seed}")
SOLUTION_OPTIONS = tuple(word for word in OPTIONS if word != "--quiet=2,2")


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
    words = clasp_program()
    return Solver(
        "clasp",
        (*words, *OPTIONS, "{instance}"),
        SAT_ANSWER,
        (*words, "--version"),
        solution_template=(*words, *SOLUTION_OPTIONS, "{instance}"),
    )
