"""Features of an ASlib scenario, and the groups ("feature steps") in which they are computed."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from bayes_distnet.data.feature_groups import GROUP_STATUSES, UNKNOWN, FeatureGroup, FeatureGroups
from bayes_distnet.data.importers.archive import clean_features, note
from bayes_distnet.data.importers.arff import Arff
from bayes_distnet.data.importers.aslib_tables import IDS, numbers, read_table, repetition
from bayes_distnet.data.importers.description import Description
from bayes_distnet.errors import FeatureError

_FAILED = ("timeout", "memout", "crash", "other", "unknown", "not_applicable")
_UNKNOWN_COST = "instances have a feature step of unknown cost; their feature cost is the sum of the other steps."


def read_features(
    folder: Path, description: Description, missing: float | None, keep_failed: bool, notes: list[str]
) -> tuple[pd.DataFrame, FeatureGroups | None]:
    """Read the features of a scenario and their groups.

    Parameters
    ----------
    folder : Path
        Folder of the scenario.
    description : Description
        Its description.
    missing : float or None
        Mark for missing feature values; None if there is none.
    keep_failed : bool
        Whether to keep feature values of a group that failed.
    notes : list of str
        List to which notes on repairs are added.

    Returns
    -------
    features : DataFrame
        Features, one row per instance.
    groups : FeatureGroups or None
        Their groups; None if no file names any.

    Raises
    ------
    FeatureError
        If values, costs or statuses cannot be read.
    """
    table = read_table(folder / "feature_values.arff", FeatureError, "instance_id")
    columns: dict[str, pd.Series] = {}
    source: dict[str, str] = {}
    for name in map(str, table.frame.columns.drop(list(IDS), errors="ignore")):
        for column, values in _numeric_columns(name, table, notes).items():
            columns[column], source[column] = values, name
    if not columns:
        raise FeatureError(f"{table.path}: no attribute is a feature; found {', '.join(table.frame.columns)}.")
    features, statuses = pd.DataFrame(columns), _statuses(folder)
    if not keep_failed and statuses is not None:
        failed = _failed(statuses, table, description, source)
        count = int((failed & features.notna()).to_numpy().sum())
        note(notes, count, "feature values of failed steps count as missing; keep_failed=True keeps them.")
        features = features.mask(failed)
    features = features.set_axis(pd.Index(table.frame["instance_id"]), axis=0)
    features = clean_features(features, missing, notes)
    return features, _groups(description, source, _costs(folder), statuses, features.index, notes)


def _numeric_columns(name: str, table: Arff, notes: list[str]) -> dict[str, pd.Series]:
    """Return a feature as numbers: itself, one 0/1 column per nominal value, or nothing for free text."""
    values = table.frame[name]
    found = pd.to_numeric(values, errors="coerce").astype(float)
    if (found.isna() == values.isna()).all():
        return {name: found}
    if name not in table.nominal:
        notes.append(f"1 feature, {name}, is text; left out.")
        return {}
    return {
        f"{name}={value}": (values == value).astype(float).mask(values.isna()) for value in sorted(table.nominal[name])
    }


def _statuses(folder: Path) -> pd.DataFrame | None:
    """Return the status of every group as it is written, by instance and repetition; missing where it is ?."""
    path = folder / "feature_runstatus.arff"
    if not path.exists():
        return None
    table = read_table(path, FeatureError, "instance_id")
    words = table.frame.drop(columns=list(IDS), errors="ignore").apply(lambda column: column.astype("str").str.lower())
    words = words.where(table.frame[words.columns].notna(), None).set_axis(_row_ids(table), axis=0)
    first: pd.DataFrame = words[~words.index.duplicated()]
    return first


def _row_ids(table: Arff) -> pd.MultiIndex:
    return pd.MultiIndex.from_arrays([table.frame["instance_id"], repetition(table, FeatureError)])


def _failed(statuses: pd.DataFrame, values: Arff, description: Description, source: dict[str, str]) -> pd.DataFrame:
    """Return whether every group that provides a feature failed, per row and feature."""
    failed = pd.DataFrame(False, index=values.frame.index, columns=list(source))
    groups = statuses.isin(_FAILED)
    rows = groups.index.get_indexer(_row_ids(values))
    for column, feature in source.items():
        providers = [g.name for g in description.groups if feature in g.features and g.name in groups]
        if providers:
            failed[column] = groups[providers].all(axis=1).to_numpy()[rows] & (rows >= 0)
    return failed


def _costs(folder: Path) -> pd.DataFrame | None:
    """Return the cost of every group in seconds by instance, the mean over repetitions; NaN where it is unknown."""
    path = folder / "feature_costs.arff"
    if not path.exists():
        return None
    table = read_table(path, FeatureError, "instance_id")
    names = table.frame.columns.drop(list(IDS), errors="ignore")
    groups = pd.DataFrame({name: numbers(table, name, FeatureError) for name in names})
    groups = groups.where(groups >= 0).set_index(pd.Index(table.frame["instance_id"], name="instance"))
    return groups.groupby(level=0, sort=False).mean()


def _groups(
    description: Description,
    source: dict[str, str],
    costs: pd.DataFrame | None,
    statuses: pd.DataFrame | None,
    instances: pd.Index,
    notes: list[str],
) -> FeatureGroups | None:
    """Return the groups with the columns that they provide, and with their costs and statuses by instance."""
    tables = [table for table in (costs, statuses) if table is not None]
    names = dict.fromkeys([*(g.name for g in description.groups), *(str(name) for table in tables for name in table)])
    undescribed = [FeatureGroup(name, ()) for name in list(names)[len(description.groups) :]]
    note(notes, len(undescribed), "feature steps have a cost or status, but no entry in the description.")
    if not names:
        return None
    groups = [
        FeatureGroup(
            group.name,
            tuple(column for column, feature in source.items() if feature in group.features),
            tuple(name for name in group.requires if name in names),
            group.default,
        )
        for group in (*description.groups, *undescribed)
    ]
    cost = pd.DataFrame(costs, index=instances, columns=list(names), dtype=float)
    status = pd.DataFrame(UNKNOWN, index=instances, columns=list(names), dtype=object)
    if statuses is not None:
        first = statuses[~statuses.index.get_level_values(0).duplicated()].droplevel(1)
        words = first.reindex(index=instances, columns=list(names)).fillna(UNKNOWN)
        status = words.where(words.isin(GROUP_STATUSES), "other")
    if costs is not None:
        unknown = int(costs.isna().any(axis=1).sum())
        note(notes, unknown, _UNKNOWN_COST)
    return FeatureGroups(tuple(groups), cost, status)
