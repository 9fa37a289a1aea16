"""The process that owns a solver's process tree; one run at a time.

`executing.Executor` starts it with a bare interpreter (only the standard library, ready in some 15 ms) and speaks to it
in lines of JSON: a request on standard input, a reply on standard output. It is a child subreaper: a process whose
parent dies becomes its child, so no part of a solver's tree, not even a daemon in a session of its own, can leave. A
run is over when every process of the tree is dead and waited for; its CPU time is the sum over all of them.

The reply tells what was measured and why the run was ended, if it was. What that means (solved, timeout, ...) is
decided in `executing`. When standard input closes, because the program that started it is gone, it kills the tree and
ends.
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
from typing import Any

KEPT_BYTES = 1 << 18  # of each end of an output: the answer is near the start or near the end
CHECK_SECONDS = 0.02  # between two looks at the memory of the tree
LONGEST = 10**9  # seconds: the kernel takes no number without end
LARGEST_FILE = 1 << 30  # bytes a solver may write into one file

LEFT_TO_OWNER = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_PR_SET_CHILD_SUBREAPER = 36  # see prctl(2)


class Stream:
    """An output of the solver: its first and last bytes, however much is written."""

    def __init__(self) -> None:
        self.readable, self.writable = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(self.readable, False)
        self.head, self.tail, self.dropped = bytearray(), bytearray(), 0

    def drain(self) -> bool:
        """Read what there is now; False once every writer has closed it."""
        for _ in range(16):  # not for ever: a solver may write faster than this reads
            try:
                chunk = os.read(self.readable, 1 << 20)
            except BlockingIOError:
                return True
            if not chunk:
                return False
            room = KEPT_BYTES - len(self.head)
            self.head += chunk[:room]
            self.tail += chunk[room:]
            if (excess := len(self.tail) - KEPT_BYTES) > 0:
                del self.tail[:excess]
                self.dropped += excess
        return True

    def close(self) -> None:
        """Read what is left, and give the pipe back."""
        self.drain()
        os.close(self.readable)

    def text(self) -> str:
        """Return what was kept; the gap is marked."""
        gap = f"\n[{self.dropped} bytes left out]\n".encode() if self.dropped else b""
        return bytes(self.head + gap + self.tail).decode("utf-8", "replace")


class Control:
    """The two pipes to the program that started this one."""

    def __init__(self) -> None:
        self.buffer = b""

    def next_line(self) -> str | None:
        """Wait for a line; None when the other side is gone."""
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


def main() -> None:
    """Serve runs until standard input closes."""
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")
    lower(resource.RLIMIT_CORE, 0)
    lower(resource.RLIMIT_FSIZE, LARGEST_FILE)
    # Ctrl-C and a batch system's signals are for the program that started this one. When that ends, so does this.
    for number in LEFT_TO_OWNER:
        signal.signal(number, signal.SIG_IGN)
    core = claim_core() if "--pin" in sys.argv else None
    control = Control()
    control.reply({"core": core})
    while (line := control.next_line()) is not None:
        request = json.loads(line)
        if "command" in request:  # anything else asks to stop a run that is over by now
            reply = run(request, control)
            if reply is None:
                return
            control.reply(reply)


def claim_core() -> int | None:
    """Bind this process to a core that no other supervisor of this user holds; None if all are taken.

    The claim is a lock on a file, so that collectors that know nothing of each other share a machine without
    sharing a core, and a claim ends with its holder.
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


def run(request: dict[str, Any], control: Control) -> dict[str, Any] | None:
    """Run one command to its end, in a folder of its own; None if the program that asked for it is gone."""
    folder = tempfile.mkdtemp(prefix="bayes-distnet-run-")
    output, errors = Stream(), Stream()
    begun = time.monotonic()
    try:
        child = start(request, folder, output, errors)
    except OSError as error:
        output.close()
        errors.close()
        shutil.rmtree(folder, ignore_errors=True)
        return {"failed": f"{request['command'][0]}: {error.strerror}"}
    watch = Watch(child, request, begun)
    try:
        why = watch.until_over(control, (output, errors))
        wall = time.monotonic() - begun
    finally:
        used = end_tree(child)
        output.close()
        errors.close()
        shutil.rmtree(folder, ignore_errors=True)
    if why == "abandoned":
        return None
    return {
        "why": why,
        "seconds": max(used.seconds, sum(watch.seen.values())),
        "wall_seconds": wall,
        "exit": used.exit,
        "memory": max(used.memory, watch.memory),
        "output": output.text(),
        "errors": errors.text(),
    }


