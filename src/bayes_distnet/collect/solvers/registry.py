"""Solvers: one small file each; `find_solver` by name, `from_command` for any other."""

from collections.abc import Callable

from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.collect.solvers.clasp import clasp
from bayes_distnet.collect.solvers.command import from_command
from bayes_distnet.collect.solvers.glucose import glucose
from bayes_distnet.collect.solvers.kissat import kissat
from bayes_distnet.collect.solvers.lpg import lpg
from bayes_distnet.errors import SettingError

__all__ = ["SOLVERS", "Solver", "find_solver", "from_command"]

SOLVERS: dict[str, Callable[[], Solver]] = {"clasp": clasp, "glucose": glucose, "kissat": kissat, "lpg": lpg}


def find_solver(name: str) -> Solver:
    """Return a solver by its name; an error tells how to install one that is missing."""
    if name not in SOLVERS:
        raise SettingError(f"solver {name!r}: expected one of {', '.join(SOLVERS)}, or give a command of your own.")
    return SOLVERS[name]()
