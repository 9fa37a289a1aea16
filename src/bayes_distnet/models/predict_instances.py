"""Features of instance files, block by block, for a model that was trained on such features."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from bayes_distnet.data.instances import instance_files
from bayes_distnet.data.tables import TABLES
from bayes_distnet.errors import SettingError
from bayes_distnet.features.groups import members
from bayes_distnet.features.registry import feature_set_of
from bayes_distnet.features.table import extract_features

FILES = 8  # of a block, per core


def are_instances(inputs: Sequence[str | os.PathLike[str]]) -> bool:
    """Whether inputs are instance files and folders, not one table.

    Parameters
    ----------
    inputs : sequence of path-like
        Names of files and folders; "-" is a table on standard input.

    Returns
    -------
    bool
        True for instances.

    Raises
    ------
    SettingError
        A table beside other inputs.
    """
    tables = [one for one in map(str, inputs) if one == "-" or one.endswith(TABLES)]
    tables = [one for one in tables if not Path(one).is_dir()]
    if tables and len(inputs) > 1:
        raise SettingError(f"{tables[0]}: a table beside {len(inputs) - 1} other inputs; give one table, or instances.")
    return not tables


def instance_blocks(files: Sequence[Path], names: Sequence[str], cores: int) -> Iterator[pd.DataFrame]:
    """Compute the features of instance files, some files at once.

    Parameters
    ----------
    files : sequence of Path
        Instance files.
    names : sequence of str
        Features that are needed: groups of features without any of them are not computed.
    cores : int
        Number of files at once.

    Yields
    ------
    DataFrame
        Features of the next files, indexed by instance.
    """
    size = FILES * cores
    groups = _groups(files, names)
    for start in range(0, len(files), size):
        yield extract_features(files[start : start + size], groups=groups, n_jobs=cores).features


def _groups(files: Sequence[Path], names: Sequence[str]) -> list[str] | None:
    """Return the groups of features that are needed; None where files of several kinds may need different ones."""
    sets = {feature_set_of(file).key: feature_set_of(file) for file in files}
    if len(sets) > 1:
        return None
    needed = [group for entry in sets.values() for group, some in members(entry.groups, names).items() if some]
    return needed or None


def files_of(inputs: Sequence[str | os.PathLike[str]]) -> list[Path]:
    """Return the instance files that inputs name; a SettingError reports one that does not exist."""
    for one in inputs:
        if not Path(one).exists():
            raise SettingError(f"{one}: no such file or folder.")
    return instance_files(inputs)
