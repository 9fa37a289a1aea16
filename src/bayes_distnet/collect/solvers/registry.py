"""The registry of solvers: everything that `collect` can run by name, in the order of help texts.

To add a solver, write its file, with a function that returns a `Solver`, and one line here. A solver that needs no
file is a command line: see `from_command`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayes_distnet.registry import Registry, load

if TYPE_CHECKING:
    from bayes_distnet.collect.solvers.base import Solver


@dataclass(frozen=True)
class SolverEntry:
    """A solver that can be run by name.

    Parameters
    ----------
    key : str
        Name, as on the command line and in run tables.
    summary : str
        Description in one line, for help texts.
    source : str
        "package.module:function" of a function without arguments that returns the `Solver`.
    """

    key: str
    summary: str
    source: str


_HERE = "bayes_distnet.collect.solvers"

#: All solvers, in the order of help texts.
OWN_COMMAND = "collect --command LINE, run --solver NAME=COMMAND"  # ways to name a solver that is not in the list

SOLVERS: Registry[SolverEntry] = Registry(
    "solver",
    [
        SolverEntry("clasp", "SAT solver of the paper", f"{_HERE}.clasp:clasp"),
        SolverEntry("clasp-backtracking", "clasp without learning or restarts", f"{_HERE}.clasp:clasp_backtracking"),
        SolverEntry("kissat", "SAT solver, winner of competitions since 2020", f"{_HERE}.kissat:kissat"),
        SolverEntry("glucose", "SAT solver that keeps clauses of few decision levels", f"{_HERE}.glucose:glucose"),
        SolverEntry("lpg", "stochastic planner of the paper", f"{_HERE}.lpg:lpg"),
    ],
)


def find_solver(name: str) -> Solver:
    """Return a solver by name.

    Parameters
    ----------
    name : str
        Key in `SOLVERS`.

    Returns
    -------
    Solver
        The solver, with the full path of its program.

    Raises
    ------
    SettingError
        If the name is not in the registry, or if the solver is not installed. The message names the package to
        install.
    """
    solver: Solver = load(SOLVERS.find(name, hint=f", or give a command of your own ({OWN_COMMAND})").source)()
    return solver
