"""Reading DIMACS CNF: files are checked here, before a C++ program reads them.

gbdc crashes on an empty clause and hangs on a large variable, clasp hangs on a line with `%`. Files are read in blocks
of lines, since features of small instances must cost milliseconds; single lines are looked at where a block has more
than clauses, and for messages.
"""

from __future__ import annotations

import bisect
import re
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bayes_distnet.data.compressed import READ_ERRORS, open_plain
from bayes_distnet.errors import FeatureError

LONGEST_LINE = 2**24  # bytes
BLOCK = 2**18  # bytes
NO_CLAUSE = re.compile(rb"^[cp%]", re.MULTILINE)  # lines that are no clauses


@dataclass(frozen=True)
class Cnf:
    """A CNF that has been checked.

    Parameters
    ----------
    variables, clauses : int
        Numbers of both.
    literals : array of int
        Literals of all clauses; each clause ends with 0.
    text : bytes
        The same as DIMACS text without comments.
    """

    variables: int
    clauses: int
    literals: array[int]
    text: bytes


def clean_dimacs(path: Path, tick: Callable[[], object]) -> Cnf:
    """Read a CNF file, and leave out its comments.

    Parameters
    ----------
    path : Path
        The file, plain or compressed (.gz, .xz, .bz2).
    tick : callable
        Function without arguments that is called every few thousand lines; it may raise an error to end the reading.

    Returns
    -------
    Cnf
        Header and clauses.

    Raises
    ------
    FeatureError
        If the file is not valid.
    """
    reader = _Reader(path)
    for number, block in _blocks(path, tick):
        if not reader.add(number, block):
            break
    if reader.header is None:
        raise FeatureError(f"{path}: no line 'p cnf VARIABLES CLAUSES'. Is it a DIMACS CNF file, and complete?")
    variables, declared = reader.header
    reader.check(variables, declared)
    text = b"p cnf %d %d\n" % (variables, declared) + b"".join(reader.kept) + b"\n"
    return Cnf(variables, declared, reader.literals, text)


@dataclass
class _Reader:
    """Literals of the blocks so far, and where they were found."""

    path: Path
    header: tuple[int, int] | None = None
    header_line: int = 0
    clauses: int = 0
    largest: int = 0  # variable
    literals: array[int] = field(default_factory=lambda: array("q"))
    kept: list[bytes] = field(default_factory=list)
    blocks: list[tuple[int, int, bytes]] = field(default_factory=list)  # first literal, first line, text

    def add(self, number: int, block: bytes) -> bool:
        """Read a block of lines that starts at a line number; return whether the file goes on."""
        self.blocks.append((len(self.literals), number, block))
        clauses, goes_on = block[self._to_the_header(number, block) :], True
        if NO_CLAUSE.search(clauses):
            clauses, goes_on = _only_clauses(clauses)
        try:
            values = list(map(int, clauses.replace(b"_", b"?").split()))  # Python reads 1_0 as ten
            self.literals.extend(values)
        except (ValueError, OverflowError):
            raise self._unreadable() from None
        self.clauses += values.count(0)
        self.largest = max(self.largest, max(values, default=0), -min(values, default=0))
        self.kept.append(clauses)
        return goes_on

    def _to_the_header(self, number: int, block: bytes) -> int:
        """Look for the header if it has not been found yet; return where the rest of the block starts."""
        start = 0
        while self.header is None and start < len(block):
            end = block.find(b"\n", start) + 1 or len(block)
            line = block[start:end]
            if line[:1] == b"p":
                self.header, self.header_line = _header(self.path, number, line), number
            elif line[:1] != b"c" and not line.isspace():
                found = f"found {_shown(line)} before the header"
                raise _error(self.path, number, found, "a line 'p cnf VARIABLES CLAUSES'")
            start, number = end, number + 1
        return start

    def _unreadable(self) -> FeatureError:
        _, first, block = self.blocks[-1]
        for number, line in self._clause_lines(first, block):
            try:
                array("q", map(int, line.replace(b"_", b"?").split()))
            except (ValueError, OverflowError):
                return _error(self.path, number, f"found {_shown(line)}", "literals, whole numbers ended by 0")
        raise AssertionError("every line can be read")

    def check(self, variables: int, declared: int) -> None:
        """Compare all literals with the header."""
        literals = self.literals
        if (empty := _empty_clause(literals)) is not None:
            raise _error(self.path, self._line_of(empty), "an empty clause", "clauses of at least one literal")
        if self.largest > variables:
            place = next(i for i, literal in enumerate(literals) if not -variables <= literal <= variables)
            allowed = f"variables 1 to {variables}, as in the header"
            raise _error(self.path, self._line_of(place), f"literal {literals[place]}", allowed)
        if literals and literals[-1] != 0:
            allowed = "a 0 after it; perhaps the file is cut short"
            raise _error(self.path, self._line_of(len(literals) - 1), "the last clause does not end", allowed)
        if self.clauses != declared:
            raise FeatureError(
                f"{self.path}: the header has {declared} clauses, and the file {self.clauses}. "
                "Is the file cut short? If not, correct the header."
            )
        if self.clauses == 0:
            raise FeatureError(f"{self.path}: no clauses, and so no features. Leave this instance out.")

    def _line_of(self, place: int) -> int:
        """Return the line of a literal."""
        start, first, block = self.blocks[bisect.bisect_right(self.blocks, place, key=lambda entry: entry[0]) - 1]
        for number, line in self._clause_lines(first, block):
            start += len(line.split())
            if place < start:
                return number
        raise AssertionError("the literal is in its block")

    def _clause_lines(self, first: int, block: bytes) -> Iterator[tuple[int, bytes]]:
        for number, line in enumerate(block.splitlines(keepends=True), first):
            if line[:1] not in (b"c", b"%") and number > self.header_line:
                yield number, line


