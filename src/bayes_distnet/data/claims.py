"""Claims on runs: several collectors share one store, and every run is made by one of them.

A collector claims runs before it makes them, and releases a claim with the result. Claims of a collector that has
ended count no more: on the same machine its process no longer exists, on another one it has been silent for too long.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sqlite3
import time
from collections.abc import Iterable
from pathlib import Path

from bayes_distnet.data.run import Key
from bayes_distnet.data.statuses import INTERRUPTED

SILENT_SECONDS = 120.0  # seconds after which a silent collector on another machine counts as ended


class Claims:
    """The claims of one collector, in the database of a store.

    All methods write, and must be called inside a transaction.

    Parameters
    ----------
    database : sqlite3.Connection
        Database of the store, which has the tables `runs`, `claims` and `collectors`.
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._collector: int | None = None

    @property
    def active(self) -> bool:
        """Whether this collector is registered."""
        return self._collector is not None

    def register(self) -> int:
        """Record that this collector is alive, even if others took it for ended; return its number."""
        cursor = self._database.execute(
            "INSERT INTO collectors (id, host, process, born, seen) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET seen = excluded.seen",
            (self._collector, _machine(), os.getpid(), _start_of(os.getpid()), time.time()),
        )
        if self._collector is None:
            self._collector = cursor.lastrowid
        assert self._collector is not None
        return self._collector

    def claim(self, wanted: Iterable[Key]) -> list[Key]:
        """Claim those of the wanted runs that are free, and return them: see `Store.claim`."""
        claimed: list[Key] = []
        collector = self.register()
        self._drop_dead_collectors()
        for key in wanted:
            cursor = self._database.execute(
                "INSERT OR IGNORE INTO claims SELECT ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM runs "
                "WHERE solver = ? AND instance = ? AND seed = ? AND status <> ?)",
                (*key, collector, *key, INTERRUPTED),
            )
            if cursor.rowcount == 1:
                claimed.append(key)
        return claimed

    def release(self, keys: Iterable[Key]) -> None:
        """Release the claims on some runs, whoever holds them.

        Parameters
        ----------
        keys : iterable of (solver, instance, seed)
            The runs.
        """
        self._database.executemany("DELETE FROM claims WHERE solver = ? AND instance = ? AND seed = ?", list(keys))

    def release_all(self) -> None:
        """Release all claims of this collector, and remove it from the list of collectors."""
        if self._collector is not None:
            self._drop(self._collector)

    def _drop_dead_collectors(self) -> None:
        here = _machine()
        for collector, host, process, born, seen in self._database.execute("SELECT * FROM collectors").fetchall():
            if host == here and born is not None:
                dead = _start_of(process) != born
            else:
                dead = time.time() - seen > SILENT_SECONDS
            if dead:
                self._drop(collector)

    def _drop(self, collector: int) -> None:
        self._database.execute("DELETE FROM claims WHERE collector = ?", (collector,))
        self._database.execute("DELETE FROM collectors WHERE id = ?", (collector,))


def _machine() -> str:
    """Return a name of this machine and its space of process numbers; host names alone may be shared."""
    facts = [socket.gethostname()]
    with contextlib.suppress(OSError):
        facts.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
        facts.append(os.readlink("/proc/self/ns/pid"))
    return " ".join(facts)


def _start_of(process: int) -> str | None:
    """Return when a process started, in clock ticks of the kernel; None if it has ended, or without /proc."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[19]
    except OSError:
        return None
