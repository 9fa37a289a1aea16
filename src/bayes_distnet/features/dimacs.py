"""Reading DIMACS CNF: files are checked here, before a C++ program reads them.

gbdc crashes on an empty clause and hangs on a large variable, clasp hangs on a line with `%`.
"""

from __future__ import annotations

import bisect
import gzip
import lzma
import zlib
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, cast

from bayes_distnet.errors import FeatureError

LONGEST_LINE = 2**24  # bytes


def clean_dimacs(path: Path, tick: Callable[[], object]) -> bytes:
    """Read a CNF file as plain DIMACS text without comments.

    Parameters
    ----------
    path : Path
        The file, plain or compressed (.gz, .xz).
    tick : callable
        Function without arguments that is called every few thousand bytes; it may raise an error to end the reading.

    Returns
    -------
    bytes
        Header and clauses.

    Raises
    ------
    FeatureError
        If the file is not valid.
    """
    header: tuple[int, int] | None = None
    literals = array("q")
    starts: list[int] = []
    numbers: list[int] = []
    kept: list[bytes] = []
    for number, line in _lines(path, tick):
        kind = line[:1]
        if kind == b"c" or line.isspace():
            continue
        if kind == b"%":  # the end of the files of SATLIB
            break
        if kind == b"p" and header is None:
            header = _header(path, number, line)
            continue
        if header is None:
            raise _error(path, number, f"found {_shown(line)} before the header", "a line 'p cnf VARIABLES CLAUSES'")
        starts.append(len(literals))
        numbers.append(number)
        try:
            literals.extend(map(int, line.replace(b"_", b"?").split()))  # Python reads 1_0 as ten
        except (ValueError, OverflowError):
            raise _error(path, number, f"found {_shown(line)}", "literals, whole numbers ended by 0") from None
        kept.append(line)
    if header is None:
        raise FeatureError(f"{path}: no line 'p cnf VARIABLES CLAUSES'. Is it a DIMACS CNF file, and complete?")
    clauses = _check(path, header, literals, lambda i: numbers[bisect.bisect_right(starts, i) - 1], tick)
    return b"p cnf %d %d\n" % (header[0], clauses) + b"".join(kept) + b"\n"


def _check(
    path: Path,
    header: tuple[int, int],
    literals: array[int],
    line_of: Callable[[int], int],
    tick: Callable[[], object],
) -> int:
    """Check all literals, and return the number of clauses."""
    variables, declared = header
    clauses, previous = 0, 0
    for i, literal in enumerate(literals):
        if i % 2**16 == 0:
            tick()
        if literal == 0:
            if previous == 0:
                raise _error(path, line_of(i), "an empty clause", "clauses of at least one literal")
            clauses += 1
        elif not -variables <= literal <= variables:
            raise _error(path, line_of(i), f"literal {literal}", f"variables 1 to {variables}, as in the header")
        previous = literal
    if previous != 0:
        raise _error(
            path,
            line_of(len(literals) - 1),
            "the last clause does not end",
            "a 0 after it; perhaps the file is cut short",
        )
    if clauses != declared:
        raise FeatureError(
            f"{path}: the header has {declared} clauses, and the file {clauses}. "
            "Is the file cut short? If not, correct the header."
        )
    if clauses == 0:
        raise FeatureError(f"{path}: no clauses, and so no features. Leave this instance out.")
    return clauses


def _header(path: Path, number: int, line: bytes) -> tuple[int, int]:
    words = line.split()
    if len(words) == 4 and words[:2] == [b"p", b"cnf"] and words[2].isdigit() and words[3].isdigit():
        variables, clauses = int(words[2]), int(words[3])
        if variables < 2**28:
            return variables, clauses
    raise _error(path, number, f"found {_shown(line)}", "'p cnf VARIABLES CLAUSES', less than 2^28 variables")


def _lines(path: Path, tick: Callable[[], object]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file, compressed or not, with their numbers."""
    try:
        with _open(path) as file:
            number = unchecked = 0
            while line := file.readline(LONGEST_LINE):
                number += 1
                unchecked += len(line)
                if len(line) == LONGEST_LINE:
                    raise _error(path, number, "a line of 16 MiB or more", "shorter lines")
                if unchecked >= 2**16 or number == 1:
                    tick()
                    unchecked = 0
                yield number, line
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise FeatureError(f"{path}: cannot be read: {error}. Does the file exist, and is it complete?") from error


def _open(path: Path) -> IO[bytes]:
    match path.suffix:
        case ".gz":
            return cast(IO[bytes], gzip.GzipFile(path))
        case ".xz":
            return cast(IO[bytes], lzma.LZMAFile(path))
    return path.open("rb")


def _shown(line: bytes) -> str:
    return ascii(line.strip()[:40].decode("latin-1")) + ("..." if len(line.strip()) > 40 else "")


def _error(path: Path, number: int, found: str, allowed: str) -> FeatureError:
    return FeatureError(f"{path}, line {number}: {found}; expected {allowed}.")
