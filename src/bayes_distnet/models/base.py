"""What every estimator shares: checking input, the scikit-learn face, saving and loading."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.data.observations import Observations, observe
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.errors import FeatureError, FeatureTypeError, RuntimeDataError
from bayes_distnet.models.saving import Arrays, read_model, write_model


class RuntimeEstimator(RegressorMixin, BaseEstimator, ABC):
    """A model of runtime distributions with scikit-learn's face.

    A subclass writes four methods: `_fit` (from one feature row an instance, and the runs), `_predict` (one row of a
    `RuntimeDistribution` for each feature row), and `_to_arrays` / `_from_arrays` (its fitted state as plain arrays).
    """

    _least_instances = 2

    def fit(self, X: Any, y: Any, finished: ArrayLike | None = None, groups: ArrayLike | None = None) -> Self:
        """Learn from runs.

        X: one row of features for each row of y (a DataFrame keeps its column names; NaN = missing). y: seconds, as a
        vector, as a matrix instances x runs (NaN = no run), or as a structured array (finished, seconds).
        finished: booleans of y's shape, False for a run that was cut off; None if all finished. groups: one instance
        label a row of a vector y; by default rows with the same features are runs of one instance.
        """
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)  # a fit that fails leaves an unfitted model, not half of an old one
        features = self._check_features(X, reset=True)
        if y is None:
            raise RuntimeDataError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: give runtimes in seconds."
            )
        if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected: taken as one run an instance.",
                DataConversionWarning,
                stacklevel=2,
            )
        features, observations = observe(features, y, finished, groups)
        if observations.n_instances < self._least_instances:
            raise RuntimeDataError(
                f"{type(self).__name__} needs runs of at least {self._least_instances} instances to learn how features "
                f"matter, found n_samples=1: {len(observations.seconds)} runs of one instance. Marginal fits even one."
            )
        self._fit(features, observations)
        self.fitted_params_ = self.get_params(deep=False)
        return self

    def predict_distribution(self, X: Any) -> PredictedRuntimes:
        """Return the runtime distribution of every row of X, in seconds."""
        check_is_fitted(self)
        return self._predict(self._check_features(X, reset=False))

    def predict(self, X: Any) -> FloatArray:
        """Return the median runtime of every row of X, in seconds."""
        return self.predict_distribution(X).median()

    def score(self, X: Any, y: Any, finished: ArrayLike | None = None) -> float:
        """Return the mean log likelihood of runs: log density (per second) if finished, else log survival."""
        check_is_fitted(self)
        rtd = self.predict_distribution(X)
        # The rows of X stand in for features: rows without a run drop out.
        rows, observations = observe(np.arange(len(rtd), dtype=float)[:, None], y, finished, need_finished=False)
        rtd = rtd[rows[observations.instance, 0].astype(int)]
        seconds = observations.seconds[:, None]
        likelihood = np.where(observations.finished, rtd.log_pdf(seconds)[:, 0], rtd.log_sf(seconds)[:, 0])
        return float(likelihood.mean())

    def save(self, path: str | Path) -> None:
        """Write the fitted model to a folder: `model.json` and `model.safetensors`."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        write_model(
            Path(path),
            type(self).__name__,
            parameters=self.fitted_params_,  # set_params after fit does not change what was fitted
            n_features=self.n_features_in_,
            feature_names=None if names is None else [str(name) for name in names],
            arrays=self._to_arrays(),
        )

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a model that `save` wrote. Nothing in the folder is executed."""
        saved = read_model(Path(path), cls.__name__)
        model = saved.build(cls)
        model.n_features_in_ = saved.n_features
        if saved.feature_names is not None:
            model.feature_names_in_ = np.array(saved.feature_names, dtype=object)
        saved.restore(
            model._from_arrays, lambda: model._predict(np.broadcast_to(np.nan, (1, saved.n_features))).median()
        )
        model.fitted_params_ = saved.parameters
        return model

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "fitted_params_")

    def _check_features(self, X: Any, *, reset: bool) -> FloatArray:
        if isinstance(X, pd.DataFrame):
            if not X.columns.is_unique:
                twice = sorted({str(name) for name in X.columns[X.columns.duplicated()]})
                raise FeatureError(f"X: columns {twice} are there more than once. Give every feature its own name.")
            text = [str(c) for c in X.columns if not pd.api.types.is_numeric_dtype(X[c])]
            if text:
                raise FeatureError(f"X: columns {text} are not numeric. Encode or drop them.")
            if not all(isinstance(name, str) for name in X.columns):
                X = X.set_axis([str(name) for name in X.columns], axis=1)  # so that they are checked by name, too
        if isinstance(X, np.ma.MaskedArray):
            X = X.filled(np.nan)
        try:
            checked = validate_data(
                self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan", ensure_min_features=1
            )
        except TypeError as error:
            raise FeatureTypeError(f"X: {error}") from error
        except ValueError as error:
            raise FeatureError(f"X: {error}") from error
        return np.asarray(checked)

    @abstractmethod
    def _fit(self, features: FloatArray, observations: Observations) -> None: ...

    @abstractmethod
    def _predict(self, features: FloatArray) -> PredictedRuntimes: ...

    @abstractmethod
    def _to_arrays(self) -> Arrays: ...

    @abstractmethod
    def _from_arrays(self, arrays: Arrays) -> None: ...

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.positive_only = True
        tags.regressor_tags.poor_score = True  # score is a log likelihood, not R^2
        return tags


def fit_runs(model: Any, X: Any, seconds: FloatArray, finished: BoolArray) -> Any:
    """Fit a model to a matrix instances x runs (NaN = no run), a row an instance even where two share all features."""
    if seconds.shape[1] != 1:
        return model.fit(X, seconds, finished=finished)
    # One column is one run an instance, as a vector; without groups equal rows would be taken for one instance.
    there = np.flatnonzero(~np.isnan(seconds[:, 0]))
    rows = X.iloc[there] if isinstance(X, pd.DataFrame) else np.asarray(X)[there]
    return model.fit(rows, seconds[there, 0], finished=finished[there, 0], groups=there)
