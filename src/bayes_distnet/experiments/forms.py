"""Forms of the files of a results folder: `about.json`, lines of the journal, and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bayes_distnet.data.tables import read_frame
from bayes_distnet.errors import ResultsError
from bayes_distnet.experiments.registry import EXPERIMENTS
from bayes_distnet.models.registry import Role
from bayes_distnet.schema import Count, Fields, OneOf, Row, parse_json

#: Levels of the quantiles that are stored for example instances.
EXAMPLE_LEVELS = (0.005, 0.025, *(round(0.05 * i, 2) for i in range(1, 20)), 0.975, 0.995)

#: Bins of the stored histogram of probability integral transforms.
PIT_BINS = 20

_SIZE, _NUMBER = Count(10_000), Count(2**53)  # of folds, seeds and runs, which are enumerated; of everything else
_NAME = OneOf((str, int, float))  # names of instances, as the data have them
_ROLE = OneOf(tuple(str(role) for role in Role))

_CALL = Fields(
    {
        "models": [str],
        "families": [str],
        "jobs": [Row(str, 2)],
        "runs": [_SIZE],
        "censored": [float],
        "cutoffs": str,
        "folds_done": _SIZE,
        "seeds": _SIZE,
    }
)
_PLAN = Fields(
    {"models": [str], "runs": [_SIZE], "censored": [float], "cutoffs": [str], "seeds": _SIZE},
    {"families": [str], "folds_done": _SIZE, "calls": [_CALL]},
)

#: Form of `about.json`.
ABOUT_FORM = Fields(
    {"format": int, "data": str, "experiments": {OneOf(tuple(EXPERIMENTS)): _PLAN}},
    {
        "fingerprint": str,
        "folds": _SIZE,
        "own_folds": bool,
        "preset": OneOf((str, None)),
        "sessions": [Fields({"seconds": float}, {"started": str, "jobs": _NUMBER, "processes": _NUMBER, "where": str})],
        "machine": str,
        "versions": {str: str},
        "models": {str: Fields({}, {"from": str, "settings": str, "role": _ROLE, "source": str})},
    },
)

_KEY = {"runs": int, "cutoffs": str, "censored": float, "model": str, "family": str, "fold": int, "seed": int}
_POLICY = Fields({"policy": str, "role": _ROLE, "measures": {str: [float]}})

#: Form of a line of the journal.
RECORD_FORM = Fields(
    {"kind": OneOf(tuple(dict.fromkeys(entry.kind for entry in EXPERIMENTS.values()))), "key": Fields(_KEY)},
    {
        "scores": {str: float},
        "instances": _NUMBER,
        "fit_seconds": float,
        "predict_seconds": float,
        "pit": Row(_NUMBER, PIT_BINS),
        "examples": [
            Fields(
                {"instance": _NAME, "nllh": float, "quantiles": Row(float, len(EXAMPLE_LEVELS))},
                {"familiar": str, "ignorance": float, "luck": float},
            )
        ],
        "familiarity": [Fields({"verdict": str, "instances": _NUMBER, "nllh": float, "coverage": float})],
        "shifts": [
            Fields({"instance": _NAME, **dict.fromkeys(("shift", "mean", "low", "median", "high"), float)}),
        ],
        "decisions": Fields({"instances": [_NAME], "policies": [_POLICY]}),
        "curves": [
            Fields({"curve": str, "instance": _NAME, **{name: [float] for name in ("at", "mean", "low", "high")}}),
        ],
        "error": str,
        "seconds": float,
    },
)

#: Columns of examples that results of an earlier release do not have, with the value that they then get.
ADDED: dict[str, Any] = {"familiar": "", "ignorance": np.nan, "luck": np.nan}

# Kinds of columns by name, the same in all tables: a type, "name", or the length of a list of numbers.
_COLUMNS: dict[str, Any] = {
    **_KEY,
    **dict.fromkeys(("data", "score", "verdict", "experiment", "policy", "role", "measure", "curve", "familiar"), str),
    "instance": "name",
    "pit": PIT_BINS,
    "quantiles": len(EXAMPLE_LEVELS),
}


def parse_record(line: str, where: str) -> dict[str, Any]:
    """Parse a line of the journal.

    Parameters
    ----------
    line : str
        The line.
    where : str
        Its place in messages.

    Returns
    -------
    dict
        The record of a job.

    Raises
    ------
    ResultsError
        A line that no experiment wrote.
    """
    record: dict[str, Any] = parse_json(line, RECORD_FORM, where, ResultsError)
    for what, found, wanted in _lengths(record):
        if found != wanted:
            raise ResultsError(f"{where}: {what} has {found} values; expected {wanted}.")
    return record


def _lengths(record: Mapping[str, Any]) -> Iterator[tuple[str, int, int]]:
    """Return lists that must be as long as others: name, length, expected length."""
    decisions = record.get("decisions", {"instances": (), "policies": ()})
    for policy in decisions["policies"]:
        for measure, values in policy["measures"].items():
            yield f"measure {measure!r} of policy {policy['policy']!r}", len(values), len(decisions["instances"])
    for curve in record.get("curves", ()):
        for name in ("mean", "low", "high"):
            yield f"{name} of curve {curve['curve']!r}", len(curve[name]), len(curve["at"])


def read_results_table(path: Path, columns: list[str]) -> pd.DataFrame:
    """Read a table of a results folder.

    Parameters
    ----------
    path : Path
        The file.
    columns : list of str
        Columns that it must have, except those of `ADDED`.

    Returns
    -------
    DataFrame
        These columns.

    Raises
    ------
    ResultsError
        A column is missing, or holds values of another kind.
    """
    table = read_frame(path)
    lacking = {name: value for name, value in ADDED.items() if name in columns and name not in table.columns}
    table = table.assign(**lacking)
    if missing := [column for column in columns if column not in table.columns]:
        raise ResultsError(f"{path}: no column {missing[0]!r}; not written by an experiment.")
    if not table.columns.is_unique:
        raise ResultsError(f"{path}: two columns have the same name; not written by an experiment.")
    for name in columns if len(table) else ():
        kind = _COLUMNS.get(name, float)
        if not _holds(table[name], kind):
            raise ResultsError(f"{path}: column {name!r} holds values that are no {_PLURAL.get(kind, 'lists')}.")
    return table[columns]


_PLURAL: dict[Any, str] = {str: "texts", int: "whole numbers", float: "numbers", "name": "names"}


def _holds(column: pd.Series, kind: Any) -> bool:
    if kind is int:
        return pd.api.types.is_integer_dtype(column.dtype)
    if kind is float:
        return pd.api.types.is_numeric_dtype(column.dtype) and column.dtype.kind in "iuf"
    found = pd.api.types.infer_dtype(column, skipna=False)
    if kind in (str, "name"):
        return found == "string" or (kind == "name" and found in ("integer", "floating", "mixed-integer"))
    return all(_is_list(value, kind) for value in column)


def _is_list(value: Any, length: int) -> bool:
    if not isinstance(value, np.ndarray | list) or len(value) != length:
        return False
    return np.asarray(value).dtype.kind in "iuf"
