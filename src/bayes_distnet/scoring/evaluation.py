"""Scores of a model as a table, one row per instance."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.errors import SettingError
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.familiarity import Verdict
from bayes_distnet.models.predictions import aligned
from bayes_distnet.scoring.registry import SCORES
from bayes_distnet.scoring.trial import score_all, score_names


def evaluate(model: RuntimeEstimator, data: Dataset, scores: Iterable[str] | None = None) -> pd.DataFrame:
    """Score a fitted model on the runs of a data set.

    Parameters
    ----------
    model : RuntimeEstimator
        Fitted model.
    data : Dataset
        Runs of one solver, and features. Features are matched to those of the model by name.
    scores : iterable of str, optional
        Keys of `SCORES`; by default those with `evaluated`.

    Returns
    -------
    DataFrame
        One row per instance, one column per score; NaN for an instance without a run that can be scored.

    Raises
    ------
    SettingError
        An unknown score, or one that is a single number for all instances.
    """
    names = [score.key for score in SCORES.values() if score.evaluated] if scores is None else score_names(scores)
    if pooled := [name for name in names if SCORES[name].pooled]:
        raise SettingError(f"scores: {pooled[0]!r} is one number for all instances, not one per instance.")
    rtd = model.predict_distribution(aligned(data.features, model))
    return pd.DataFrame(score_all(rtd, data.seconds, data.finished, names), index=data.features.index)


def by_familiarity(scores: pd.DataFrame, familiar: pd.Series) -> pd.DataFrame:
    """Return mean scores of the instances that resemble the training data, and of the others.

    Parameters
    ----------
    scores : DataFrame
        One row per instance, as `evaluate` returns it.
    familiar : Series
        Verdicts on the same instances: the column verdict of a model's `familiarity`.

    Returns
    -------
    DataFrame
        One row per verdict that occurs, the familiar first: number of instances, and the mean of each score.
    """
    occurring = [str(verdict) for verdict in Verdict if (familiar == verdict).any()]
    means = scores.groupby(familiar.to_numpy()).mean().loc[occurring]
    means.insert(0, "instances", familiar.value_counts()[occurring].to_numpy())
    return means.rename_axis("verdict")
