"""Standard streams that may be closed, full, or unable to show a character. Only programs use them, not the library."""

from __future__ import annotations

import io
import os
import sys
from typing import Any

STDOUT, STDERR = "standard output", "standard error"


class Output(io.FileIO):
    """A standard stream whose errors have its name.

    Parameters
    ----------
    number : int
        File descriptor.
    name : str
        Name in messages.
    patient : bool
        Whether a command goes on when its output cannot be written; `failure` then holds the error.
    """

    def __init__(self, number: int, name: str, *, patient: bool) -> None:
        super().__init__(number, "w", closefd=False)
        self.stream, self.patient = name, patient
        self.failure: OSError | None = None

    def write(self, data: Any, /) -> int:
        """Write bytes, or leave them out after a failure."""
        if self.failure is None:
            try:
                return super().write(data)
            except BlockingIOError:
                raise
            except OSError as error:
                self.failure = OSError(error.errno, error.strerror, self.stream)
                if not self.patient:
                    raise self.failure from error
        return memoryview(data).nbytes


def prepare_streams() -> None:
    """Replace the standard streams by such that survive what users do with them.

    Names that are not UTF-8 are printed as they are; an encoding that lacks a character shows its code.
    """
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)))
    sys.stdout = _text(sys.stdout, Output(1, STDOUT, patient=False), "surrogateescape")
    sys.stderr = _text(sys.stderr, Output(2, STDERR, patient=True), "backslashreplace")


def _text(former: Any, raw: Output, errors: str) -> io.TextIOWrapper:
    encoding = getattr(former, "encoding", None) or "utf-8"
    errors = errors if encoding.lower().replace("-", "") == "utf8" else "backslashreplace"
    at_once = raw.isatty() or raw.stream == STDERR
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding=encoding, errors=errors, line_buffering=at_once)


def finish_work_first() -> None:
    """Let a command that writes files do all its work, even if what it prints cannot be written."""
    if (raw := _raw()) is not None:
        raw.patient = True


def check_printed() -> None:
    """Raise the error of a standard output that could not be written, also of its last bytes."""
    sys.stdout.flush()
    if (raw := _raw()) is not None and raw.failure is not None:
        raise raw.failure


def give_up_stdout() -> None:
    """Send what is left to print nowhere: else Python complains at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _raw() -> Output | None:
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return raw if isinstance(raw, Output) else None
