"""Instance files named on a command line or in a script."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from bayes_distnet.errors import SettingError

DOMAIN = "domain.pddl"  # the PDDL domain beside the problems of a folder, no instance itself


def instance_files(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Return instance files; a folder stands for its files.

    Parameters
    ----------
    paths : iterable of paths
        Files and folders.

    Returns
    -------
    list of Path
        Files as given, and the files of the folders except `domain.pddl` and hidden ones, sorted by name.

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
        inside = sorted(p for p in path.iterdir() if p.is_file() and p.name != DOMAIN and not p.name.startswith("."))
        if not inside:
            raise SettingError(f"{path}: a folder without files.")
        files += inside
    return files
