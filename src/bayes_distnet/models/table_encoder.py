"""Tables with text, categories, truth values and dates as numbers: an encoder learnt from training rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from bayes_distnet.data.columns import Kind
from bayes_distnet.data.open_table import lacking
from bayes_distnet.data.values import as_dates, as_floats, as_text, as_truth
from bayes_distnet.errors import FeatureError
from bayes_distnet.models.encoded_column import EncodedColumn


class TableEncoder(TransformerMixin, BaseEstimator):
    """Encode the columns of a table as numbers, without a look at runtimes.

    Numbers stay, durations become seconds, truth values 1 and 0, dates a day, a weekday and an hour. A column of up to
    16 levels becomes one column per level; one of more levels has the 16 most frequent ones, the frequency of the level
    and eight bits of a hash. A level that training did not have is marked in a column of its own, which models ignore
    and `familiarity` reports. Columns that are empty or constant in the training rows are left out.

    Parameters
    ----------
    categorical : sequence of str
        Columns of numbers that are names, such as versions.

    Attributes
    ----------
    columns_ : list of EncodedColumn
        Encoding of every column that is used.
    feature_names_in_ : array of str
        Columns that are used.
    left_out_ : list of str
        Columns that are empty or constant in the training rows.
    notes_ : list of str
        Columns that are left out, and values that could not be read.

    Examples
    --------
    >>> jobs = pd.DataFrame({"queue": ["fast", "slow", "fast"], "urgent": ["yes", "no", "no"], "site": "here"})
    >>> encoder = TableEncoder().fit(jobs)
    >>> encoder.transform(jobs).to_dict("list")
    {'queue=fast': [1.0, 0.0, 1.0], 'queue=slow': [0.0, 1.0, 0.0], 'queue=(unseen)': [0.0, 0.0, 0.0], \
'urgent': [1.0, 0.0, 0.0]}
    >>> encoder.notes_
    ['left out: column site, which is constant']
    """

    def __init__(self, categorical: Sequence[str] = ()) -> None:
        self.categorical = categorical

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the encoding of every column.

        Parameters
        ----------
        X : DataFrame
            Training rows.
        y : None
            Ignored: the encoding does not depend on runtimes.

        Returns
        -------
        self
            The fitted encoder.
        """
        table = _as_table(X)
        self.columns_, self.notes_ = [], []
        left_out: dict[str, list[str]] = {"empty": [], "constant": []}
        for name in table.columns:
            column = EncodedColumn.learn(table[name], categorical=name in self.categorical)
            if column.kind is Kind.EMPTY:
                left_out["empty"].append(name)
            elif _is_constant(table[name]):
                left_out["constant"].append(name)
            else:
                self.columns_.append(column)
                self.notes_ += _stray(table[name], column)
        if not self.columns_:
            raise FeatureError(f"features: all {table.shape[1]} columns are empty or constant; nothing can be learnt.")
        self.left_out_ = [name for names in left_out.values() for name in names]
        for why, names in left_out.items():
            if names:
                are = f"s {', '.join(names)}, which are" if len(names) > 1 else f" {names[0]}, which is"
                self.notes_.append(f"left out: column{are} {why}")
        self._name_columns()
        return self

    def _name_columns(self) -> None:
        self.feature_names_in_ = np.array([column.name for column in self.columns_], dtype=object)
        self.n_features_in_ = len(self.columns_)

    def transform(self, X: Any) -> pd.DataFrame:
        """Encode rows.

        Parameters
        ----------
        X : DataFrame
            Rows with the columns of the training rows; further columns are ignored.

        Returns
        -------
        DataFrame
            Numbers, one row per row of X; NaN where a value is missing.

        Raises
        ------
        FeatureError
            Columns that are missing.
        """
        check_is_fitted(self)
        table = _as_table(X)
        if missing := [column.name for column in self.columns_ if column.name not in table]:
            raise FeatureError(f"features: {lacking(missing, len(self.columns_))}")
        parts = [column.encode(table[column.name]) for column in self.columns_]
        return pd.DataFrame(np.hstack(parts), index=table.index, columns=list(self.get_feature_names_out()))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the encoded columns.

        Parameters
        ----------
        input_features : None
            Ignored: the names are those of the training rows.

        Returns
        -------
        ndarray of str
            Names, in the order of `transform`.
        """
        check_is_fitted(self)
        return np.array([name for column in self.columns_ for name in column.outputs], dtype=object)

    def to_dict(self) -> dict[str, Any]:
        """Return the fitted encoder as JSON can hold it."""
        columns = [column.to_dict() for column in self.columns_]
        return {"categorical": list(self.categorical), "columns": columns, "left_out": self.left_out_}

    @classmethod
    def from_dict(cls, plain: Any) -> Self:
        """Restore a fitted encoder; a ValueError, TypeError or KeyError reports contents that are none."""
        encoder = cls(tuple(map(str, plain["categorical"])))
        encoder.columns_ = [EncodedColumn.from_dict(column) for column in plain["columns"]]
        encoder.notes_, encoder.left_out_ = [], [str(name) for name in plain["left_out"]]
        encoder._name_columns()
        names = [*encoder.feature_names_in_]
        if not names or len(set(names)) < len(names):
            raise ValueError("the encoder has no columns, or one of them twice")
        return encoder


def _as_table(X: Any) -> pd.DataFrame:
    table = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X)
    if not table.columns.is_unique:
        twice = sorted({str(name) for name in table.columns[table.columns.duplicated()]})
        raise FeatureError(f"features: columns {twice} occur more than once. Give every feature its own name.")
    return (
        table if all(isinstance(name, str) for name in table) else table.set_axis([str(name) for name in table], axis=1)
    )


def _is_constant(column: pd.Series) -> bool:
    if pd.api.types.is_numeric_dtype(column.dtype):
        return bool(column.nunique(dropna=False) < 2)
    return len(set(as_text(column))) < 2


def _stray(column: pd.Series, encoding: EncodedColumn) -> list[str]:
    """Note values that are there and cannot be read."""
    read = {Kind.NUMBER: as_floats, Kind.TRUTH: as_truth, Kind.DATE: as_dates}.get(encoding.kind)
    if read is None or not (stray := read(column)[1]).any():
        return []
    example = column.iloc[int(np.argmax(stray))]
    what = {Kind.NUMBER: "numbers", Kind.TRUTH: "truth values", Kind.DATE: "dates"}[encoding.kind]
    return [
        f"column {encoding.name}: {int(stray.sum())} of {len(column)} values are no {what}, such as {str(example)!r}; "
        "they count as missing"
    ]
