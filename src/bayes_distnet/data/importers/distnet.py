"""The archive published with DistNet: one folder per scenario, runs as SMAC's validation writes them.

A scenario has `features.txt` (a header, then one row per instance: its name and its features, separated by commas) and
`validate-random-train` and `validate-random-test`, each with a table of runs: a header, then one row per run with the
instance, the seed, and in one quoted field the result line "status, runtime, run length, quality, seed".
"""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Iterator
from pathlib import Path

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
    read_lines,
    unique_names,
)
from bayes_distnet.data.statuses import CRASHED, INTERRUPTED, MEMOUT, SOLVED, TIMEOUT
from bayes_distnet.errors import BayesDistNetError, FeatureError, RuntimeDataError

_RUNS = "validationRunResultLineMatrix-cli-1-walltimeworker.csv"
_STATUS = {
    "SAT": SOLVED,
    "UNSAT": SOLVED,
    "SUCCESS": SOLVED,
    "TIMEOUT": TIMEOUT,
    "MEMOUT": MEMOUT,
    "CRASHED": CRASHED,
    "ABORT": CRASHED,
    "KILLED": INTERRUPTED,
}
ARCHIVE = "DistNet"  # entry "archive" in the provenance of a data set
# Solver and cutoff of each published scenario: they are in the code published with the archive, not in the archive.
_PUBLISHED = {
    "clasp-3.0.4-p8_rand_factoring": ("clasp", 5000.0),
    "CP06_CV-VAR": ("saps", 60.0),
    "spear_qcp-hard": ("spear", 5000.0),
    "yalsat_qcp-hard": ("yalsat", 5000.0),
    "spear_smallworlds": ("spear", 5000.0),
    "yalsat_smallworlds": ("yalsat", 5000.0),
    "lpg-zenotravel": ("lpg", 300.0),
}


def import_distnet(
    folder: str | os.PathLike[str],
    *,
    cutoff: float | None = None,
    solver: str | None = None,
    missing: float | None = MISSING,
) -> Dataset:
    r"""Read a scenario of the DistNet archive.

    A run at or past the cutoff is a timeout. The run table has a further column `answer` with the first word of the
    result line (SAT, UNSAT, TIMEOUT, ...).

    Parameters
    ----------
    folder : path-like
        Folder of the scenario, as published.
    cutoff : float, optional
        Cutoff in seconds; default: that of the published scenario of this folder name, and none for other names.
    solver : str, optional
        Name of the solver; default: that of the published scenario of this folder name, else the folder name.
    missing : float or None, default -512.0
        Mark for missing feature values; None if there is none.

    Returns
    -------
    Dataset
        Runs and features, with notes on all repairs; `parts` is "train" or "test" per instance.

    Raises
    ------
    RuntimeDataError
        If there are no runs, or a run cannot be read.
    FeatureError
        If the features cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> home = tempfile.TemporaryDirectory()
    >>> folder = Path(home.name)
    >>> _ = (folder / "features.txt").write_text("instance,size,depth\na.cnf,17,-512\n")
    >>> (folder / "validate-random-train").mkdir()
    >>> _ = (folder / "validate-random-train" / _RUNS).write_text('''"Problem Instance","Seed","Run result line"
    ... "a.cnf","11","SAT, 2.5, 0, 0, 11"
    ... "a.cnf","12","TIMEOUT, 60.1, 0, 0, 12"
    ... ''')
    >>> scenario = import_distnet(folder, cutoff=60, solver="saps")
    >>> scenario.runs.frame[["instance", "seed", "seconds", "status"]].values.tolist()
    [['a.cnf', 11, 2.5, 'solved'], ['a.cnf', 12, 60.0, 'timeout']]
    >>> scenario.features.loc["a.cnf"].tolist()
    [17.0, nan]
    >>> home.cleanup()
    """
    folder = Path(folder)
    notes: list[str] = []
    known_solver, known_cutoff = _PUBLISHED.get(folder.resolve().name, (folder.resolve().name, None))
    limit = check_cutoff(cutoff, known_cutoff, notes)
    frame = _read_parts(folder, notes)
    parts = _parts(frame, notes)
    runs = frame.drop(columns="part").assign(solver=known_solver if solver is None else solver)
    table = as_run_table(runs, limit, notes)
    features = clean_features(_read_features(folder / "features.txt", notes), missing, notes)
    compare_instances(table, features, notes)
    return Dataset(table, features, None, parts, tuple(notes), {"archive": ARCHIVE})


