"""The connection to a supervisor: its start, requests and replies, and its end, whatever state it is in. Linux only."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bayes_distnet.collect.supervisor.folders import PREFIX, remove
from bayes_distnet.collect.supervisor.tree import descendants, end_all, marked
from bayes_distnet.errors import CollectError

# The supervisor is run, not imported: it imports modules that exist on Linux only.
SUPERVISOR = Path(__file__).with_name("supervisor")
START = "import sys; sys.path.append(sys.argv[1]); from supervisor.main import main; main()"
GRACE_SECONDS = 20.0  # time after the wall-clock limit in which a supervisor must answer, however busy the machine is
END_SECONDS = 2.0  # time in which a supervisor must end when it is closed
STOPPED = "the supervisor process does not answer, and its run is lost: something has stopped it, perhaps the solver."


class SupervisorGone(CollectError):
    """The supervisor process was killed, stopped or closed; its run is lost."""

    def __init__(
        self, message: str = "the supervisor process is gone, and its run is lost: it was killed or closed."
    ) -> None:
        super().__init__(message)


class Connection:
    """A supervisor that was started by this program.

    Parameters
    ----------
    pin : bool, default False
        Whether it is to bind runs to a core.
    """

    def __init__(self, *, pin: bool = False) -> None:
        ours, theirs = socket.socketpair()
        folder = tempfile.mkdtemp(prefix=PREFIX)
        command = [sys.executable, "-I", "-S", "-c", START, str(SUPERVISOR.parent), folder, *(["--pin"] if pin else [])]
        try:
            # In a session of its own, Ctrl-C in a terminal reaches only this program, which then decides.
            guardian = subprocess.Popen(
                command, stdin=theirs.fileno(), stdout=subprocess.DEVNULL, start_new_session=True
            )
        except BaseException:
            ours.close()
            os.rmdir(folder)
            raise
        finally:
            theirs.close()
        self._channel, self._buffer, self.folder = ours, b"", folder
        self.close = weakref.finalize(self, _end, guardian, ours, folder, os.getpid())
        reply = self.reply(GRACE_SECONDS)
        self.guardian, self.supervisor, self.core = guardian.pid, int(reply["supervisor"]), reply["core"]

    @property
    def closed(self) -> bool:
        """Whether the supervisor has been ended."""
        return not self.close.alive

    def send(self, message: dict[str, Any], files: Sequence[int] = ()) -> None:
        """Send a request, with open files; raise `SupervisorGone` if nobody receives it."""
        try:
            socket.send_fds(self._channel, [json.dumps(message).encode() + b"\n"], files)
        except OSError as error:
            raise SupervisorGone() from error

    def reply(self, seconds: float) -> dict[str, Any]:
        """Return the next reply; raise `SupervisorGone` without one in so many seconds."""
        # A solver can stop its supervisor, and with it the clock of the run: so there is one on this side as well.
        end = time.monotonic() + seconds
        while b"\n" not in self._buffer:
            try:
                poller = select.poll()
                poller.register(self._channel, select.POLLIN)
                if not poller.poll(1000 * max(0.0, min(end - time.monotonic(), 3600.0))):
                    if time.monotonic() < end:
                        continue
                    raise SupervisorGone(STOPPED)
                chunk = self._channel.recv(1 << 20)
            except (OSError, ValueError) as error:  # closed by another thread
                raise SupervisorGone() from error
            if not chunk:
                raise SupervisorGone()
            self._buffer += chunk
        line, self._buffer = self._buffer.split(b"\n", 1)
        message: dict[str, Any] = json.loads(line)
        return message


def _end(guardian: subprocess.Popen[bytes], channel: socket.socket, folder: str, owner: int) -> None:
    """End the supervisor and its current run; whatever state they are in, nothing of them is left."""
    if os.getpid() != owner:  # a fork of the program that started the supervisor
        return
    with contextlib.suppress(OSError):
        channel.shutdown(socket.SHUT_RDWR)  # a fork of this program may hold the channel, too
    channel.close()
    try:
        guardian.wait(END_SECONDS)
    except subprocess.TimeoutExpired:  # stopped, perhaps by the solver
        end_all(lambda: descendants(guardian.pid))  # while the guardian is there, no process of the tree can leave it
        guardian.kill()
        guardian.wait()
    if guardian.returncode != 0:
        end_all(lambda: marked(folder))
        remove(folder)