def _only_clauses(block: bytes) -> tuple[bytes, bool]:
    """Leave out comments; return the rest, and whether more may follow."""
    kept: list[bytes] = []
    for line in block.splitlines(keepends=True):
        if line[:1] == b"%":  # the end of the files of SATLIB
            return b"".join(kept), False
        if line[:1] != b"c":
            kept.append(line)
    return b"".join(kept), True


def _empty_clause(literals: array[int]) -> int | None:
    """Return the place of a 0 that ends no clause."""
    if literals and literals[0] == 0:
        return 0
    size, text = literals.itemsize, literals.tobytes()
    place = text.find(bytes(2 * size))
    while place >= 0:
        if place % size == 0:
            return place // size + 1
        place = text.find(bytes(2 * size), place + 1)
    return None


def _header(path: Path, number: int, line: bytes) -> tuple[int, int]:
    words = line.split()
    if len(words) == 4 and words[:2] == [b"p", b"cnf"] and words[2].isdigit() and words[3].isdigit():
        variables, clauses = int(words[2]), int(words[3])
        if variables < 2**28:
            return variables, clauses
    raise _error(path, number, f"found {_shown(line)}", "'p cnf VARIABLES CLAUSES', less than 2^28 variables")


def _blocks(path: Path, tick: Callable[[], object]) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of whole lines of a file, compressed or not, with the number of their first line."""
    try:
        with open_plain(path) as file:
            number = 1
            while block := file.read(BLOCK):
                tick()
                rest = b"" if block.endswith(b"\n") else file.readline(LONGEST_LINE)
                if len(rest) == LONGEST_LINE:
                    raise _error(path, number + block.count(b"\n"), "a line of 16 MiB or more", "shorter lines")
                yield number, block + rest
                number += block.count(b"\n") + rest.count(b"\n")
    except READ_ERRORS as error:
        raise FeatureError(f"{path}: cannot be read: {error}. Does the file exist, and is it complete?") from error


def _shown(line: bytes) -> str:
    return ascii(line.strip()[:40].decode("latin-1")) + ("..." if len(line.strip()) > 40 else "")


def _error(path: Path, number: int, found: str, allowed: str) -> FeatureError:
    return FeatureError(f"{path}, line {number}: {found}; expected {allowed}.")