def _read_parts(folder: Path, notes: list[str]) -> pd.DataFrame:
    paths = {part: folder / f"validate-random-{part}" / _RUNS for part in ("train", "test")}
    found = {part: path for part, path in paths.items() if path.exists()}
    if not found:
        raise RuntimeDataError(f"{folder}: no runs: neither {paths['train']} nor {paths['test']} exists.")
    notes.extend(f"There is no {part} part: {paths[part]} does not exist." for part in paths if part not in found)
    return pd.concat([_read_runs(path).assign(part=part) for part, path in found.items()])


def _read_rows(path: Path, error: type[BayesDistNetError]) -> Iterator[tuple[int, list[str]]]:
    """Yield number and fields of each line; line by line, so that an open quote spoils one row only."""
    for number, line in enumerate(read_lines(path, error), 1):
        if line.strip():
            yield number, [field.strip() for field in next(csv.reader([line], skipinitialspace=True))]


def _read_runs(path: Path) -> pd.DataFrame:
    rows, lines = [], []
    for number, fields in _read_rows(path, RuntimeDataError):
        header = number == 1 and not (len(fields) > 1 and _is_whole(fields[1]))
        if not header:
            rows.append(_read_run(fields, f"{path}, line {number}"))
            lines.append(number)
    if not rows:
        raise RuntimeDataError(f"{path}: no run after the header.")
    columns = ["instance", "seed", "answer", "status", "seconds"]
    return pd.DataFrame(rows, columns=columns).set_axis(places(path, lines), axis=0)


def _read_run(fields: list[str], where: str) -> tuple[str, int, str, str, float]:
    if len(fields) < 3 or (len(fields) > 3 and "," in fields[2]):
        raise RuntimeDataError(
            f"{where}: {len(fields)} fields; expected instance, seed and the result line of one configuration."
        )
    instance, seed, *result = fields
    words = [word.strip() for word in ",".join(result).split(",")]
    answer = words[0].upper()
    if answer not in _STATUS:
        raise RuntimeDataError(f"{where}: the run ended in {words[0]!r}; expected one of {', '.join(_STATUS)}.")
    if not instance or not _is_whole(seed):
        raise RuntimeDataError(f"{where}: instance {instance!r}, seed {seed!r}; expected a name and a whole number.")
    return instance, int(seed), answer, _STATUS[answer], _seconds(words[1:], where)


def _is_whole(text: str) -> bool:
    return re.fullmatch(r"-?\d+", text) is not None


def _seconds(words: list[str], where: str) -> float:
    try:
        return float(words[0])
    except (IndexError, ValueError) as cause:
        found = repr(words[0]) if words else "missing"
        raise RuntimeDataError(f"{where}: the runtime is {found}; expected seconds.") from cause


def _parts(frame: pd.DataFrame, notes: list[str]) -> pd.Series:
    parts = frame.drop_duplicates(["instance", "part"])
    both = parts.duplicated("instance")
    note(notes, int(both.sum()), "instances are in both parts; they count as training instances.")
    parts = parts[~both]
    return pd.Series(parts["part"].to_numpy(), index=pd.Index(parts["instance"], name="instance"), name="part")


def _read_features(path: Path, notes: list[str]) -> pd.DataFrame:
    table = _read_rows(path, FeatureError)
    _, header = next(table, (0, []))
    instances: list[str] = []
    rows: list[list[float]] = []
    for number, fields in table:
        where = f"{path}, line {number}"
        if rows and len(fields) != len(rows[0]) + 1:
            raise FeatureError(f"{where}: {len(fields) - 1} features, but the rows before have {len(rows[0])}.")
        instances.append(fields[0])
        rows.append([_feature(field, where) for field in fields[1:]])
    if not rows or not rows[0]:
        raise FeatureError(f"{path}: no features; expected a header, then rows of an instance and its features.")
    names = _feature_names(header, len(rows[0]), notes)
    return pd.DataFrame(rows, index=pd.Index(instances), columns=names, dtype=float)


def _feature(text: str, where: str) -> float:
    if text in ("", "?"):
        return math.nan
    try:
        return float(text)
    except ValueError as cause:
        raise FeatureError(f"{where}: a feature is {text!r}; expected a number, or -512 if it is missing.") from cause


def _feature_names(header: list[str], width: int, notes: list[str]) -> list[str]:
    """Return the names in the header, which may or may not have one for the column of instances."""
    if width <= len(header) <= width + 1:
        return unique_names(header[-width:])
    notes.append(f"The header of the features has {len(header)} names for {width} features: numbers replace them.")
    return [f"feature_{i}" for i in range(1, width + 1)]
