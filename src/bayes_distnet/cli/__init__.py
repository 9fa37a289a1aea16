"""The command line.

Takes words; each command parses them, calls one library function and prints; gives an exit code: 0, or 2 with one line
of error, or 130 after Ctrl-C. It must not hold logic that a Python user could not call. Nothing heavy is imported
before a command runs, so that `--help` answers at once.
"""

from bayes_distnet.cli.main import main

__all__ = ["main"]
