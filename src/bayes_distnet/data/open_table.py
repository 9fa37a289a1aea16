"""One table with one row per run: features, the time and the outcome of each run, as a `Dataset`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.data.batches import TableSource
from bayes_distnet.data.columns import identifies_rows, recognise
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.layout import CENSORED_VALUES, FINISHED_VALUES, TableLayout
from bayes_distnet.data.outcomes import read_outcomes, seconds_in
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.data.statuses import SOLVED, TIMEOUT
from bayes_distnet.data.suspects import suspicious
from bayes_distnet.data.values import as_text
from bayes_distnet.errors import FeatureError, RuntimeDataError

LAYOUT = "table"  # its key in the provenance of a data set


def open_table(
    source: str | os.PathLike[str] | pd.DataFrame,
    time: str,
    *,
    status: str | None = None,
    finished: str | None = None,
    finished_values: Sequence[str] = FINISHED_VALUES,
    censored_values: Sequence[str] = CENSORED_VALUES,
    group: str | None = None,
    cutoff: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    categorical: Sequence[str] = (),
) -> Dataset:
    """Open a table that holds features, runtimes and outcomes, one row per run.

    Parameters
    ----------
    source : path-like or DataFrame
        File whose name ends in .parquet, .csv or .csv.gz, or a table.
    time : str
        Column of the runtime: seconds, or durations such as 02:30:00 and 1-02:30:00.
    status : str, optional
        Column of the outcome in words. Rows that are neither finished nor cut off (failed ones) are left out.
    finished : str, optional
        Column of truth values in the place of `status`: False marks a run that was cut off at its time.
    finished_values, censored_values : sequence of str
        Statuses of runs that finished, and of runs that were cut off; case does not matter.
    group : str, optional
        Column that rows with something in common share: the name of the instance, or a user. Rows of a group with the
        same features are runs of one instance, and `Dataset.split` never divides a group.
    cutoff : str, optional
        Column of the time limit of each run. It stays a feature.
    drop : sequence of str
        Columns that are no features, such as those that are known only after a run.
    keep : sequence of str
        Columns that are features even if they seem to identify rows.
    categorical : sequence of str
        Columns of numbers that are names, such as versions.

    Returns
    -------
    Dataset
        One row of features per instance, with text, dates and truth values as they are: `train` encodes them. `notes`
        lists what was left out and why.

    Raises
    ------
    RuntimeDataError
        If a column of the layout is missing, or holds something else.

    Examples
    --------
    >>> jobs = pd.DataFrame({"queue": ["fast", "slow", "fast"], "elapsed": [3.0, 600.0, 5.0],
    ...                      "state": ["COMPLETED", "TIMEOUT", "FAILED"]})
    >>> data = open_table(jobs, "elapsed", status="state")
    >>> data.seconds.tolist(), data.finished.tolist()
    ([[3.0], [600.0]], [[True], [False]])
    >>> data.notes
    ('left out: 1 of 3 rows, whose state is neither finished nor cut off: FAILED (1)',)
    """
    layout = TableLayout(
        time,
        status,
        finished,
        tuple(finished_values),
        tuple(censored_values),
        group,
        cutoff,
        tuple(drop),
        tuple(keep),
        tuple(categorical),
    )
    return read_table(source, layout)


def read_table(
    source: str | os.PathLike[str] | pd.DataFrame, layout: TableLayout, features: Sequence[str] | None = None
) -> Dataset:
    """Open a table of a given layout.

    Parameters
    ----------
    source : path-like or DataFrame
        See `open_table`.
    layout : TableLayout
        Roles of the columns.
    features : sequence of str, optional
        Columns to take as features, such as those of a fitted model; by default they are recognised: columns without
        a role in the layout that do not identify rows.

    Returns
    -------
    Dataset
        See `open_table`.
    """
    frame, where = _frame(source, layout)
    _check_columns(frame, layout, features, where)
    outcomes = read_outcomes(frame, layout, where)
    notes = list(outcomes.notes)
    if features is None:
        features, layout, more = _choose_features(frame, layout, where)
        notes += more
        notes += suspicious(frame[list(features)], outcomes)
    rows = np.flatnonzero(outcomes.observed)
    chosen = frame.iloc[rows]
    names, groups = _instances(chosen, rows, layout, list(features), where)
    limits = _limits(chosen, layout, outcomes.seconds[rows], outcomes.finished[rows], where)
    runs = pd.DataFrame(
        {
            "instance": names,
            "seconds": outcomes.seconds[rows],
            "status": np.where(outcomes.finished[rows], SOLVED, TIMEOUT),
            "cutoff": limits,
        }
    )
    first = ~pd.Series(names).duplicated().to_numpy()
    index = pd.Index(names[first], name="instance", dtype=object)
    return Dataset(
        _checked_runs(runs, where),
        chosen.loc[first, list(features)].set_axis(index, axis=0),
        notes=tuple(notes),
        provenance={LAYOUT: layout.to_dict()},
        groups=None if groups is None else pd.Series(groups[first], index=index),
    )


def _frame(source: Any, layout: TableLayout) -> tuple[pd.DataFrame, str]:
    if isinstance(source, pd.DataFrame):
        return source.reset_index(drop=True), "table"
    table = TableSource.named(source)
    named = (layout.group, layout.status, *layout.identifiers[:1], *layout.categorical)
    return table.whole(text=[name for name in named if name is not None]), str(table)


def _check_columns(frame: pd.DataFrame, layout: TableLayout, features: Sequence[str] | None, where: str) -> None:
    if not len(frame):
        raise RuntimeDataError(f"{where}: no rows; expected one row per run.")
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise FeatureError(f"{where}: column {twice!r} occurs more than once. Give every column its own name.")
    roles = {"time": layout.time, "status": layout.status, "finished": layout.finished, "group": layout.group}
    roles |= {"cutoff-column": layout.cutoff}
    roles |= {"drop": next((name for name in layout.drop if name not in frame and features is None), None)}
    roles |= {"categorical": next((name for name in layout.categorical if name not in frame), None)}
    for role, name in roles.items():
        if name is not None and name not in frame:
            found = ", ".join(map(str, frame.columns[:8]))
            raise RuntimeDataError(
                f"{where}: no column {name!r} for --{role}; found {found}{' ...' if len(frame.columns) > 8 else ''}."
            )
    if missing := [name for name in features or () if name not in frame]:
        raise FeatureError(f"{where}: {lacking(missing, len(features or ()))}")


def lacking(missing: Sequence[str], needed: int) -> str:
    """Return a sentence about columns that a model needs and a table lacks."""
    more = " ..." if len(missing) > 3 else ""
    return (
        f"no column {', '.join(map(str, missing[:3]))}{more} ({len(missing)} of the {needed} that the model was fitted "
        "on are missing). Compute the features as for the training runs."
    )


def _choose_features(frame: pd.DataFrame, layout: TableLayout, where: str) -> tuple[list[str], TableLayout, list[str]]:
    """Return the features, the layout with the identifier that was recognised, and notes."""
    features, identifiers = [], []
    for name in frame.columns:
        if name in layout.outcome:
            continue
        if (
            name in layout.keep
            or name in layout.categorical
            or not identifies_rows(frame[name], recognise(frame[name]))
        ):
            features.append(name)
        else:
            identifiers.append(name)
    if not features:
        raise FeatureError(
            f"{where}: no column is left as a feature; without roles are {', '.join(identifiers) or 'none'}. "
            "Name columns that are features with --keep (keep=)."
        )
    if not identifiers:
        return features, layout, []
    several = len(identifiers) > 1
    note = (
        f"left out: column{'s' if several else ''} {', '.join(identifiers)}, which identif{'y' if several else 'ies'} "
        "rows (--keep takes a column as a feature)"
    )
    return features, replace(layout, identifiers=tuple(identifiers)), [note]


def _instances(
    frame: pd.DataFrame, rows: NDArray[np.intp], layout: TableLayout, features: list[str], where: str
) -> tuple[NDArray[np.object_], NDArray[np.object_] | None]:
    """Return the instance of every row, and its group."""
    if layout.group is None:
        return _row_names(frame, rows, layout, where), None
    groups = as_text(frame[layout.group])
    if unnamed := [row for row, group in zip(rows, groups, strict=True) if group is None]:
        raise RuntimeDataError(
            f"{where}, row {unnamed[0] + 1}: no value in {layout.group!r} ({len(unnamed)} such rows). Name the group "
            "of every row, or leave out --group."
        )
    alike = pd.util.hash_pandas_object(_comparable(frame[features]), index=False).to_numpy()
    instances = pd.DataFrame({"group": groups, "alike": alike}).drop_duplicates()
    if instances["group"].is_unique:
        return groups, groups
    names = [f"{group}#{one:016x}" for group, one in zip(groups, alike, strict=True)]
    return np.array(names, dtype=object), groups


def _comparable(frame: pd.DataFrame) -> pd.DataFrame:
    """Make all columns of one type each, so that equal rows have equal hashes."""
    plain = [pd.api.types.is_numeric_dtype(frame[name].dtype) for name in frame]
    columns = {
        name: frame[name].to_numpy(float, na_value=np.nan) if number else as_text(frame[name]).astype(str)
        for name, number in zip(frame, plain, strict=True)
    }
    return pd.DataFrame(columns, index=frame.index)


def _row_names(frame: pd.DataFrame, rows: NDArray[np.intp], layout: TableLayout, where: str) -> NDArray[np.object_]:
    """Return the values of the column that identifies rows; else the number of each row, counted from 1."""
    if layout.identifiers and layout.identifiers[0] in frame:
        names = as_text(frame[layout.identifiers[0]])
        if all(name is not None for name in names) and len(set(names)) == len(names):
            return names
    return np.array([f"{os.path.basename(where)}:{row + 1}" for row in rows], dtype=object)


def _limits(
    frame: pd.DataFrame, layout: TableLayout, seconds: FloatArray, finished: BoolArray, where: str
) -> FloatArray:
    if layout.cutoff is None:
        return np.full(len(frame), np.inf)
    limits = seconds_in(frame[layout.cutoff], layout.cutoff, where)
    limits = np.where(np.isnan(limits) | (limits == 0), np.inf, limits)
    return np.where(finished, np.maximum(limits, seconds), limits)  # a limit is enforced a little late


def _checked_runs(runs: pd.DataFrame, where: str) -> RunTable:
    try:
        return RunTable.from_frame(runs)
    except RuntimeDataError as error:
        raise RuntimeDataError(f"{where}: {error}") from error
