"""Any other solver, from a command line with placeholders."""

import shlex

from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.collect.solvers.sat import SAT_ANSWER
from bayes_distnet.errors import SettingError


def from_command(line: str, *, name: str | None = None, answer: str = SAT_ANSWER) -> Solver:
    """Return a solver from a command line such as `mysolver --seed {seed} --time {cutoff} {instance}`.

    The line is split into words as a shell would, but no shell runs it. The answer defaults to the line that SAT
    solvers print; the name to the program's.

    >>> from_command("mysolver --seed {seed} {instance}", answer="^plan found").name
    'mysolver'
    """
    try:
        words = tuple(shlex.split(line))
    except ValueError as error:
        raise SettingError(f"command {line!r}: {error}.") from error
    if not words:
        raise SettingError("command: expected a command line such as 'mysolver --seed {seed} {instance}'.")
    return Solver(name or words[0].rpartition("/")[2], words, answer)
