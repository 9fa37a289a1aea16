"""Scenarios of the algorithm selection library (ASlib): a folder of ARFF files and a description."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.importers.archive import (
    MISSING,
    as_run_table,
    check_cutoff,
    clean_features,
    compare_instances,
    note,
    places,
)
from bayes_distnet.data.importers.arff import Arff, read_arff
from bayes_distnet.data.importers.description import Description, read_description
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.data.statuses import CRASHED, MEMOUT, SOLVED, TIMEOUT, UNREADABLE
from bayes_distnet.errors import BayesDistNetError, FeatureError, RuntimeDataError

_STATUS = {
    "ok": SOLVED,
    "timeout": TIMEOUT,
    "memout": MEMOUT,
    "crash": CRASHED,
    "not_applicable": CRASHED,
    "other": CRASHED,
}
_FAILED = ("timeout", "memout", "crash", "other", "unknown", "not_applicable")
_IDS = ("instance_id", "repetition")


def import_aslib(
    folder: str | os.PathLike[str],
    *,
    cutoff: float | None = None,
    missing: float | None = MISSING,
    keep_failed: bool = False,
) -> Dataset:
    r"""Read an ASlib scenario.

    Every row of algorithm_runs.arff is a run: the algorithm is its solver, the repetition its seed, and its seconds
    are the first performance measure of type runtime. Statuses: ok is solved, crash, not_applicable and other are
    crashed, ? is unreadable. A run that is ok at or after the cutoff is a timeout; a timeout past the cutoff, such as
    one of ten times the cutoff in a PAR10 column, is censored at the cutoff.

    Features are averaged over their repetitions. A value is NaN where it is ?, where every step that provides it
    failed, or where it is the mark for missing values. A nominal feature becomes one 0/1 column per value. The feature
    cost is the sum over all steps, unknown ones left out; parts are the folds of cv.arff.

    Parameters
    ----------
    folder : path-like
        Folder of the scenario, as published.
    cutoff : float, optional
        Cutoff in seconds; default: the one of the description.
    missing : float or None, default -512.0
        Mark for missing feature values; None if there is none.
    keep_failed : bool, default False
        Whether to keep feature values of a step that failed, for example those computed before its memory ran out.

    Returns
    -------
    Dataset
        Runs, features, feature cost and folds, with notes on all repairs.

    Raises
    ------
    RuntimeDataError
        If the description, the runs or the folds cannot be read.
    FeatureError
        If the features, their cost or their status cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> home = tempfile.TemporaryDirectory()
    >>> description = "performance_measures: [runtime]\nperformance_type: [runtime]\nalgorithm_cutoff_time: 60"
    >>> ids = "@attribute instance_id string\n@attribute repetition numeric\n"
    >>> runs = "@attribute algorithm string\n@attribute runtime numeric\n@attribute runstatus {ok,timeout}\n@data"
    >>> for name, text in {
    ...     "description.txt": description,
    ...     "algorithm_runs.arff": ids + runs + "\na.cnf,1,clasp,2.5,ok\nb.cnf,1,clasp,600,timeout",
    ...     "feature_values.arff": ids + "@attribute size numeric\n@data\na.cnf,1,17\nb.cnf,1,?",
    ... }.items():
    ...     _ = Path(home.name, name).write_text(text)
    >>> scenario = import_aslib(home.name)
    >>> scenario.runs.seconds.tolist(), scenario.features["size"].tolist()
    ([2.5, 60.0], [17.0, nan])
    >>> scenario.notes
    ('1 timeouts are later than the cutoff; they are censored at the cutoff.',)
    >>> home.cleanup()
    """
    folder = Path(folder)
    notes: list[str] = []
    description = read_description(folder / "description.txt")
    runs = _runs(folder / "algorithm_runs.arff", description, cutoff, notes)
    features = _features(folder, description, missing, keep_failed, notes)
    compare_instances(runs, features, notes)
    return Dataset(runs, features, _feature_cost(folder, notes), _parts(folder, notes), tuple(notes))


def _runs(path: Path, description: Description, cutoff: float | None, notes: list[str]) -> RunTable:
    table = _read(path, RuntimeDataError, "instance_id", "algorithm", "runstatus")
    frame = table.frame
    words = frame["runstatus"].map(lambda word: word.lower() if isinstance(word, str) else "?")
    strange = ~words.isin([*_STATUS, "?"]).to_numpy(bool)
    if strange.any():
        raise RuntimeDataError(
            f"{path}, line {frame.index[strange][0]}: runstatus is {frame['runstatus'][strange].iloc[0]!r}; expected "
            f"one of {', '.join(_STATUS)}, or ? if it is unknown."
        )
    for word, status in (("not_applicable", CRASHED), ("other", CRASHED), ("?", UNREADABLE)):
        note(notes, int((words == word).sum()), f"runs have the status {word}; here it is '{status}'.")
    limit = check_cutoff(cutoff, _number(description.cutoff, path.with_name("description.txt")), notes)
    runs = pd.DataFrame(
        {
            "instance": frame["instance_id"],
            "solver": frame["algorithm"],
            "seed": _repetition(table, RuntimeDataError),
            "seconds": _numbers(table, _measure(table, description), RuntimeDataError),
            "status": words.map({**_STATUS, "?": UNREADABLE}),
        }
    )
    return as_run_table(runs.set_axis(places(path, frame.index), axis=0), limit, notes)


def _read(path: Path, error: type[BayesDistNetError], *columns: str) -> Arff:
    """Read a table that must have these columns; those that hold names are text, and no value may be missing."""
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


def _numbers(table: Arff, column: str, error: type[BayesDistNetError]) -> pd.Series[float]:
    """Return a column as numbers, even if the header declares it as text."""
    values = table.frame[column]
    numbers: pd.Series[float] = pd.to_numeric(values, errors="coerce").astype(float)
    bad = (numbers.isna() & values.notna()).to_numpy(bool)
    if bad.any():
        where = f"{table.path}, line {values.index[bad][0]}"
        raise error(f"{where}: {column} is {values[bad].iloc[0]!r}; expected a number, or ? if it is unknown.")
    return numbers


def _repetition(table: Arff, error: type[BayesDistNetError]) -> pd.Series[int]:
    if "repetition" not in table.frame:
        return pd.Series(1, index=table.frame.index)
    return _numbers(table, "repetition", error).fillna(1).astype(np.int64)


def _measure(table: Arff, description: Description) -> str:
    """Return the column of the first performance measure that is a runtime."""
    path = table.path.with_name("description.txt")
    measures, types = description.measures, [kind.lower() for kind in description.types]
    if not measures or len(measures) != len(types):
        raise RuntimeDataError(
            f"{path}: performance_measures is {list(measures)} and performance_type {types}; expected one type per "
            "measure, and at least one measure."
        )
    if "runtime" not in types:
        raise RuntimeDataError(
            f"{path}: performance_type is {', '.join(types)}; only scenarios that measure a runtime can be imported."
        )
    name = measures[types.index("runtime")]
    columns = {str(column).lower(): str(column) for column in table.frame.columns}
    if name.lower() not in columns:
        raise RuntimeDataError(
            f"{table.path}: no attribute {name!r}, which {path.name} has as its performance measure; found "
            f"{', '.join(map(str, table.frame.columns))}."
        )
    return columns[name.lower()]


def _number(text: str, path: Path) -> float | None:
    if text in ("", "?", "null", "~"):
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise RuntimeDataError(f"{path}: algorithm_cutoff_time is {text!r}; expected seconds, or ? if there was none.")
    return value


def _features(
    folder: Path, description: Description, missing: float | None, keep_failed: bool, notes: list[str]
) -> pd.DataFrame:
    table = _read(folder / "feature_values.arff", FeatureError, "instance_id")
    columns: dict[str, pd.Series] = {}
    source: dict[str, str] = {}
    for name in map(str, table.frame.columns.drop(list(_IDS), errors="ignore")):
        for column, values in _numeric_columns(name, table, notes).items():
            columns[column], source[column] = values, name
    if not columns:
        raise FeatureError(f"{table.path}: no attribute is a feature; found {', '.join(table.frame.columns)}.")
    features = pd.DataFrame(columns)
    if not keep_failed:
        failed = _failed(folder, table, description, source)
        count = int((failed & features.notna()).to_numpy().sum())
        note(notes, count, "feature values of failed steps count as missing; keep_failed=True keeps them.")
        features = features.mask(failed)
    features = features.set_axis(pd.Index(table.frame["instance_id"]), axis=0)
    return clean_features(features, missing, notes)


def _numeric_columns(name: str, table: Arff, notes: list[str]) -> dict[str, pd.Series]:
    """Return a feature as numbers: itself, one 0/1 column per nominal value, or nothing for free text."""
    values = table.frame[name]
    numbers = pd.to_numeric(values, errors="coerce").astype(float)
    if (numbers.isna() == values.isna()).all():
        return {name: numbers}
    if name not in table.nominal:
        notes.append(f"1 feature, {name}, is text; left out.")
        return {}
    return {
        f"{name}={value}": (values == value).astype(float).mask(values.isna()) for value in sorted(table.nominal[name])
    }


def _failed(folder: Path, values: Arff, description: Description, source: dict[str, str]) -> pd.DataFrame:
    """Return whether every step that provides a feature failed, per row and feature."""
    failed = pd.DataFrame(False, index=values.frame.index, columns=list(source))
    path = folder / "feature_runstatus.arff"
    if not path.exists():
        return failed
    table = _read(path, FeatureError, "instance_id")
    steps = table.frame.drop(columns=list(_IDS), errors="ignore").isin(_FAILED)
    steps.index = _row_ids(table)
    steps = steps[~steps.index.duplicated()]
    rows = steps.index.get_indexer(_row_ids(values))
    for column, feature in source.items():
        providers = [s for s, provided in description.steps.items() if feature in provided and s in steps]
        if providers:
            failed[column] = steps[providers].all(axis=1).to_numpy()[rows] & (rows >= 0)
    return failed


def _row_ids(table: Arff) -> pd.MultiIndex:
    return pd.MultiIndex.from_arrays([table.frame["instance_id"], _repetition(table, FeatureError)])


def _feature_cost(folder: Path, notes: list[str]) -> pd.Series[float] | None:
    path = folder / "feature_costs.arff"
    if not path.exists():
        return None
    table = _read(path, FeatureError, "instance_id")
    names = table.frame.columns.drop(list(_IDS), errors="ignore")
    steps = pd.DataFrame({name: _numbers(table, name, FeatureError) for name in names})
    steps = steps.where(steps >= 0).set_index(pd.Index(table.frame["instance_id"], name="instance"))
    unknown = steps.isna().any(axis=1)
    note(
        notes,
        int(unknown.index[unknown].nunique()),
        "instances have a feature step of unknown cost; their feature cost is the sum of the other steps.",
    )
    cost: pd.Series[float] = steps.sum(axis=1, min_count=1)
    return cost.groupby(level=0, sort=False).mean().rename("feature_cost")


def _parts(folder: Path, notes: list[str]) -> pd.Series | None:
    path = folder / "cv.arff"
    if not path.exists():
        return None
    table = _read(path, RuntimeDataError, "instance_id", "fold")
    frame = table.frame.assign(repetition=_repetition(table, RuntimeDataError))
    note(notes, frame["repetition"].nunique() - 1, "further repetitions of the cross-validation are left out.")
    first = frame[frame["repetition"] == frame["repetition"].min()].drop_duplicates("instance_id")
    folds: pd.Series[int] = _numbers(table, "fold", RuntimeDataError)[first.index].astype(np.int64)
    return folds.set_axis(pd.Index(first["instance_id"], name="instance"))
