"""The socket to the owner, and the outputs of a solver."""

from __future__ import annotations

import json
import os
import socket
from typing import Any

KEPT_BYTES = 1 << 18  # bytes kept of each end of an output: the answer is near the start or near the end


class Channel:
    """Lines of JSON from and to the owner, on a socket that is standard input."""

    def __init__(self) -> None:
        self._socket = socket.socket(fileno=0)
        self.buffer = b""
        self.files: list[int] = []

    def next_line(self) -> str | None:
        """Wait for a line; None when the owner is gone. Open files that come with it are put into `files`."""
        while b"\n" not in self.buffer:
            try:
                chunk, files, _, _ = socket.recv_fds(self._socket, 1 << 16, 1, socket.MSG_CMSG_CLOEXEC)
            except ConnectionError:
                return None
            if not chunk:
                return None
            self.files += files
            self.buffer += chunk
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.decode()

    def reply(self, message: dict[str, Any]) -> None:
        """Send a line; nothing happens if the owner is gone."""
        try:
            self._socket.sendall(json.dumps(message).encode() + b"\n")
        except ConnectionError:
            return


class Stream:
    """An output of the solver: its first and last bytes, whatever its length, and all of it in a file if wanted.

    Parameters
    ----------
    copy : int or None
        Descriptor of the file that receives all bytes; it is closed with the stream.
    """

    def __init__(self, copy: int | None = None) -> None:
        self.readable, self.writable = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(self.readable, False)
        self.head, self.tail, self.dropped = bytearray(), bytearray(), 0
        self.copy, self.lost = copy, False

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
                chunk = chunk[os.write(self.copy, chunk) :]
        except OSError:  # no space is left, or the file would be larger than a run may write
            self.lost = True

    def close(self) -> None:
        """Read the remaining bytes, and close the pipe."""
        self.drain()
        os.close(self.readable)
        if self.copy is not None:
            os.close(self.copy)

    def text(self) -> str:
        """Return the kept bytes as text; the gap is marked."""
        gap = f"\n[{self.dropped} bytes left out]\n".encode() if self.dropped else b""
        return bytes(self.head + gap + self.tail).decode("utf-8", "replace")
