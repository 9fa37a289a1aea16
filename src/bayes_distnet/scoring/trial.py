"""One trial of a model: it is fitted on some instances, predicts others, and its prediction is scored."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.errors import SettingError
from bayes_distnet.models.base import fit_runs
from bayes_distnet.scoring.registry import SCORES


@dataclass(frozen=True)
class Part:
    """Features and runs of some instances.

    Parameters
    ----------
    features : array-like of shape (n_instances, n_features)
        Features, in the form that the model takes.
    seconds : ndarray of shape (n_instances, n_runs)
        Runtimes; NaN where there is no run.
    finished : ndarray of shape (n_instances, n_runs)
        False for a run that was cut off.
    horizon : ndarray of shape (n_instances,), optional
        Seconds past which nothing counts, for scores that end there; by default the cutoffs of censored runs.
    """

    features: Any
    seconds: FloatArray
    finished: BoolArray
    horizon: FloatArray | None = None


@dataclass(frozen=True)
class Fit:
    """A fitted model and its cost.

    Parameters
    ----------
    model : RuntimeEstimator
        The model.
    seconds : float
        Duration of fitting.
    """

    model: Any
    seconds: float


@dataclass(frozen=True)
class Trial:
    """Prediction of a model, its scores and its cost.

    Parameters
    ----------
    rtd : PredictedRuntimes
        Predicted runtimes, one row per test instance.
    values : mapping
        Score by key: one number per test instance, or a single number for a pooled score.
    fit_seconds, predict_seconds : float
        Duration of fitting and of predicting.
    """

    rtd: PredictedRuntimes
    values: Mapping[str, FloatArray]
    fit_seconds: float
    predict_seconds: float

    @property
    def means(self) -> dict[str, float]:
        """Mean of each score over the instances that have one: infinite if one of them is, NaN if there is none."""
        return {key: _mean(values) for key, values in self.values.items()}


def fit_and_score(
    model: Any,
    train: Part,
    test: Part,
    scores: Iterable[str],
    *,
    scale: float | None = None,
    tick: float | None = None,
) -> Trial:
    """Fit a model on some instances and score its predictions of others.

    Parameters
    ----------
    model : RuntimeEstimator
        Model to fit; it is changed.
    train, test : Part
        Instances to learn from and instances to predict.
    scores : iterable of str
        Keys of `SCORES`.
    scale : float, optional
        Longest training run, for the scores that are computed as published.
    tick : float, optional
        Tick of the timer in seconds, for scores by likelihood.

    Returns
    -------
    Trial
        Prediction, scores, and seconds that fitting and predicting took.
    """
    return score_fit(fit_part(model, train), test, scores, scale=scale, tick=tick)


def fit_part(model: Any, train: Part) -> Fit:
    """Fit a model on some instances.

    Parameters
    ----------
    model : RuntimeEstimator
        Model to fit; it is changed.
    train : Part
        Instances to learn from.

    Returns
    -------
    Fit
        The model, and seconds that fitting took.
    """
    started = time.perf_counter()
    fitted = fit_runs(model, train.features, train.seconds, train.finished)
    return Fit(fitted, time.perf_counter() - started)


def score_fit(
    fit: Fit, test: Part, scores: Iterable[str], *, scale: float | None = None, tick: float | None = None
) -> Trial:
    """Score the predictions of a fitted model.

    Parameters
    ----------
    fit : Fit
        The model.
    test : Part
        Instances to predict.
    scores : iterable of str
        Keys of `SCORES`.
    scale : float, optional
        Longest training run, for the scores that are computed as published.
    tick : float, optional
        Tick of the timer that showed the runs, in seconds, for scores of intervals.

    Returns
    -------
    Trial
        Prediction, scores, and seconds that fitting and predicting took.
    """
    started = time.perf_counter()
    rtd = fit.model.predict_distribution(test.features)
    rtd.median()  # a prediction may do part of its work when it is first used
    spent = time.perf_counter() - started
    values = score_all(rtd, test.seconds, test.finished, scores, scale=scale, horizon=test.horizon, tick=tick)
    return Trial(rtd, values, fit.seconds, spent)


def score_all(
    rtd: PredictedRuntimes,
    seconds: Any,
    finished: Any,
    scores: Iterable[str],
    *,
    scale: float | None = None,
    horizon: FloatArray | None = None,
    tick: float | None = None,
) -> dict[str, FloatArray]:
    """Compute several scores of one prediction.

    Parameters
    ----------
    rtd : PredictedRuntimes
        Predicted runtimes, one row per instance.
    seconds, finished : array-like
        Runs of these instances, as every score takes them.
    scores : iterable of str
        Keys of `SCORES`.
    scale : float, optional
        Longest training run, for the scores that are computed as published; by default the longest of these runs.
    horizon : ndarray of shape (n_instances,), optional
        Seconds past which nothing counts, for scores that end there; by default the cutoffs of censored runs.
    tick : float, optional
        Tick of the timer in seconds, for scores by likelihood; by default times are exact.

    Returns
    -------
    dict
        Score by key: one number per instance, or a single number for a pooled score.
    """
    chosen = [SCORES.find(key) for key in scores]
    values = {}
    for score in chosen:
        more: dict[str, Any] = {"scale": scale} if score.scaled else {}
        more |= {"horizon": horizon} if score.truncated and horizon is not None else {}
        more |= {"tick": tick} if score.ticked else {}
        values[score.key] = np.asarray(score(rtd, seconds, finished, **more))
    return values


def score_names(scores: Any) -> list[str]:
    """Return names of scores as a list.

    Parameters
    ----------
    scores : iterable of str
        Keys of `SCORES`.

    Returns
    -------
    list of str
        The keys.

    Raises
    ------
    SettingError
        Something other than a list with at least one name, or a name that is not registered.
    """
    names = list(scores) if isinstance(scores, Iterable) and not isinstance(scores, str) else []
    if not names:
        raise SettingError(f"scores={scores!r}: expected a list of names, such as ['nllh', 'crps'].")
    if unknown := [name for name in names if name not in list(SCORES)]:
        raise SettingError(f"scores: no score named {unknown[0]!r}; expected some of {', '.join(SCORES)}.")
    return names


def _mean(values: FloatArray) -> float:
    return math.nan if np.isnan(values).all() else float(np.nanmean(values))
