"""Arguments that are paths. Their type declares what a command does with them: it reads them or it writes them.

The parser compares all paths of a command before the command starts: what it writes overwrites nothing that it reads,
and no other output, and lies in no folder whose files are all taken as input.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bayes_distnet.data.shipped.registry import DATASETS
from bayes_distnet.errors import SettingError


def read_path(text: str) -> Path:
    """Return the path of something that a command reads."""
    return Path(_not_empty(text))


def read_files(text: str) -> Path:
    """Return the path of a file that a command reads, or of a folder of which it reads every file."""
    return Path(_not_empty(text))


def written_path(text: str) -> Path:
    """Return the path of something that a command writes."""
    return Path(_not_empty(text))


def read_source(text: str) -> str:
    """Return something that a command reads, in words: a path, a name of data, or - for stdin."""
    return _not_empty(text)


PATHS = (read_path, read_files, written_path)


def _not_empty(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("an empty path; is a variable of the shell unset?")
    if "\0" in text:
        raise argparse.ArgumentTypeError("a path with a zero byte.")
    return text


def check_paths(actions: Iterable[argparse.Action], parsed: argparse.Namespace) -> bool:
    """Check that no output of a command is another output, or an input.

    Parameters
    ----------
    actions : iterable of argparse actions
        Arguments of the command.
    parsed : Namespace
        Their values.

    Returns
    -------
    bool
        Whether the command writes anything.

    Raises
    ------
    SettingError
        Two arguments are the same file or folder, also by way of links, and one of them is written; or an output
        lies in a folder of which every file is read, so that the next call would read it, too.
    """
    places = [place for action in actions for place in _places(action, parsed)]
    outputs = [place for place in places if place.written]
    pairs = [(output, other) for output in outputs for other in places if other is not output]
    for output, other in pairs:
        if output.is_same(other):
            use = "also written by" if other.written else "read by"
            raise SettingError(f"{output.name} {output.path}: {use} {other.name}; give two different paths.")
    for output, other in pairs:
        if other.every_file and output.is_inside(other):
            raise SettingError(
                f"{output.name} {output.path}: in {other.path}, of which every file is read as {other.name}; "
                "give a path outside."
            )
    return bool(outputs)


@dataclass(frozen=True, eq=False)
class _Place:
    """A path of the command line, and the argument that names it."""

    name: str
    path: Path
    written: bool
    every_file: bool

    def is_same(self, other: _Place) -> bool:
        try:
            return os.path.samefile(self.path, other.path)  # also two names of one file: links
        except (OSError, ValueError):  # one of them does not exist: an input cannot be the same then
            return other.written and os.path.realpath(self.path) == os.path.realpath(other.path)

    def is_inside(self, other: _Place) -> bool:
        """Whether it would be found when all files of a folder are read; hidden ones are not."""
        path, folder = Path(os.path.realpath(self.path)), Path(os.path.realpath(other.path))
        inside = path.relative_to(folder).parts if path.is_relative_to(folder) else ()
        return folder.is_dir() and bool(inside) and not any(part.startswith(".") for part in inside)


def _places(action: argparse.Action, parsed: argparse.Namespace) -> Iterator[_Place]:
    if action.type not in (*PATHS, read_source):
        return
    name = action.option_strings[0] if action.option_strings else str(action.metavar or action.dest)
    for value in _flat(getattr(parsed, action.dest, None)):
        if _is_path(value):
            yield _Place(name, Path(value), action.type is written_path, action.type is read_files)


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for one in value:
            yield from _flat(one)
    elif value is not None:
        yield value


def _is_path(value: Path | str) -> bool:
    """Whether a value is a path: a word may be a name of data or stdin."""
    return isinstance(value, Path) or (value != "-" and (value not in DATASETS or os.path.isfile(value)))
