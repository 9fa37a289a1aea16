"""Check of a solution that a SAT solver prints, against the formula.

An answer "satisfiable" with a wrong solution is worse than none: it looks right. The check takes far less time than the
search for the solution. An answer without a solution, and "unsatisfiable", are taken as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from bayes_distnet.collect.attempts import Tried
from bayes_distnet.data.compressed import ENDINGS, READ_ERRORS, open_plain

SUFFIXES = tuple(kind + packed for kind in (".cnf", ".dimacs") for packed in ("", *ENDINGS))
SATISFIABLE, UNSATISFIABLE = "SATISFIABLE", "UNSATISFIABLE"


class SolutionCheck:
    """Checks the solutions of one CNF file.

    After a check, `proven` is True if a solution was there and satisfies all clauses.

    Parameters
    ----------
    instance : Path
        The file; of files with another ending nothing is checked.
    """

    def __init__(self, instance: Path) -> None:
        self.instance, self.proven = instance, False

    def __call__(self, tried: Tried, output: BinaryIO) -> str:
        """Return the error in a solution; empty where there is none, or no solution.

        Parameters
        ----------
        tried : Tried
            Attempt with an answer.
        output : binary file
            Its output.

        Returns
        -------
        str
            The error.
        """
        if tried.outcome.answer != SATISFIABLE or not self.instance.name.endswith(SUFFIXES):
            return ""
        try:
            literals = {int(word) for line in output if line[:1] == b"v" for word in line[1:].split()}
        except ValueError:
            return "its lines v have other words than numbers"
        literals.discard(0)
        if not literals:
            return ""
        if twice := next((literal for literal in literals if -literal in literals), None):
            return f"its solution has both {abs(twice)} and {-abs(twice)}"
        try:
            number = first_unsatisfied(self.instance, literals)
        except READ_ERRORS:
            return ""  # it was read by the solver, and cannot be read here
        self.proven |= number is None
        return "" if number is None else f"its solution does not satisfy clause {number}"


def first_unsatisfied(path: Path, literals: set[int]) -> int | None:
    """Return the number of the first clause that has none of the literals; None if all have one.

    Parameters
    ----------
    path : Path
        CNF file, plain or compressed (.gz, .xz, .bz2).
    literals : set of int
        True literals.

    Returns
    -------
    int or None
        Number of the clause, from 1.
    """
    true = {b"%d" % literal for literal in literals}
    number, satisfied = 1, False
    with open_plain(path) as file:
        for line in file:
            if line[:1] in (b"c", b"p"):
                continue
            if line[:1] == b"%":  # the end of the files of SATLIB
                break
            for words in _parts(line.split()):
                satisfied = satisfied or not true.isdisjoint(words)
                if words[-1] == b"0":
                    if not satisfied:
                        return number
                    number, satisfied = number + 1, False
    return None


def _parts(words: list[bytes]) -> Iterator[list[bytes]]:
    """Yield the clauses of a line, each with its 0 at the end; the last one may go on in the next line."""
    while words:
        end = words.index(b"0") + 1 if b"0" in words else len(words)
        yield words[:end]
        words = words[end:]
