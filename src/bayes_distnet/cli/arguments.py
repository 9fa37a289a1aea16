"""What several commands share: how they say what they are, and the arguments by which they take data."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from bayes_distnet.errors import SettingError

if TYPE_CHECKING:
    import pandas as pd

    from bayes_distnet.data.dataset import Dataset
    from bayes_distnet.data.run_table import RunTable

Number = TypeVar("Number", int, float)


class OneLineParser(argparse.ArgumentParser):
    """A parser whose errors are one line, as all others are."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where help is."""
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def command(commands: Any, name: str, summary: str, details: str, examples: str) -> argparse.ArgumentParser:
    """Add a command and return its parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.\n\n{details}".strip(),
        epilog=f"examples:\n{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,  # a script must not break when an option with a like name is added
    )
    return parser


def listed(kind: Callable[[str], Number]) -> Callable[[str], list[Number]]:
    """Return what reads numbers with commas between them: `1,2,4`."""

    def numbers(text: str) -> list[Number]:
        return [kind(word) for word in text.split(",")]

    numbers.__name__ = "list of numbers"  # argparse shows it: invalid list of numbers value
    return numbers


def words(text: str) -> list[str]:
    """Read words with commas between them: `hybrid,bayes`."""
    return [word.strip() for word in text.split(",") if word.strip()]


def print_json(value: Any) -> None:
    """Print one line of JSON. It knows no infinity: what is not finite becomes null."""
    print(json.dumps(_finite(value), ensure_ascii=False))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


DATA_HELP = "name of a data set, a folder of one, or a file of runs (.sqlite, .parquet, .csv) with --features"


def takes_features(parser: argparse.ArgumentParser) -> None:
    """Add the options that go with data: which features, which solver."""
    parser.add_argument(
        "--features", type=Path, metavar="FILE", help="with a file of runs: Parquet or CSV with a column instance"
    )
    parser.add_argument("--solver", metavar="NAME", help="whose runs, where there are several solvers")


def read_data(source: str, features: Path | None, solver: str | None) -> Dataset:
    """Return the runs of one solver with the features of their instances."""
    from bayes_distnet.data.dataset import Dataset
    from bayes_distnet.data.shipped.load import load_dataset
    from bayes_distnet.data.shipped.registry import DATASETS
    from bayes_distnet.data.tables import read_runs

    path = Path(source)
    if path.is_file():
        if features is None:
            raise SettingError(f"{path}: these are runs only; give the instances' features with --features FILE.")
        data = Dataset(read_runs(path), read_features(features))
    elif features is not None:
        raise SettingError(f"--features goes with a file of runs; {source} is none.")
    elif source in DATASETS:  # before a folder of that name, such as the results of an experiment on it
        data = load_dataset(source)
    elif path.is_dir():
        data = Dataset.load(path)
    else:
        raise SettingError(f"{path}: no such file, folder or data set; data sets are {', '.join(DATASETS)}.")
    if solver is not None:
        data = data.of(solver)
    elif len(data.solvers) > 1:
        raise SettingError(f"{source}: runs of {', '.join(data.solvers)}; choose one with --solver.")
    both = data.matched()
    left_out = data.runs.frame["instance"].nunique() - len(both), len(data) - len(both)
    if any(left_out):
        print(f"note: left out: {left_out[0]} instances without features, {left_out[1]} without runs", file=sys.stderr)
    return both


def name_of(source: str) -> str:
    """Return what to call data: a data set's name, or the name of the folder or file."""
    path = Path(source)
    return path.resolve().name.split(".")[0] if path.exists() else source


def read_features(path: Path) -> pd.DataFrame:
    """Return a table of features by instance."""
    from bayes_distnet.data.tables import read_frame
    from bayes_distnet.errors import FeatureError

    table = read_frame(path)
    if "instance" not in table.columns:
        raise FeatureError(f"{path}: no column 'instance'; found {', '.join(map(str, table.columns[:5]))}.")
    if table.empty:
        raise FeatureError(f"{path}: no rows; give one an instance.")
    return table.set_index("instance")


def counts(runs: RunTable) -> dict[str, Any]:
    """Return what each solver did, as JSON holds it: how its runs ended, and how long they took."""
    solvers = {}
    for solver in runs.solvers():
        own = runs.of(solver)
        status, medians = own.frame["status"], own.medians().dropna()
        solvers[solver] = {
            "instances": int(own.frame["instance"].nunique()),
            "runs": len(own),
            "statuses": {str(name): int(count) for name, count in status.value_counts().items()},
            "mean_seconds": float(own.observed().frame["seconds"].mean()),
            "instance_medians": [float(medians.min()), float(medians.median()), float(medians.max())],
        }
    return {"runs": len(runs), "solvers": solvers}


def describe(data: Dataset) -> dict[str, Any]:
    """Return whose runs these are, and how many."""
    observed = data.runs.observed()
    return {
        "solver": data.solvers[0],
        "instances": len(data),
        "runs": len(observed),
        "cut_off": int((~observed.finished).sum()),
    }


def in_words(about: dict[str, Any]) -> str:
    """Return what `describe` found as a phrase."""
    solver = f" of {about['solver']}" if about["solver"] else ""
    return f"{about['instances']} instances, {about['runs']} runs{solver} ({about['cut_off']} cut off)"
