"""The two processes of the program: the guardian, and the supervisor that serves runs."""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import resource
import select
import signal
import sys
from typing import Any

from .channel import Channel
from .folders import hold, lock_folder, remove, remove_abandoned
from .run import LEFT_TO_OWNER, end_tree, run
from .tree import MARK

LARGEST_FILE = 1 << 30  # bytes that a solver may write into one file
GRACE_SECONDS = 1.0  # time in which the supervisor ends by itself after its owner, unless it is stopped

# See prctl(2) and capabilities(7).
_SET_DEATH_SIGNAL, _SET_DUMPABLE, _DROP_FROM_BOUNDING_SET, _SET_CHILD_SUBREAPER = 1, 4, 24, 36
_CAP_SYS_PTRACE = 19


def main() -> None:
    """Guard a supervisor until it ends; `argv` has the folder of its runs, and `--pin` to bind it to a core."""
    folder = sys.argv[2]
    _protect()
    _lower_limit(resource.RLIMIT_CORE, 0)
    _lower_limit(resource.RLIMIT_FSIZE, LARGEST_FILE)
    # Ctrl-C and the signals of a batch system are for the owner. When the owner ends, so does this program.
    for number in LEFT_TO_OWNER:
        signal.signal(number, signal.SIG_IGN)
    readable, writable = os.pipe2(os.O_CLOEXEC)
    supervisor = os.fork()
    if supervisor == 0:
        os.close(writable)
        _adopt_orphans()
        _serve(folder, guardian=readable)
        return
    os.close(readable)
    hold(folder)
    remove_abandoned(folder)
    _guard(supervisor, folder)


def _protect() -> None:
    """Adopt orphans, and let no solver trace this program or open its files.

    Root may trace everything: so a solver that root runs is started without that privilege.
    """
    _adopt_orphans()
    _prctl(_SET_DUMPABLE, 0)
    _prctl(_DROP_FROM_BOUNDING_SET, _CAP_SYS_PTRACE)  # fails for all users except root, who have no such privilege


def _adopt_orphans() -> None:
    if not _prctl(_SET_CHILD_SUBREAPER, 1):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")
    # The end of the parent continues this process if it was stopped: so it can clean up.
    _prctl(_SET_DEATH_SIGNAL, signal.SIGCONT)


def _prctl(option: int, value: int) -> bool:
    done: int = ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)
    return done == 0


def _lower_limit(limit: int, value: int) -> None:
    """Lower a resource limit of this process and of all processes that it starts."""
    hard = resource.getrlimit(limit)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (value, value))


def _guard(supervisor: int, folder: str) -> None:
    """Wait for the end of the supervisor or of the owner; leave no process and no folder."""
    ended, poller = os.pidfd_open(supervisor), select.poll()
    poller.register(ended, select.POLLIN)
    poller.register(0, 0)  # only its end: requests are for the supervisor
    poller.poll()
    poller.unregister(0)
    poller.poll(GRACE_SECONDS * 1000)
    end_tree()
    remove(folder)


def _serve(folder: str, guardian: int) -> None:
    """Serve runs until the owner or the guardian is gone."""
    os.environ[MARK] = folder
    core = _claim_core() if "--pin" in sys.argv else None
    channel = Channel()
    channel.reply({"core": core, "supervisor": os.getpid()})
    while (line := channel.next_line()) is not None:
        request: dict[str, Any] = json.loads(line)
        if "command" in request:  # any other request asks to stop a run that is already over
            if (reply := run(request, folder, channel, guardian)) is None:
                return
            channel.reply(reply)


def _claim_core() -> int | None:
    """Bind this process to a core that no other supervisor of this user holds; None if all are taken.

    The claim is a lock on a file: independent collectors share a machine without sharing a core, and a claim ends
    with its holder.
    """
    folder = lock_folder()
    for core in sorted(os.sched_getaffinity(0)) if folder else []:
        held = os.open(f"{folder}/{core}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(held)
            continue
        os.sched_setaffinity(0, {core})
        return core
    return None
