"""Any other solver, from a command line with placeholders."""

import shlex

from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.collect.solvers.sat import SAT_ANSWER, SAT_EXIT_CODES
from bayes_distnet.errors import SettingError


def from_command(line: str, *, name: str | None = None, answer: str | None = None) -> Solver:
    """Make a solver from a command line.

    Parameters
    ----------
    line : str
        Command line such as `mysolver --seed {seed} --time {cutoff} {instance}`. It is split into words as in a
        shell, but no shell runs it.
    name : str, optional
        Name of the solver; by default the name of the program.
    answer : str, optional
        Pattern that recognises an answer in the output; by default the line that SAT solvers print, or else their exit
        codes (10: satisfiable, 20: unsatisfiable).

    Returns
    -------
    Solver
        The solver.

    Raises
    ------
    SettingError
        If the line cannot be split, or lacks `{instance}`.

    Examples
    --------
    >>> from_command("mysolver --seed {seed} {instance}", answer="^plan found").name
    'mysolver'
    """
    try:
        words = tuple(shlex.split(line))
    except ValueError as error:
        raise SettingError(f"command {line!r}: {error}.") from error
    if not words:
        raise SettingError("command: expected a command line such as 'mysolver --seed {seed} {instance}'.")
    known = name or words[0].rpartition("/")[2]
    if answer is None:
        return Solver(known, words, SAT_ANSWER, exit_codes=SAT_EXIT_CODES)
    return Solver(known, words, answer)
