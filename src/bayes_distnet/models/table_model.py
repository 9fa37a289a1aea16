"""A model of raw tables: an encoder of their columns, and a model of the encoded features."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import pandas as pd
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.layout import TableLayout
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.errors import ModelFileError
from bayes_distnet.files import write_whole
from bayes_distnet.models.base import RuntimeEstimator, Unseen
from bayes_distnet.models.explanation.rows import ExplainedRows
from bayes_distnet.models.header import read_header
from bayes_distnet.models.saved_kinds import load_kind
from bayes_distnet.models.saving import Arrays
from bayes_distnet.models.table_encoder import TableEncoder

ENCODER = "encoder.json"


class TableModel(RuntimeEstimator):
    """A model whose features may be text, categories, truth values and dates.

    Parameters
    ----------
    model : RuntimeEstimator
        Model of the encoded features; it is cloned.
    categorical : sequence of str
        Columns of numbers that are names: see `TableEncoder`.
    layout : TableLayout or None
        Roles of the columns of the table that the model was trained on; stored with it.

    Attributes
    ----------
    encoder_ : TableEncoder
        The fitted encoder.
    model_ : RuntimeEstimator
        The fitted model of encoded features.

    Examples
    --------
    >>> from bayes_distnet import Ridge
    >>> jobs = pd.DataFrame({"queue": ["fast", "slow"] * 20, "size": range(40)})
    >>> model = TableModel(Ridge()).fit(jobs, [1.0, 50.0] * 20)
    >>> model.predict(pd.DataFrame({"queue": ["fast", "slow"], "size": [10, 10]})).round().tolist()
    [1.0, 50.0]
    """

    def __init__(self, model: Any = None, categorical: Sequence[str] = (), layout: TableLayout | None = None) -> None:
        self.model = model
        self.categorical = categorical
        self.layout = layout

    def _check_features(self, X: Any, *, reset: bool) -> FloatArray:
        if reset:
            self.encoder_ = TableEncoder(self.categorical).fit(X)
            self.feature_names_in_ = self.encoder_.feature_names_in_
            self.n_features_in_ = self.encoder_.n_features_in_
        return self.encoder_.transform(X).to_numpy()

    def _fit(self, features: FloatArray, observations: Observations) -> Unseen | None:
        inner: RuntimeEstimator = clone(self.model)
        inner.n_features_in_ = features.shape[1]
        inner.feature_names_in_ = self.encoder_.get_feature_names_out()
        inner.training_range_, inner.training_runs_ = self.training_range_, self.training_runs_
        inner.background_ = self.background_
        unseen = inner._fit(features, observations)
        inner.fitted_params_ = inner.get_params(deep=False)
        self.model_ = inner
        return unseen

    def _predict(self, features: FloatArray) -> PredictedRuntimes:
        return self.model_._predict(features)

    @property
    def _shared_draws(self) -> Any:
        return self.model_._shared_draws  # an AttributeError where the model has none, as for the model itself

    def familiarity(self, X: Any) -> pd.DataFrame:
        """Compare instances with the training data.

        Parameters
        ----------
        X : DataFrame
            Features, one row per instance.

        Returns
        -------
        DataFrame
            See `RuntimeEstimator.familiarity`; features are named as the encoder names them.
        """
        check_is_fitted(self)
        return self.model_.familiarity(self.encoder_.transform(X))

    def _explained_rows(self, X: Any, background: Any) -> ExplainedRows:
        """Explain the encoded columns of a feature together, which is the same as to replace its raw value."""
        encoded = self.encoder_.transform(X)
        known = background if background is None else self.encoder_.transform(background)
        rows = self.model_._explained_rows(encoded, known)
        raw = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X)
        shown = raw.set_axis([str(name) for name in raw], axis=1)[list(self.feature_names_in_)]
        columns = {column.name: column.outputs for column in self.encoder_.columns_}
        return replace(rows, shown=shown, columns=columns)

    def save(self, path: str | Path) -> None:
        """Write the model to a folder, as a model of encoded features, and its encoder as JSON beside it.

        Parameters
        ----------
        path : path
            The folder; created if missing.
        """
        check_is_fitted(self)
        self.model_.background_ = self.background_
        self.model_.save(path)
        plain = {
            "sha256": read_header(Path(path))["sha256"],
            "encoder": self.encoder_.to_dict(),
            "layout": None if self.layout is None else self.layout.to_dict(),
        }
        write_whole(Path(path) / ENCODER, json.dumps(plain, indent=1, ensure_ascii=False) + "\n")

    @classmethod
    def around(cls, model: RuntimeEstimator, encoder: TableEncoder, layout: TableLayout | None = None) -> Self:
        """Put a fitted encoder in front of a fitted model.

        Parameters
        ----------
        model : RuntimeEstimator
            Fitted model of encoded features.
        encoder : TableEncoder
            Fitted encoder.
        layout : TableLayout or None
            Roles of the columns of the training table.

        Returns
        -------
        TableModel
            The fitted model of raw tables.
        """
        new = cls(model, encoder.categorical, layout)
        new.encoder_, new.model_ = encoder, model
        new.training_range_, new.training_runs_ = model.training_range_, model.training_runs_
        new.background_ = model.background_
        new.feature_names_in_, new.n_features_in_ = encoder.feature_names_in_, encoder.n_features_in_
        new.fitted_params_ = new.get_params(deep=False)
        return new

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a model that `save` wrote. Nothing in the folder is executed.

        Parameters
        ----------
        path : path
            The folder.

        Returns
        -------
        TableModel
            The fitted model.

        Raises
        ------
        ModelFileError
            A folder without a model or an encoder, or one that is damaged.
        """
        file, model = Path(path) / ENCODER, load_kind(path)
        try:
            plain = json.loads(file.read_text("utf-8"))
            encoder = TableEncoder.from_dict(plain["encoder"])
            layout = None if plain["layout"] is None else TableLayout.from_dict(plain["layout"])
            names = list(map(str, encoder.get_feature_names_out()))
            if plain["sha256"] != read_header(Path(path)).get("sha256"):
                raise ValueError("it belongs to another model")
            if names != list(map(str, getattr(model, "feature_names_in_", ()))):
                raise ValueError("its columns are not the features of the model")
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ModelFileError(f"{file}: not the encoder of this model ({error}). Save the model again.") from error
        return cls.around(model, encoder, layout)

    def _to_arrays(self) -> Arrays:
        return self.model_._to_arrays()

    def _from_arrays(self, arrays: Arrays) -> None:
        self.model_._from_arrays(arrays)


def kind_of(model: RuntimeEstimator) -> str:
    """Return the name of a model's class; of a model of raw tables, that of the model inside."""
    return type(model.model_ if isinstance(model, TableModel) else model).__name__


def encoder_notes(model: RuntimeEstimator) -> list[str]:
    """Return what the encoder of a model that was just fitted has left out; nothing for a model of numbers."""
    return list(model.encoder_.notes_) if isinstance(model, TableModel) else []


def table_of(model: RuntimeEstimator) -> tuple[TableLayout | None, list[str] | None]:
    """Return the layout of the table that a model was trained on, and its features; None for other models."""
    if not isinstance(model, TableModel) or model.layout is None:
        return None, None
    return model.layout, [str(name) for name in model.feature_names_in_]
