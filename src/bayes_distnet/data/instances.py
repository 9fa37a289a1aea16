"""Instance files named on a command line or in a script."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from bayes_distnet.errors import SettingError

DOMAIN = "domain.pddl"  # the PDDL domain beside the problems of a folder, no instance itself
SHOWN_FOLDERS = 20


def instance_files(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Return instance files; a folder stands for all files in it and in the folders below.

    Parameters
    ----------
    paths : iterable of paths
        Files and folders.

    Returns
    -------
    list of Path
        Files as given, and the files of the folders except `domain.pddl` and hidden ones, sorted by folder and name.

    Raises
    ------
    SettingError
        A folder without files.
    """
    files: list[Path] = []
    for path in map(Path, paths):
        if not path.is_dir():
            files.append(path)
            continue
        inside = list(_below(path))
        if not inside:
            raise SettingError(f"{path}: a folder without files.")
        files += inside
    for file in files:
        try:
            str(file).encode()
        except UnicodeEncodeError:
            raise SettingError(f"{os.fsencode(file)!r}: a file name that is not UTF-8; rename it.") from None
    return files


def _below(folder: Path) -> Iterator[Path]:
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            file = Path(here, name)
            if name != DOMAIN and not name.startswith(".") and file.is_file():
                yield file


def counts_in_words(files: Iterable[Path]) -> list[str]:
    """Return one line per folder with the number of its files, for people.

    Parameters
    ----------
    files : iterable of Path
        Files of folders, as `instance_files` returns them.

    Returns
    -------
    list of str
        Lines such as "instances/easy: 12 files"; of many folders the first ones and the number of the others.

    Examples
    --------
    >>> counts_in_words([Path("a/x.cnf"), Path("a/y.cnf"), Path("b/z.cnf")])
    ['a: 2 files', 'b: 1 file']
    """
    counts = Counter(file.parent for file in files)
    lines = [f"{folder}: {count} file{'s' if count > 1 else ''}" for folder, count in counts.items()]
    more = lines[SHOWN_FOLDERS:]
    return lines[:SHOWN_FOLDERS] + ([f"and {len(more)} more folders"] if more else [])
