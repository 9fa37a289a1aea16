"""Ctrl-C at points where it can be dealt with."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any


@contextlib.contextmanager
def held_back() -> Iterator[Callable[[], None]]:
    """Hold Ctrl-C and SIGTERM back, except where the block asks for them.

    Compiled code may lose a KeyboardInterrupt that is raised while it calls back into Python. In this block a signal is
    only noted; the function that the block receives delivers it. A second signal is delivered at once, and one that is
    left at the end of the block is delivered there. Outside the main thread, which alone receives signals, nothing is
    held back.

    Yields
    ------
    callable
        Function without arguments; it raises KeyboardInterrupt, or what else the former handler does, after a signal.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    noted: list[int] = []
    former: dict[int, Any] = {}

    def note(number: int, frame: FrameType | None) -> None:
        noted.append(number)
        if len(noted) > 1:
            deliver()

    def deliver() -> None:
        if noted:
            number = noted[-1]
            noted.clear()
            former[number](number, None)

    for number in (signal.SIGINT, signal.SIGTERM):
        if callable(before := signal.getsignal(number)):
            former[number] = before
            signal.signal(number, note)
    try:
        yield deliver
    finally:
        for held, before in former.items():
            signal.signal(held, before)
    deliver()


@contextlib.contextmanager
def kept_from_children() -> Iterator[None]:
    """Start processes that are deaf to Ctrl-C from birth: the terminal sends it to them, too.

    In the block this thread is deaf as well, and hears a signal at its end.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def send_again(number: int, seconds: float = 0.02) -> None:
    """Send a signal to the main thread a moment later, when it has left the callback that lost the first one.

    Parameters
    ----------
    number : int
        The signal.
    seconds : float, default 0.02
        The moment.
    """

    def send() -> None:
        main = threading.main_thread().ident
        if main is not None and hasattr(signal, "pthread_kill"):
            signal.pthread_kill(main, number)  # also wakes it up where it waits for the system
        else:
            signal.raise_signal(number)

    threading.Timer(seconds, send).start()
