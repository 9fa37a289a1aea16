"""Arguments that several commands share, and the form in which commands describe themselves."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from bayes_distnet.cli.paths import check_paths, read_files, read_path
from bayes_distnet.errors import FeatureError, SettingError

if TYPE_CHECKING:
    import pandas as pd

    from bayes_distnet.data.dataset import Dataset

Number = TypeVar("Number", int, float)


class OneLineParser(argparse.ArgumentParser):
    """A parser whose errors are one line, like all others."""

    def error(self, message: str) -> NoReturn:
        """Print the error and the way to help; exit with code 2."""
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse words, and refuse outputs that would overwrite each other or an input."""
        parsed, rest = super().parse_known_args(args, namespace)
        try:
            written = check_paths(self._actions, parsed)
            parsed.writes = written or getattr(parsed, "writes", False)
        except SettingError as error:
            self.error(str(error))
        return parsed, rest


def command(commands: Any, name: str, summary: str, details: str, examples: str) -> argparse.ArgumentParser:
    """Add a command.

    Parameters
    ----------
    commands : argparse action
        Subparsers of the program.
    name, summary : str
        Name of the command and its line in the list of commands.
    details, examples : str
        Further text of its help.

    Returns
    -------
    ArgumentParser
        Parser of the command.
    """
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.\n\n{details}".strip(),
        epilog=f"examples:\n{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,  # a script must not break when an option with a similar name is added
    )
    return parser


def whole(text: str) -> int:
    """Read a whole number that fits into 64 bits."""
    number = int(text)
    if not -(2**63) <= number < 2**63:
        raise argparse.ArgumentTypeError(f"{text:.40}: expected a number of at most 64 bits.")
    return number


whole.__name__ = "whole number"  # argparse shows it: invalid whole number value


def number(text: str) -> float:
    """Read a number of a size that clocks and memories have."""
    value = float(text)
    if not abs(value) <= 1e9:  # also NaN
        raise argparse.ArgumentTypeError(f"{text:.40}: expected a number of at most 1e9.")
    return value


def at_most(most: int) -> Callable[[str], int]:
    """Return a reader of whole numbers that refuses counts which no machine can do."""

    def count(text: str) -> int:
        """Read a whole number up to a limit."""
        value = whole(text)
        if value > most:
            raise argparse.ArgumentTypeError(f"{text:.40}: expected at most {most:,}.")
        return value

    count.__name__ = whole.__name__
    return count


cores = at_most(4096)


def objective(text: str) -> str:
    """Read what a plan makes small; objectives with further settings and functions are for Python."""
    if not re.fullmatch(r"time|deadline|par[1-9][0-9]{0,8}", text):
        raise argparse.ArgumentTypeError(f"{text:.40}: expected time, deadline, par10, par2 or another parK.")
    return text


def listed(kind: Callable[[str], Number]) -> Callable[[str], list[Number]]:
    """Return a reader of numbers separated by commas: `1,2,4`."""

    def numbers(text: str) -> list[Number]:
        return [kind(word) for word in text.split(",")]

    numbers.__name__ = "list of numbers"  # argparse shows it: invalid list of numbers value
    return numbers


def words(text: str) -> list[str]:
    """Read words separated by commas: `hybrid,bayes`."""
    return [word.strip() for word in text.split(",") if word.strip()]


def print_table(frame: pd.DataFrame, **form: Any) -> None:
    """Print a table; on a screen, columns that do not fit into its width follow below."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    print(frame.to_string(line_width=width, **form))


def print_json(value: Any) -> None:
    """Print one line of JSON, which has no infinity: values that are not finite become null."""
    from bayes_distnet.data.json_text import json_text

    text = json_text(value)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:  # ASCII-only output, or a name that is not UTF-8: JSON has codes for both
        text = json.dumps(json.loads(text))
    print(text)


DATA_HELP = (
    "name of a data set, a folder of one or of an ASlib scenario, a file of runs (.sqlite, .parquet, .csv) with "
    "--features, or one table (.parquet, .csv) with --time"
)


def takes_features(parser: argparse.ArgumentParser) -> None:
    """Add the options that go with data: features and solver."""
    parser.add_argument(
        "--features", type=read_path, metavar="FILE", help="with a file of runs: Parquet or CSV with a column instance"
    )
    parser.add_argument("--solver", metavar="NAME", help="whose runs, where there are several solvers")


def takes_model(parser: argparse.ArgumentParser) -> None:
    """Add the argument for a saved model."""
    parser.add_argument("model", type=read_path, metavar="MODEL", help="folder that `fit` or a model's save wrote")


def takes_holdout(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the options that leave instances out, and choose them by a seed."""
    parser.add_argument("--holdout", type=number, metavar="FRACTION", help=what)
    parser.add_argument("--seed", type=whole, default=0, help="of the model and of the instances held out; default: 0")


def takes_instances(parser: argparse.ArgumentParser) -> None:
    """Add the argument for instance files."""
    parser.add_argument(
        "instances",
        nargs="+",
        type=read_files,
        metavar="INSTANCE",
        help="a file, or a folder (all files in it and below, except domain.pddl)",
    )


def found_instances(paths: Sequence[Path], *, quiet: bool) -> list[Path]:
    """Return instance files; print how many each folder has, unless all were named one by one."""
    from bayes_distnet.data.instances import counts_in_words, instance_files

    files = instance_files(paths)
    if not quiet and any(path.is_dir() for path in paths):
        print("\n".join(counts_in_words(files)), file=sys.stderr)
    return files


def open_data(source: str, features: Path | None, solver: str | None, *, several: bool = False) -> Dataset:
    """Open runs of one solver or of several, with features; print the number of instances left out."""
    from bayes_distnet.data.open import open_dataset

    data = open_dataset(source, features, solver, several=several)
    for note in data.notes:
        if note.startswith("left out"):
            print(f"note: {note}", file=sys.stderr)
    return data


def row_of(path: Path, instance: str) -> dict[str, float]:
    """Return the features of one instance from a table."""
    from bayes_distnet.data.open import read_features

    table = read_features(path)
    if instance not in table.index:
        raise FeatureError(f"{path}: no instance {instance!r}; the first is {str(table.index[0])!r}.")
    (row,) = table.loc[[instance]].to_dict("records")
    return {str(name): float(value) for name, value in row.items()}


def name_of(source: str) -> str:
    """Return the name of data: a data set's name, or the name of the folder or file."""
    path = Path(source)
    return path.resolve().name.split(".")[0] if path.exists() else source


def in_words(instances: int, runs: int, censored: int, solver: str) -> str:
    """Describe data in a phrase."""
    return f"{instances} instances, {runs} runs{f' of {solver}' if solver else ''} ({censored} cut off)"
