"""Writing results: a journal while jobs are done, tables when an experiment ends."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from bayes_distnet.data.tables import write_frame
from bayes_distnet.errors import ResultsError
from bayes_distnet.experiments.results import (
    ABOUT,
    COLUMNS,
    JOURNAL,
    KEY,
    LOCK,
    SCORED,
    SHIFTS,
    Record,
    Results,
    read_journal,
)


def write_about(folder: Path, about: dict[str, Any]) -> None:
    """Write `about.json`, whole or not at all."""
    new = folder / f"{ABOUT}.new"
    with new.open("w", encoding="utf-8") as file:
        file.write(json.dumps(about, indent=2, ensure_ascii=False) + "\n")
        file.flush()
        os.fsync(file.fileno())
    new.replace(folder / ABOUT)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Make the folder if need be; nobody else may write to it meanwhile."""
    folder.mkdir(parents=True, exist_ok=True)
    # The journal itself is replaced when it is folded: the lock is on a file that stays.
    with (folder / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ResultsError(f"{folder}: another experiment is writing to this folder.") from error
        yield


def open_journal(folder: Path) -> IO[str]:
    """Open the journal for appending."""
    _drop_torn_line(folder / JOURNAL)
    return (folder / JOURNAL).open("a", encoding="utf-8")


def forget(folder: Path, jobs: Collection[tuple[Any, ...]]) -> None:
    """Take jobs, in the form of `Results.done`, out of journal and tables."""
    results = fold_journal(folder)

    def others(table: pd.DataFrame, kind: str) -> pd.DataFrame:
        keys = table[KEY].itertuples(index=False, name=None)
        return table[np.array([(kind, *key) not in jobs for key in keys], dtype=bool)]

    kept = [others(table, SCORED) for table in (results.table, results.calibration, results.examples)]
    _write_tables(folder, [*kept, others(results.shifts, SHIFTS)])


def _drop_torn_line(path: Path) -> None:
    """Cut off what a crash left of a last line: what is appended starts on a line of its own."""
    if not path.is_file() or not path.stat().st_size:
        return
    with path.open("r+b") as journal:
        journal.seek(-1, os.SEEK_END)
        if journal.read() != b"\n":
            journal.truncate(path.read_bytes().rfind(b"\n") + 1)


def append(journal: IO[str], record: Record) -> None:
    """Write one job down, on disk before this returns."""
    journal.write(json.dumps(record) + "\n")
    journal.flush()
    os.fsync(journal.fileno())


def fold_journal(folder: Path) -> Results:
    """Turn the journal's lines into rows of the tables, and empty it."""
    results = Results.load(folder)
    _write_tables(folder, [results.table, results.calibration, results.examples, results.shifts])
    open_still = set(results.failures[["kind", *KEY]].itertuples(index=False, name=None))
    failures = [
        r for r in read_journal(folder) if "error" in r and (r["kind"], *(r["key"][k] for k in KEY)) in open_still
    ]
    new = folder / f"{JOURNAL}.new"
    new.write_text("".join(json.dumps(record) + "\n" for record in failures), "utf-8")
    new.replace(folder / JOURNAL)
    return results


def _write_tables(folder: Path, tables: list[pd.DataFrame]) -> None:
    for name, table in zip(COLUMNS, tables, strict=True):
        path = folder / f"{name}.parquet"
        if len(table) or path.exists():
            write_frame(table, path)
    write_frame(tables[0], folder / "results.csv")
