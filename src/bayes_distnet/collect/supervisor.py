"""The process that owns the process tree of a solver, one run at a time. A program, never imported; Linux only.

`executor.Executor` starts it with a bare interpreter (only the standard library, ready in about 15 ms) and exchanges
lines of JSON with it: requests on standard input, replies on standard output. It is a child subreaper: a process whose
parent dies becomes its child, so no part of a solver's tree can leave, not even a daemon in a session of its own. A
run is over when every process of the tree is dead and waited for; its CPU time is the sum over all of them.

A reply has the measured values and, if the supervisor ended the run, the reason; the executor derives the status. When
standard input closes, because the owner is gone, the supervisor kills the tree and exits.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

KEPT_BYTES = 1 << 18  # bytes kept of each end of an output: the answer is near the start or near the end
CHECK_SECONDS = 0.02  # longest time between two measurements of the tree
LONGEST = 10**9  # seconds: largest CPU limit passed to the kernel, which accepts no infinite number
LARGEST_FILE = 1 << 30  # bytes that a solver may write into one file

LEFT_TO_OWNER = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PR_SET_CHILD_SUBREAPER = 36  # see prctl(2)


def main() -> None:
    """Serve runs until standard input closes."""
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")
    _lower_limit(resource.RLIMIT_CORE, 0)
    _lower_limit(resource.RLIMIT_FSIZE, LARGEST_FILE)
    # Ctrl-C and the signals of a batch system are for the owner. When the owner ends, so does this program.
    for number in LEFT_TO_OWNER:
        signal.signal(number, signal.SIG_IGN)
    core = _claim_core() if "--pin" in sys.argv else None
    control = _Control()
    control.reply({"core": core})
    while (line := control.next_line()) is not None:
        request = json.loads(line)
        if "command" in request:  # any other request asks to stop a run that is already over
            if (reply := _run(request, control)) is None:
                return
            control.reply(reply)


def _lower_limit(limit: int, value: int) -> None:
    """Lower a resource limit of this process and of all processes that it starts."""
    hard = resource.getrlimit(limit)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (value, value))


def _claim_core() -> int | None:
    """Bind this process to a core that no other supervisor of this user holds; None if all are taken.

    The claim is a lock on a file: independent collectors share a machine without sharing a core, and a claim ends
    with its holder.
    """
    folder = os.path.join(tempfile.gettempdir(), f"bayes-distnet-cores-{os.getuid()}")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    for core in sorted(os.sched_getaffinity(0)):
        held = os.open(os.path.join(folder, str(core)), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(held)
            continue
        os.sched_setaffinity(0, {core})
        return core
    return None


class _Control:
    """The two pipes to the owner."""

    def __init__(self) -> None:
        self.buffer = b""

    def next_line(self) -> str | None:
        """Wait for a line; None when the owner is gone."""
        while b"\n" not in self.buffer:
            chunk = os.read(0, 1 << 16)
            if not chunk:
                return None
            self.buffer += chunk
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.decode()

    def reply(self, message: dict[str, Any]) -> None:
        data = json.dumps(message).encode() + b"\n"
        while data:
            data = data[os.write(1, data) :]


class _Stream:
    """An output of the solver: its first and last bytes, whatever its length, and all of it in a file if wanted."""

    def __init__(self, copy: str | None = None) -> None:
        self.readable, self.writable = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(self.readable, False)
        self.head, self.tail, self.dropped = bytearray(), bytearray(), 0
        self.copy, self.lost = None if copy is None else open(copy, "ab", buffering=0), False  # noqa: SIM115

    def drain(self) -> bool:
        """Read all bytes that are ready; False once every writer has closed the stream."""
        for _ in range(16):  # bounded: a solver may write faster than this reads
            try:
                chunk = os.read(self.readable, 1 << 20)
            except BlockingIOError:
                return True
            if not chunk:
                return False
            self._write_copy(chunk)
            room = KEPT_BYTES - len(self.head)
            self.head += chunk[:room]
            self.tail += chunk[room:]
            if (excess := len(self.tail) - KEPT_BYTES) > 0:
                del self.tail[:excess]
                self.dropped += excess
        return True

    def _write_copy(self, chunk: bytes) -> None:
        try:
            while chunk and self.copy is not None and not self.lost:
                chunk = chunk[self.copy.write(chunk) :]
        except OSError:  # no space is left, or the file would be larger than LARGEST_FILE
            self.lost = True

    def close(self) -> None:
        """Read the remaining bytes, and close the pipe."""
        self.drain()
        os.close(self.readable)
        if self.copy is not None:
            self.copy.close()

    def text(self) -> str:
        """Return the kept bytes as text; the gap is marked."""
        gap = f"\n[{self.dropped} bytes left out]\n".encode() if self.dropped else b""
        return bytes(self.head + gap + self.tail).decode("utf-8", "replace")


def _run(request: dict[str, Any], control: _Control) -> dict[str, Any] | None:
    """Run one command to its end in an empty folder; None if the owner is gone."""
    folder = tempfile.mkdtemp(prefix="bayes-distnet-run-")
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        output, errors = (stack.enter_context(contextlib.closing(_Stream(c))) for c in (request["copy"], None))
        started = time.monotonic()
        try:
            child = _start(request, folder, output, errors)
        except OSError as error:
            return {"failed": f"{request['command'][0]}: {error.strerror}"}
        watch = _Watch(child, request, started)
        try:
            reason = watch.until_over(control, (output, errors))
            wall = time.monotonic() - started
        finally:
            used = _end_tree(child)
    if reason == "abandoned":
        return None
    return {
        "reason": reason or ("output" if output.lost else None),
        "seconds": max(used.seconds, sum(watch.seconds.values())),
        "wall_seconds": wall,
        "exit_code": used.exit_code,
        "memory": max(used.memory, watch.memory),
        "output": output.text(),
        "errors": errors.text(),
    }


def _start(request: dict[str, Any], folder: str, output: _Stream, errors: _Stream) -> int:
    """Start the solver in the folder of its run; return its process.

    It is spawned, not forked: a fork would charge the solver about 1 ms for copies of this interpreter's pages.
    """
    os.chdir(folder)
    try:
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

    def until_over(self, control: _Control, streams: tuple[_Stream, _Stream]) -> str | None:
        """Return the reason to end the run; None if it ended by itself."""
        ended = os.pidfd_open(self.child)
        poller = select.poll()
        for descriptor in (ended, 0, *(stream.readable for stream in streams)):
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
                if 0 in ready or control.buffer:
                    return "interrupted" if control.next_line() is not None else "abandoned"
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
        for process in _descendants():
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
            resident = sum(map(_proportional, _descendants()))  # pages that processes share count once
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


def _descendants() -> list[int]:
    """Return every process below this one, parents before children."""
    children = _children if _LISTS_CHILDREN else _scanned_children()
    found = [os.getpid()]
    for process in found:
        found += children(process)
    return found[1:]


_LISTS_CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")  # some kernels are built without it


def _children(process: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):  # the process may end in the meantime
        for thread in os.listdir(f"/proc/{process}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{process}/task/{thread}/children") as file:
                found += map(int, file.read().split())
    return found


def _scanned_children() -> Callable[[int], list[int]]:
    found: dict[int, list[int]] = {}
    for process in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{process}/stat") as file:
            parent = int(file.read().rpartition(")")[2].split()[1])
            found.setdefault(parent, []).append(int(process))
    return lambda process: found.get(process, [])


def _end_tree(child: int) -> SimpleNamespace:
    """Kill the tree, wait until no process of it is left, and return the resources that all of it used."""
    used = SimpleNamespace(seconds=0.0, memory=0, exit_code=-int(signal.SIGKILL))
    # Stop before killing, so that a process that forks fast cannot outrun the list of its children.
    for number in (signal.SIGSTOP, signal.SIGKILL):
        _signal_all(number)
    while True:
        try:
            process, status, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return used
        if process == 0:
            _signal_all(signal.SIGKILL)
            time.sleep(0.0005)
            continue
        used.seconds += usage.ru_utime + usage.ru_stime
        used.memory = max(used.memory, usage.ru_maxrss * 1024)
        if process == child:
            used.exit_code = os.waitstatus_to_exitcode(status)


def _signal_all(number: signal.Signals) -> None:
    for process in _descendants():
        with contextlib.suppress(OSError):
            os.kill(process, number)


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):  # the owner left before a reply
        main()
