"""Data by name, folder or file: one call for every place that runs and features can come from."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pandas as pd

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.importers.aslib import import_aslib
from bayes_distnet.data.shipped.load import load_dataset
from bayes_distnet.data.shipped.registry import DATASETS
from bayes_distnet.data.tables import read_by_instance, read_runs
from bayes_distnet.errors import FeatureError, RuntimeDataError, SettingError
from bayes_distnet.files import located


def open_dataset(
    source: str | os.PathLike[str],
    features: str | os.PathLike[str] | None = None,
    solver: str | None = None,
    *,
    several: bool = False,
) -> Dataset:
    """Open runs of one solver, or of several, with the features of their instances.

    Parameters
    ----------
    source : str or path-like
        File of runs (a store or a table), name of a data set that comes with the package, folder that `Dataset.save`
        wrote, or folder of an ASlib scenario; in that order, if several exist.
    features : path-like, optional
        Table of features with a column `instance`; needed with a file of runs, and only with it.
    solver : str, optional
        Solver whose runs are wanted; needed if there are several.
    several : bool, default False
        Whether runs of several solvers are wanted: those of all.

    Returns
    -------
    Dataset
        The instances that have both runs and features. If others were left out, the last of `notes` counts them.

    Raises
    ------
    SettingError
        If there is no such source, or `features` or `solver` is missing or does not apply.
    FeatureError
        If no instance has both runs and features.

    Examples
    --------
    >>> open_dataset("sat-portfolio", solver="kissat")
    <Dataset: 300 instances, 132 features, 6000 runs of kissat>
    """
    data = _read(source, features)
    if several:
        if solver is not None:
            raise SettingError(f"solver={solver!r}: runs of all solvers are needed; leave it out (--solver).")
    elif solver is not None:
        with located(source, RuntimeDataError):
            data = data.of(solver)
    elif len(data.solvers) > 1:
        raise SettingError(f"{source}: runs of {', '.join(data.solvers)}; choose one (solver=, --solver).")
    with located(source, FeatureError):
        both = data.matched()
    without_features = data.runs.frame["instance"].nunique() - len(both)
    without_runs = len(data) - len(both)
    if not without_features and not without_runs:
        return both
    note = f"left out: {without_features} instances without features, {without_runs} without runs"
    return replace(both, notes=(*both.notes, note))


def read_features(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a table of features.

    Parameters
    ----------
    path : path-like
        File whose name ends in .parquet, .csv or .csv.gz, with a column `instance` and one column per feature.

    Returns
    -------
    DataFrame
        Features, one row per instance, indexed by instance.

    Raises
    ------
    FeatureError
        If there is no column `instance`, or no row.
    """
    table = read_by_instance(path, FeatureError)
    if not len(table):
        raise FeatureError(f"{path}: no rows; expected one row per instance.")
    return table


def _read(source: str | os.PathLike[str], features: str | os.PathLike[str] | None) -> Dataset:
    path, name = Path(source), os.fspath(source)
    if path.is_file():
        if features is None:
            raise SettingError(
                f"{path}: these are runs only; give the features of the instances (features=, --features), or name the "
                "column of the runtime if the table holds features, too (open_table, --time)."
            )
        return Dataset(read_runs(path), read_features(features))
    if features is not None and not path.exists() and name not in DATASETS:
        raise SettingError(f"{path}: no such file.")
    if features is not None:
        raise SettingError(f"{source} is no file of runs: only those take features (features=, --features).")
    # Before a folder of that name, such as the results of an experiment on it.
    if name in DATASETS:
        return load_dataset(name)
    if (path / "algorithm_runs.arff").is_file():
        return import_aslib(path)
    if path.is_dir():
        return Dataset.load(path)
    raise SettingError(f"{path}: no such file, folder or data set; data sets are {', '.join(DATASETS)}.")
