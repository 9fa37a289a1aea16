"""The distribution model of one solver in a portfolio, and the size of its instance effect."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.data.observations import observe
from bayes_distnet.distributions.instance_effect import InstanceEffect, normal_scores
from bayes_distnet.distributions.instance_runtimes import InstanceRuntimes
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.instance_effect import EffectSize


@dataclass(frozen=True)
class SolverModel:
    """A fitted model, and the size of the instance effect in a portfolio.

    The size can be larger than the model's own: see `learn_dependence`.

    Parameters
    ----------
    model : RuntimeEstimator
        The fitted model.
    own : float
        Size of the effect that the model's predictions have where all is tested; 0 if they have none.
    size : float
        Size that takes its place.
    assumed : bool
        Whether the size was assumed, since there was one run per instance.
    """

    model: RuntimeEstimator
    own: float
    size: float
    assumed: bool

    def predict(self, X: Any) -> PredictedRuntimes:
        """Return predicted runtimes, one row per row of X."""
        return self._with_effect(self.model.predict_distribution(X))

    def _with_effect(self, rtd: PredictedRuntimes) -> PredictedRuntimes:
        if isinstance(rtd, InstanceRuntimes):
            if self.size == self.own:
                return rtd
            sizes = 1.0 - (1.0 - rtd.effect.size) * (1.0 - self.size) / (1.0 - self.own)
            return InstanceRuntimes(rtd.marginal, InstanceEffect.of(sizes, len(rtd), assumed=self.assumed))
        if isinstance(rtd, RuntimeDistribution):
            return InstanceRuntimes(rtd, InstanceEffect.of(self.size, len(rtd), assumed=self.assumed))
        return rtd  # predictions that keep no luck apart from ignorance, such as the published ones

    def resized(self, size: float) -> SolverModel:
        """Return the same model with another size of the effect."""
        return replace(self, size=float(size))


def fit_solver(
    base: RuntimeEstimator, features: pd.DataFrame, seconds: FloatArray, finished: BoolArray
) -> tuple[SolverModel, PredictedRuntimes]:
    """Fit a copy of a model to the runs of one solver, and predict the instances as if they had not been seen.

    Parameters
    ----------
    base : RuntimeEstimator
        Unfitted model.
    features : DataFrame
        One row per instance.
    seconds, finished : array
        (n, k) runs; NaN where there is none.

    Returns
    -------
    fitted : SolverModel
        The model.
    unseen : PredictedRuntimes
        One row per instance, also for those without a run.
    """
    model: RuntimeEstimator = clone(base)
    present = ~np.isnan(seconds)
    some = np.flatnonzero(present.any(axis=1))
    rows = features.iloc[some]
    if seconds.shape[1] == 1:
        unseen = model.fit_unseen(rows, seconds[some, 0], finished=finished[some, 0], groups=some)
    else:
        unseen = model.fit_unseen(rows, seconds[some], finished=finished[some])
    fitted = _with_size(model, unseen, seconds[some], finished[some])
    unseen = fitted._with_effect(unseen)
    if len(some) < len(features):
        unseen = _filled(fitted, unseen, features, some)
    return fitted, unseen


def _with_size(
    model: RuntimeEstimator, unseen: PredictedRuntimes, seconds: FloatArray, finished: BoolArray
) -> SolverModel:
    if isinstance(unseen, InstanceRuntimes):
        size = float(unseen.effect.size.min())
        return SolverModel(model, size, size, unseen.effect.assumed)
    if isinstance(unseen, RuntimeDistribution):
        _, observations = observe(np.arange(len(seconds), dtype=float)[:, None], seconds, finished)
        effect = EffectSize.fit(unseen, observations)
        return SolverModel(model, 0.0, effect.fraction, effect.assumed)
    return SolverModel(model, 0.0, 0.0, assumed=False)


def _filled(fitted: SolverModel, unseen: PredictedRuntimes, features: pd.DataFrame, some: Any) -> PredictedRuntimes:
    """Predict instances without a run by the model itself, which has not seen them."""
    if not isinstance(unseen, InstanceRuntimes):
        return fitted.predict(features)
    missing = np.setdiff1d(np.arange(len(features)), some)
    rest = fitted.predict(features.iloc[missing])
    assert isinstance(rest, InstanceRuntimes)
    order = np.argsort(np.concatenate([some, missing]))
    marginal = RuntimeDistribution.concat([unseen.marginal, rest.marginal])[order]
    sizes = np.concatenate([unseen.effect.size, rest.effect.size])[order]
    return InstanceRuntimes(marginal, InstanceEffect.of(sizes, len(features), assumed=unseen.effect.assumed))


def run_scores(unseen: PredictedRuntimes, seconds: FloatArray) -> FloatArray:
    """Return the normal scores (n, k) of runs under predictions; NaN where there is no run."""
    present = ~np.isnan(seconds)
    scores = normal_scores(unseen.log_sf(np.where(present, seconds, 1.0)))
    return np.where(present, scores, np.nan)
