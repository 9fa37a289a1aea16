"""Options of a single table that holds features, times and outcomes, and opening data with or without them."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bayes_distnet.cli.arguments import open_data, words
from bayes_distnet.data.layout import CENSORED_VALUES, FINISHED_VALUES, TableLayout
from bayes_distnet.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayes_distnet.data.dataset import Dataset

_OPTIONS = (
    *("status", "finished", "finished_values", "censored_values"),
    *("group", "cutoff_column", "drop", "keep", "categorical"),
)


def takes_table(parser: argparse.ArgumentParser) -> None:
    """Add the options of a table with features, times and outcomes."""
    group = parser.add_argument_group("one table with features, times and outcomes, one row per run")
    group.add_argument("--time", metavar="COLUMN", help="column of the runtime: seconds, or durations as 1-02:30:00")
    group.add_argument("--status", metavar="COLUMN", help="column of the outcome in words")
    group.add_argument(
        "--finished-values",
        type=words,
        metavar="WORD,...",
        help=f"statuses of runs that finished; default: {', '.join(FINISHED_VALUES)}",
    )
    group.add_argument(
        "--censored-values",
        type=words,
        metavar="WORD,...",
        help="statuses of runs that were cut off at their time; default: "
        f"{', '.join(CENSORED_VALUES)}; rows with any other status are left out",
    )
    group.add_argument("--finished", metavar="COLUMN", help="in place of --status: column of true and false")
    group.add_argument("--group", metavar="COLUMN", help="column that names the instance, or the user, of a row")
    group.add_argument("--cutoff-column", metavar="COLUMN", help="column of the time limit of each run")
    group.add_argument("--drop", type=words, metavar="COLUMN,...", help="columns that are no features")
    group.add_argument("--keep", type=words, metavar="COLUMN,...", help="features, even if they seem to identify rows")
    group.add_argument("--categorical", type=words, metavar="COLUMN,...", help="columns of numbers that are names")


def open_any(
    parsed: argparse.Namespace, layout: TableLayout | None = None, features: Sequence[str] | None = None
) -> Dataset:
    """Open one table, or runs and features.

    Parameters
    ----------
    parsed : Namespace
        Arguments of the command.
    layout : TableLayout, optional
        Layout of the table that a model was trained on: options override it.
    features : sequence of str, optional
        Features of that model.

    Returns
    -------
    Dataset
        The data; notes are printed to stderr.
    """
    if not _is_table(parsed, layout):
        if given := [name for name in _OPTIONS if getattr(parsed, name) is not None]:
            raise SettingError(
                f"--{given[0].replace('_', '-')} goes with --time, which names the column of the runtime."
            )
        return open_data(parsed.data, parsed.features, parsed.solver)
    from bayes_distnet.data.open_table import read_table

    for option in ("features", "solver"):
        if getattr(parsed, option) is not None:
            raise SettingError(f"--{option} goes with a file of runs; with --time, one table holds everything.")
    data = read_table(parsed.data, _layout(parsed, layout), features)
    for note in data.notes:
        _print_note(note)
    return data


def print_notes(notes: Sequence[str]) -> None:
    """Print notes to stderr."""
    for note in notes:
        _print_note(note)


def _print_note(note: str) -> None:
    print(note if note.startswith("warning: ") else f"note: {note}", file=sys.stderr)


def _is_table(parsed: argparse.Namespace, layout: TableLayout | None) -> bool:
    from bayes_distnet.data.tables import TABLES

    if parsed.time is not None:
        return True
    return layout is not None and parsed.features is None and str(parsed.data).endswith(TABLES)


def _layout(parsed: argparse.Namespace, known: TableLayout | None) -> TableLayout:
    given: dict[str, Any] = {name: getattr(parsed, name) for name in _OPTIONS if getattr(parsed, name) is not None}
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    given |= {"cutoff": given.pop("cutoff_column")} if "cutoff_column" in given else {}
    given |= {"time": parsed.time} if parsed.time is not None else {}
    for one, other in (("status", "finished"), ("finished", "status")):
        if one in given and other not in given:
            given[other] = None
    return TableLayout(**given) if known is None else replace(known, **given)
