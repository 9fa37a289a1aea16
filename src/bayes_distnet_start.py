"""The console script. It takes care of Ctrl-C before anything else is imported.

It is a module of its own, beside the package: importing the package takes long enough to be interrupted. It imports
only modules that Python has loaded already (`__future__` would be a file to read).
"""

import _signal as signal  # type: ignore[import-not-found]  # `signal` imports more, and that takes time
import atexit
import os
import sys

EXIT_STOPPED = 130
PATIENCE = 5.0  # seconds that a command has to end by itself after Ctrl-C; compiled code may hold it up

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def main() -> int:
    """Run the command line; after Ctrl-C or SIGTERM the program ends within seconds, whatever it is doing.

    Returns
    -------
    int
        Exit code.
    """
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # a program in the background ignores Ctrl-C
            signal.signal(number, _stop)
    _open_streams()
    _watch()
    atexit.register(_ignore)  # the first one registered is the last one called
    from bayes_distnet.cli.main import main
    from bayes_distnet.cli.streams import prepare_streams

    prepare_streams()
    code = main()
    if code == EXIT_STOPPED:
        _exit()  # without the end of the interpreter: it would pull memory from under the threads of compiled code
    return code


def _open_streams() -> None:
    """Give standard streams that are closed a file, before another file takes their place."""
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):  # stdout: what is written must fail
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)


def _stop(number: int, frame: object) -> None:
    """End at once: no command has begun."""
    os.write(2, b"bayes-distnet: stopped.\n")
    os._exit(EXIT_STOPPED)


def _ignore() -> None:
    """Let nothing disturb the end of the interpreter, which drops handlers of signals: the command is done."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _exit() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # nobody reads it any more
            continue
    os._exit(EXIT_STOPPED)


def _watch() -> None:
    """Watch for signals in a thread: the main thread sees none while it is in compiled code."""
    import threading

    readable, writable = os.pipe()
    os.set_blocking(writable, False)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)

    def watch() -> None:
        import time

        while os.read(readable, 1)[0] not in _SIGNALS:
            pass
        time.sleep(PATIENCE)
        os.write(2, b"bayes-distnet: stopped.\n")
        os._exit(EXIT_STOPPED)

    threading.Thread(target=watch, name="ctrl-c", daemon=True).start()
