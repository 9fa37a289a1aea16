"""The solvers of a model that can be run here."""

from __future__ import annotations

from collections.abc import Sequence

from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.collect.solvers.registry import SOLVERS, find_solver
from bayes_distnet.errors import SettingError


def usable_solvers(known: Sequence[str], wanted: Sequence[Solver | str] = ()) -> tuple[dict[str, Solver], list[str]]:
    """Return the solvers of a model that can be run here, and notes on those that cannot.

    Parameters
    ----------
    known : sequence of str
        Solvers that the model knows.
    wanted : sequence of Solver or str, default ()
        Solvers by name, which the registry finds, and own solvers, which take the place of those with the same name. If
        names are given, only these solvers are used; own solvers alone add to those that are installed.

    Returns
    -------
    usable : dict
        Solvers by name.
    notes : list of str
        One note per solver that is not installed.

    Raises
    ------
    SettingError
        If a solver is wanted that the model does not know, or none is installed.
    """
    own = {solver.name: solver for solver in wanted if isinstance(solver, Solver)}
    named = [name for name in wanted if isinstance(name, str)]
    for name in (*own, *named):
        if name not in known:
            raise SettingError(f"solver {name!r}: the model knows {', '.join(known)}.")
    usable: dict[str, Solver] = {}
    notes = []
    for name in known:
        if name in own:
            usable[name] = own[name]
        elif not named or name in named:
            try:
                usable[name] = find_solver(name)
            except SettingError as error:
                if name in named:
                    raise
                notes.append(_missing(name, error))
    if not usable:
        raise SettingError(
            f"none of the solvers of the model can be run here: {'; '.join(notes)}. Give your command for one of them "
            "(--solver NAME=COMMAND)."
        )
    return usable, notes


def _missing(name: str, error: SettingError) -> str:
    reason = "not installed" if name in SOLVERS else "not a solver of this package"
    hint = str(error).rpartition("e.g.: ")[2] if "e.g.: " in str(error) else f"--solver {name}=COMMAND"
    return f"{name} is {reason} ({hint})"
