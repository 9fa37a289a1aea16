"""The base of all estimators: scikit-learn's face, checks of input, saving and loading."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import PredefinedSplit
from sklearn.utils.validation import check_is_fitted

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.data.observations import Observations, observe
from bayes_distnet.data.runtimes import runtimes
from bayes_distnet.data.targets import split_target
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.errors import RuntimeDataError
from bayes_distnet.models.cross_validation import cross_val_predict_distribution
from bayes_distnet.models.explanation import background
from bayes_distnet.models.explanation.face import ExplainedModel
from bayes_distnet.models.familiarity import RowFamiliarity, TrainingRange
from bayes_distnet.models.feature_checks import check_features
from bayes_distnet.models.run_likelihood import NO_FLAGS, mean_log_likelihood
from bayes_distnet.models.saving import Arrays, read_model, write_model
from bayes_distnet.models.shown import ShownModel
from bayes_distnet.models.training_runs import TrainingRuns
from bayes_distnet.validation import check_seed

#: Predicts the training instances by parts that have not seen them; most fits do not ask for it.
Unseen = Callable[[], PredictedRuntimes]
FOLDS = 5  # of predictions of unseen instances, by models that have none of their own


class RuntimeEstimator(ExplainedModel, ShownModel, RegressorMixin, BaseEstimator, ABC):
    """A model of runtime distributions with scikit-learn's face.

    A subclass writes four methods: `_fit` (from one feature row per instance, and the runs), `_predict` (one row of a
    `RuntimeDistribution` per feature row), and `_to_arrays` / `_from_arrays` (its fitted state as plain arrays).
    """

    _least_instances = 2
    # With scikit-learn's metadata routing, flags go wherever runs go. Groups only split rows: those that a splitter
    # keeps together need not be one instance each, as `fit` requires of its groups.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"finished": True, "groups": False}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"finished": True}

    def fit(self, X: Any, y: Any, finished: ArrayLike | None = None, groups: ArrayLike | None = None) -> Self:
        """Learn from runs.

        Times of a timer that ticks (`find_tick`) are intervals: those that repeat are spread over their ticks, in an
        order that `random_state` fixes. `training_runs_.tick` is the tick in seconds, or None.

        Parameters
        ----------
        X : array-like or DataFrame
            Features, one row per row of y; NaN marks a missing value. A DataFrame keeps its column names.
        y : array-like
            Seconds: a vector, or a matrix instances x runs (NaN where there is no run); or seconds and flags in one
            target, which `runtimes` makes: use it with cross-validation. A table of one column of seconds and one of
            booleans is understood, too.
        finished : array-like of bool or None, default None
            Same shape as y; False for a censored run. None means that all runs finished, or that y has the flags.
        groups : array-like or None, default None
            Instance of every row of a vector y. By default rows with the same features are runs of one instance.

        Returns
        -------
        self
            The fitted model.

        Raises
        ------
        RuntimeDataError
            Runtimes that cannot be used.
        FeatureError
            Features that cannot be used.
        """
        self._learn(X, y, finished, groups)
        return self

    def fit_unseen(
        self, X: Any, y: Any, finished: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> PredictedRuntimes:
        """Learn from runs, and predict the same instances as if each had not been seen.

        Such predictions are honest about new instances: what is learnt from them (weights of models, dependence
        between solvers, thresholds) holds there. BayesDistNet and HybridDistNet have them at no further cost, from
        members and trees that were trained without the instance; other models are fitted five times more.

        Parameters
        ----------
        X, y, finished, groups : array-like
            As in `fit`.

        Returns
        -------
        PredictedRuntimes
            One row per instance with a run, in the order of their first row in X.

        Examples
        --------
        >>> from bayes_distnet import Ridge, make_runs
        >>> data = make_runs(n_instances=40, n_runs=2, random_state=0)
        >>> model = Ridge()
        >>> unseen = model.fit_unseen(data.features, data.seconds)
        >>> len(unseen), len(model.predict(data.features))
        (40, 40)
        """
        unseen, features, observations = self._learn(X, y, finished, groups)
        return unseen() if unseen is not None else _cross_fitted(self, features, observations)

    def _learn(
        self, X: Any, y: Any, finished: ArrayLike | None, groups: ArrayLike | None
    ) -> tuple[Unseen | None, FloatArray, Observations]:
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)  # a fit that fails leaves an unfitted model, not half of an old one
        features = self._check_features(X, reset=True)
        if y is None:
            raise RuntimeDataError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: give runtimes in seconds."
            )
        seconds, finished = split_target(y, finished)
        if seconds is y and getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected: taken as one run per instance.",
                DataConversionWarning,
                stacklevel=3,
            )
        features, observations = observe(features, seconds, finished, groups)
        if observations.n_instances < self._least_instances:
            raise RuntimeDataError(
                f"{type(self).__name__} needs runs of at least {self._least_instances} instances to learn the effect "
                f"of features, found n_samples=1: {len(observations.seconds)} runs of one instance. Marginal needs "
                "only one."
            )
        self.training_runs_ = TrainingRuns.of(observations, marked=finished is not None)
        if (tick := self.training_runs_.tick) is not None:
            observations = observations.over_ticks(tick, seed_of(getattr(self, "random_state", 0)))
        self.training_range_ = TrainingRange.fit(features)
        self.background_: FloatArray | None = background.background_of(features, observations)
        unseen = self._fit(features, observations)
        self.fitted_params_ = self.get_params(deep=False)
        return unseen, features, observations

    def predict_distribution(self, X: Any) -> PredictedRuntimes:
        """Predict runtime distributions.

        Parameters
        ----------
        X : array-like or DataFrame
            Features, one row per instance, with the columns of the training data.

        Returns
        -------
        RuntimeDistribution
            One row per row of X, in seconds.
        """
        check_is_fitted(self)
        features = self._check_features(X, reset=False)
        rtd = self._predict(features)
        rtd.familiarity = RowFamiliarity(self.training_range_, features)
        return rtd

    def predict(self, X: Any) -> FloatArray:
        """Predict median runtimes.

        Parameters
        ----------
        X : array-like or DataFrame
            Features, one row per instance, with the columns of the training data.

        Returns
        -------
        array
            Seconds, one per row of X.
        """
        return self.predict_distribution(X).median()

    def score(self, X: Any, y: Any, finished: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> float:
        """Return the mean log likelihood of runs.

        Parameters
        ----------
        X, y, finished : array-like
            Features and runs, in the forms that `fit` takes.
        sample_weight : array-like or None, default None
            Weight of every row of X in the mean; None weighs all runs alike.

        Returns
        -------
        float
            Mean over runs of the log density (per second) if finished, else of the log survival. If the training runs
            had a timer that ticks, densities are means over its ticks.

        Raises
        ------
        RuntimeDataError
            Runs without flags, where the training runs had them: runs that were cut off would count as finished.
        """
        rtd = self.predict_distribution(X)
        y, finished = split_target(y, finished)
        if finished is None and self.training_runs_.marked:
            raise RuntimeDataError(NO_FLAGS.format(model=type(self).__name__))
        return mean_log_likelihood(rtd, y, finished, sample_weight, tick=self.training_runs_.tick)

    def save(self, path: str | Path) -> None:
        """Write the fitted model to a folder: `model.json` and `model.safetensors`.

        Parameters
        ----------
        path : path
            The folder; created if missing.
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        write_model(
            Path(path),
            type(self).__name__,
            parameters=self.fitted_params_,  # set_params after fit does not change what was fitted
            n_features=self.n_features_in_,
            feature_names=None if names is None else [str(name) for name in names],
            arrays=self._to_arrays()
            | self.training_range_.to_arrays()
            | self.training_runs_.to_arrays()
            | background.to_arrays(self.background_),
        )

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a model that `save` wrote. Nothing in the folder is executed.

        Parameters
        ----------
        path : path
            The folder.

        Returns
        -------
        RuntimeEstimator
            The fitted model.
        """
        saved = read_model(Path(path), cls.__name__)
        model = saved.build(cls)
        model.n_features_in_ = saved.n_features
        if saved.feature_names is not None:
            model.feature_names_in_ = np.array(saved.feature_names, dtype=object)

        def restore(arrays: Arrays) -> None:
            model.training_runs_, arrays = TrainingRuns.from_arrays(arrays)
            model.background_, arrays = background.from_arrays(arrays, saved.n_features)
            model.training_range_, own = TrainingRange.from_arrays(arrays, saved.n_features)
            model._from_arrays(own)

        saved.restore(restore, lambda: model._predict(np.broadcast_to(np.nan, (1, saved.n_features))).median())
        model.fitted_params_ = saved.parameters
        return model

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "fitted_params_")

    def _check_features(self, X: Any, *, reset: bool) -> FloatArray:
        return check_features(self, X, reset=reset)

    @abstractmethod
    def _fit(self, features: FloatArray, observations: Observations) -> Unseen | None:
        """Learn; return a function that predicts the training instances by parts that have not seen them, if any."""

    @abstractmethod
    def _predict(self, features: FloatArray) -> PredictedRuntimes: ...

    @abstractmethod
    def _to_arrays(self) -> Arrays: ...

    @abstractmethod
    def _from_arrays(self, arrays: Arrays) -> None: ...

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True  # encoders of levels return such matrices
        tags.target_tags.positive_only = True
        tags.regressor_tags.poor_score = True  # score is a log likelihood, not R^2
        return tags


def fit_runs(model: Any, X: Any, seconds: FloatArray, finished: BoolArray) -> Any:
    """Fit a model to a matrix of runs, one row per instance even where two instances share all features.

    Parameters
    ----------
    model : estimator
        An unfitted model.
    X : array-like or DataFrame
        Features, one row per instance.
    seconds, finished : array
        Instances x runs; NaN where there is no run.

    Returns
    -------
    estimator
        The fitted model.
    """
    if seconds.shape[1] != 1:
        return model.fit(X, seconds, finished=finished)
    # A single column is passed as a vector; without groups equal rows would be taken for one instance.
    present = np.flatnonzero(~np.isnan(seconds[:, 0]))
    rows = X.iloc[present] if isinstance(X, pd.DataFrame) else np.asarray(X)[present]
    return model.fit(rows, seconds[present, 0], finished=finished[present, 0], groups=present)


def _cross_fitted(model: RuntimeEstimator, features: FloatArray, observations: Observations) -> PredictedRuntimes:
    """Predict every instance by a clone that was fitted to the other folds."""
    n = observations.n_instances
    fold = np.random.default_rng(0).permutation(np.arange(n) % min(FOLDS, n))
    return cross_val_predict_distribution(model, features, runtimes(*observations.matrix()), cv=PredefinedSplit(fold))


def seed_of(random_state: Any) -> int:
    """Return the seed that a parameter `random_state` stands for.

    Parameters
    ----------
    random_state : int, RandomState instance, Generator or None
        A generator is asked for a new seed; None takes one from the system. The global generator is left alone.

    Returns
    -------
    int
        A seed of at least 0.
    """
    if random_state is None:
        return int(np.random.default_rng().integers(2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    return check_seed("random_state", random_state)
