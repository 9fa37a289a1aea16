"""Results of experiments: a folder with one tidy table, and beside it the data of the figures."""

from __future__ import annotations

import hashlib
import json
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
from bayes_distnet.data.shipped.registry import DATASETS
from bayes_distnet.data.tables import read_frame
from bayes_distnet.errors import ResultsError

ABOUT, JOURNAL, LOCK, DATA = "about.json", "journal.jsonl", ".lock", "data"


FORMAT = 1


#: Kinds of jobs: a model scored on a fold, and its answers to features moved away.
SCORED, SHIFTS = "scores", "shifts"


#: What tells one job from others of its kind.
KEY = ["runs", "cutoffs", "censored", "model", "family", "fold", "seed"]


COLUMNS = {
    "results": ["data", *KEY, "score", "value", "instances", "fit_seconds", "predict_seconds"],
    "calibration": [*KEY, "pit"],
    "examples": [*KEY, "instance", "nllh", "quantiles"],
    "shifts": [*KEY, "instance", "shift", "mean", "low", "median", "high"],
}


#: Levels of the quantiles kept for example instances.
EXAMPLE_LEVELS = (0.005, 0.025, *(round(0.05 * i, 2) for i in range(1, 20)), 0.975, 0.995)


Record = dict[str, Any]


@dataclass(frozen=True)
class Results:
    """The results of experiments on one data set.

    `about` says what was run; `table` is the tidy table, one row a job and score: the data set's name, the condition
    (runs an instance to learn from, share of them censored, kind of cutoffs), model, family, fold, seed, score, its
    mean over the fold's test instances, and what fitting and predicting took. `calibration`, `examples` and `shifts`
    are what figures are drawn from; `failures` are jobs that ended in an error.
    """

    folder: Path
    about: dict[str, Any]
    table: pd.DataFrame
    calibration: pd.DataFrame
    examples: pd.DataFrame
    shifts: pd.DataFrame
    failures: pd.DataFrame

    @cached_property
    def data(self) -> Dataset:
        """The runs and features the experiments were done on; a copy of the results may come without those shipped."""
        if not (self.folder / DATA).exists() and self.about["data"] in DATASETS:
            shipped = load_dataset(self.about["data"]).matched()
            if fingerprint(shipped) == self.about.get("fingerprint"):
                return shipped
        return Dataset.load(self.folder / DATA)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Results:
        """Read a folder that `run_experiment` wrote, finished or not."""
        folder = Path(folder)
        about = read_about(folder)
        if about is None:
            raise ResultsError(f"{folder}: no results here (no {ABOUT}).")
        records = read_journal(folder)
        tables = {name: _joined(folder, name, about, records) for name in COLUMNS}
        errors = [
            {"kind": record["kind"], **record["key"], "error": record["error"]}
            for record in records
            if "error" in record
        ]
        failures = pd.DataFrame(errors, columns=["kind", *KEY, "error"]).drop_duplicates(["kind", *KEY], keep="last")
        results = cls(
            folder, about, tables["results"], tables["calibration"], tables["examples"], tables["shifts"], failures
        )
        done = results.done()
        open_still = [key not in done for key in failures[["kind", *KEY]].itertuples(index=False, name=None)]
        return replace(results, failures=failures[np.array(open_still, dtype=bool)].reset_index(drop=True))

    def of(self, experiment: str) -> pd.DataFrame:
        """Return the rows of the table that belong to "low-samples" or "censoring"."""
        plan = self.about["experiments"].get(experiment)
        if plan is None or experiment == "uncertainty":
            return self.table.iloc[:0]
        table = self.table
        chosen = table["runs"].isin(plan["runs"]) & table["cutoffs"].isin(["none", *plan["cutoffs"]])
        return table[chosen & table["censored"].isin(plan["censored"]) & table["model"].isin(plan["models"])]

    def done(self) -> set[tuple[Any, ...]]:
        """Return what has been done: kind ("scores" or "shifts") and key of every finished job."""
        tables = {SCORED: self.table, SHIFTS: self.shifts}
        return {(kind, *key) for kind, table in tables.items() for key in _keys(table)}

    def planned(self, experiment: str) -> set[tuple[Any, ...]]:
        """Return what was asked for, in the form of `done`."""
        kind = SHIFTS if experiment == "uncertainty" else SCORED
        return {
            (kind, runs, call["cutoffs"] if share else "none", share, model, family, fold, seed)
            for call in self.about["experiments"].get(experiment, {}).get("calls", [])
            for runs in call["runs"]
            for share in call["censored"]
            for model, family in call["jobs"]
            for fold in range(call["folds_done"])
            for seed in range(call["seeds"])
        }


