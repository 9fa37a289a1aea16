"""Results of experiments: a folder with one tidy table and the data of figures."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.shipped.load import load_dataset
from bayes_distnet.errors import ResultsError, SettingError
from bayes_distnet.experiments.decision_records import curve_rows, decision_rows
from bayes_distnet.experiments.forms import ABOUT_FORM, ADDED, parse_record, read_results_table
from bayes_distnet.experiments.registry import EXPERIMENTS, SCORED, SHIFTS
from bayes_distnet.experiments.roles import with_roles
from bayes_distnet.schema import Fields, is_json, mismatch, read_json

#: Names of files in a results folder.
ABOUT, JOURNAL, LOCK, DATA = "about.json", "journal.jsonl", ".lock", "data"

#: Version of the form of `about.json`.
FORMAT = 1

#: Columns that distinguish a job from others of its kind.
KEY = ["runs", "cutoffs", "censored", "model", "family", "fold", "seed"]

#: Columns of each table on disk; in memory a table also has the column `role`. In `decisions` it is that of the policy.
COLUMNS = {
    "results": ["data", *KEY, "score", "value", "instances", "fit_seconds", "predict_seconds"],
    "calibration": [*KEY, "pit"],
    "examples": [*KEY, "instance", "nllh", "quantiles", *ADDED],
    "familiarity": [*KEY, "verdict", "instances", "nllh", "coverage"],
    "shifts": [*KEY, "instance", "shift", "mean", "low", "median", "high"],
    "decisions": ["experiment", *KEY, "policy", "role", "instance", "measure", "value"],
    "curves": ["experiment", *KEY, "instance", "curve", "at", "mean", "low", "high"],
}


# Columns that, with those of a job, distinguish the rows of a table.
_SINGLE = ("experiment", "score", "instance", "verdict", "shift", "policy", "measure", "curve", "at")

#: A line of the journal: kind and key of a job, and its results or its error.
Record = dict[str, Any]


@dataclass(frozen=True)
class Results:
    """Results of experiments on one data set.

    Parameters
    ----------
    folder : Path
        Folder that the results were read from.
    about : dict
        Experiments that were asked for, models, sessions and versions.
    table : DataFrame
        The tidy table, one row per job and score: name of the data, condition (runs per instance to learn from,
        fraction of them censored, kind of cutoffs), model, family, fold, seed, score, its mean over the fold's test
        instances, seconds that fitting and predicting took, and the model's role.
    calibration, examples, familiarity, shifts : DataFrame
        Data of figures: histograms of the probability integral transform, predicted quantiles of test instances, scores
        of the test instances that are familiar and of the others, and predictions for shifted features.
    decisions : DataFrame
        The tidy table of experiments on decisions, one row per job, policy, test instance and measure.
    curves : DataFrame
        Data of figures of decisions: lines with bands for single instances.
    failures : DataFrame
        Jobs that ended in an error.
    """

    folder: Path
    about: dict[str, Any]
    table: pd.DataFrame
    calibration: pd.DataFrame
    examples: pd.DataFrame
    familiarity: pd.DataFrame
    shifts: pd.DataFrame
    decisions: pd.DataFrame
    curves: pd.DataFrame
    failures: pd.DataFrame

    @cached_property
    def data(self) -> Dataset:
        """Runs and features that the experiments used; data that come with the package may be missing in the folder."""
        if not (self.folder / DATA).exists():
            with contextlib.suppress(SettingError):  # no data set of this name comes with the package
                shipped = load_dataset(self.about["data"]).matched()
                if fingerprint(shipped) == self.about.get("fingerprint"):
                    return shipped
        return Dataset.load(self.folder / DATA)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Results:
        """Read a folder that `run_experiment` wrote, whether or not the experiment has ended.

        Parameters
        ----------
        folder : path-like
            Results folder.

        Returns
        -------
        Results
            All results of the folder.

        Raises
        ------
        ResultsError
            A folder without results, or a file that cannot be read.
        """
        folder = Path(folder)
        about = read_about(folder)
        if about is None:
            raise ResultsError(f"{folder}: no results here (no {ABOUT}).")
        records = read_journal(folder)
        models = about.get("models", {})
        tables = {name: with_roles(_joined(folder, name, about, records), models) for name in COLUMNS}
        errors = [
            {"kind": record["kind"], **record["key"], "error": record["error"]}
            for record in records
            if "error" in record
        ]
        failures = pd.DataFrame(errors, columns=["kind", *KEY, "error"]).drop_duplicates(["kind", *KEY], keep="last")
        table = tables.pop("results")
        results = cls(folder, about, table, failures=failures, **tables)
        done = results.done()
        open_still = [key not in done for key in failures[["kind", *KEY]].itertuples(index=False, name=None)]
        return replace(results, failures=failures[np.array(open_still, dtype=bool)].reset_index(drop=True))

    @property
    def empty(self) -> bool:
        """Whether no job is done yet."""
        return self.table.empty and self.shifts.empty and self.decisions.empty

    def of(self, experiment: str) -> pd.DataFrame:
        """Return the rows of the tidy table that belong to an experiment.

        Parameters
        ----------
        experiment : str
            Key of `EXPERIMENTS`.

        Returns
        -------
        DataFrame
            Rows; none if the experiment was not asked for or has no scores.
        """
        plan = self.about["experiments"].get(experiment)
        if EXPERIMENTS.find(experiment).kind != SCORED or plan is None:
            return self.table.iloc[:0]
        table = self.table
        chosen = table["runs"].isin(plan["runs"]) & table["cutoffs"].isin(["none", *plan["cutoffs"]])
        return table[chosen & table["censored"].isin(plan["censored"]) & table["model"].isin(plan["models"])]

    def done(self) -> set[tuple[Any, ...]]:
        """Return the jobs that are done, each as its kind ("scores", "shifts" or that of a decision) and its key."""
        tables = {SCORED: self.table, SHIFTS: self.shifts}
        decided = {str(kind): part for kind, part in self.decisions.groupby("experiment")}
        return {(kind, *key) for kind, table in (tables | decided).items() for key in _keys(table)}

    def planned(self, experiment: str) -> set[tuple[Any, ...]]:
        """Return the jobs that were asked for.

        Parameters
        ----------
        experiment : str
            Key of `EXPERIMENTS`.

        Returns
        -------
        set of tuple
            Kind and key of each job, as in `done`.
        """
        kind = EXPERIMENTS.find(experiment).kind
        return {
            (kind, runs, call["cutoffs"] if fraction else "none", fraction, model, family, fold, seed)
            for call in self.about["experiments"].get(experiment, {}).get("calls", [])
            for runs in call["runs"]
            for fraction in call["censored"]
            for model, family in call["jobs"]
            for fold in range(call["folds_done"])
            for seed in range(call["seeds"])
        }


def _keys(table: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    yield from table[KEY].drop_duplicates().itertuples(index=False, name=None)


def read_about(folder: Path) -> dict[str, Any] | None:
    """Read `about.json` of a folder.

    Parameters
    ----------
    folder : Path
        Results folder.

    Returns
    -------
    dict or None
        Its content; None if there is no such file.

    Raises
    ------
    ResultsError
        A file of another form or version.
    """
    path = folder / ABOUT
    if not path.is_file():
        return None
    found = read_json(path, Fields({"format": int}), ResultsError)
    if found["format"] != FORMAT:
        raise ResultsError(f"{path}: format {found['format']!r}; this version reads {FORMAT}.")
    if (wrong := mismatch(found, ABOUT_FORM)) is not None:
        raise ResultsError(f"{path}: {wrong}; not made by an experiment.")
    about: dict[str, Any] = found
    return about


def read_journal(folder: Path) -> list[Record]:
    """Read the journal of a folder.

    Parameters
    ----------
    folder : Path
        Results folder.

    Returns
    -------
    list of dict
        Records of jobs. A last line that a crash left incomplete is left out.

    Raises
    ------
    ResultsError
        A line that no experiment wrote.
    """
    path = folder / JOURNAL
    if not path.is_file():
        return []
    records = []
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ResultsError(f"{path}: not text ({error}).") from error
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        if number == len(lines) and not is_json(line):
            break
        records.append(parse_record(line, f"{path}, line {number}"))
    return records


def fingerprint(data: Dataset) -> str:
    """Compute a digest of runs, features and folds: results of other data do not belong in the same folder.

    Parameters
    ----------
    data : Dataset
        Runs and features.

    Returns
    -------
    str
        Digest in hexadecimal digits.
    """
    digest = hashlib.sha256()
    runs = [part for solver in data.solvers for part in (data.of(solver).seconds, data.of(solver).finished)]
    for part in (*runs, data.features.to_numpy(dtype=float)):
        digest.update(np.ascontiguousarray(part).tobytes())
    if len(data.solvers) > 1:
        digest.update("\0".join(data.solvers).encode())
    if data.folds is not None:
        digest.update(data.folds.to_numpy(dtype=float, na_value=np.nan).tobytes())
    digest.update("\0".join([*map(str, data.features.index), *map(str, data.features.columns)]).encode())
    return digest.hexdigest()


def _joined(folder: Path, name: str, about: dict[str, Any], records: list[Record]) -> pd.DataFrame:
    """Rows of a table on disk and of the journal, each job once."""
    path = folder / f"{name}.parquet"
    columns = COLUMNS[name]
    parts = [read_results_table(path, columns)] if path.is_file() else []
    rows = [row for record in records for row in _rows(name, record, about["data"])]
    if rows:
        parts.append(pd.DataFrame(rows, columns=columns))
    if not parts:
        return pd.DataFrame(columns=columns)
    table = pd.concat(parts, ignore_index=True)
    # A crash between writing a table and emptying the journal leaves jobs in both.
    single = [column for column in columns if column in (*KEY, *_SINGLE)]
    return table.drop_duplicates(single, ignore_index=True)


def _rows(name: str, record: Record, data: str) -> Iterator[dict[str, Any]]:
    key = record["key"]
    if name == "results":
        cost: dict[str, Any] = {k: record[k] for k in ("instances", "fit_seconds", "predict_seconds") if k in record}
        for score, value in record.get("scores", {}).items():
            yield {"data": data, **key, "score": score, "value": value, **cost}
    elif name == "calibration" and "pit" in record:
        yield key | {"pit": record["pit"]}
    elif name in ("examples", "familiarity", "shifts"):
        for row in record.get(name, ()):
            yield (ADDED if name == "examples" else {}) | row | key
    elif name == "decisions" and name in record:
        yield from decision_rows(record)
    elif name == "curves":
        for curve in record.get(name, ()):
            yield from curve_rows(record, curve)
