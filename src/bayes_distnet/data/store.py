"""Runs on disk: one SQLite file that survives being killed, resumed and shared.

Runs are only ever added, in one transaction a batch. A collector claims runs before it does them and gives the claim
back with the result; claims of a collector that is gone are free again. So whatever is killed, and however many
collectors work on one file, every run is there once.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sqlite3
import time
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Any

import pandas as pd

from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.data.run_table import INTERRUPTED, STATUSES, RunTable
from bayes_distnet.errors import StoreError

FORMAT = 1
SUFFIXES = (".sqlite", ".sqlite3", ".db")
_APPLICATION = 0x62647274  # "bdrt", so that `file` and we can tell the file from other databases
SILENT_SECONDS = 120.0  # after which a collector on another machine is taken for dead

_SCHEMA = f"""
CREATE TABLE runs (
    solver TEXT NOT NULL, instance TEXT NOT NULL, seed INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ({", ".join(map(repr, STATUSES))})),
    seconds REAL, wall_seconds REAL, cutoff REAL NOT NULL CHECK (cutoff > 0),
    answer TEXT, exit_code INTEGER, memory INTEGER, started TEXT, host TEXT, core INTEGER
);
-- A run that was interrupted says nothing: it may be there beside the run that replaced it.
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

Key = tuple[str, str, int]  # solver, instance, seed


@dataclass(frozen=True)
class Run:
    """One finished run, as it is stored."""

    solver: str
    instance: str
    seed: int
    status: str
    seconds: float
    wall_seconds: float
    cutoff: float
    answer: str | None = None
    exit_code: int | None = None
    memory: int | None = None
    started: str | None = None
    host: str | None = None
    core: int | None = None

    @property
    def key(self) -> Key:
        """What tells this run from others."""
        return self.solver, self.instance, self.seed


_COLUMNS = tuple(field.name for field in fields(Run))
# Not INSERT OR IGNORE: that would pass over a row that breaks a rule as well.
_INSERT = (
    f"INSERT INTO runs ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))}) "
    f"ON CONFLICT (solver, instance, seed) WHERE status <> {INTERRUPTED!r} DO NOTHING"
)


