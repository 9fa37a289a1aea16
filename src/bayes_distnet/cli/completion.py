"""The command that prints a completion script, made from the parser itself: completion."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from bayes_distnet.cli.arguments import command

SHELLS = ("bash", "zsh", "fish")
DATA_SETS = ("clasp-factoring", "lpg-zenotravel", "sat-portfolio")

# What may stand where the parser allows any word. A file may stand there too.
_WORDS = {
    "data": DATA_SETS,
    "source": DATA_SETS,
    "kind": ("colouring", "factoring", "quasigroup", "random-ksat", "sat-mix", "zenotravel"),
    "solver": ("clasp", "glucose", "kissat", "lpg"),
    "family": ("exponential", "gamma", "inverse-gaussian", "loglogistic", "lognormal", "weibull"),
}
_FILES = ("data", "source", "features")


class _Argument(NamedTuple):
    """What completion has to know of an argument."""

    options: list[str]
    """Its spellings; none if it is positional."""
    takes_value: bool
    words: list[str]
    files: bool
    help: str

    @classmethod
    def of(cls, action: argparse.Action) -> _Argument:
        words = action.choices if action.choices is not None else _WORDS.get(action.dest, ())
        files = action.choices is None and (action.type is Path or action.dest in _FILES)
        return cls(list(action.option_strings), action.nargs != 0, [str(w) for w in words], files, action.help or "")


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
    parser.add_argument("shell", choices=SHELLS)
    parser.set_defaults(run=_completion)


def _completion(parsed: argparse.Namespace) -> None:
    from bayes_distnet.cli import build_parser

    print(script(build_parser(), parsed.shell), end="")


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return the completion script of a parser with commands, for bash, zsh or fish."""
    commands = {name: [_Argument.of(a) for a in sub._actions] for name, sub in _commands(parser).items()}
    if shell == "fish":
        return _fish(parser.prog, commands, {c.dest: c.help or "" for c in _choices(parser)})
    bash = _bash(parser.prog, commands)
    return bash if shell == "bash" else f"autoload -U +X bashcompinit && bashcompinit\n{bash}"


def _subparsers(parser: argparse.ArgumentParser) -> argparse._SubParsersAction[argparse.ArgumentParser]:
    return next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    return dict(_subparsers(parser).choices)


def _choices(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return list(_subparsers(parser)._choices_actions)


_BASH = """\
{function}() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
    local words="" files=""
    if [[ $COMP_CWORD -eq 1 ]]; then
        words={commands}
    else
        case "$command $before" in
{values}
        *)
            case "$command" in
{arguments}
            esac
            if [[ $word == -* ]]; then files=""; fi
            ;;
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    if [[ -n $files ]]; then COMPREPLY+=($(compgen -f -- "$word")); fi
}}
complete -o filenames -F {function} {program}
"""


def _bash(program: str, commands: dict[str, list[_Argument]]) -> str:
    top = shlex.quote(" ".join([*commands, "--help", "--version"]))
    return _BASH.format(
        function="_" + program.replace("-", "_"),
        program=program,
        commands=top,
        values="\n".join(line for name, own in commands.items() for line in _bash_values(name, own)),
        arguments="\n".join(_bash_arguments(name, own) for name, own in commands.items()),
    )


def _bash_values(name: str, arguments: list[_Argument]) -> Iterator[str]:
    """One case an option that takes a value: what its value may be."""
    for argument in arguments:
        if argument.options and argument.takes_value:
            pattern = "|".join(f'"{name} {option}"' for option in argument.options)
            yield f"        {pattern}) {_bash_offer(argument.words, argument.files)} ;;"


def _bash_arguments(name: str, arguments: list[_Argument]) -> str:
    """The case of a command: its options, and what may stand by itself."""
    options = [option for argument in arguments for option in argument.options if option.startswith("--")]
    alone = [argument for argument in arguments if not argument.options]
    words = [word for argument in alone for word in argument.words]
    return f"            {name}) {_bash_offer(words + options, any(argument.files for argument in alone))} ;;"


def _bash_offer(words: list[str], files: bool) -> str:
    return f"words={shlex.quote(' '.join(words))} files={'yes' if files else ''}"


def _fish(program: str, commands: dict[str, list[_Argument]], summaries: dict[str, str]) -> str:
    start = f"complete -c {program}"
    lines = [f"{start} -f"]
    for name, summary in summaries.items():
        lines.append(f"{start} -n __fish_use_subcommand -a {name} -d {shlex.quote(summary)}")
    for name, arguments in commands.items():
        here = f"{start} -n '__fish_seen_subcommand_from {name}'"
        for argument in arguments:
            longs = "".join(f" -l {option[2:]}" for option in argument.options if option.startswith("--"))
            offer = f" -a {shlex.quote(' '.join(argument.words))}" if argument.words else ""
            files = " -F" if argument.files else ""
            value = (" -r" if argument.files else " -x") if argument.options and argument.takes_value else ""
            if longs or offer or files:
                lines.append(f"{here}{longs}{value}{files}{offer} -d {shlex.quote(argument.help)}")
    return "\n".join(lines) + "\n"
