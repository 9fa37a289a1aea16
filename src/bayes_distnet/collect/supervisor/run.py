"""One run: start, measurement, limits, and the end of its whole process tree.

A run is over when every process of the tree is dead and waited for; its CPU time is the sum over all of them.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import time
from types import SimpleNamespace
from typing import Any

from .channel import Channel, Stream
from .folders import remove
from .tree import descendants, signal_all

CHECK_SECONDS = 0.02  # longest time between two measurements of the tree
LONGEST = 10**9  # seconds: largest CPU limit passed to the kernel, which accepts no infinite number

LEFT_TO_OWNER = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run(request: dict[str, Any], home: str, channel: Channel, guardian: int) -> dict[str, Any] | None:
    """Run one command to its end in an empty folder.

    Parameters
    ----------
    request : dict
        Command and limits.
    home : str
        Folder in which the folder of the run is made.
    channel : Channel
        Channel to the owner. A file that came with the request receives the standard output.
    guardian : int
        Descriptor that is readable when the guardian is gone.

    Returns
    -------
    dict or None
        The reply; None if the owner or the guardian is gone.
    """
    copy = channel.files.pop() if channel.files else None
    with contextlib.ExitStack() as stack:
        output, errors = (stack.enter_context(contextlib.closing(Stream(file))) for file in (copy, None))
        folder = os.path.join(home, "run")
        stack.callback(remove, folder)
        started = time.monotonic()
        try:
            child = _start(request, folder, output, errors)
        except OSError as error:
            return {"failed": f"{error.filename or request['command'][0]}: {error.strerror}"}
        watch = _Watch(child, request, started)
        try:
            reason = watch.until_over(channel, guardian, (output, errors))
            wall = time.monotonic() - started
        finally:
            used = end_tree(child)
    if reason == "abandoned":
        return None
    return {
        # A solver may have stopped this process for a while, and with it the clock of the run.
        "reason": reason or ("output" if output.lost else "wall" if wall > request["wall_limit"] else None),
        "seconds": max(used.seconds, sum(watch.seconds.values())),
        "wall_seconds": wall,
        "exit_code": used.exit_code,
        "memory": max(used.memory, watch.memory),
        "output": output.text(),
        "errors": errors.text(),
    }


def _start(request: dict[str, Any], folder: str, output: Stream, errors: Stream) -> int:
    """Start the solver in the folder of its run; return its process.

    It is spawned, not forked: a fork would charge the solver about 1 ms for copies of this interpreter's pages.
    """
    try:
        os.makedirs(folder, mode=0o700)
        os.chdir(folder)
        child = os.posix_spawn(
            request["command"][0],
            request["command"],
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, output.writable, 1),
                (os.POSIX_SPAWN_DUP2, errors.writable, 2),
            ],
            setsid=True,
            setsigdef=[*LEFT_TO_OWNER, signal.SIGPIPE, signal.SIGXFSZ],
        )
    finally:
        os.chdir("/")
        os.close(output.writable)
        os.close(errors.writable)
    # A second safeguard beside `_Watch`: the kernel's limit has whole seconds and counts one process only.
    most = int(min(request["cutoff"], LONGEST)) + 2
    with contextlib.suppress(OSError):  # the process may have ended already
        resource.prlimit(child, resource.RLIMIT_CPU, (most, most))
    return child


class _Watch:
    """Watches a run until its first process ends, a limit is exceeded, or the owner stops it."""

    def __init__(self, child: int, request: dict[str, Any], started: float) -> None:
        self.child, self.cutoff, self.memory_limit = child, request["cutoff"], request["memory_limit"]
        self.deadline = started + request["wall_limit"]
        self.cores = len(os.sched_getaffinity(0))
        self.memory, self.seconds = 0, dict[int, float]()

    def until_over(self, channel: Channel, guardian: int, streams: tuple[Stream, Stream]) -> str | None:
        """Return the reason to end the run; None if it ended by itself."""
        ended = os.pidfd_open(self.child)
        poller = select.poll()
        for descriptor in (ended, 0, guardian, *(stream.readable for stream in streams)):
            poller.register(descriptor, select.POLLIN)
        by_descriptor = {stream.readable: stream for stream in streams}
        next_time = time.monotonic() + 0.001
        try:
            while True:
                wait = max(0.0, next_time - time.monotonic())
                ready = {descriptor for descriptor, _ in poller.poll(wait * 1000)}
                for descriptor in ready & by_descriptor.keys():
                    if not by_descriptor[descriptor].drain():
                        poller.unregister(descriptor)
                    if by_descriptor[descriptor].lost:
                        return "output"
                if 0 in ready or channel.buffer:
                    return "interrupted" if channel.next_line() is not None else "abandoned"
                if guardian in ready:
                    return "abandoned"
                if ended in ready:
                    return None
                if time.monotonic() >= next_time:  # not after every line that a solver prints
                    reason, wait = self.measure()
                    if reason:
                        return reason
                    next_time = time.monotonic() + wait
        finally:
            os.close(ended)

    def measure(self) -> tuple[str | None, float]:
        """Read CPU time and memory of the tree; return the reason to end the run, and the seconds to wait if None."""
        resident = 0
        for process in descendants(os.getpid()):
            with contextlib.suppress(OSError, IndexError):
                self.seconds[process] = time.clock_gettime(_cpu_clock(process))
                resident += _resident(process)
        left = self.cutoff - sum(self.seconds.values())
        wall_left = self.deadline - time.monotonic()
        if left <= 0:
            return "cpu", 0.0
        if wall_left <= 0:
            return "wall", 0.0
        if self.memory_limit and resident > self.memory_limit:
            resident = sum(map(_proportional, descendants(os.getpid())))  # pages that processes share count once
        self.memory = max(self.memory, resident)
        if self.memory_limit and resident > self.memory_limit:
            return "memory", 0.0
        # A tree uses at most as many CPU seconds as wall seconds times cores: it cannot reach the cutoff earlier.
        return None, max(0.001, min(CHECK_SECONDS, left / self.cores, wall_left))


def _cpu_clock(process: int) -> int:
    """Return the clock of all CPU time of a process, in nanoseconds (see clock_getcpuclockid(3))."""
    return (~process << 3) | 2


def _resident(process: int) -> int:
    with open(f"/proc/{process}/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def _proportional(process: int) -> int:
    with contextlib.suppress(OSError), open(f"/proc/{process}/smaps_rollup") as file:
        return next((int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:")), 0)
    return 0


def end_tree(child: int = 0) -> SimpleNamespace:
    """Kill every process below this one, and wait until none is left.

    Parameters
    ----------
    child : int, default 0
        First process of a run, whose exit code is wanted.

    Returns
    -------
    namespace
        CPU seconds and memory that all of them used, and the exit code.
    """
    used = SimpleNamespace(seconds=0.0, memory=0, exit_code=-int(signal.SIGKILL))
    # Stop before killing, so that a process that forks fast cannot outrun the list of its children.
    for number in (signal.SIGSTOP, signal.SIGKILL):
        signal_all(descendants(os.getpid()), number)
    while True:
        try:
            process, status, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return used
        if process == 0:
            signal_all(descendants(os.getpid()), signal.SIGKILL)
            time.sleep(0.0005)
            continue
        used.seconds += usage.ru_utime + usage.ru_stime
        used.memory = max(used.memory, usage.ru_maxrss * 1024)
        if process == child:
            used.exit_code = os.waitstatus_to_exitcode(status)