class Store:
    """A file of runs, made if it is not there, or only read. Use it in a `with`, in one thread.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "runs.sqlite") as store:
    ...     new = store.add([Run("clasp", "a.cnf", 1, "solved", 0.5, 0.6, cutoff=10.0)])
    ...     new, store.runs().seconds.tolist()
    (1, [0.5])
    """

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self.path = Path(path)
        if self.path.suffix not in SUFFIXES:
            raise StoreError(f"{self.path}: expected a name that ends in {', '.join(SUFFIXES)}.")
        if read_only and not self.path.is_file():
            raise StoreError(f"{self.path}: no such file.")
        if not self.path.parent.is_dir():
            raise StoreError(f"{self.path}: no folder {self.path.parent}.")
        self._collector: int | None = None
        # Not "ro": after a collector was killed in a transaction, the first to read takes that back on disk. Where the
        # file may not be written, "rw" reads.
        mode = "rw" if read_only else "rwc"
        with self._naming_the_file("cannot be opened as a store of runs"):
            # Waiting for a lock: another collector's batch takes milliseconds, a slow network disk seconds.
            self._database = sqlite3.connect(
                f"{self.path.absolute().as_uri()}?mode={mode}", timeout=60.0, isolation_level=None, uri=True
            )
        try:
            with self._naming_the_file("cannot be opened as a store of runs"):
                if read_only:
                    self._check_format()
                else:
                    self._database.execute("PRAGMA synchronous = FULL")
                    self._make()
        except BaseException:
            self._database.close()
            raise

    @contextlib.contextmanager
    def _naming_the_file(self, what: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {what} ({error}).") from error

    def _make(self) -> None:
        """Make the tables, unless they are there."""
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
        """Give back what is claimed and close the file."""
        try:
            if self._collector is not None:
                with self._transaction():
                    self._forget(self._collector)
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

    # Reading

    def runs(self) -> RunTable:
        """Return all runs as a checked table."""
        frame = pd.read_sql_query(f"SELECT {', '.join(_COLUMNS)} FROM runs ORDER BY rowid", self._database)
        return RunTable.from_frame(frame)

    def done(self) -> set[Key]:
        """Return the runs that are there and need not be done."""
        rows = self._database.execute("SELECT solver, instance, seed FROM runs WHERE status <> ?", (INTERRUPTED,))
        return set(rows)

    def repeats(self) -> pd.DataFrame:
        """Return the runs that were done twice with one seed, and the seconds of both."""
        return pd.read_sql_query("SELECT * FROM repeats", self._database)

    def solvers(self) -> pd.DataFrame:
        """Return name, command, answer pattern and version of every solver."""
        return pd.read_sql_query("SELECT * FROM solvers ORDER BY name", self._database)

    def sessions(self) -> list[dict[str, Any]]:
        """Return when runs were collected, on what machine and with what settings."""
        rows = self._database.execute("SELECT started, facts FROM sessions ORDER BY started")
        return [{"started": started, **json.loads(facts)} for started, facts in rows]

    # Adding

    def add(self, runs: Iterable[Run]) -> int:
        """Add runs in one transaction, and give back the claims on them; a run that is there already stays.

        Returns how many were new.
        """
        batch = list(runs)
        with self._transaction():
            before = self._database.total_changes
            self._database.executemany(_INSERT, map(astuple, batch))
            new = self._database.total_changes - before
            self._database.executemany(
                "DELETE FROM claims WHERE solver = ? AND instance = ? AND seed = ?", [run.key for run in batch]
            )
            if self._collector is not None:
                self._register()
        return new

    def add_repeat(self, key: Key, seconds: float, again: float) -> None:
        """Record that a run was done again with the same seed."""
        with self._transaction():
            self._database.execute("INSERT INTO repeats VALUES (?, ?, ?, ?, ?)", (*key, seconds, again))

    def begin_session(self, started: str, facts: dict[str, Any]) -> None:
        """Record when, where and how runs are about to be collected."""
        with self._transaction():
            self._database.execute("INSERT INTO sessions VALUES (?, ?)", (started, json.dumps(facts)))

    def know_instances(self, digests: dict[str, str]) -> None:
        """Record what the instance files hold; an error if one holds something else than when it was run before."""
        with self._transaction():
            self._database.executemany("INSERT OR IGNORE INTO instances VALUES (?, ?)", digests.items())
            known = dict(self._database.execute("SELECT name, digest FROM instances"))
            if changed := [name for name, digest in digests.items() if known[name] != digest]:
                raise StoreError(
                    f"{self.path}: {changed[0]} is not the file that was run before ({len(changed)} such files). "
                    "Give a changed instance a new name, or use a new store."
                )

    def know_solver(self, solver: Solver, version: str) -> None:
        """Record how a solver is called; an error if its runs here were made by another command or version."""
        found = (solver.name, json.dumps(solver.template), solver.answer, version)
        with self._transaction():
            self._database.execute("INSERT OR IGNORE INTO solvers VALUES (?, ?, ?, ?)", found)
            known = self._database.execute("SELECT * FROM solvers WHERE name = ?", (solver.name,)).fetchone()
            for what, old, new in zip(("command", "answer pattern", "version"), known[1:], found[1:], strict=True):
                if old != new:
                    raise StoreError(
                        f"{self.path}: runs of {solver.name!r} here had the {what} {old!r}, and now it is {new!r}. "
                        "Give the solver another name, or use a new store."
                    )

    # Claiming

    def claim(self, wanted: Iterable[Key]) -> list[Key]:
        """Claim those of the wanted runs that are not done and not claimed by another living collector."""
        claimed: list[Key] = []
        with self._transaction():
            collector = self._register()
            self._bury_the_dead()
            for key in wanted:
                cursor = self._database.execute(
                    "INSERT OR IGNORE INTO claims SELECT ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM runs "
                    "WHERE solver = ? AND instance = ? AND seed = ? AND status <> ?)",
                    (*key, collector, *key, INTERRUPTED),
                )
                if cursor.rowcount == 1:
                    claimed.append(key)
        return claimed

    def _register(self) -> int:
        """Say that this collector is alive; it may have been silent for so long that it was taken for dead."""
        cursor = self._database.execute(
            "INSERT INTO collectors (id, host, process, born, seen) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET seen = excluded.seen",
            (self._collector, _machine(), os.getpid(), _born(os.getpid()), time.time()),
        )
        if self._collector is None:
            self._collector = cursor.lastrowid
        assert self._collector is not None
        return self._collector

    def _bury_the_dead(self) -> None:
        here = _machine()
        for collector, host, process, born, seen in self._database.execute("SELECT * FROM collectors").fetchall():
            dead = _born(process) != born if host == here else time.time() - seen > SILENT_SECONDS
            if dead:
                self._forget(collector)

    def _forget(self, collector: int) -> None:
        self._database.execute("DELETE FROM claims WHERE collector = ?", (collector,))
        self._database.execute("DELETE FROM collectors WHERE id = ?", (collector,))


def _statements(script: str) -> Iterator[str]:
    """Split a script: sqlite3's own executescript would end the transaction first."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _machine() -> str:
    """Return what tells this machine, as far as it sees processes, from others: names alone may be shared."""
    facts = [socket.gethostname()]
    with contextlib.suppress(OSError):
        facts.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
        facts.append(os.readlink("/proc/self/ns/pid"))
    return " ".join(facts)


def _born(process: int) -> str | None:
    """Return when a process of this machine started, in the kernel's own count; None if there is none."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[19]
    except OSError:
        return None
