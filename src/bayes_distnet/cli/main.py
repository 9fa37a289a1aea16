"""The entry point: the parser of all commands, exit codes, signals and warnings."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import TextIO

from bayes_distnet import __version__
from bayes_distnet.cli.arguments import OneLineParser
from bayes_distnet.cli.streams import STDOUT, check_printed, finish_work_first, give_up_stdout
from bayes_distnet.errors import BayesDistNetError
from bayes_distnet.interrupts import send_again
from bayes_distnet.registry import load

EXIT_BAD_INPUT, EXIT_STOPPED = 2, 130

#: Also a full disk, an extra that is not installed, names that are not UTF-8, and numbers that no memory can hold.
_EXPECTED = (BayesDistNetError, OSError, ModuleNotFoundError, UnicodeError, MemoryError)

#: Functions of this package that add one command each, in the order of the work. A command imports its own module only.
COMMANDS = {
    "demo": "demo:add_demo",
    "generate": "collect:add_generate",
    "collect": "collect:add_collect",
    "features": "features:add_features",
    "import": "data:add_import",
    "convert": "data:add_convert",
    "fit": "fit:add_fit",
    "predict": "predict:add_predict",
    "explain": "explain:add_explain",
    "evaluate": "evaluate:add_evaluate",
    "importance": "explain:add_importance",
    "suggest": "suggest:add_suggest",
    "advise": "advise:add_advise",
    "run": "run:add_run",
    "serve": "serve:add_serve",
    "experiment": "experiments:add_experiment",
    "report": "experiments:add_report",
    "info": "info:add_info",
    "completion": "completion:add_completion",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str or None
        Words after the program's name; None takes those of the process.

    Returns
    -------
    int
        Exit code.
    """
    parsed = _parse(sys.argv[1:] if arguments is None else arguments)
    if parsed is None:
        return 0
    try:
        with _interruptible(), _warnings_in_one_line():
            if parsed.writes:
                finish_work_first()
            code: int | None = parsed.run(parsed)
            check_printed()  # so that a pipe closed early, or a full disk, is noticed here
    except BrokenPipeError:  # the reader of a pipe, such as `head`, has ended
        give_up_stdout()
        return 0
    except _EXPECTED as error:
        if getattr(error, "filename", None) == STDOUT:
            give_up_stdout()
        message = "; ".join(line.strip() for line in str(error).splitlines() if line.strip())
        print(f"bayes-distnet {parsed.command}: {message or 'not enough memory.'}", file=sys.stderr)
        return EXIT_BAD_INPUT
    except KeyboardInterrupt:
        print(f"bayes-distnet {parsed.command}: stopped.", file=sys.stderr)
        return EXIT_STOPPED
    return code or 0


def _parse(arguments: Sequence[str]) -> argparse.Namespace | None:
    """Parse the command line; None if there is nothing to do. Help that cannot be printed is an error."""
    parser = build_parser(arguments[0] if arguments else None)
    try:
        if arguments:
            return parser.parse_args(arguments)
        parser.print_help()
        check_printed()
    except (SystemExit, OSError):
        try:
            check_printed()
        except OSError as error:
            give_up_stdout()
            if isinstance(error, BrokenPipeError):
                sys.exit(0)
            parser.exit(EXIT_BAD_INPUT, f"bayes-distnet: {error}\n")
        raise
    return None


def build_parser(first: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of the command line: of one command if the first word names it, else of all.

    Parameters
    ----------
    first : str or None
        First word of the command line.

    Returns
    -------
    ArgumentParser
        The parser.
    """
    parser = OneLineParser(
        prog="bayes-distnet",
        description="Predict the runtime distribution of randomised solvers: collect runs, learn, compare, decide.",
        epilog="`bayes-distnet COMMAND --help` shows options and examples.",
        formatter_class=_wide,
    )
    parser.add_argument("--version", action="version", version=__version__)
    parser.set_defaults(whole_parser=build_parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in [first] if first in COMMANDS else [] if first == "--version" else COMMANDS:
        load(f"{__package__}.{COMMANDS[name]}")(commands)
    return parser


def _wide(prog: str) -> argparse.HelpFormatter:
    """Put every command and its summary on one line; argparse does not count the indentation of commands."""
    formatter = argparse.HelpFormatter(prog, max_help_position=16)
    formatter._action_max_length = 14
    return formatter


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt once after Ctrl-C, and after SIGTERM, by which batch systems stop a program.

    Further signals do not disturb the end. An error that libraries make of the interrupt counts as the interrupt. An
    interrupt that Python drops, in a callback that can raise nothing, comes again a moment later.
    """
    former = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    stopped = []

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.append(number)
        if len(stopped) == 1:
            raise KeyboardInterrupt

    def dropped(unraisable: sys.UnraisableHookArgs) -> None:
        if not issubclass(unraisable.exc_type, KeyboardInterrupt) or not stopped:
            report(unraisable)
            return
        number = stopped[-1]
        stopped.clear()
        send_again(number)

    for number, before in former.items():
        if before is not signal.SIG_IGN:  # a program in the background ignores Ctrl-C
            signal.signal(number, stop)
    report, sys.unraisablehook = sys.unraisablehook, dropped
    try:
        yield
    except Exception as error:
        if stopped:
            raise KeyboardInterrupt from error
        raise
    finally:
        sys.unraisablehook = report
        for number, before in former.items():
            signal.signal(number, before)


@contextlib.contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    """Print only the text of a warning: its place in the code does not help here."""

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        print(f"warning: {message}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
