"""Run one command under limits, and always return an outcome. Linux only.

No shell, no privileges, no control groups: a program of its own (`supervisor/`) owns the command's whole process tree,
reads its CPU clock and memory, and leaves nothing behind. It may be attacked by the command that it runs; so this side
has a clock of its own, and ends everything from outside if need be.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, BinaryIO

from bayes_distnet.collect.connection import GRACE_SECONDS, Connection
from bayes_distnet.data.statuses import CRASHED, INTERRUPTED, MEMOUT, SOLVED, TIMEOUT, UNREADABLE
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_positive


@dataclass(frozen=True)
class Outcome:
    """The end of a run, and the resources that it used.

    Parameters
    ----------
    status : str
        One of the statuses of a run table.
    seconds : float
        CPU seconds, user and system, of all processes of the tree.
    wall_seconds : float
        Seconds from the start to the end of the first process.
    cutoff : float
        CPU seconds that the run was allowed.
    exit_code : int
        Exit code of the first process; -n if signal n ended it.
    memory : int
        Largest number of resident bytes that was measured.
    output, errors : str
        Standard output and standard error; beyond half a MiB the middle is left out.
    answer : str or None
        Answer of the solver; None without an answer.
    """

    status: str
    seconds: float
    wall_seconds: float
    cutoff: float
    exit_code: int
    memory: int
    output: str
    errors: str
    answer: str | None


def check_linux() -> None:
    """Raise a `SettingError` unless this system is Linux."""
    if not sys.platform.startswith("linux"):
        raise SettingError(
            f"collecting runs and computing CNF features need Linux, and this system is {sys.platform}; "
            "reading, fitting, predicting and reporting work everywhere."
        )


def exited_with_zero(output: str, exit_code: int) -> str | None:
    """Accept exit code 0 as an answer.

    Parameters
    ----------
    output : str
        Not used.
    exit_code : int
        Exit code of the run.

    Returns
    -------
    str or None
        An empty answer if the exit code is 0.
    """
    return "" if exit_code == 0 else None


class Executor:
    """Runs commands one after the other under limits.

    Close it, or use it in a `with` statement. Its attribute `core` is the core that it is bound to, or None.

    Parameters
    ----------
    pin : bool, default False
        Whether to bind runs to a core that no other executor holds. If all cores are taken, runs are not bound.

    Raises
    ------
    SettingError
        If this system is not Linux.
    """

    def __init__(self, *, pin: bool = False) -> None:
        check_linux()
        self._supervisor = Connection(pin=pin)
        self.core: int | None = self._supervisor.core

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
        copy: BinaryIO | None = None,
    ) -> Outcome:
        """Run a command.

        Parameters
        ----------
        command, cutoff, wall_limit, memory_limit, read_answer : as for `execute`
            The command and its limits.
        copy : binary file or None
            Open file that receives the whole standard output. A run whose output does not fit into it, because it is
            longer than 1 GiB or the disk is full, is stopped and is `unreadable`.

        Returns
        -------
        Outcome
            The outcome of the run.

        Raises
        ------
        SettingError
            As in `execute`.
        SupervisorGone
            If the supervisor was killed or closed.
        """
        check_positive("cutoff", cutoff)
        wall_limit = 2 * cutoff + 10 if wall_limit is None else wall_limit
        check_positive("wall_limit", wall_limit)
        if memory_limit is not None:
            check_positive("memory_limit", memory_limit)
        request = {
            "command": _with_full_path(command),
            "cutoff": float(cutoff),
            "wall_limit": float(wall_limit),
            "memory_limit": None if memory_limit is None else float(memory_limit),
        }
        try:
            self._supervisor.send(request, [] if copy is None else [copy.fileno()])
            reply = self._supervisor.reply(wall_limit + GRACE_SECONDS)
        except BaseException:  # Ctrl-C included: the next run would take the pending reply for its own
            self.close()
            raise
        if "failed" in reply:
            raise SettingError(f"command: {reply['failed']}.")
        return _outcome(reply, cutoff, read_answer)

    def stop(self) -> None:
        """End the current run, if there is one, as interrupted; may be called from another thread."""
        self._supervisor.send({})

    def close(self) -> None:
        """End the current run, if there is one, and the supervisor."""
        self._supervisor.close()

    @property
    def scratch(self) -> str:
        """Private folder for files of the current run, which is deleted with the supervisor."""
        return self._supervisor.folder

    @property
    def closed(self) -> bool:
        """Whether the supervisor has been ended."""
        return self._supervisor.closed


def _with_full_path(command: Sequence[str]) -> list[str]:
    """Return the words of a command with the full path of its program, or raise a `SettingError`."""
    words = [os.fspath(word) for word in command]
    if not words or any("\0" in word for word in words):
        raise SettingError(f"command={words!r}: expected a program and its arguments.")
    program = shutil.which(words[0])
    if program is None:
        raise SettingError(f"command: no program {words[0]!r} that can be run. Install it, or give its full path.")
    return [os.path.abspath(program), *words[1:]]


def _outcome(reply: dict[str, Any], cutoff: float, read_answer: Callable[[str, int], str | None]) -> Outcome:
    answer = None if reply["reason"] else read_answer(reply["output"], reply["exit_code"])
    return Outcome(
        status=_status(reply["reason"], reply["exit_code"], reply["seconds"], cutoff, answer),
        seconds=reply["seconds"],
        wall_seconds=reply["wall_seconds"],
        cutoff=cutoff,
        exit_code=reply["exit_code"],
        memory=reply["memory"],
        output=reply["output"],
        errors=reply["errors"],
        answer=answer,
    )


def _status(reason: str | None, exit_code: int, seconds: float, cutoff: float, answer: str | None) -> str:
    if reason == "interrupted":
        return INTERRUPTED
    if reason == "memory":
        return MEMOUT
    if reason == "output":
        return UNREADABLE
    if reason in ("cpu", "wall") or seconds > cutoff:
        return TIMEOUT
    if exit_code >= 0 and answer is not None:
        return SOLVED
    # A solver that received the cutoff as an argument gives up by itself, shortly before or after it.
    if seconds >= 0.98 * cutoff:
        return TIMEOUT
    # Signals of a person, a batch system or the kernel short of memory: they carry no information on the solver.
    if -exit_code in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
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
    """Run one command under limits, without a shell, in an empty folder that is deleted afterwards.

    All calls of a thread share one supervisor.

    Parameters
    ----------
    command : sequence of str
        Program and arguments.
    cutoff : float
        Limit in CPU seconds of the whole process tree.
    wall_limit : float, optional
        Limit in seconds of wall-clock time; by default twice the cutoff plus 10 s.
    memory_limit : int, optional
        Limit in resident bytes of the whole process tree; by default none.
    read_answer : callable, optional
        (standard output, exit code) -> answer, or None without an answer. By default exit code 0 is an answer.

    Returns
    -------
    Outcome
        Status, measured resources, output and answer.

    Raises
    ------
    SettingError
        If this system is not Linux, a limit is not positive, or the program cannot be started.

    Examples
    --------
    >>> outcome = execute(["sleep", "0"], cutoff=5.0)
    >>> outcome.status, outcome.exit_code
    ('solved', 0)
    >>> execute(["sh", "-c", "while true; do :; done"], cutoff=0.05).status
    'timeout'
    """
    if getattr(_shared, "owner", None) != os.getpid():
        _shared.executor, _shared.owner = Executor(), os.getpid()
    executor: Executor = _shared.executor
    try:
        return executor.run(
            command, cutoff=cutoff, wall_limit=wall_limit, memory_limit=memory_limit, read_answer=read_answer
        )
    finally:
        if executor.closed:  # the run did not complete
            _shared.owner = None
