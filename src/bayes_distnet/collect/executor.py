"""Run one command under limits, and always come back with an outcome.

No shell, no privileges, no control groups: a supervisor process (`supervisor.py`) owns the command's whole process
tree, reads its CPU clock and memory, and leaves nothing behind. Linux only.

>>> outcome = execute(["sleep", "0"], cutoff=5.0)
>>> outcome.status, outcome.exit_code
('solved', 0)
>>> execute(["sh", "-c", "while true; do :; done"], cutoff=0.05).status
'timeout'
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from bayes_distnet.collect import supervisor
from bayes_distnet.data.statuses import CRASHED, INTERRUPTED, MEMOUT, SOLVED, TIMEOUT, UNREADABLE
from bayes_distnet.errors import CollectError, SettingError
from bayes_distnet.validation import check_positive

# Sent by someone else (a person, a batch system, the kernel short of memory): they tell nothing about the solver.
_FROM_OUTSIDE = {-signal.SIGINT, -signal.SIGTERM, -signal.SIGHUP, -signal.SIGKILL}


@dataclass(frozen=True)
class Outcome:
    """How a run ended and what it used."""

    status: str
    seconds: float
    """CPU seconds, user and system, of all processes of the tree."""
    wall_seconds: float
    """Seconds from the start to the end of the first process."""
    cutoff: float
    """CPU seconds the run was allowed."""
    exit_code: int
    """Exit code of the first process; -n if signal n ended it."""
    memory: int
    """Most bytes resident at once, as far as seen."""
    output: str
    """Standard output; the middle is left out past half a MiB."""
    errors: str
    """Standard error, likewise."""
    answer: str | None
    """What the solver answered; None without an answer."""


def exited_with_zero(output: str, exit_code: int) -> str | None:
    """Take exit code 0 as the answer: what counts as solved where nothing else is said."""
    return "" if exit_code == 0 else None


class SupervisorGone(CollectError):
    """The supervisor process was killed or closed; the run it had is lost."""

    def __init__(self, message: str = "the supervisor process is gone, and the run it had is lost.") -> None:
        super().__init__(message)


class Executor:
    """Runs commands one after the other, bound to a core of its own if `pin`; close it, or use it in a `with`.

    `core` is the core it is bound to; None if it is not, or if every core is taken by another executor.
    """

    def __init__(self, *, pin: bool = False) -> None:
        if not sys.platform.startswith("linux"):
            raise SettingError(f"execute: runs are measured with means of Linux, and this is {sys.platform}.")
        command = [sys.executable, "-I", "-S", supervisor.__file__, *(["--pin"] if pin else [])]
        # A session of its own: Ctrl-C in a terminal reaches this program, which then decides.
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, start_new_session=True
        )
        self._end = weakref.finalize(self, _end, self._process, os.getpid())
        self._buffer = b""
        self.core: int | None = self._reply()["core"]

    def __enter__(self) -> Executor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def run(
        self,
        command: Sequence[str],
        *,
        cutoff: float,
        wall_limit: float | None = None,
        memory_limit: int | None = None,
        read_answer: Callable[[str, int], str | None] = exited_with_zero,
    ) -> Outcome:
        """Run a command, without a shell, in an empty folder of its own that is deleted afterwards.

        `cutoff` is in CPU seconds of the whole process tree, `wall_limit` in seconds by the clock (default: twice the
        cutoff and 10 s), `memory_limit` in bytes resident. `read_answer` gets the output and the exit code, and
        returns the answer or None.
        """
        check_positive("cutoff", cutoff)
        wall_limit = 2 * cutoff + 10 if wall_limit is None else wall_limit
        check_positive("wall_limit", wall_limit)
        if memory_limit is not None:
            check_positive("memory_limit", memory_limit)
        words = [os.fspath(word) for word in command]
        if not words or any("\0" in word for word in words):
            raise SettingError(f"command={words!r}: expected a program and its arguments.")
        program = shutil.which(words[0])
        if program is None:
            raise SettingError(f"command: no program {words[0]!r} that can be run. Install it, or give its full path.")
        request = {
            "command": [os.path.abspath(program), *words[1:]],
            "cutoff": float(cutoff),
            "wall_limit": float(wall_limit),
            "memory_limit": None if memory_limit is None else float(memory_limit),
        }
        try:
            self._send(request)
            reply = self._reply()
        except BaseException:  # Ctrl-C among them: the reply would be taken for that of the next run
            self.close()
            raise
        if "failed" in reply:
            raise SettingError(f"command: {reply['failed']}.")
        return _outcome(reply, cutoff, read_answer)

    def stop(self) -> None:
        """End the run in flight, if there is one, as interrupted; may be called from another thread."""
        self._send({})

    def close(self) -> None:
        """End the run in flight, if there is one, and the supervisor."""
        self._end()

    @property
    def closed(self) -> bool:
        """Whether it can run nothing any more."""
        return not self._end.alive

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
        except (BrokenPipeError, ValueError) as error:
            raise SupervisorGone() from error

    def _reply(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        while b"\n" not in self._buffer:
            try:
                chunk = os.read(self._process.stdout.fileno(), 1 << 20)
            except ValueError as error:
                raise SupervisorGone() from error
            if not chunk:
                raise SupervisorGone()
            self._buffer += chunk
        line, self._buffer = self._buffer.split(b"\n", 1)
        message: dict[str, Any] = json.loads(line)
        return message


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    if os.getpid() != owner:  # a fork of the program that started it
        return
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    process.stdout.close()
    process.wait()


def _outcome(reply: dict[str, Any], cutoff: float, read_answer: Callable[[str, int], str | None]) -> Outcome:
    answer = None if reply["why"] else read_answer(reply["output"], reply["exit"])
    return Outcome(
        status=_status(reply["why"], reply["exit"], reply["seconds"], cutoff, answer),
        seconds=reply["seconds"],
        wall_seconds=reply["wall_seconds"],
        cutoff=cutoff,
        exit_code=reply["exit"],
        memory=reply["memory"],
        output=reply["output"],
        errors=reply["errors"],
        answer=answer,
    )


def _status(why: str | None, exit_code: int, seconds: float, cutoff: float, answer: str | None) -> str:
    if why == "interrupted":
        return INTERRUPTED
    if why == "memory":
        return MEMOUT
    if why in ("cpu", "wall") or seconds > cutoff:
        return TIMEOUT
    if exit_code >= 0 and answer is not None:
        return SOLVED
    # A solver that was told its cutoff gives up by itself, a moment before or after.
    if seconds >= 0.98 * cutoff:
        return TIMEOUT
    if exit_code in _FROM_OUTSIDE:
        return INTERRUPTED
    return CRASHED if exit_code != 0 else UNREADABLE


_shared = threading.local()


def execute(
    command: Sequence[str],
    *,
    cutoff: float,
    wall_limit: float | None = None,
    memory_limit: int | None = None,
    read_answer: Callable[[str, int], str | None] = exited_with_zero,
) -> Outcome:
    """Run one command under limits (see `Executor.run`); a thread's runs share one supervisor."""
    if getattr(_shared, "owner", None) != os.getpid():
        _shared.executor, _shared.owner = Executor(), os.getpid()
    executor: Executor = _shared.executor
    try:
        return executor.run(
            command, cutoff=cutoff, wall_limit=wall_limit, memory_limit=memory_limit, read_answer=read_answer
        )
    finally:
        if executor.closed:  # the run was broken off
            _shared.owner = None
