"""The command that prints a completion script: completion.

The script is made from the parser by shtab: choices of options come from the registries, and `complete` marks arguments
that are files.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable
from typing import Any

from bayes_distnet.cli.arguments import command
from bayes_distnet.cli.paths import PATHS, read_source

SHELLS = ("bash", "zsh", "fish")


def add_completion(commands: Any) -> None:
    """Add `completion`."""
    parser = command(
        commands,
        "completion",
        "print a script that lets a shell complete commands and options",
        "Put the first line into ~/.bashrc, the second into ~/.zshrc (after compinit), or run the third once.",
        '  eval "$(bayes-distnet completion bash)"\n'
        '  eval "$(bayes-distnet completion zsh)"\n'
        "  bayes-distnet completion fish > ~/.config/fish/completions/bayes-distnet.fish",
    )
    parser.add_argument("shell", choices=SHELLS, help="name of the shell")
    parser.set_defaults(run=_completion)


def _completion(parsed: argparse.Namespace) -> None:
    import shtab  # here: it takes longer to load than all commands together

    parser: argparse.ArgumentParser = parsed.whole_parser()
    for sub in _subparsers(parser):
        for action in sub._actions:
            _offer(action)
    print(shtab.complete(parser, shell=parsed.shell))


def _subparsers(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    found = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return list(found.choices.values())


def _offer(action: Any) -> None:
    """Mark arguments that are files, and name the values of those that a registry lists."""
    import shtab

    from bayes_distnet.collect.solvers.registry import SOLVERS
    from bayes_distnet.data.shipped.registry import DATASETS
    from bayes_distnet.distributions.families import FAMILIES

    names: dict[str, Iterable[str]] = {
        "data": DATASETS,
        "solver": SOLVERS,
        "running": SOLVERS,
        "family": FAMILIES,
        "objective": ("time", "par10", "par2", "deadline"),
    }
    if action.choices is not None:
        return
    if action.dest in ("data", "source") and action.type is read_source:
        action.complete = _words_or_files(DATASETS)
    elif action.dest in names:
        action.choices = list(names[action.dest])
    elif action.type in PATHS or action.dest == "features":
        action.complete = shtab.FILE


def _words_or_files(words: Iterable[str]) -> dict[str, Any]:
    """Complete names, and files beside them."""
    listed = " ".join(words)
    return {
        "bash": "_bayes_distnet_data",
        "zsh": "_bayes_distnet_data",
        "fish": f"(printf '%s\\n' {listed}; __fish_complete_path (commandline -ct))",
        "preamble": {
            "bash": f"_bayes_distnet_data() {{ compgen -W {shlex.quote(listed)} -- $1; compgen -f -- $1; }}",
            "zsh": f"_bayes_distnet_data() {{ _alternative 'names:data set:({listed})' 'files:file:_files' }}",
        },
    }
