"""Single tables of an ASlib scenario: required columns, numbers and repetitions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from bayes_distnet.data.importers.arff import Arff, read_arff
from bayes_distnet.errors import BayesDistNetError

#: Columns that identify a row.
IDS = ("instance_id", "repetition")


def read_table(path: Path, error: type[BayesDistNetError], *columns: str) -> Arff:
    """Read a table that must have some columns.

    Parameters
    ----------
    path : Path
        The ARFF file.
    error : type of exception
        Error to raise if it cannot be read.
    *columns : str
        Columns that must be there, in any case. Those that hold names are text, and no value may be missing except a
        status.

    Returns
    -------
    Arff
        The table.
    """
    table = read_arff(path, error, text=[column for column in columns if column != "fold"])
    spelt = {name: name.lower() for name in table.frame.columns if name.lower() in ("repetition", "fold")}
    table = replace(table, frame=table.frame.rename(columns=spelt))
    for column in columns:
        if column not in table.frame:
            raise error(f"{path}: no attribute {column!r}; found {', '.join(table.frame.columns)}.")
        missing = table.frame[column].isna().to_numpy(bool)
        if column != "runstatus" and missing.any():
            raise error(f"{path}, line {table.frame.index[missing][0]}: {column} is ?; every row needs it.")
    return table


def numbers(table: Arff, column: str, error: type[BayesDistNetError]) -> pd.Series[float]:
    """Return a column as numbers, even if the header declares it as text."""
    values = table.frame[column]
    found: pd.Series[float] = pd.to_numeric(values, errors="coerce").astype(float)
    bad = (found.isna() & values.notna()).to_numpy(bool)
    if bad.any():
        where = f"{table.path}, line {values.index[bad][0]}"
        raise error(f"{where}: {column} is {values[bad].iloc[0]!r}; expected a number, or ? if it is unknown.")
    return found


def repetition(table: Arff, error: type[BayesDistNetError]) -> pd.Series[int]:
    """Return the repetition of every row; 1 if the table has no such column."""
    if "repetition" not in table.frame:
        return pd.Series(1, index=table.frame.index)
    found = numbers(table, "repetition", error).fillna(1)
    broken = ~((found % 1 == 0) & (found.abs() < 2**53)).to_numpy(bool)
    if broken.any():
        where = f"{table.path}, line {found.index[broken][0]}"
        raise error(f"{where}: repetition is {found[broken].iloc[0]:g}; expected a whole number.")
    return found.astype(np.int64)
