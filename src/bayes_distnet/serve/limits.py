"""Limits of requests: sizes, numbers, seconds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits that keep a request from using up the machine.

    Parameters
    ----------
    body : int, default 1 MiB
        Bytes of a request, except uploaded files.
    upload : int, default 64 MiB
        Bytes of a request with files.
    seconds : float, default 10.0
        Time in which a request has to arrive, and in which its headers have to.
    upload_seconds : float, default 120.0
        Time in which a request with files has to arrive.
    feature_seconds : float, default 30.0
        Time in which the features of a file have to be computed.
    feature_memory : int, default 2 GiB
        Resident bytes of the process that computes them.
    connections : int, default 256
        Open connections.
    requests : int, default 128
        Requests at once.
    files : int, default 4
        Files at once whose features are computed or wait for it.
    """

    body: int = 2**20
    upload: int = 64 * 2**20
    seconds: float = 10.0
    upload_seconds: float = 120.0
    feature_seconds: float = 30.0
    feature_memory: int = 2 * 2**30
    connections: int = 256
    requests: int = 128
    files: int = 4


ROWS = 1000  # of one request
COLUMNS = 5000  # features of one row
LEVELS = 20  # quantiles, or seconds of `within`
SECONDS = 1e12  # largest time
CORES = 64
NAME = 300  # characters of a name, or of a text in place of a number
