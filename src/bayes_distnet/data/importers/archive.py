"""Repairs that runs and features of all archives need."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from bayes_distnet.data.run_table import RunTable
from bayes_distnet.data.statuses import OBSERVED, SOLVED, TIMEOUT, UNREADABLE
from bayes_distnet.errors import BayesDistNetError, RuntimeDataError
from bayes_distnet.validation import check_positive

MISSING = -512.0  # mark for a missing feature of the SATzilla extractor and of the extractors that build on it


def read_lines(path: Path, error: type[BayesDistNetError]) -> list[str]:
    """Read the lines of a text file; archives are encoded in UTF-8 or, where older, in Latin-1.

    Parameters
    ----------
    path : Path
        The file.
    error : type of exception
        Error to raise if it cannot be read.

    Returns
    -------
    list of str
        Its lines, without empty ones at the end.
    """
    try:
        content = path.read_bytes()
    except OSError as cause:
        found = f"found {_listing(path.parent)}" if path.parent.is_dir() else f"{path.parent} is no folder"
        raise error(f"{path}: cannot be read ({cause.strerror}); {found}.") from cause
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip().split("\n")


def _listing(folder: Path) -> str:
    names = sorted(os.listdir(folder))
    return ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "") or "an empty folder"


def unique_names(names: Iterable[str]) -> list[str]:
    """Make names unique by numbering repeated ones.

    Parameters
    ----------
    names : iterable of str
        Names, some of which may be repeated.

    Returns
    -------
    list of str
        The names in the same order.

    Examples
    --------
    >>> unique_names(["a", "b", "a"])
    ['a', 'b', 'a.1']
    """
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        seen[name] = seen.get(name, -1) + 1
        unique.append(f"{name}.{seen[name]}" if seen[name] else name)
    return unique


def note(notes: list[str], count: int, text: str) -> None:
    """Add a note, unless it is about nothing.

    Parameters
    ----------
    notes : list of str
        List to which the note is added.
    count : int
        Number of things that the note is about; the note begins with it.
    text : str
        The rest of the note.
    """
    if count:
        notes.append(f"{count} {text}")


def as_run_table(frame: pd.DataFrame, cutoff: float, notes: list[str]) -> RunTable:
    """Make a run table, and repair contradictions of the archive.

    Parameters
    ----------
    frame : DataFrame
        Columns `instance`, `solver`, `seed`, `seconds` and `status`; the index holds the place of each run in the
        archive, for messages.
    cutoff : float
        Cutoff of all runs in seconds; infinity if there is none.
    notes : list of str
        List to which notes on repairs are added.

    Returns
    -------
    RunTable
        The runs. Copies are left out; contradicting runs with one seed receive further seeds.

    Raises
    ------
    RuntimeDataError
        If a runtime is negative, or a timeout has neither a time nor a cutoff.
    """
    seconds, status = frame["seconds"].to_numpy(float), frame["status"].to_numpy(object).copy()
    observed = np.isin(status, OBSERVED)
    if (negative := observed & (seconds < 0)).any():
        where = frame.index[negative][0]
        raise RuntimeDataError(f"{where}: a runtime of {seconds[negative][0]:g} s; expected at least 0.")
    seconds = np.where(~observed & ~((seconds >= 0) & np.isfinite(seconds)), np.nan, seconds)

    unknown = (status == SOLVED) & np.isnan(seconds)
    status[unknown] = UNREADABLE
    note(notes, int(unknown.sum()), "solved runs have no time; their status is now 'unreadable'.")
    cut = (status == SOLVED) & (seconds >= cutoff)
    status[cut] = TIMEOUT
    note(
        notes,
        int(cut.sum()),
        f"runs are marked as solved at or after the cutoff of {cutoff:g} s; they are timeouts now.",
    )

    timeout = status == TIMEOUT
    endless = timeout & ~np.isfinite(np.fmin(seconds, cutoff))
    if endless.any():
        raise RuntimeDataError(
            f"{frame.index[endless][0]}: a timeout without its time, and no cutoff is known ({int(endless.sum())} such "
            "lines). Pass cutoff= in seconds."
        )
    late = timeout & ~cut & (seconds > cutoff)
    note(notes, int(late.sum()), "timeouts are later than the cutoff; they are censored at the cutoff.")
    note(
        notes,
        int((timeout & (seconds < cutoff)).sum()) if cutoff < math.inf else 0,
        "timeouts are earlier than the cutoff; they are censored at their own time.",
    )
    seconds = np.where(timeout, np.fmin(seconds, cutoff), seconds)
    return RunTable.from_frame(_without_duplicates(frame.assign(seconds=seconds, status=status), notes), cutoff=cutoff)


def _without_duplicates(frame: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """Drop copies of rows; rows with the same seed and another result receive further seeds."""
    same = frame.duplicated()
    note(notes, int(same.sum()), "rows are exact copies of others; left out.")
    frame = frame[~same]
    key = ["instance", "solver", "seed"]
    again = frame.duplicated(key)
    if again.any():
        note(notes, int(again.sum()), "rows have the same seed as another with a different result; kept as new seeds.")
        pairs = [frame["instance"], frame["solver"]]
        last = frame.groupby(["instance", "solver"], sort=False)["seed"].transform("max")
        frame = frame.assign(seed=frame["seed"].where(~again, last + again.groupby(pairs, sort=False).cumsum()))
    counts = pd.crosstab(frame["instance"], frame["solver"])
    lacking = (counts.max(axis=0) - counts).to_numpy()
    fewer = f"{int((lacking > 0).sum())} of {counts.size} pairs of instance and solver have fewer runs than others"
    note(notes, int(lacking.sum()), f"runs are missing: {fewer} of that solver.")
    return frame


def clean_features(features: pd.DataFrame, missing: float | None, notes: list[str]) -> pd.DataFrame:
    """Replace missing and infinite values by NaN, and average rows of the same instance.

    Parameters
    ----------
    features : DataFrame
        Features, indexed by instance.
    missing : float or None
        Mark of the archive for missing values; None if there is none.
    notes : list of str
        List to which notes on repairs are added.

    Returns
    -------
    DataFrame
        Features, one row per instance.
    """
    values = features.to_numpy(float).copy()
    for bad, what in ((values == missing, f"are {missing}"), (np.isinf(values), "are infinite")):
        values[bad] = np.nan
        note(notes, int(bad.sum()), f"feature values {what}; they count as missing.")
    table = pd.DataFrame(values, index=features.index, columns=features.columns)
    several = table.index.duplicated()
    if several.any():
        note(notes, table.index[several].nunique(), "instances have several rows of features; their mean is used.")
        table = table.groupby(level=0, sort=False).mean()
    return table.rename_axis("instance")


def compare_instances(runs: RunTable, features: pd.DataFrame, notes: list[str]) -> None:
    """Note how many instances have only runs, or only features.

    Parameters
    ----------
    runs : RunTable
        All runs.
    features : DataFrame
        Features, indexed by instance.
    notes : list of str
        List to which the notes are added.
    """
    with_runs, with_features = set(runs.instance), set(features.index)
    note(notes, len(with_runs - with_features), "instances have runs but no features; matched() leaves them out.")
    note(notes, len(with_features - with_runs), "instances have features but no runs; matched() leaves them out.")


def places(path: Path, lines: Iterable[int]) -> list[str]:
    """Name the places of lines in a file, for messages.

    Parameters
    ----------
    path : Path
        The file.
    lines : iterable of int
        Line numbers.

    Returns
    -------
    list of str
        File name and line number of each.
    """
    return [f"{path}, line {line}" for line in lines]


def check_cutoff(cutoff: float | None, otherwise: float | None, notes: list[str]) -> float:
    """Choose the cutoff of all runs of an archive.

    Parameters
    ----------
    cutoff : float or None
        Cutoff that the caller gave, in seconds.
    otherwise : float or None
        Cutoff of the archive.
    notes : list of str
        List to which a note is added if neither is known.

    Returns
    -------
    float
        The first that is known; infinity if neither is.
    """
    if cutoff is not None:
        check_positive("cutoff", cutoff)
        return float(cutoff)
    if otherwise is None:
        notes.append("The archive names no cutoff: timeouts are censored at their own time. Pass cutoff= if known.")
        return math.inf
    return otherwise
