"""Scenarios of the algorithm selection library (ASlib): a folder of ARFF files and a description."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pandas as pd

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.folds import make_folds
from bayes_distnet.data.importers.archive import MISSING, as_run_table, check_cutoff, compare_instances, note, places
from bayes_distnet.data.importers.arff import Arff
from bayes_distnet.data.importers.aslib_features import read_features
from bayes_distnet.data.importers.aslib_tables import numbers, read_table, repetition
from bayes_distnet.data.importers.description import Description, read_description
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.data.statuses import CRASHED, MEMOUT, SOLVED, TIMEOUT, UNREADABLE
from bayes_distnet.errors import RuntimeDataError

_STATUS = {
    "ok": SOLVED,
    "timeout": TIMEOUT,
    "memout": MEMOUT,
    "crash": CRASHED,
    "not_applicable": CRASHED,
    "other": CRASHED,
    "presolved": SOLVED,
    "unknown": UNREADABLE,
}


def import_aslib(
    folder: str | os.PathLike[str],
    *,
    cutoff: float | None = None,
    missing: float | None = MISSING,
    keep_failed: bool = False,
) -> Dataset:
    r"""Read an ASlib scenario.

    Every row of algorithm_runs.arff is a run: the algorithm is its solver, the repetition its seed, and its seconds
    are the first performance measure of type runtime. Statuses: ok and presolved are solved, crash, not_applicable and
    other are crashed, ? and unknown are unreadable. A run that is ok at or after the cutoff is a timeout; a timeout
    past the cutoff, such as one of ten times the cutoff in a PAR10 column, is censored at the cutoff.

    Features are averaged over their repetitions. A value is NaN where it is ?, where every step that provides it
    failed, or where it is the mark for missing values. A nominal feature becomes one 0/1 column per value. Feature
    groups are the steps of the description; the feature cost is the sum over all of them, unknown costs left out.
    Folds are those of cv.arff.

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
        Runs, features, feature groups, feature cost and folds, with notes on all repairs.

    Raises
    ------
    RuntimeDataError
        If the description, the runs or the folds cannot be read, or the scenario measures no runtime.
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
    features, groups = read_features(folder, description, missing, keep_failed, notes)
    compare_instances(runs, features, notes)
    has_costs = (folder / "feature_costs.arff").exists()
    return Dataset(
        runs,
        features,
        groups.cost.sum(axis=1, min_count=1).rename("feature_cost") if groups and has_costs else None,
        folds=_folds(folder / "cv.arff", features.index, notes),
        feature_groups=groups,
        notes=tuple(notes),
    )


def _runs(path: Path, description: Description, cutoff: float | None, notes: list[str]) -> RunTable:
    described = path.with_name("description.txt")
    measure = _measure(description, described)
    limit = check_cutoff(cutoff, _seconds(description.cutoff, described), notes)
    table = read_table(path, RuntimeDataError, "instance_id", "algorithm", "runstatus")
    frame = table.frame
    words = frame["runstatus"].map(lambda word: word.lower() if isinstance(word, str) else "?")
    strange = ~words.isin([*_STATUS, "?"]).to_numpy(bool)
    if strange.any():
        raise RuntimeDataError(
            f"{path}, line {frame.index[strange][0]}: runstatus is {frame['runstatus'][strange].iloc[0]!r}; expected "
            f"one of {', '.join(_STATUS)}, or ? if it is unknown."
        )
    for word, status in (("not_applicable", CRASHED), ("other", CRASHED), ("unknown", UNREADABLE), ("?", UNREADABLE)):
        note(notes, int((words == word).sum()), f"runs have the status {word}; here it is '{status}'.")
    runs = pd.DataFrame(
        {
            "instance": frame["instance_id"],
            "solver": frame["algorithm"],
            "seed": repetition(table, RuntimeDataError),
            "seconds": numbers(table, _column(table, measure), RuntimeDataError),
            "status": words.map({**_STATUS, "?": UNREADABLE}),
        }
    )
    return as_run_table(runs.set_axis(places(path, frame.index), axis=0), limit, notes)


def _measure(description: Description, path: Path) -> str:
    """Return the name of the first performance measure that is a runtime."""
    measures, types = description.measures, [kind.lower() for kind in description.types]
    if not measures or len(measures) != len(types):
        raise RuntimeDataError(
            f"{path}: performance_measures is {list(measures)} and performance_type {types}; expected one type per "
            "measure, and at least one measure."
        )
    if "runtime" not in types:
        raise RuntimeDataError(
            f"{path}: the scenario measures {', '.join(measures)} ({', '.join(types)}), not a runtime; only scenarios "
            "that measure a runtime can be imported."
        )
    return measures[types.index("runtime")]


def _column(table: Arff, measure: str) -> str:
    """Return the column of a measure, which may be spelt in another case."""
    columns = {str(column).lower(): str(column) for column in table.frame.columns}
    if measure.lower() not in columns:
        raise RuntimeDataError(
            f"{table.path}: no attribute {measure!r}, which description.txt has as its performance measure; found "
            f"{', '.join(columns.values())}."
        )
    return columns[measure.lower()]


def _seconds(text: str, path: Path) -> float | None:
    if text in ("", "?", "null", "~"):
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if value == 0:
        raise RuntimeDataError(
            f"{path}: algorithm_cutoff_time is 0, so the scenario does not measure a runtime; only scenarios that do "
            "can be imported."
        )
    if not 0 < value < math.inf:
        raise RuntimeDataError(f"{path}: algorithm_cutoff_time is {text!r}; expected seconds, or ? if there was none.")
    return value


def _folds(path: Path, instances: pd.Index, notes: list[str]) -> pd.DataFrame | None:
    if not path.exists():
        return None
    table = read_table(path, RuntimeDataError, "instance_id", "fold")
    fold = numbers(table, "fold", RuntimeDataError)
    if (broken := ~((fold % 1 == 0) & (fold.abs() < 2**53)).to_numpy(bool)).any():
        where = f"{path}, line {fold.index[broken][0]}"
        raise RuntimeDataError(f"{where}: fold is {fold[broken].iloc[0]:g}; expected a whole number.")
    folds = make_folds(table.frame["instance_id"], repetition(table, RuntimeDataError), fold, instances)
    lacking = int(folds.isna().any(axis=1).sum())
    note(notes, lacking, "instances lack a fold in cv.arff; they are learnt from, and never tested.")
    return folds
