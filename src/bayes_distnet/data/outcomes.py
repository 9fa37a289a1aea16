"""Runtimes and outcomes of the rows of a table: finished, cut off, or no observation of a runtime."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.data.layout import TableLayout, folded
from bayes_distnet.data.values import as_floats, as_text, as_truth, shown
from bayes_distnet.errors import RuntimeDataError

SHOWN = 5  # statuses that a message lists


@dataclass(frozen=True)
class Outcomes:
    """Runtimes and outcomes, one per row.

    Parameters
    ----------
    seconds : ndarray of float
        Runtimes; NaN where there is none.
    finished : ndarray of bool
        Whether the run finished.
    observed : ndarray of bool
        Whether the row is an observation: a run that finished or was cut off, with its time.
    notes : list of str
        Rows that are left out, and why.
    """

    seconds: FloatArray
    finished: BoolArray
    observed: BoolArray
    notes: list[str]


def read_outcomes(frame: pd.DataFrame, layout: TableLayout, where: str) -> Outcomes:
    """Read the time and the outcome of every row.

    Parameters
    ----------
    frame : DataFrame
        One row per run.
    layout : TableLayout
        Roles of the columns.
    where : str
        Name of the table in messages.

    Returns
    -------
    Outcomes
        Times and outcomes.

    Raises
    ------
    RuntimeDataError
        If a value is no time or no truth value, or no row finished.
    """
    finished, counted, notes = _ends(frame, layout, where)
    seconds = seconds_in(frame[layout.time], layout.time, where, needed=counted)
    timeless = counted & np.isnan(seconds)
    if timeless.any():
        notes.append(f"left out: {timeless.sum()} of {len(frame)} rows without a time in {layout.time}")
    observed = counted & ~timeless
    if not (observed & finished).any():
        raise RuntimeDataError(
            f"{where}: no row is a finished run with a time in {layout.time!r} ({observed.sum()} were cut off). "
            "Nothing can be learnt about runtimes without some."
        )
    return Outcomes(seconds, finished & observed, observed, notes)


def seconds_in(column: pd.Series, name: str, where: str, needed: BoolArray | None = None) -> FloatArray:
    """Read a column of times.

    Parameters
    ----------
    column : Series
        Seconds, or durations such as 02:30:00 and 1-02:30:00.
    name, where : str
        Names of the column and of the table in messages.
    needed : ndarray of bool, optional
        Rows that count; by default all.

    Returns
    -------
    ndarray of float
        Seconds; NaN where there is no value.

    Raises
    ------
    RuntimeDataError
        If a value that counts is no time, or negative.
    """
    seconds, stray = as_floats(column)
    with np.errstate(invalid="ignore"):
        wrong = stray | (seconds < 0)
    wrong &= True if needed is None else needed
    if wrong.any():
        row = int(np.argmax(wrong))
        raise RuntimeDataError(
            f"{where}, row {column.index[row] + 1}: {name} is {shown(column.iloc[row])}, expected seconds "
            f"of at least 0 or a duration such as 02:30:00 ({int(wrong.sum())} such rows). Correct "
            "these values, or leave them empty."
        )
    return seconds


def _ends(frame: pd.DataFrame, layout: TableLayout, where: str) -> tuple[BoolArray, BoolArray, list[str]]:
    """Return which rows finished, which count as observations, and notes on the others."""
    if layout.finished is not None:
        return _ends_by_truth(frame[layout.finished], layout.finished, where)
    if layout.status is None:
        every = np.ones(len(frame), dtype=bool)
        return every, every.copy(), ["every row is taken as a finished run; --status or --finished names the outcome"]
    status = as_text(frame[layout.status])
    plain = np.array(["" if word is None else word.casefold() for word in status], dtype=object)
    finished = np.isin(plain, folded(layout.finished_values))
    counted = finished | np.isin(plain, folded(layout.censored_values))
    others = pd.Series(["(empty)" if word is None else word for word in status])[~counted].value_counts()
    listed = ", ".join(f"{word} ({count})" for word, count in others.head(SHOWN).items())
    listed += " ..." if len(others) > SHOWN else ""
    if not finished.any():
        raise RuntimeDataError(
            f"{where}: no row has a finished status in {layout.status!r}: expected "
            f"{', '.join(layout.finished_values)}; found {listed or 'only runs that were cut off'}. Name the statuses "
            "of finished runs with --finished-values (finished_values=)."
        )
    if others.empty:
        return finished, counted, []
    left_out = f"left out: {others.sum()} of {len(frame)} rows"
    return finished, counted, [f"{left_out}, whose {layout.status} is neither finished nor cut off: {listed}"]


def _ends_by_truth(column: pd.Series, name: str, where: str) -> tuple[BoolArray, BoolArray, list[str]]:
    truth, stray = as_truth(column)
    if stray.any():
        row = int(np.argmax(stray))
        raise RuntimeDataError(
            f"{where}, row {row + 1}: {name} is {shown(column.iloc[row])}, expected true or false "
            f"({int(stray.sum())} such rows). A column of words is a status: --status and --finished-values."
        )
    unknown = np.isnan(truth)
    notes = [f"left out: {unknown.sum()} of {len(truth)} rows without a value in {name}"] if unknown.any() else []
    return truth == 1, ~unknown, notes
