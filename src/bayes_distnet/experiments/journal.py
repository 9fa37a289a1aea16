"""Writing of results: a journal while jobs are done, tables when an experiment ends."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd
from filelock import FileLock, Timeout

from bayes_distnet.data.tables import write_frame
from bayes_distnet.errors import ResultsError
from bayes_distnet.experiments.registry import SCORED, SHIFTS
from bayes_distnet.experiments.results import ABOUT, COLUMNS, JOURNAL, KEY, LOCK, Record, Results, read_journal
from bayes_distnet.files import naming, write_whole


def write_about(folder: Path, about: dict[str, Any]) -> None:
    """Write `about.json`, whole or not at all.

    Parameters
    ----------
    folder : Path
        Results folder.
    about : dict
        Content of the file.
    """
    write_whole(folder / ABOUT, json.dumps(about, indent=2, ensure_ascii=False) + "\n", durable=True)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder for writing, and make it if it does not exist.

    The operating system drops the lock when the process ends.

    Parameters
    ----------
    folder : Path
        Results folder.

    Raises
    ------
    ResultsError
        Another experiment holds the lock.
    """
    folder.mkdir(parents=True, exist_ok=True)
    # The journal itself is replaced when it is folded: the lock is on a file that stays.
    lock = FileLock(folder / LOCK)
    try:
        lock.acquire(blocking=False)
    except Timeout as error:
        raise ResultsError(f"{folder}: another experiment is writing to this folder.") from error
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def open_journal(folder: Path) -> Iterator[IO[str]]:
    """Open the journal of a folder for appending.

    Parameters
    ----------
    folder : Path
        Results folder.

    Yields
    ------
    file
        The journal, without an incomplete last line.
    """
    path = folder / JOURNAL
    _drop_torn_line(path)
    journal = path.open("a", encoding="utf-8")
    try:
        yield journal
    finally:
        with naming(path):
            journal.close()


def remove(folder: Path, jobs: Collection[tuple[Any, ...]]) -> None:
    """Remove the results of jobs from journal and tables.

    Parameters
    ----------
    folder : Path
        Results folder.
    jobs : collection of tuple
        Kind and key of each job, as in `Results.done`.
    """
    results = fold_journal(folder)

    def others(table: pd.DataFrame, kind: str) -> pd.DataFrame:
        keys = table[KEY].itertuples(index=False, name=None)
        return table[np.array([(kind, *key) not in jobs for key in keys], dtype=bool)]

    *scored, shifts, decisions, curves = _tables(results)
    kept = [others(table, SCORED) for table in scored]
    decided = [_other_decisions(table, others) for table in (decisions, curves)]
    _write_tables(folder, [*kept, others(shifts, SHIFTS), *decided])


def _other_decisions(table: pd.DataFrame, others: Callable[[pd.DataFrame, str], pd.DataFrame]) -> pd.DataFrame:
    """Keep the rows of other jobs; the kind of a job is the experiment of its rows."""
    parts = [others(part, str(kind)) for kind, part in table.groupby("experiment", sort=False)]
    return pd.concat(parts) if parts else table


def _drop_torn_line(path: Path) -> None:
    """Remove a last line that a crash left incomplete, so that the next record starts on a line of its own."""
    if not path.is_file() or not path.stat().st_size:
        return
    with path.open("r+b") as journal:
        journal.seek(-1, os.SEEK_END)
        if journal.read() != b"\n":
            journal.truncate(path.read_bytes().rfind(b"\n") + 1)


def append(journal: IO[str], record: Record) -> None:
    """Append the record of a job, which is on disk when this returns.

    Parameters
    ----------
    journal : file
        Journal of `open_journal`.
    record : dict
        Record of the job.
    """
    with naming(journal.name):
        journal.write(json.dumps(record) + "\n")
        journal.flush()
        os.fsync(journal.fileno())


def fold_journal(folder: Path) -> Results:
    """Move the records of the journal into the tables; jobs that failed stay in the journal.

    Parameters
    ----------
    folder : Path
        Results folder.

    Returns
    -------
    Results
        All results of the folder.
    """
    results = Results.load(folder)
    _write_tables(folder, _tables(results))
    open_still = set(results.failures[["kind", *KEY]].itertuples(index=False, name=None))
    failures = [
        r for r in read_journal(folder) if "error" in r and (r["kind"], *(r["key"][k] for k in KEY)) in open_still
    ]
    write_whole(folder / JOURNAL, "".join(json.dumps(record) + "\n" for record in failures), durable=True)
    return results


def _tables(results: Results) -> list[pd.DataFrame]:
    """Tables in the order of `COLUMNS`."""
    scored = [results.table, results.calibration, results.examples, results.familiarity]
    return [*scored, results.shifts, results.decisions, results.curves]


def _write_tables(folder: Path, tables: list[pd.DataFrame]) -> None:
    stored = [table[columns] for table, columns in zip(tables, COLUMNS.values(), strict=True)]
    for name, table in zip(COLUMNS, stored, strict=True):
        path = folder / f"{name}.parquet"
        if len(table) or path.exists():
            write_frame(table, path)
    write_frame(stored[0], folder / "results.csv")
