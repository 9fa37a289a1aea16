"""Folds that were published with a data set: one row per instance, one column per repetition."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from bayes_distnet.data.run_table import check_names
from bayes_distnet.data.tables import read_frame, write_frame
from bayes_distnet.errors import RuntimeDataError


def make_folds(instance: pd.Series, repetition: pd.Series, fold: pd.Series, instances: pd.Index) -> pd.DataFrame:
    """Make a table of folds from one row per instance and repetition.

    Parameters
    ----------
    instance, repetition, fold : Series
        Name of the instance, number of the repetition and number of the fold per row. Of several rows with the same
        instance and repetition the first counts.
    instances : Index
        Rows of the table, in order.

    Returns
    -------
    DataFrame
        Fold per instance and repetition, as nullable integers: missing where an instance is in no fold. Repetitions
        are numbered 1, 2, ... in the order of their published numbers.

    Examples
    --------
    >>> names = pd.Series(["b", "a", "b"])
    >>> make_folds(names, pd.Series([1, 1, 2]), pd.Series([2, 1, 1]), pd.Index(["a", "b"]))
       1     2
    a  1  <NA>
    b  2     1
    """
    rows = pd.DataFrame({"instance": instance, "repetition": repetition, "fold": fold})
    by_repetition = [
        some.drop_duplicates("instance").set_index("instance")["fold"].reindex(instances)
        for _, some in rows.groupby("repetition")
    ]
    return pd.DataFrame({number: column.astype("Int64") for number, column in enumerate(by_repetition, 1)})


def write_folds(folds: pd.DataFrame | None, path: Path) -> None:
    """Write a table of folds, one row per instance and repetition; None removes the file."""
    if folds is None:
        path.unlink(missing_ok=True)
        return
    long = [pd.DataFrame({"instance": folds.index, "repetition": r, "fold": folds[r].array}) for r in folds]
    write_frame(pd.concat(long).dropna(), path)


def read_folds(path: Path, instances: pd.Index) -> pd.DataFrame | None:
    """Read a table of folds that `write_folds` wrote, with the given rows; None if the file does not exist."""
    if not path.is_file():
        return None
    rows = read_frame(path)
    if missing := [name for name in ("instance", "repetition", "fold") if name not in rows.columns]:
        raise RuntimeDataError(f"{path}: no column {missing[0]!r}.")
    try:
        check_names("instance", rows["instance"])
        return make_folds(rows["instance"], rows["repetition"], rows["fold"], instances)
    except (TypeError, ValueError) as error:
        raise RuntimeDataError(f"{path}: no table of folds ({error}).") from error
