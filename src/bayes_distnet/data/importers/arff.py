"""A reader for ARFF, the text format of ASlib: a header of typed attributes, then one comma-separated row per line.

SciPy's reader refuses attributes of type string, which hold the names of instances and solvers here. Published files
deviate from the format, and this reader accepts their deviations: `@DATA,`, names with spaces and without quotes, a
comma or comment after a type, a comma at the end of a row, and NA for an unknown number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from bayes_distnet.data.importers.archive import read_lines, unique_names
from bayes_distnet.errors import BayesDistNetError

_UNKNOWN = ("?", "")
_UNKNOWN_NUMBER = (*_UNKNOWN, "NA", "N/A", "null", "NULL", "None")
_NUMERIC = ("numeric", "real", "integer", "float", "double", "int")
_DATA = re.compile(r"@data\s*[,;.:]*\s*(%.*)?", re.IGNORECASE)
_QUOTED = re.compile(r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\s*""")
# A type at the end of a line, with nothing after it except bounds, a form of dates, a comma or a comment.
_TYPE = re.compile(rf"""\s({"|".join(_NUMERIC)}|string|date)\s*(["'\[].*|[,;]?\s*(%.*)?)$""", re.IGNORECASE)
_FIELD = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,]*))\s*(,|$)""")


@dataclass(frozen=True)
class Arff:
    """The contents of an ARFF file.

    Parameters
    ----------
    path : Path
        The file.
    frame : DataFrame
        Its rows, indexed by line number. Numeric attributes are floats, all others text; a missing value is NaN or
        None.
    nominal : dict
        Possible values of each nominal attribute.
    """

    path: Path
    frame: pd.DataFrame
    nominal: dict[str, tuple[str, ...]]


def read_arff(path: Path, error: type[BayesDistNetError], *, text: Collection[str] = ()) -> Arff:
    """Read an ARFF file.

    Parameters
    ----------
    path : Path
        The file.
    error : type of exception
        Error to raise if it cannot be read.
    text : collection of str, optional
        Attributes that are text, whatever their type in the header. Their names are matched in any case; the result
        has them as spelt here.

    Returns
    -------
    Arff
        Rows and nominal values.
    """
    lines = read_lines(path, error)
    attributes, start = _header(lines, path, error)
    spelt = {name.lower(): name for name in text}
    names = unique_names(spelt.get(name.lower(), name) for name, _ in attributes)
    numeric = [i for i, (_, kind) in enumerate(attributes) if _is_numeric(kind) and names[i] not in text]
    numbers: list[list[float]] = []
    rows: list[list[str]] = []
    at: list[int] = []
    written = sorted(set(range(len(names))) - set(numeric))
    for number, line in enumerate(lines[start:], start + 1):
        line = line.strip()
        if not line or line[0] == "%":
            continue
        fields = split_row(line)
        if len(fields) == len(names) + 1 and not fields[-1]:
            fields.pop()
        if len(fields) != len(names):
            raise error(f"{path}, line {number}: {len(fields)} values, but the header has {len(names)} attributes.")
        try:
            numbers.append([math.nan if fields[i] in _UNKNOWN_NUMBER else float(fields[i]) for i in numeric])
        except ValueError as cause:
            raise error(f"{path}, line {number}: {_not_a_number(names, fields, numeric)}") from cause
        rows.append([fields[i] for i in written])
        at.append(number)
    if not rows:
        raise error(f"{path}: no row of data after the header.")
    matrix = np.array(numbers, dtype=float)
    columns: dict[int, object] = {i: matrix[:, k] for k, i in enumerate(numeric)}
    for i, values in zip(written, zip(*rows, strict=True), strict=False):
        columns[i] = pd.array([None if v in _UNKNOWN else v for v in values], dtype=object)
    frame = pd.DataFrame({names[i]: columns[i] for i in range(len(names))}, index=pd.Index(at, name="line"))
    nominal = {names[i]: _values(kind) for i, (_, kind) in enumerate(attributes) if kind[0] == "{"}
    return Arff(path, frame, nominal)


def split_row(line: str) -> list[str]:
    r"""Split a row at its commas.

    Parameters
    ----------
    line : str
        The row; quoted values may hold commas, spaces and quotes after a backslash.

    Returns
    -------
    list of str
        Its values, without quotes.

    Examples
    --------
    >>> split_row(r"'a, b.cnf', 1, ?, it's, 'it\'s'")
    ['a, b.cnf', '1', '?', "it's", "it's"]
    """
    if "'" not in line and '"' not in line:
        return [field.strip() for field in line.split(",")]
    fields, end, more = [], 0, True
    while more:
        match = _FIELD.match(line, end)
        if match is None:  # text follows a closing quote: a value that only begins with a quote
            stop = line.find(",", end)
            fields.append(line[end : stop if stop >= 0 else len(line)].strip())
            more, end = stop >= 0, stop + 1
            continue
        quoted = match[1] if match[1] is not None else match[2]
        fields.append(match[3].strip() if quoted is None else re.sub(r"\\(.)", r"\1", quoted))
        more, end = match[4] == ",", match.end()
    return fields


def _header(lines: list[str], path: Path, error: type[BayesDistNetError]) -> tuple[list[tuple[str, str]], int]:
    """Return name and type of every attribute, and the number of lines of the header."""
    attributes: list[tuple[str, str]] = []
    for number, line in enumerate(lines, 1):
        words = line.strip()
        if _DATA.fullmatch(words):
            if not attributes:
                break
            return attributes, number
        if words.lower().startswith("@attribute"):
            name, kind = _attribute(words[len("@attribute") :].strip())
            if not name or not kind:
                raise error(f"{path}, line {number}: expected '@attribute name type', found {words!r}.")
            attributes.append((name, kind))
    raise error(f"{path}: no ARFF file: it needs lines '@attribute name type', then '@data'.")


def _attribute(words: str) -> tuple[str, str]:
    """Return name and type of an attribute; a name without quotes may hold spaces if its type is a known one."""
    if quoted := _QUOTED.match(words):
        return split_row(quoted[1])[0], words[quoted.end() :]
    known = _TYPE.search(words)
    end = known.start() if known else words.find("{")
    if end <= 0:
        end = len(words.split(maxsplit=1)[0]) if words else 0
    return words[:end].strip(), words[end:].strip()


def _values(kind: str) -> tuple[str, ...]:
    """Return the values of a nominal type, whose closing brace may be missing or have text after it."""
    inside = kind[1:].rpartition("}")[0] or kind[1:]
    return tuple(split_row(inside.strip()))


def _is_numeric(kind: str) -> bool:
    return re.split(r"\W", kind, maxsplit=1)[0].lower() in _NUMERIC


def _not_a_number(names: list[str], fields: list[str], numeric: list[int]) -> str:
    for i in numeric:
        try:
            float(fields[i] if fields[i] not in _UNKNOWN_NUMBER else 0)
        except ValueError:
            return f"{names[i]} is {fields[i]!r}; expected a number, or ? if it is unknown."
    raise AssertionError("all are numbers")
