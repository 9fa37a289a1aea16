"""Groups of a feature set: features that are computed together, from cheap to dear.

This module needs the standard library only: a race that needs a few cheap features must not load more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from bayes_distnet.errors import SettingError


@dataclass(frozen=True)
class Group:
    """Features that are computed together.

    Parameters
    ----------
    name : str
        Name of the group.
    features : tuple of str
        Names of its features; `*` stands for any letters.
    requires : tuple of str, default ()
        Groups that are computed before.
    """

    name: str
    features: tuple[str, ...]
    requires: tuple[str, ...] = ()


def with_required(groups: tuple[Group, ...], names: Iterable[str] | None) -> tuple[str, ...]:
    """Return groups together with those that they require.

    Parameters
    ----------
    groups : tuple of Group
        All groups; a group comes after those that it requires.
    names : iterable of str or None
        Names of the wanted groups; None for all.

    Returns
    -------
    tuple of str
        Names, in the order of the groups.

    Raises
    ------
    SettingError
        If there is no group of such a name.
    """
    known = [group.name for group in groups]
    wanted = set(known if names is None else names)
    if unknown := sorted(wanted - set(known)):
        raise SettingError(f"feature group {unknown[0]!r}: expected some of {', '.join(known) or 'none'}.")
    for group in reversed(groups):
        if group.name in wanted:
            wanted |= set(group.requires)
    return tuple(name for name in known if name in wanted)


def members(groups: tuple[Group, ...], columns: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Deal features out to groups; each goes to the first group with a name that fits.

    Parameters
    ----------
    groups : tuple of Group
        The groups.
    columns : iterable of str
        Names of features.

    Returns
    -------
    dict
        Features by group. Those that fit no group are left out.
    """
    found: dict[str, list[str]] = {group.name: [] for group in groups}
    for column in columns:
        for group in groups:
            if any(fnmatchcase(column, pattern) for pattern in group.features):
                found[group.name].append(column)
                break
    return {name: tuple(features) for name, features in found.items()}
