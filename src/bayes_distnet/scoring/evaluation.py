"""Scores of a model as a table, one row per instance."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.batches import ROWS
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.ticks import AUTO, resolve_tick
from bayes_distnet.errors import SettingError
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.familiarity import Verdict
from bayes_distnet.models.predictions import aligned
from bayes_distnet.scoring.registry import SCORES
from bayes_distnet.scoring.trial import score_all, score_names


def evaluate(
    model: RuntimeEstimator, data: Dataset, scores: Iterable[str] | None = None, *, tick: float | str | None = AUTO
) -> pd.DataFrame:
    """Score a fitted model on the runs of a data set.

    Parameters
    ----------
    model : RuntimeEstimator
        Fitted model.
    data : Dataset
        Runs of one solver, and features. Features are matched to those of the model by name.
    scores : iterable of str, optional
        Keys of `SCORES`; by default those with `evaluated`.
    tick : float, "auto" or None, default "auto"
        Tick of the timer in seconds: finished runs are scored as intervals of that width. "auto" looks for it in the
        runs (`find_tick`); None takes times as exact.

    Returns
    -------
    DataFrame
        One row per instance, one column per score; NaN for an instance without a run that can be scored. Without
        `scores`, a score that needs several runs is NaN for instances with fewer, and has no column if there are no
        others: one run per instance leaves nllh, crps and coverage.

    Raises
    ------
    SettingError
        An unknown score, one that is a single number for all instances, or a tick that is not positive.
    """
    names = [score.key for score in SCORES.values() if score.evaluated] if scores is None else score_names(scores)
    if pooled := [name for name in names if SCORES[name].pooled]:
        raise SettingError(f"scores: {pooled[0]!r} is one number for all instances, not one per instance.")
    runs = data.runs.observed().frame
    counts = runs["instance"].value_counts().reindex(data.features.index, fill_value=0)
    if scores is None:
        names = [name for name in names if counts.max() >= SCORES[name].least_runs]
    horizon, tick = _horizons(runs, counts), resolve_tick(tick, data.seconds, data.finished)
    parts = [
        _evaluate_rows(model, data.take(rows), names, horizon[rows], tick)
        for rows in np.array_split(np.arange(len(data)), max(1, -(-len(data) // ROWS)))
    ]
    table = pd.concat(parts)
    if scores is None:
        for name in names:
            table[name] = table[name].where(counts >= SCORES[name].least_runs)
    return table


def _evaluate_rows(
    model: RuntimeEstimator, data: Dataset, names: list[str], horizon: FloatArray, tick: float | None
) -> pd.DataFrame:
    rtd = model.predict_distribution(aligned(data.features, model))
    values = score_all(rtd, data.seconds, data.finished, names, horizon=horizon, tick=tick)
    return pd.DataFrame(values, index=data.features.index)


def _horizons(runs: pd.DataFrame, counts: pd.Series) -> FloatArray:
    """Return the time per instance past which predictions are not compared with runs: its smallest cutoff.

    A single run without a known cutoff shows nothing about times past the longest run of the data.
    """
    cutoffs = runs.groupby("instance")["cutoff"].min().reindex(counts.index, fill_value=np.inf).to_numpy(float)
    single = (counts.to_numpy() == 1) & np.isinf(cutoffs)
    return np.where(single, runs["seconds"].max(), cutoffs)


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
