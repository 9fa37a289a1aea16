"""Tables on disk: Parquet and CSV by the file's name, and runs in an SQLite store too."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bayes_distnet.data.run_table import INTERRUPTED, RunTable
from bayes_distnet.data.store import SUFFIXES, Run, Store
from bayes_distnet.errors import RuntimeDataError, SettingError

TABLES = (".parquet", ".csv", ".csv.gz")
# Every float comes back as it was written: from pandas 3 on by itself.
_EXACT: dict[str, Any] = {"float_precision": "round_trip"} if int(pd.__version__.split(".")[0]) < 3 else {}
_NAMES = ("instance", "solver")  # taken as they are: an instance may be called NA
_MISSING = ["", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "?"]
_TEXT = dict.fromkeys((*_NAMES, "status", "answer", "host", "started"), str)


def read_runs(path: str | os.PathLike[str]) -> RunTable:
    """Read a run table from a Parquet or CSV file, or from a store."""
    path = Path(path)
    if path.suffix in SUFFIXES:
        with Store(path, read_only=True) as store:
            return store.runs()
    frame = read_frame(path)
    try:
        return RunTable.from_frame(frame)
    except RuntimeDataError as error:
        raise RuntimeDataError(f"{path}: {error}") from error


def write_runs(runs: RunTable, path: str | os.PathLike[str]) -> int:
    """Write a run table to a Parquet or CSV file; to a store it adds the runs that are not there yet.

    Returns how many runs were written.
    """
    path = Path(path)
    if path.suffix not in SUFFIXES:
        write_frame(runs.frame, path)
        return len(runs)
    if "wall_seconds" not in runs.frame:
        runs = RunTable(runs.frame.assign(wall_seconds=np.nan))
    key = ["solver", "instance", "seed"]
    twice = runs.frame[runs.frame["status"] != INTERRUPTED].duplicated(key)
    if twice.any():
        row = twice.index[int(twice.to_numpy().argmax())]
        raise RuntimeDataError(
            f"run table, row {row}: a second run of the same solver, instance and seed ({int(twice.sum())} such rows). "
            "A store tells runs apart by these three: give each run a seed of its own."
        )
    frame = runs.frame.astype(object).where(runs.frame.notna(), None)
    known = [column for column in Run.__dataclass_fields__ if column in frame]
    with Store(path) as store:
        return store.add(Run(**dict(zip(known, row, strict=True))) for row in frame[known].itertuples(index=False))


def read_frame(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a table from a `.parquet`, `.csv` or `.csv.gz` file."""
    path = Path(path)
    _check_name(path)
    if not path.is_file():
        raise RuntimeDataError(f"{path}: no such file.")
    try:
        if path.suffix == ".parquet":
            return pd.read_parquet(path)
        missing = {name: _MISSING for name in pd.read_csv(path, nrows=0).columns if name not in _NAMES}
        frame: pd.DataFrame = pd.read_csv(path, dtype=_TEXT, keep_default_na=False, na_values=missing, **_EXACT)
        return frame
    except Exception as error:  # each reader has errors of its own
        raise RuntimeDataError(f"{path}: cannot be read as a table ({str(error).strip()}).") from error


def write_frame(frame: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a table; the file is there whole or, if anything goes wrong, as it was."""
    path = Path(path)
    check_can_write(path)
    frame = frame if frame.index.name is None else frame.reset_index()
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".writing-") as folder:
        draft = Path(folder) / path.name
        if path.suffix == ".parquet":
            frame.to_parquet(draft, index=False, compression="zstd")
        else:
            frame.to_csv(draft, index=False)
        os.replace(draft, path)


def check_can_write(path: Path) -> None:
    """Raise an error if no table can be written there; call it before the work, not after."""
    _check_name(path)
    if not path.parent.is_dir():
        raise SettingError(f"{path}: no folder {path.parent}.")
    if path.is_dir():
        raise SettingError(f"{path}: a folder is in the way.")


def _check_name(path: Path) -> None:
    if not path.name.endswith(TABLES):
        raise SettingError(f"{path}: expected a name that ends in {', '.join(TABLES)}.")
