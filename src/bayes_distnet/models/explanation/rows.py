"""Rows that are explained, in the form in which a model takes them, and mixtures of them with background rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayes_distnet.arrays import BoolArray, IntArray
from bayes_distnet.errors import FeatureError, SettingError

NO_BACKGROUND = (
    "explain: this model holds no background instances; give some: explain(X, background=...), such as the training "
    "features."
)


@dataclass(frozen=True)
class ExplainedRows:
    """Instances and background rows as a model takes them.

    Parameters
    ----------
    model : object
        A fitted model of these columns; only `predict_distribution` is used.
    instances, background : DataFrame
        Rows with the same columns.
    named : bool
        Whether the model takes tables; otherwise it takes arrays.
    shown : DataFrame
        Features of the instances as a user gave them: one column per feature, one row per instance.
    columns : dict
        Columns of `instances` that each feature became.
    """

    model: Any
    instances: pd.DataFrame
    background: pd.DataFrame
    named: bool
    shown: pd.DataFrame
    columns: dict[str, list[str]]

    @classmethod
    def of(cls, model: Any, X: Any, background: Any) -> ExplainedRows:
        """Take rows that a model takes as they are: tables, or arrays of numbers."""
        instances, known = as_table(X), as_table(background)
        if not len(instances):
            raise FeatureError("X: no rows; expected one row per instance.")
        if list(instances.columns) != list(known.columns):
            if sorted(instances.columns) != sorted(known.columns):
                raise FeatureError(
                    f"background: {known.shape[1]} features, and not those of X ({instances.shape[1]}); give rows "
                    "with the same columns."
                )
            known = known[list(instances.columns)]
        columns = {name: [name] for name in instances.columns}
        return cls(model, instances, known, isinstance(X, pd.DataFrame), instances, columns)

    @cached_property
    def _stacked(self) -> pd.DataFrame:
        return pd.concat([self.instances, self.background], ignore_index=True)

    @cached_property
    def _numbers(self) -> NDArray[Any] | None:
        numeric = all(map(pd.api.types.is_numeric_dtype, self._stacked.dtypes))
        return self._stacked.to_numpy(np.float64, na_value=np.nan) if numeric else None

    def differs(self, row: int, players: list[list[int]]) -> BoolArray:
        """(background, players): whether some column of a player differs between an instance and background rows."""
        stacked, n = self._stacked, len(self.instances)
        different = np.empty((len(self.background), stacked.shape[1]), dtype=bool)
        for column in range(stacked.shape[1]):
            codes = pd.factorize(stacked.iloc[:, column], use_na_sentinel=False)[0]
            different[:, column] = codes[n:] != codes[row]
        return np.stack([different[:, columns].any(axis=1) for columns in players], axis=1)

    def mixed(self, row: int, own: BoolArray, background: IntArray) -> Any:
        """Rows of an instance and of background rows: own (m, columns) says which values are those of the instance."""
        other = background + len(self.instances)
        if self._numbers is not None:
            values = np.where(own, self._numbers[row], self._numbers[other])
            return pd.DataFrame(values, columns=self.instances.columns) if self.named else values
        table = pd.DataFrame(
            {
                name: self._stacked[name].array.take(np.where(own[:, j], row, other))
                for j, name in enumerate(self._stacked.columns)
            }
        )
        return table if self.named else table.to_numpy()


def as_table(X: Any) -> pd.DataFrame:
    """Return features as a table whose columns have names: those of a table, or `feature 0` and so on."""
    if X is None:
        raise SettingError(NO_BACKGROUND)
    if isinstance(X, pd.DataFrame):
        return X if all(isinstance(name, str) for name in X) else X.set_axis([str(name) for name in X], axis=1)
    array = np.asarray(X)
    if array.ndim != 2:
        raise FeatureError(f"X has shape {array.shape}: expected one row per instance and one column per feature.")
    return pd.DataFrame(array, columns=[f"feature {j}" for j in range(array.shape[1])])
