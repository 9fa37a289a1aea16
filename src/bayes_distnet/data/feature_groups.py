"""Groups of features that are computed together: their members, what they require, their cost and their outcome."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

import pandas as pd

from bayes_distnet.data.tables import read_by_instance, write_frame
from bayes_distnet.errors import FeatureError, RuntimeDataError
from bayes_distnet.files import write_whole
from bayes_distnet.schema import Fields, read_json

PRESOLVED, UNKNOWN = "presolved", "unknown"
#: Outcomes of the computation of a group on an instance. Presolved: the instance was solved meanwhile.
GROUP_STATUSES = ("ok", "timeout", "memout", PRESOLVED, "crash", "other", UNKNOWN)


@dataclass(frozen=True)
class FeatureGroup:
    """A group of features that are computed together.

    Parameters
    ----------
    name : str
        Name of the group.
    features : tuple of str
        Features that it provides: columns of `Dataset.features`.
    requires : tuple of str, default ()
        Groups that must be computed before.
    default : bool, default True
        Whether the publishers recommend the group.
    """

    name: str
    features: tuple[str, ...]
    requires: tuple[str, ...] = ()
    default: bool = True


@dataclass(frozen=True)
class FeatureGroups:
    """All groups of features of a data set, with cost and outcome per instance.

    Parameters
    ----------
    groups : tuple of FeatureGroup
        The groups, in the published order.
    cost : DataFrame
        CPU seconds that each group took, one row per instance and one column per group; NaN where unknown.
    status : DataFrame
        Outcome of each group, in the same form: one of `GROUP_STATUSES`.

    Examples
    --------
    >>> names = pd.Index(["a.cnf", "b.cnf"])
    >>> groups = FeatureGroups(
    ...     (FeatureGroup("base", ("size",)), FeatureGroup("probing", ("depth",), requires=("base",))),
    ...     pd.DataFrame({"base": [0.1, 0.2], "probing": [3.0, 1.0]}, index=names),
    ...     pd.DataFrame({"base": "ok", "probing": ["ok", "presolved"]}, index=names),
    ... )
    >>> groups.needed_for(["depth"])
    ('base', 'probing')
    >>> groups.seconds(["probing"]).tolist(), groups.presolved(["base"]).tolist()
    ([3.1, 1.2], [False, False])
    """

    groups: tuple[FeatureGroup, ...]
    cost: pd.DataFrame
    status: pd.DataFrame

    def __post_init__(self) -> None:
        """Refuse groups, costs and outcomes that do not belong together."""
        for what, table in (("cost", self.cost), ("status", self.status)):
            if list(table.columns) != list(self.names) or not table.index.equals(self.cost.index):
                raise RuntimeDataError(f"feature groups: {what} needs one column per group, and the rows of the cost.")
        for group in self.groups:
            self._check(group.requires, f"group {group.name!r} requires")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the groups."""
        return tuple(group.name for group in self.groups)

    def with_required(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return groups together with all groups that they require.

        Parameters
        ----------
        names : iterable of str
            Names of groups.

        Returns
        -------
        tuple of str
            Their names and those of the required groups, in the order of `groups`.

        Raises
        ------
        FeatureError
            If there is no group of such a name.
        """
        requires = {group.name: group.requires for group in self.groups}
        chosen: set[str] = set()
        left = list(names)
        self._check(left, "asked for")
        while left:
            name = left.pop()
            if name not in chosen:
                chosen.add(name)
                left.extend(requires[name])
        return tuple(name for name in self.names if name in chosen)

    def needed_for(self, features: Iterable[str]) -> tuple[str, ...]:
        """Return the groups that must be computed to have some features.

        A feature that several groups provide is taken from a group that is needed anyway, else from the first.

        Parameters
        ----------
        features : iterable of str
            Columns of `Dataset.features`.

        Returns
        -------
        tuple of str
            Names of the groups, with those that they require. Features of no group need none.
        """
        wanted = list(features)
        providers = {name: [group.name for group in self.groups if name in group.features] for name in wanted}
        needed = self.with_required(names[0] for names in providers.values() if len(names) == 1)
        for names in providers.values():
            if names and not set(names) & set(needed):
                needed = self.with_required([*needed, names[0]])
        return needed

    def features_of(self, names: Iterable[str]) -> list[str]:
        """Return the features that some groups, and the groups that they require, provide.

        Parameters
        ----------
        names : iterable of str
            Names of groups.

        Returns
        -------
        list of str
            Columns of `Dataset.features`, each once.
        """
        chosen = self.with_required(names)
        return list(dict.fromkeys(f for group in self.groups if group.name in chosen for f in group.features))

    def seconds(self, names: Iterable[str] | None = None) -> pd.Series[float]:
        """Return the cost of some groups, and of the groups that they require.

        Parameters
        ----------
        names : iterable of str, optional
            Names of groups; by default all.

        Returns
        -------
        Series
            CPU seconds by instance; an unknown cost counts as 0.
        """
        chosen = self.names if names is None else self.with_required(names)
        total: pd.Series[float] = self.cost[list(chosen)].sum(axis=1)
        return total

    def presolved(self, names: Iterable[str] | None = None) -> pd.Series[bool]:
        """Return whether instances were solved while some groups, or the groups that they require, were computed.

        Parameters
        ----------
        names : iterable of str, optional
            Names of groups; by default all.

        Returns
        -------
        Series of bool
            Whether each instance was solved.
        """
        chosen = self.names if names is None else self.with_required(names)
        solved: pd.Series[bool] = (self.status[list(chosen)] == PRESOLVED).any(axis=1)
        return solved

    def take(self, instances: pd.Index) -> FeatureGroups:
        """Return the groups with the costs and outcomes of some instances.

        Parameters
        ----------
        instances : Index
            Names of the instances, in the order wanted.

        Returns
        -------
        FeatureGroups
            The same groups.
        """
        status = self.status.reindex(instances, fill_value=UNKNOWN)
        return replace(self, cost=self.cost.reindex(instances), status=status)

    def _check(self, names: Iterable[str], what: str) -> None:
        for name in names:
            if name not in self.names:
                raise FeatureError(f"feature groups: {what} {name!r}; groups are {', '.join(self.names)}.")


def write_groups(groups: FeatureGroups | None, folder: Path) -> None:
    """Write the groups, and a table with one row per instance and group; None removes the files.

    Parameters
    ----------
    groups : FeatureGroups or None
        The groups.
    folder : Path
        Folder that receives `feature_groups.json` and `feature_groups.parquet`.
    """
    described, measured = folder / "feature_groups.json", folder / "feature_groups.parquet"
    if groups is None:
        described.unlink(missing_ok=True)
        measured.unlink(missing_ok=True)
        return
    text = json.dumps([asdict(group) for group in groups.groups], indent=1, ensure_ascii=False)
    write_whole(described, text + "\n")
    cost, status = (table.rename_axis("instance").melt(ignore_index=False) for table in (groups.cost, groups.status))
    long = cost.set_axis(["group", "seconds"], axis=1).assign(status=status["value"].to_numpy())
    write_frame(long, measured)


def read_groups(folder: Path, instances: pd.Index) -> FeatureGroups | None:
    """Read the files that `write_groups` wrote.

    Parameters
    ----------
    folder : Path
        Folder of the files.
    instances : Index
        Rows of cost and status, in order.

    Returns
    -------
    FeatureGroups or None
        The groups; None if there is no such file.

    Raises
    ------
    RuntimeDataError
        If a file cannot be read.
    """
    path = folder / "feature_groups.json"
    if not path.is_file():
        return None
    groups = tuple(
        FeatureGroup(one["name"], tuple(one["features"]), tuple(one["requires"]), one["default"])
        for one in read_json(path, [_FORM], RuntimeDataError)
    )
    measured = folder / "feature_groups.parquet"
    table = read_by_instance(measured)
    try:
        parts = dict(list(table.groupby("group")))
        cost, status = (
            pd.DataFrame({group.name: parts[group.name][column] for group in groups})
            for column in ("seconds", "status")
        )
        return FeatureGroups(groups, cost.astype(float), status).take(instances)
    except (TypeError, ValueError, KeyError) as error:  # also groups of the one file that the other does not have
        raise RuntimeDataError(f"{measured}: no table of the groups in {path.name} ({error}).") from error


_FORM = Fields({"name": str, "features": [str], "requires": [str], "default": bool})
