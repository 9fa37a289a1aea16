"""Draws that instances share: how a model's ignorance about one instance goes along with that about another.

A weight draw of a network, or a tree of a forest, predicts all instances at once. Where draws disagree about two
instances in the same way, a run of one teaches about the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bayes_distnet.arrays import FloatArray
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError
from bayes_distnet.models.moment_matching import draw_starts

LEAST_DRAWS = 2


@dataclass(frozen=True)
class SharedDraws:
    """Log medians of several instances by the same draws.

    Parameters
    ----------
    log_medians : array
        (n, D) log of the median in seconds, per instance and draw.
    weights : array
        (D,) weights of the draws; they sum to one.
    """

    log_medians: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, rtd: RuntimeDistribution) -> Self:
        """Take the draws of a prediction, each by the mean log median of its parts; all rows have the same columns."""
        log_medians, weights = np.log(rtd.components.quantile(0.5)), rtd.weights
        starts = draw_starts(rtd)
        total = np.add.reduceat(np.broadcast_to(weights, log_medians.shape), starts, axis=1)
        return cls(np.add.reduceat(weights * log_medians, starts, axis=1) / total, total[0])

    @classmethod
    def pooled(cls, parts: Sequence[tuple[Self, float]]) -> Self:
        """Put draws of several parts of a model side by side, each part with its weight."""
        total = sum(weight for _, weight in parts)
        return cls(
            np.hstack([part.log_medians for part, _ in parts]),
            np.concatenate([part.weights * (weight / total) for part, weight in parts]),
        )

    def deviations(self) -> FloatArray:
        """(n, D) distances from the mean, times the root of the weight: A with covariance A A'."""
        middle = self.log_medians @ self.weights
        return np.asarray((self.log_medians - middle[:, None]) * np.sqrt(self.weights))


def shared_draws(model: Any, X: Any) -> SharedDraws:
    """Predict instances by each draw of a model.

    Parameters
    ----------
    model : RuntimeEstimator or RuntimePipeline
        A fitted model with weight draws, members or trees.
    X : array-like or DataFrame
        Features, one row per instance.

    Returns
    -------
    SharedDraws
        One column per draw.

    Raises
    ------
    SettingError
        A model without draws.

    Examples
    --------
    >>> from bayes_distnet import RandomForest, make_runs
    >>> data = make_runs(n_instances=30, n_runs=2, random_state=0)
    >>> model = RandomForest(n_estimators=10).fit(data.features, data.seconds)
    >>> shared_draws(model, data.features).log_medians.shape
    (30, 10)
    """
    if hasattr(model, "steps"):  # a pipeline: its transformers first
        return shared_draws(model._model, model._transformed(X))
    draw = getattr(model, "_shared_draws", None)
    if draw is None:
        raise SettingError(
            f"{type(model).__name__}: a single prediction per instance, with no draws that could disagree. "
            "Use HybridDistNet, BayesDistNet or RandomForest."
        )
    check_is_fitted(model)
    draws: SharedDraws = draw(model._check_features(X, reset=False))
    if draws.log_medians.shape[1] < LEAST_DRAWS:
        raise SettingError(f"{type(model).__name__}: a single draw, so that nothing can disagree. Train more members.")
    return draws