def _keys(table: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    yield from table[KEY].drop_duplicates().itertuples(index=False, name=None)


def read_about(folder: Path) -> dict[str, Any] | None:
    """Return what `about.json` says, None if there is none."""
    path = folder / ABOUT
    if not path.is_file():
        return None
    try:
        about = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ResultsError(f"{path}: not JSON ({error}).") from error
    if not isinstance(about, dict) or not {"format", "data", "experiments"} <= set(about):
        raise ResultsError(f"{path}: not made by an experiment.")
    if about["format"] != FORMAT:
        raise ResultsError(f"{path}: format {about['format']!r}; this version reads {FORMAT}.")
    return about


def read_journal(folder: Path) -> list[Record]:
    """Return the finished jobs of the journal; a last line cut short by a crash is left out."""
    path = folder / JOURNAL
    if not path.is_file():
        return []
    records = []
    try:
        lines = path.read_text("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise ResultsError(f"{path}: not text ({error}).") from error
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            if number == len(lines):
                break
            raise ResultsError(f"{path}, line {number}: not JSON ({error}).") from error
        key = record.get("key") if isinstance(record, dict) and "kind" in record else None
        if not isinstance(key, dict) or set(key) != set(KEY):
            raise ResultsError(f"{path}, line {number}: not written by an experiment.")
        records.append(record)
    return records


def fingerprint(data: Dataset) -> str:
    """Return a digest of runs and features: results of other data do not belong in the same folder."""
    digest = hashlib.sha256()
    for part in (data.seconds, data.finished, data.features.to_numpy(dtype=float)):
        digest.update(np.ascontiguousarray(part).tobytes())
    digest.update("\0".join([*map(str, data.features.index), *map(str, data.features.columns)]).encode())
    return digest.hexdigest()


def _joined(folder: Path, name: str, about: dict[str, Any], records: list[Record]) -> pd.DataFrame:
    """Rows of a table and of the journal, each job once."""
    path = folder / f"{name}.parquet"
    columns = COLUMNS[name]
    parts = [_read_table(path, columns)] if path.is_file() else []
    rows = [row for record in records for row in _rows(name, record, about["data"])]
    if rows:
        parts.append(pd.DataFrame(rows, columns=columns))
    if not parts:
        return pd.DataFrame(columns=columns)
    table = pd.concat(parts, ignore_index=True)
    # A crash between writing a table and emptying the journal leaves jobs in both.
    single = [column for column in columns if column in (*KEY, "score", "instance", "shift")]
    return table.drop_duplicates(single, ignore_index=True)


def _read_table(path: Path, columns: list[str]) -> pd.DataFrame:
    table = read_frame(path)
    if missing := [column for column in columns if column not in table.columns]:
        raise ResultsError(f"{path}: no column {missing[0]!r}; not written by an experiment.")
    return table


def _rows(name: str, record: Record, data: str) -> Iterator[dict[str, Any]]:
    key = record["key"]
    if name == "results":
        cost: dict[str, Any] = {k: record[k] for k in ("instances", "fit_seconds", "predict_seconds") if k in record}
        for score, value in record.get("scores", {}).items():
            yield {"data": data, **key, "score": score, "value": value, **cost}
    elif name == "calibration" and "pit" in record:
        yield key | {"pit": record["pit"]}
    elif name in ("examples", "shifts"):
        for row in record.get(name, ()):
            yield key | row
