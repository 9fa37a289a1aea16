"""Tables on disk: the file name selects Parquet or CSV; runs can be in an SQLite store as well."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bayes_distnet.data.run import Run
from bayes_distnet.data.run_table import RunTable, check_names
from bayes_distnet.data.statuses import INTERRUPTED
from bayes_distnet.data.store import SUFFIXES, Store
from bayes_distnet.data.values import MISSING
from bayes_distnet.errors import BayesDistNetError, RuntimeDataError, SettingError
from bayes_distnet.files import located, written_whole

TABLES = (".parquet", ".csv", ".csv.gz")
# pandas 3 reads every float exactly as it was written; earlier versions need this option.
_EXACT: dict[str, Any] = {"float_precision": "round_trip"} if int(pd.__version__.split(".")[0]) < 3 else {}
_NAMES = ("instance", "solver")  # columns read as they are written: an instance may be called NA
_TEXT = dict.fromkeys((*_NAMES, "status", "answer", "host", "started"), str)


def read_runs(path: str | os.PathLike[str]) -> RunTable:
    """Read a run table from a Parquet or CSV file, or from a store.

    Parameters
    ----------
    path : path-like
        File whose name ends in .parquet, .csv, .csv.gz, .sqlite, .sqlite3 or .db.

    Returns
    -------
    RunTable
        The checked runs.

    Raises
    ------
    RuntimeDataError
        If the file does not exist, is no table, or holds runs that contradict themselves.
    SettingError
        If the name has another ending.
    StoreError
        If a file named as a store is none.
    """
    path = Path(path)
    if path.suffix in SUFFIXES:
        with Store(path, read_only=True) as store:
            return store.runs()
    frame = read_frame(path)
    with located(path, RuntimeDataError):
        return RunTable.from_frame(frame)


def write_runs(runs: RunTable, path: str | os.PathLike[str]) -> int:
    """Write a run table to a Parquet or CSV file, or add its runs to a store.

    Parameters
    ----------
    runs : RunTable
        The runs.
    path : path-like
        File whose name ends in .parquet, .csv, .csv.gz, .sqlite, .sqlite3 or .db. A store keeps its runs and receives
        those that it does not hold yet; any other file is replaced.

    Returns
    -------
    int
        Number of runs written.

    Raises
    ------
    RuntimeDataError
        If two runs for a store have the same solver, instance and seed.
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
            "These three identify a run in a store: give each run its own seed."
        )
    frame = runs.frame.astype(object).where(runs.frame.notna(), None)
    known = [column for column in Run.__dataclass_fields__ if column in frame]
    with Store(path) as store:
        return store.add(Run(**dict(zip(known, row, strict=True))) for row in frame[known].itertuples(index=False))


def read_frame(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a table.

    Parameters
    ----------
    path : path-like
        File whose name ends in .parquet, .csv or .csv.gz.

    Returns
    -------
    DataFrame
        The table.

    Raises
    ------
    RuntimeDataError
        If the file does not exist or is no table.
    SettingError
        If the name has another ending.
    """
    path = Path(path)
    check_table_name(path)
    if not path.is_file():
        raise RuntimeDataError(f"{path}: no such file.")
    try:
        if path.suffix == ".parquet":
            return _plain_columns(pd.read_parquet(path))
        missing = {name: list(MISSING) for name in pd.read_csv(path, nrows=0).columns if name not in _NAMES}
        frame: pd.DataFrame = pd.read_csv(path, dtype=_TEXT, keep_default_na=False, na_values=missing, **_EXACT)
        return frame
    except Exception as error:  # each reader has its own errors
        raise RuntimeDataError(f"{path}: cannot be read as a table ({str(error).strip()}).") from error


def _plain_columns(frame: pd.DataFrame) -> pd.DataFrame:
    if not all(isinstance(name, str) for name in frame.columns) or not frame.columns.is_unique:
        raise ValueError("its columns have no names, or two have the same name")
    return frame


def read_by_instance(path: str | os.PathLike[str], error: type[BayesDistNetError] = RuntimeDataError) -> pd.DataFrame:
    """Read a table with a column `instance`.

    Parameters
    ----------
    path : path-like
        File whose name ends in .parquet, .csv or .csv.gz.
    error : type of exception, default RuntimeDataError
        Error to raise if the table has no such column.

    Returns
    -------
    DataFrame
        The other columns, indexed by instance.
    """
    table = read_frame(path)
    if "instance" not in table.columns:
        raise error(f"{path}: no column 'instance'; found {', '.join(map(str, table.columns[:5]))}.")
    try:
        check_names("instance", table["instance"])
    except RuntimeDataError as cause:
        raise error(f"{path}: {cause}") from cause
    return table.set_index("instance")


def read_column(path: Path, name: str) -> pd.Series | None:
    """Read one column of a table by instance.

    Parameters
    ----------
    path : Path
        File whose name ends in .parquet, .csv or .csv.gz.
    name : str
        Name of the column.

    Returns
    -------
    Series or None
        The column, indexed by instance; None if the file does not exist.
    """
    if not path.is_file():
        return None
    table = read_by_instance(path)
    if name not in table.columns:
        raise RuntimeDataError(f"{path}: no column {name!r}; found {', '.join(map(str, table.columns[:5]))}.")
    return table[name]


def write_column(column: pd.Series | None, path: Path, name: str) -> None:
    """Write one column by instance.

    Parameters
    ----------
    column : Series or None
        The column, indexed by instance; None removes the file.
    path : Path
        File whose name ends in .parquet, .csv or .csv.gz.
    name : str
        Name of the column in the file.
    """
    if column is None:
        path.unlink(missing_ok=True)
    else:
        write_frame(column.rename_axis("instance").to_frame(name), path)


def write_frame(frame: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a table; if anything fails, an existing file stays as it was.

    Parameters
    ----------
    frame : DataFrame
        The table; an index with a name becomes a column.
    path : path-like
        File whose name ends in .parquet, .csv or .csv.gz.

    Raises
    ------
    SettingError
        If the name has another ending, or its folder does not exist.
    """
    path = Path(path)
    check_can_write(path)
    frame = frame if frame.index.name is None else frame.reset_index()
    with written_whole(path) as draft:
        try:
            if path.suffix == ".parquet":
                frame.to_parquet(draft, index=False, compression="zstd")
            else:
                frame.to_csv(draft, index=False)
        except (TypeError, ValueError, OverflowError) as error:  # values that the form of the file cannot hold
            raise RuntimeDataError(f"{path}: the table cannot be written in this form ({error}).") from error


def check_can_write(path: Path) -> None:
    """Check that a table can be written; call it before long work.

    Parameters
    ----------
    path : Path
        File to write later.

    Raises
    ------
    SettingError
        If its name has a wrong ending, its folder does not exist, or it is a folder itself.
    """
    check_table_name(path)
    if not path.parent.is_dir():
        raise SettingError(f"{path}: no folder {path.parent}.")
    if path.is_dir():
        raise SettingError(f"{path}: expected a file, found a folder of that name.")


def check_table_name(path: Path) -> None:
    """Raise a `SettingError` unless a name ends as that of a table."""
    if not path.name.endswith(TABLES):
        raise SettingError(f"{path}: expected a name that ends in {', '.join(TABLES)}.")
