"""RuntimePipeline: transformers of features and a model, as one model of runtime distributions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
import sklearn
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.errors import SettingError
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.explanation.background import raw_background
from bayes_distnet.models.explanation.face import ExplainedModel
from bayes_distnet.models.explanation.rows import ExplainedRows
from bayes_distnet.models.pipelines.saved import read_pipeline, write_pipeline
from bayes_distnet.models.pipelines.typical_row import typical_row


class RuntimePipeline(ExplainedModel, Pipeline):
    """A pipeline of scikit-learn whose last step predicts runtime distributions.

    It is used as `sklearn.pipeline.Pipeline` is, in searches and cross-validation, too, and has the further methods of
    a model. A pipeline that exists already is turned into one by `RuntimePipeline(pipeline.steps)`, fitted or not.

    Parameters
    ----------
    steps : list of tuples
        Names and steps: transformers, and a model at the end.
    transform_input : list of str or None
        See `sklearn.pipeline.Pipeline`.
    memory : str, object with the joblib.Memory interface or None
        See `sklearn.pipeline.Pipeline`. It is not saved.
    verbose : bool, default False
        See `sklearn.pipeline.Pipeline`.

    Examples
    --------
    >>> from sklearn.preprocessing import StandardScaler
    >>> from bayes_distnet import Ridge, make_runs, runtimes
    >>> data = make_runs(n_instances=40, n_runs=2, random_state=0).cut_off(0.3)
    >>> model = RuntimePipeline([("scale", StandardScaler()), ("model", Ridge())])
    >>> model = model.fit(data.features, runtimes(data.seconds, data.finished))
    >>> model.predict_distribution(data.features).quantile(0.9).shape
    (40,)
    """

    def fit(
        self,
        X: Any,
        y: Any = None,
        finished: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        **params: Any,
    ) -> Self:
        """Fit all steps, one after the other.

        Parameters
        ----------
        X : array-like or DataFrame
            Features, in the form that the first step takes.
        y : array-like
            Runs, in a form that models take: see `RuntimeEstimator.fit`. Transformers receive y as it is.
        finished, groups : array-like or None, default None
            Passed to the last step: see `RuntimeEstimator.fit`.
        **params : dict
            Further parameters of single steps, as step__parameter.

        Returns
        -------
        self
            The fitted pipeline.
        """
        self.example_: Any = None  # a fit that fails leaves none
        self.background_: Any = None
        self.__dict__.pop("bounds_", None)  # they belong to the old fit
        own = {"finished": finished, "groups": groups}
        named = {f"{self.steps[-1][0]}__{key}": value for key, value in own.items() if value is not None}
        with sklearn.config_context(enable_metadata_routing=False):  # flags have one receiver, whose name is here
            super().fit(X, y, **named, **params)
        self.example_ = typical_row(X)
        self.background_ = raw_background(X, y)
        return self

    def predict_distribution(self, X: Any) -> PredictedRuntimes:
        """Predict runtime distributions.

        Parameters
        ----------
        X : array-like or DataFrame
            Features, one row per instance.

        Returns
        -------
        RuntimeDistribution
            One row per row of X, in seconds.
        """
        return self._model.predict_distribution(self._transformed(X))

    def predict(self, X: Any) -> Any:
        """Predict median runtimes.

        Parameters
        ----------
        X : array-like or DataFrame
            Features, one row per instance.

        Returns
        -------
        array
            Seconds, one per row of X.
        """
        return self._model.predict(self._transformed(X))

    def familiarity(self, X: Any) -> pd.DataFrame:
        """Compare instances with the training data, after the transformers: see `RuntimeEstimator.familiarity`.

        Parameters
        ----------
        X : array-like or DataFrame
            Features, one row per instance.

        Returns
        -------
        DataFrame
            One row per row of X.
        """
        table = self._model.familiarity(self._transformed(X))
        return table.set_axis(X.index, axis=0) if isinstance(X, pd.DataFrame) else table

    def score(
        self, X: Any, y: Any = None, finished: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the mean log likelihood of runs: see `RuntimeEstimator.score`.

        Parameters
        ----------
        X, y, finished, sample_weight : array-like
            Features, runs, and the weight of every row.

        Returns
        -------
        float
            Mean over runs.
        """
        return self._model.score(self._transformed(X), y, finished, sample_weight)

    @property
    def n_features_in_(self) -> int:
        """Number of features that the first step was fitted on."""
        return int(next(self._fitted()).n_features_in_)

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """Names of the features that the first step was fitted on."""
        names: NDArray[np.object_] = next(self._fitted()).feature_names_in_
        return names

    def save(self, path: str | Path) -> None:
        """Write transformers and model to a folder, without pickle.

        Parameters
        ----------
        path : path
            The folder; created if missing. `load_model` and the command line read it like any other model.

        Raises
        ------
        ModelFileError
            A step that cannot be saved; nothing is written then.
        """
        check_is_fitted(self)
        names, example = getattr(self, "feature_names_in_", None), getattr(self, "example_", None)
        write_pipeline(
            Path(path),
            self.steps,
            n_features=self.n_features_in_,
            feature_names=None if names is None else [str(name) for name in names],
            example=example,
            background=getattr(self, "background_", None),
            expected=None if example is None else float(self.predict(example)[0]),
        )

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a pipeline that `save` wrote. Nothing in the folder is executed.

        Parameters
        ----------
        path : path
            The folder.

        Returns
        -------
        RuntimePipeline
            The fitted pipeline.

        Raises
        ------
        ModelFileError
            A folder that is missing or damaged, or one that predicts something else than when it was saved.
        """
        saved = read_pipeline(Path(path))
        pipeline = cls(saved.steps)
        saved.check(pipeline.predict)
        pipeline.example_, pipeline.background_ = saved.example, saved.background
        return pipeline

    def _explained_rows(self, X: Any, background: Any) -> ExplainedRows:
        """Explain raw features: transformers may mix them."""
        known = getattr(self, "background_", None) if background is None else background
        return ExplainedRows.of(self, X, known)

    @property
    def _model(self) -> RuntimeEstimator:
        name, model = self.steps[-1]
        if not hasattr(model, "predict_distribution"):
            raise SettingError(f"step {name!r}: expected a model of runtime distributions, found {model!r:.60}.")
        found: RuntimeEstimator = model
        return found

    def _fitted(self) -> Iterator[Any]:
        """Yield the steps that do something."""
        return (step for _, step in self.steps if step is not None and step != "passthrough")

    def _transformed(self, X: Any) -> Any:
        check_is_fitted(self)
        for step in list(self._fitted())[:-1]:
            X = step.transform(X)
        return X
