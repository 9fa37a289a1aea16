"""Runs on disk: one SQLite file that survives a kill, can be resumed, and can be shared.

Runs are only ever added, one transaction per batch. Several collectors can work on one file (see `claims`): every run
is stored once.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, fields
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from bayes_distnet.data.claims import Claims
from bayes_distnet.data.run import Key, Run
from bayes_distnet.data.statuses import INTERRUPTED, STATUSES
from bayes_distnet.errors import RuntimeDataError, StoreError
from bayes_distnet.schema import parse_json

if TYPE_CHECKING:  # a program that only adds runs needs no tables
    import pandas as pd

    from bayes_distnet.data.run_table import RunTable

FORMAT = 1
SUFFIXES = (".sqlite", ".sqlite3", ".db")
_APPLICATION = 0x62647274  # "bdrt" marks the file as a store: the program `file` and this module look for it

_SCHEMA = f"""
CREATE TABLE runs (
    solver TEXT NOT NULL, instance TEXT NOT NULL, seed INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ({", ".join(map(repr, STATUSES))})),
    seconds REAL, wall_seconds REAL, cutoff REAL NOT NULL CHECK (cutoff > 0),
    answer TEXT, exit_code INTEGER, memory INTEGER, started TEXT, host TEXT, core INTEGER
);
-- An interrupted run observes nothing: it may stay beside the run that replaces it.
CREATE UNIQUE INDEX one_run ON runs (solver, instance, seed) WHERE status <> {INTERRUPTED!r};
CREATE TRIGGER no_update BEFORE UPDATE ON runs BEGIN SELECT RAISE(ABORT, 'runs are only ever added'); END;
CREATE TRIGGER no_delete BEFORE DELETE ON runs BEGIN SELECT RAISE(ABORT, 'runs are only ever added'); END;
CREATE TABLE repeats (
    solver TEXT NOT NULL, instance TEXT NOT NULL, seed INTEGER NOT NULL, seconds REAL NOT NULL, again REAL NOT NULL
);
CREATE TABLE instances (name TEXT PRIMARY KEY, digest TEXT NOT NULL);
CREATE TABLE solvers (name TEXT PRIMARY KEY, command TEXT NOT NULL, answer TEXT NOT NULL, version TEXT NOT NULL);
CREATE TABLE sessions (started TEXT NOT NULL, facts TEXT NOT NULL);
CREATE TABLE collectors (id INTEGER PRIMARY KEY AUTOINCREMENT, host TEXT, process INTEGER, born TEXT, seen REAL);
CREATE TABLE claims (
    solver TEXT NOT NULL, instance TEXT NOT NULL, seed INTEGER NOT NULL, collector INTEGER NOT NULL,
    PRIMARY KEY (solver, instance, seed)
) WITHOUT ROWID;
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {FORMAT};
"""

_COLUMNS = tuple(field.name for field in fields(Run))
# INSERT OR IGNORE would also skip a row that violates a constraint.
_INSERT = (
    f"INSERT INTO runs ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))}) "
    f"ON CONFLICT (solver, instance, seed) WHERE status <> {INTERRUPTED!r} DO NOTHING"
)


class Store:
    """A file of runs. Use it in a `with` block, in one thread.

    Parameters
    ----------
    path : path-like
        File whose name ends in .sqlite, .sqlite3 or .db; it is made if it does not exist.
    read_only : bool, default False
        Whether the file must exist and is only read.

    Raises
    ------
    StoreError
        If the file cannot be opened, is no store, or has a newer format.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "runs.sqlite") as store:
    ...     new = store.add([Run("clasp", "a.cnf", 1, "solved", 0.5, 0.6, cutoff=10.0)])
    ...     new, store.runs().seconds.tolist()
    (1, [0.5])
    """

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self.path = Path(path)
        check_store_name(self.path)
        if read_only and not self.path.is_file():
            raise StoreError(f"{self.path}: no such file.")
        if not self.path.parent.is_dir():
            raise StoreError(f"{self.path}: no folder {self.path.parent}.")
        # Not "ro": after a collector was killed in a transaction, the first reader rolls that back on disk. "rw" also
        # reads a file that may not be written.
        mode = "rw" if read_only else "rwc"
        with self._naming_the_file("cannot be opened as a store of runs"):
            # The timeout covers the lock: a batch of another collector takes milliseconds, a slow network disk seconds.
            self._database = sqlite3.connect(
                f"{self.path.absolute().as_uri()}?mode={mode}", timeout=60.0, isolation_level=None, uri=True
            )
        self._claims = Claims(self._database)
        try:
            with self._naming_the_file("cannot be opened as a store of runs"):
                if read_only:
                    self._check_format()
                else:
                    self._database.execute("PRAGMA synchronous = FULL")
                    self._make_tables()
        except BaseException:
            self._database.close()
            raise

    @contextlib.contextmanager
    def _naming_the_file(self, what: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OverflowError, UnicodeError) as error:  # also numbers and names that SQLite cannot hold
            raise StoreError(f"{self.path}: {what} ({error}).") from error

    def _read(self, query: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query; a file that can be opened may still be damaged."""
        with self._naming_the_file("cannot be read"):
            return self._database.execute(query, values).fetchall()

    def _table(self, name: str, columns: Sequence[str], order: str) -> pd.DataFrame:
        import pandas as pd

        rows = self._read(f"SELECT {', '.join(columns)} FROM {name} ORDER BY {order}")
        return pd.DataFrame.from_records(rows, columns=list(columns), coerce_float=True)

    def _make_tables(self) -> None:
        """Make the tables of an empty file."""
        with self._transaction():
            (application,) = self._database.execute("PRAGMA application_id").fetchone()
            (tables,) = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if (application, tables) == (0, 0):
                for statement in _statements(_SCHEMA):
                    self._database.execute(statement)
            self._check_format()

    def _check_format(self) -> None:
        (application,) = self._database.execute("PRAGMA application_id").fetchone()
        (version,) = self._database.execute("PRAGMA user_version").fetchone()
        if application != _APPLICATION:
            raise StoreError(f"{self.path}: an SQLite file, but not a store of runs. Choose another file.")
        if version != FORMAT:
            raise StoreError(f"{self.path}: format {version}, and this version reads {FORMAT}. Update bayes-distnet.")

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release all claims and close the file."""
        try:
            if self._claims.active:
                with self._transaction():
                    self._claims.release_all()
        finally:
            self._database.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._naming_the_file("cannot be written"):
            try:
                self._database.execute("BEGIN IMMEDIATE")
                yield
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise

    def runs(self) -> RunTable:
        """Return all runs as a checked table."""
        from bayes_distnet.data.run_table import RunTable

        try:
            return RunTable.from_frame(self._table("runs", _COLUMNS, "rowid"))
        except RuntimeDataError as error:
            raise StoreError(f"{self.path}: {error}") from error

    def done(self) -> set[Key]:
        """Return the keys of all stored runs that were not interrupted."""
        rows = self._read("SELECT solver, instance, seed FROM runs WHERE status <> ?", (INTERRUPTED,))
        return {(str(solver), str(instance), seed) for solver, instance, seed in rows}

    def repeats(self) -> pd.DataFrame:
        """Return the runs that were made twice with one seed, and the seconds of both."""
        return self._table("repeats", ("solver", "instance", "seed", "seconds", "again"), "rowid")

    def solvers(self) -> pd.DataFrame:
        """Return name, command, answer pattern and version of every solver."""
        return self._table("solvers", ("name", "command", "answer", "version"), "name")

    def sessions(self) -> list[dict[str, Any]]:
        """Return start, machine and settings of every collection of runs."""
        rows = self._read("SELECT started, facts FROM sessions ORDER BY started")
        where = f"{self.path}, table sessions"
        return [{"started": at, **parse_json(str(facts), {str: object}, where, StoreError)} for at, facts in rows]

    def add(self, runs: Iterable[Run]) -> int:
        """Add runs in one transaction, and release the claims on them.

        Parameters
        ----------
        runs : iterable of Run
            The runs; one that is stored already is skipped.

        Returns
        -------
        int
            Number of new runs.
        """
        batch = list(runs)
        with self._transaction():
            before = self._database.total_changes
            self._database.executemany(_INSERT, map(astuple, batch))
            new = self._database.total_changes - before
            self._claims.release(run.key for run in batch)
            if self._claims.active:
                self._claims.register()
        return new

    def claim(self, wanted: Iterable[Key]) -> list[Key]:
        """Claim the wanted runs that are neither stored nor claimed by another collector that is alive.

        Parameters
        ----------
        wanted : iterable of (solver, instance, seed)
            Runs to claim.

        Returns
        -------
        list of (solver, instance, seed)
            The runs claimed, in the order given.
        """
        with self._transaction():
            return self._claims.claim(wanted)

    def add_repeat(self, key: Key, seconds: float, again: float) -> None:
        """Record that a run was made again with the same seed.

        Parameters
        ----------
        key : (solver, instance, seed)
            The run.
        seconds, again : float
            CPU seconds of the first and of the second run.
        """
        with self._transaction():
            self._database.execute("INSERT INTO repeats VALUES (?, ?, ?, ?, ?)", (*key, seconds, again))

    def begin_session(self, started: str, facts: dict[str, Any]) -> None:
        """Record a collection of runs that begins now.

        Parameters
        ----------
        started : str
            Date and time.
        facts : dict
            Machine and settings, as JSON can hold them.
        """
        with self._transaction():
            self._database.execute("INSERT INTO sessions VALUES (?, ?)", (started, json.dumps(facts)))

    def register_instances(self, digests: dict[str, str]) -> None:
        """Record the contents of instance files.

        Parameters
        ----------
        digests : dict
            Digest of each file's contents, by name of the instance.

        Raises
        ------
        StoreError
            If a file has changed since it was registered.
        """
        with self._transaction():
            self._database.executemany("INSERT OR IGNORE INTO instances VALUES (?, ?)", digests.items())
            known = dict(self._database.execute("SELECT name, digest FROM instances"))
            if changed := [name for name, digest in digests.items() if known[name] != digest]:
                raise StoreError(
                    f"{self.path}: {changed[0]} is not the file that was run before ({len(changed)} such files). "
                    "Give a changed instance a new name, or use a new store."
                )

    def register_solver(self, name: str, template: Sequence[str], answer: str, version: str) -> None:
        """Record the command and version of a solver.

        Parameters
        ----------
        name : str
            Name of the solver.
        template : sequence of str
            Words of its command line, with placeholders.
        answer : str
            Pattern that recognises its answer.
        version : str
            Its version.

        Raises
        ------
        StoreError
            If the solver was registered with another command, pattern or version.
        """
        found = (name, json.dumps(list(template)), answer, version)
        with self._transaction():
            self._database.execute("INSERT OR IGNORE INTO solvers VALUES (?, ?, ?, ?)", found)
            known = self._database.execute("SELECT * FROM solvers WHERE name = ?", (name,)).fetchone()
            for what, old, new in zip(("command", "answer pattern", "version"), known[1:], found[1:], strict=True):
                if old != new:
                    raise StoreError(
                        f"{self.path}: runs of {name!r} here had the {what} {old!r}, and now it is {new!r}. "
                        "Give the solver another name, or use a new store."
                    )


def check_store_name(path: Path) -> None:
    """Raise a `StoreError` unless a name ends as that of a store."""
    if path.suffix not in SUFFIXES:
        raise StoreError(f"{path}: expected a name that ends in {', '.join(SUFFIXES)}.")


def _statements(script: str) -> Iterator[str]:
    """Split a script into statements; sqlite3's executescript would end the transaction first."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
