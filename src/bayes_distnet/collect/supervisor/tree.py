"""Processes below a process, and processes with a mark, as `/proc` shows them."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator

MARK = "BAYES_DISTNET_RUN"  # variable in the environment of every run: the folder of its supervisor


def descendants(root: int) -> list[int]:
    """Return every process below a process, parents before children."""
    children = _children if os.path.exists(f"/proc/self/task/{os.getpid()}/children") else _scanned_children()
    found = [root]
    for process in found:
        found += children(process)
    return found[1:]


def _children(process: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):  # the process may end in the meantime
        for thread in os.listdir(f"/proc/{process}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{process}/task/{thread}/children") as file:
                found += map(int, file.read().split())
    return found


def _scanned_children() -> Callable[[int], list[int]]:
    """Return the function that lists children on kernels that are built without such lists."""
    found: dict[int, list[int]] = {}
    for process in _processes():
        if state := _state(process):
            found.setdefault(state[1], []).append(process)
    return lambda process: found.get(process, [])


def _processes() -> Iterator[int]:
    return map(int, filter(str.isdigit, os.listdir("/proc")))


def _state(process: int) -> tuple[str, int] | None:
    """Return the state of a process and its parent; None if it is gone."""
    with contextlib.suppress(OSError), open(f"/proc/{process}/stat") as file:
        words = file.read().rpartition(")")[2].split()
        return words[0], int(words[1])
    return None


def signal_all(processes: Iterable[int], number: signal.Signals) -> None:
    """Send a signal to processes; those that have ended are left out."""
    for process in processes:
        with contextlib.suppress(OSError):
            os.kill(process, number)


def end_all(find: Callable[[], list[int]], seconds: float = 5.0) -> None:
    """Kill all processes that a function finds, until it finds none that is alive.

    Parameters
    ----------
    find : callable
        Function without arguments that returns processes, such as those below another one.
    seconds : float, default 5.0
        Time after which processes that the kernel does not end are left alone.
    """
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        alive = [process for process in find() if (state := _state(process)) and state[0] not in "ZX"]
        if not alive:
            return
        # Stop before killing, so that a process that forks fast cannot outrun the list of its children.
        for number in (signal.SIGSTOP, signal.SIGKILL):
            signal_all(alive, number)
        time.sleep(0.002)


def marked(mark: str) -> list[int]:
    """Return the processes of runs of one supervisor, and of itself, wherever they are in the tree of processes."""
    variable, word = f"{MARK}={mark}".encode(), mark.encode()
    found = []
    for process in _processes():
        with contextlib.suppress(OSError):
            if word in _words(process, "cmdline") or variable in _words(process, "environ"):
                found.append(process)
    return [process for process in found if process != os.getpid()]


def _words(process: int, file: str) -> list[bytes]:
    with open(f"/proc/{process}/{file}", "rb") as content:
        return content.read().split(b"\0")
