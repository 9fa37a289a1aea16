"""Roles of models in tables of results: model, peer or limit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from bayes_distnet.arrays import BoolArray
from bayes_distnet.models.registry import Role, by_label


def role_of(label: str, stored: Mapping[str, Any] | None = None) -> Role:
    """Return the role of a model.

    Parameters
    ----------
    label : str
        Label of the model in tables.
    stored : mapping, optional
        Models by label, each with its "role", as `about.json` stores them.

    Returns
    -------
    Role
        The stored role; else that of the registered model of this label; else peer.

    Examples
    --------
    >>> role_of("Ridge"), role_of("mine"), role_of("mine", {"mine": {"role": "limit"}})
    (<Role.MODEL: 'model'>, <Role.PEER: 'peer'>, <Role.LIMIT: 'limit'>)
    """
    held = (stored or {}).get(label, {}).get("role")
    if held is not None:
        return Role(held)
    entry = by_label(label)
    return Role.PEER if entry is None else entry.role


def with_roles(table: pd.DataFrame, stored: Mapping[str, Any] | None = None) -> pd.DataFrame:
    """Add the column `role` to a table, unless it has one.

    Parameters
    ----------
    table : DataFrame
        Table with a column `model`.
    stored : mapping, optional
        Models by label, as for `role_of`.

    Returns
    -------
    DataFrame
        The table with the column `role`.
    """
    if "role" in table.columns:
        return table
    roles = {label: str(role_of(label, stored)) for label in dict.fromkeys(table["model"])}
    return table.assign(role=[roles[label] for label in table["model"]])


def is_limit(table: pd.DataFrame) -> BoolArray:
    """Return whether the model of each row is a limit.

    Parameters
    ----------
    table : DataFrame
        Table with a column `role`.

    Returns
    -------
    ndarray of bool
        One value per row.
    """
    found: BoolArray = (table["role"] == str(Role.LIMIT)).to_numpy(dtype=bool)
    return found
