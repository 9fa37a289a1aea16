"""A process of its own that computes features: it is ended from outside, whatever a file does to it.

Parsers check their time limit while they work. A file may still hang one, or bring it down: then this program kills the
process, reports the file, and goes on with a new process.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from bayes_distnet.errors import FeatureError, SettingError
from bayes_distnet.features.base import Features, too_slow
from bayes_distnet.registry import load

# The paths on which modules are found come first: the process must import what this one can import.
START = (
    "import json, sys; sys.path[:] = json.loads(sys.stdin.readline()); "
    "from bayes_distnet.features.extractor import main; main()"
)
GRACE_SECONDS = 2.0  # time beyond the limit in which a parser may notice by itself that it is reached


class Extractor:
    """A process that computes the features of one file at a time, and is replaced if it ends."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def compute(self, source: str, path: Path, time_limit: float, settings: dict[str, Any]) -> Features | FeatureError:
        """Compute the features of a file.

        Parameters
        ----------
        source : str
            Function of a feature set, as "package.module:function".
        path : Path
            The file.
        time_limit : float
            Limit in wall-clock seconds.
        settings : dict
            Further arguments of the function.

        Returns
        -------
        Features or FeatureError
            The features, or the error that keeps this file from having any.

        Raises
        ------
        SettingError
            If a program or package that computes features is not installed.
        """
        process, late = self._ready(), threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(time_limit + GRACE_SECONDS, end)
        timer.start()
        try:
            reply = _exchange(process, {"source": source, "path": str(path), "limit": time_limit, "settings": settings})
        finally:
            timer.cancel()
        if reply is None:
            code = process.wait()  # it has closed its answers: it is ending
            return too_slow(path, time_limit) if late.is_set() else _died(path, code)
        if "setting" in reply:
            raise SettingError(reply["setting"])
        return FeatureError(reply["error"]) if "error" in reply else Features(**reply)

    def _ready(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = subprocess.Popen(
                [sys.executable, "-c", START],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="surrogateescape",
                start_new_session=True,  # Ctrl-C in a terminal is for this program
            )
            if _exchange(self._process, [os.getcwd() if word == "" else word for word in sys.path]) is None:
                raise FeatureError("the process that computes features did not start.")
        return self._process

    def close(self) -> None:
        """End the process; may be called from another thread."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                assert stream is not None
                try:
                    stream.close()
                except OSError:  # a request that nobody has read
                    continue


def _exchange(process: subprocess.Popen[str], message: object) -> dict[str, Any] | None:
    """Send a message and return the reply; None if the process has ended."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
    except (OSError, ValueError):
        return None
    reply: dict[str, Any] | None = json.loads(line) if line.endswith("\n") else None
    return reply


def _died(path: Path, code: int) -> FeatureError:
    return FeatureError(
        f"{path}: the process that computed its features has died (exit code {code}). Leave this instance out, or give "
        "its features yourself."
    )


def main() -> None:
    """Answer requests until standard input closes; then end at once, in the middle of a file as well."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="surrogateescape")
    os.dup2(2, 1)  # a library that prints must not disturb the answers
    requests: queue.Queue[dict[str, Any]] = queue.Queue()

    def listen() -> None:
        for line in sys.stdin:
            requests.put(json.loads(line))
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    answer: dict[str, Any] = {}
    while True:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
        answer = _answer(requests.get())


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    path = Path(request["path"])
    try:
        features: Features = load(request["source"])(path, time_limit=request["limit"], **request["settings"])
    except FeatureError as error:
        return {"error": str(error)}
    except SettingError as error:
        return {"setting": str(error)}
    except Exception as error:  # such as too deep a recursion
        return {
            "error": f"{path}: its features could not be computed ({type(error).__name__}: {error}). Leave this "
            "instance out, or give its features yourself."
        }
    return vars(features)