def start(request: dict[str, Any], folder: str, output: Stream, errors: Stream) -> int:
    """Start the solver in the folder of its run; return its process.

    A spawn, not a fork: the solver is not charged for copies of this interpreter's pages (about 1 ms).
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
    # Whole seconds, and of one process only: a net under the clock that `Watch` reads.
    most = int(min(request["cutoff"], LONGEST)) + 2
    with contextlib.suppress(OSError):  # it may have ended already
        resource.prlimit(child, resource.RLIMIT_CPU, (most, most))
    return child


def lower(limit: int, value: int) -> None:
    """Lower a limit of this process and of all it starts."""
    hard = resource.getrlimit(limit)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (value, value))


class Watch:
    """Watches a run until its first process ends, a limit is passed, or it is called off."""

    def __init__(self, child: int, request: dict[str, Any], begun: float) -> None:
        self.child, self.cutoff, self.memory_limit = child, request["cutoff"], request["memory_limit"]
        self.deadline = begun + request["wall_limit"]
        self.cores = len(os.sched_getaffinity(0))
        self.memory, self.seen = 0, dict[int, float]()

    def until_over(self, control: Control, streams: tuple[Stream, Stream]) -> str | None:
        """Return why the run has to be ended; None if it ended by itself."""
        ended = os.pidfd_open(self.child)
        poller = select.poll()
        for descriptor in (ended, 0, *(stream.readable for stream in streams)):
            poller.register(descriptor, select.POLLIN)
        by_descriptor = {stream.readable: stream for stream in streams}
        next_look = time.monotonic() + 0.001
        try:
            while True:
                wait = max(0.0, next_look - time.monotonic())
                ready = {descriptor for descriptor, _ in poller.poll(wait * 1000)}
                for descriptor in ready & by_descriptor.keys():
                    if not by_descriptor[descriptor].drain():
                        poller.unregister(descriptor)
                if 0 in ready or control.buffer:
                    return "interrupted" if control.next_line() is not None else "abandoned"
                if ended in ready:
                    return None
                if time.monotonic() >= next_look:  # not at every line that a solver prints
                    why, wait = self.look()
                    if why:
                        return why
                    next_look = time.monotonic() + wait
        finally:
            os.close(ended)

    def look(self) -> tuple[str | None, float]:
        """Read CPU time and memory of the tree; return why to end the run, or the seconds to the next look."""
        resident = 0
        for process in descendants():
            with contextlib.suppress(OSError, IndexError):
                self.seen[process] = time.clock_gettime(_cpu_clock(process))
                resident += _resident(process)
        left = self.cutoff - sum(self.seen.values())
        wall_left = self.deadline - time.monotonic()
        if left <= 0:
            return "cpu", 0.0
        if wall_left <= 0:
            return "wall", 0.0
        if self.memory_limit and resident > self.memory_limit:
            resident = sum(map(_proportional, descendants()))  # pages that processes share count once
        self.memory = max(self.memory, resident)
        if self.memory_limit and resident > self.memory_limit:
            return "memory", 0.0
        # No tree can use more CPU seconds than wall seconds times cores: no need to look before.
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


def descendants() -> list[int]:
    """Return every process below this one, parents before children."""
    children = _children if _LISTS_CHILDREN else _scanned_children()
    found = [os.getpid()]
    for process in found:
        found += children(process)
    return found[1:]


_LISTS_CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")  # a kernel may be built without


def _children(process: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):  # it may end while it is looked at
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


class Used:
    """What a whole tree used."""

    def __init__(self) -> None:
        self.seconds, self.memory, self.exit = 0.0, 0, -int(signal.SIGKILL)


def end_tree(child: int) -> Used:
    """Kill what is left of the tree and wait until nothing of it is there; return what all of it used."""
    used = Used()
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
            used.exit = os.waitstatus_to_exitcode(status)


def _signal_all(number: signal.Signals) -> None:
    for process in descendants():
        with contextlib.suppress(OSError):
            os.kill(process, number)


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):  # the program that started this one left before a reply
        main()
