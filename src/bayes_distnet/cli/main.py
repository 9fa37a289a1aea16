"""The entry point: the parser of all commands, exit codes, signals and warnings."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import TextIO

from bayes_distnet import __version__
from bayes_distnet.cli import (
    advise,
    collect,
    completion,
    data,
    demo,
    evaluate,
    experiments,
    features,
    fit,
    info,
    predict,
    run,
    serve,
)
from bayes_distnet.cli.arguments import OneLineParser
from bayes_distnet.errors import BayesDistNetError

EXIT_BAD_INPUT, EXIT_STOPPED = 2, 130

#: Functions that add one command each, in the order of the work.
COMMANDS = (
    demo.add_demo,
    collect.add_generate,
    collect.add_collect,
    features.add_features,
    data.add_import,
    data.add_convert,
    fit.add_fit,
    predict.add_predict,
    evaluate.add_evaluate,
    advise.add_advise,
    run.add_run,
    serve.add_serve,
    experiments.add_experiment,
    experiments.add_report,
    info.add_info,
    completion.add_completion,
)


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
    parser = build_parser()
    if not (sys.argv[1:] if arguments is None else arguments):
        parser.print_help()
        return 0
    parsed = parser.parse_args(arguments)
    try:
        with _interruptible(), _warnings_in_one_line():
            code: int | None = parsed.run(parsed)
            sys.stdout.flush()  # so that a pipe closed early is noticed here
    except BrokenPipeError:  # the reader of a pipe, such as `head`, has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains at its end
        return 0
    except (BayesDistNetError, OSError, ModuleNotFoundError) as error:  # also a full disk, an extra not installed
        message = "; ".join(line.strip() for line in str(error).splitlines() if line.strip())
        print(f"bayes-distnet {parsed.command}: {message}", file=sys.stderr)
        return EXIT_BAD_INPUT
    except KeyboardInterrupt:
        print(f"bayes-distnet {parsed.command}: stopped.", file=sys.stderr)
        return EXIT_STOPPED
    return code or 0


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = OneLineParser(
        prog="bayes-distnet",
        description="Predict the runtime distribution of randomised solvers: collect runs, learn, compare, decide.",
        epilog="`bayes-distnet COMMAND --help` shows options and examples.",
        formatter_class=_wide,
    )
    parser.add_argument("--version", action="version", version=__version__)
    parser.set_defaults(parser=parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for add in COMMANDS:
        add(commands)
    return parser


def _wide(prog: str) -> argparse.HelpFormatter:
    """Put every command and its summary on one line; argparse does not count the indentation of commands."""
    formatter = argparse.HelpFormatter(prog, max_help_position=16)
    formatter._action_max_length = 14
    return formatter


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt once after Ctrl-C, and after SIGTERM, by which batch systems stop a program.

    Further signals do not disturb the end. An error that libraries make of the interrupt counts as the interrupt.
    """
    former = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    stopped = []

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.append(number)
        if len(stopped) == 1:
            raise KeyboardInterrupt

    for number, before in former.items():
        if before is not signal.SIG_IGN:  # a program in the background ignores Ctrl-C
            signal.signal(number, stop)
    try:
        yield
    except Exception as error:
        if stopped:
            raise KeyboardInterrupt from error
        raise
    finally:
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
