"""Bounded: any model, with bounds on the time of a run that hold for a finite sample."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.numbers import as_numbers
from bayes_distnet.data.splits import two_parts
from bayes_distnet.data.targets import split_target
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.errors import SettingError
from bayes_distnet.models.base import fit_runs, seed_of
from bayes_distnet.models.bounds.calibrate import calibrate, calibrate_runs, calibration_of
from bayes_distnet.models.bounds.calibration import LEVEL, Calibration
from bayes_distnet.models.bounds.cutoffs import check_cutoffs
from bayes_distnet.models.bounds.instance_runs import InstanceRuns, instance_codes, rows_of
from bayes_distnet.models.bounds.stored import write_bounds
from bayes_distnet.models.explanation.explanation import Explanation
from bayes_distnet.models.library import load_model
from bayes_distnet.validation import check_level, is_number


class Bounded(RegressorMixin, BaseEstimator):
    """A model with conformal bounds on the time of a run of a new instance.

    Some instances are kept from the model, and calibrate its predictions. Each bound then holds with at least its
    level, for a run of a new instance drawn like these, however wrong the model is and however few instances there are.

    Parameters
    ----------
    model : RuntimeEstimator or RuntimePipeline
        Unfitted model for `fit`, which clones it; fitted one for `calibrate`.
    level : float, default 0.9
        Probability that a lower bound holds, and that an upper bound holds.
    calibration_size : float, default 0.2
        Fraction of the instances that `fit` keeps for calibration.
    cutoffs : {"global", "features", "random"}, default "global"
        How the cutoffs of runs were chosen. "global": one cutoff for all. "features": a known function of the features,
        needed for new instances, too. "random": drawn without a look at instance or runtime. Cutoffs that depended on
        runtimes, such as adaptive capping, are refused: no bound holds.
    random_state : int, Generator, RandomState or None, default 0
        Chooses the calibration instances.

    Attributes
    ----------
    model_ : RuntimeEstimator or RuntimePipeline
        The fitted model.
    bounds_ : Calibration
        Scores of the calibration runs.

    Examples
    --------
    >>> from bayes_distnet import Ridge, make_runs
    >>> data = make_runs(n_instances=100, n_runs=2, random_state=0).cut_off(0.3)
    >>> model = Bounded(Ridge()).fit(data.features, data.seconds, finished=data.finished)
    >>> lower, upper = model.lower(data.features), model.upper(data.features, level=0.5)
    >>> model.bounds_.n_instances, bool((lower < upper).all())
    (20, True)
    """

    __metadata_request__fit: ClassVar[dict[str, bool]] = {"finished": True, "groups": False, "cutoff": True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"finished": True}

    def __init__(
        self,
        model: Any,
        level: float = LEVEL,
        calibration_size: float = 0.2,
        cutoffs: str = "global",
        random_state: Any = 0,
    ) -> None:
        self.model = model
        self.level = level
        self.calibration_size = calibration_size
        self.cutoffs = cutoffs
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any,
        finished: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        cutoff: ArrayLike | None = None,
    ) -> Self:
        """Fit the model to some of the instances, and calibrate it with the others.

        Parameters
        ----------
        X, y, finished, groups : array-like
            Features and runs: see `RuntimeEstimator.fit`.
        cutoff : float or array-like, optional
            Cutoff in seconds: of all runs, per row, or in the shape of y. None takes the one time at which runs were
            cut off.

        Returns
        -------
        self
            Fitted.
        """
        self._check_settings()
        self.__dict__.pop("bounds_", None)  # a fit that fails leaves an unfitted model
        times, marks = split_target(y, finished)
        seconds, flags = as_numbers(times, "y"), None if marks is None else np.asarray(marks)
        codes = instance_codes(X, np.ndim(seconds), groups)
        learnt, kept = two_parts(len(codes), codes, self.calibration_size, seed_of(self.random_state))

        def part(rows: Any) -> list[Any]:
            parts = (seconds, flags, None if groups is None else np.asarray(groups, dtype=object))
            return [rows_of(X, rows), *(None if one is None else one[rows] for one in parts)]

        per_row = np.ndim(cutoff) > 0 if cutoff is not None else False
        features, runs, marks, labels = part(kept)
        sample = InstanceRuns.of(features, runs, marks, labels, np.asarray(cutoff)[kept] if per_row else cutoff)
        sample.cut(self.cutoffs)  # cutoffs that cannot be used are refused before the work
        features, runs, marks, labels = part(learnt)
        self.model_ = clone(self.model)
        if np.ndim(seconds) == 2 and marks is not None:
            fit_runs(self.model_, features, runs, marks)
        else:
            self.model_.fit(features, runs, finished=marks, groups=labels)
        self.bounds_ = calibrate_runs(self.model_, sample, self.cutoffs, self.level)
        return self

    def calibrate(
        self,
        X: Any,
        y: Any,
        finished: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        cutoff: ArrayLike | None = None,
    ) -> Self:
        """Calibrate a model that is fitted already, with instances that it has not learnt from.

        Parameters
        ----------
        X, y, finished, groups, cutoff : array-like
            Features, runs and cutoffs: see `fit`.

        Returns
        -------
        self
            Fitted.
        """
        self._check_settings()
        check_is_fitted(self.model)
        self.model_ = self.model
        self.bounds_ = calibrate(self.model_, X, y, finished, groups, cutoff, cutoffs=self.cutoffs, level=self.level)
        return self

    def lower(self, X: Any, level: float | None = None, cutoff: ArrayLike | None = None) -> FloatArray:
        """Return the time that a run takes at least.

        Parameters
        ----------
        X : array-like or DataFrame
            Features, one row per instance.
        level : float or None
            Probability that the bound holds; None takes that of the constructor.
        cutoff : array-like, optional
            Cutoff of each row, with `cutoffs="features"`.

        Returns
        -------
        ndarray of shape (n_rows,)
            Seconds, at most the cutoff.
        """
        check_is_fitted(self)
        return self.bounds_.lower(self.predict_distribution(X), self._level(level), cutoff)

    def upper(self, X: Any, level: float | None = None, cutoff: ArrayLike | None = None) -> FloatArray:
        """Return the time that a run takes at most; see `lower`.

        Parameters
        ----------
        X, level, cutoff : see `lower`
            Features, probability and cutoffs.

        Returns
        -------
        ndarray of shape (n_rows,)
            Seconds; infinite where the run may reach the cutoff.
        """
        check_is_fitted(self)
        return self.bounds_.upper(self.predict_distribution(X), self._level(level), cutoff)

    def interval(
        self, X: Any, level: float | None = None, cutoff: ArrayLike | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Return an interval that holds a run: each end misses it with half of the probability that is left.

        Parameters
        ----------
        X, level, cutoff : see `lower`
            Features, probability of the interval, and cutoffs.

        Returns
        -------
        low, high : ndarray of shape (n_rows,)
            Seconds.
        """
        check_is_fitted(self)
        rtd, each = self.predict_distribution(X), 0.5 + self._level(level) / 2
        return self.bounds_.lower(rtd, each, cutoff), self.bounds_.upper(rtd, each, cutoff)

    def predict_distribution(self, X: Any) -> PredictedRuntimes:
        """Predict runtime distributions, as the model does without bounds."""
        check_is_fitted(self)
        rtd: PredictedRuntimes = self.model_.predict_distribution(X)
        return rtd

    def predict(self, X: Any) -> FloatArray:
        """Predict median runtimes in seconds."""
        return self.predict_distribution(X).median()

    def familiarity(self, X: Any) -> pd.DataFrame:
        """Compare instances with the training data: see `RuntimeEstimator.familiarity`."""
        check_is_fitted(self)
        table: pd.DataFrame = self.model_.familiarity(X)
        return table

    def explain(self, X: Any, background: Any = None, **settings: Any) -> Explanation:
        """Return which features moved predictions: see `RuntimeEstimator.explain`.

        Parameters
        ----------
        X, background : array-like or DataFrame
            Instances to explain and to compare with.
        **settings : dict
            Further settings.

        Returns
        -------
        Explanation
            Contributions of features.
        """
        check_is_fitted(self)
        found: Explanation = self.model_.explain(X, background, **settings)
        return found

    def trust(self, X: Any) -> pd.DataFrame:
        """Return how far predictions can be trusted: see `RuntimeEstimator.trust`."""
        check_is_fitted(self)
        table: pd.DataFrame = self.model_.trust(X)
        return table

    def score(self, X: Any, y: Any, finished: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> float:
        """Return the mean log likelihood of runs: see `RuntimeEstimator.score`."""
        check_is_fitted(self)
        return float(self.model_.score(X, y, finished, sample_weight))

    @property
    def n_features_in_(self) -> int:
        """Number of features that the model was fitted on."""
        return int(self.model_.n_features_in_)

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """Names of the features that the model was fitted on."""
        names: NDArray[np.object_] = self.model_.feature_names_in_
        return names

    def save(self, path: str | Path) -> None:
        """Write the model and its calibration to a folder, which `load_model` reads, too.

        Parameters
        ----------
        path : path
            The folder; created if missing.
        """
        check_is_fitted(self)
        self.model_.save(path)
        write_bounds(Path(path), self.bounds_)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a model and its calibration. Nothing in the folder is executed.

        Parameters
        ----------
        path : path
            A folder that `save` or `bayes-distnet fit --bounds` wrote.

        Returns
        -------
        Bounded
            The fitted model.
        """
        model = load_model(path)
        calibration: Calibration = calibration_of(model)
        cutoffs = "features" if calibration.cutoff is None else "global"
        new = cls(model, calibration.level, cutoffs=cutoffs)
        new.model_, new.bounds_ = model, calibration
        return new

    def _check_settings(self) -> None:
        self._level(None)
        check_cutoffs(self.cutoffs)
        if not hasattr(self.model, "predict_distribution"):
            raise SettingError(f"model={self.model!r:.60}: expected a model of runtime distributions.")
        if not is_number(self.calibration_size) or not 0 < self.calibration_size < 1:
            raise SettingError(f"calibration_size={self.calibration_size!r}: expected a fraction, such as 0.2.")

    def _level(self, level: float | None) -> float:
        return check_level(self.level if level is None else level)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "bounds_")
