"""Models compared in one call, on the same folds over instances."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import clone

from bayes_distnet.data import splits
from bayes_distnet.data.observations import check_seconds
from bayes_distnet.data.splits import first_runs, folds_by_instance
from bayes_distnet.errors import FeatureError, RuntimeDataError, SettingError
from bayes_distnet.models.base import RuntimeEstimator, fit_runs
from bayes_distnet.scoring.scores import SCORES
from bayes_distnet.validation import check_at_least, check_part


def compare(
    models: Mapping[str, RuntimeEstimator],
    features: Any,
    seconds: ArrayLike,
    finished: ArrayLike | None = None,
    *,
    folds: int = 5,
    only_folds: int | None = None,
    runs: int | None = None,
    cut_off: float = 0.0,
    scores: Iterable[str] = ("nllh", "ks", "crps"),
    random_state: int = 0,
    progress: Callable[[str], None] | None = None,
) -> pd.DataFrame:
    """Fit every model on every fold and score it on the fold's unseen instances.

    seconds: instances x runs (NaN = no run). runs: how many runs an instance to learn from (the first of a random
    order, the same columns for all); all are used to score. cut_off: share of the training runs to cut off at one
    time. scores: names in `scores.SCORES`. only_folds: do no more than so many of the folds. progress: told what is
    being done.

    Returns a tidy table with one row a model, fold and score: model, fold, score, value (the mean over test
    instances), instances, fit_seconds, predict_seconds.
    """
    _check_models(models)
    names = _score_names(scores)
    check_part(cut_off, "cut_off")
    for setting, value in (("runs", runs), ("only_folds", only_folds)):
        if value is not None:
            check_at_least(setting, value, 1)
    times, flags = check_seconds(seconds, finished, what="seconds")
    if times.ndim == 1:
        times, flags = times[:, None], flags[:, None]
    if times.ndim != 2:
        raise RuntimeDataError(f"seconds has shape {times.shape}; give (instances,) or (instances, runs).")
    take = _rows_of(features, len(times))
    learnt, known_of = first_runs(times, flags, runs, random_state)
    parts = list(folds_by_instance(len(times), folds, random_state))[:only_folds]
    for fold, (_, test) in enumerate(parts):
        if np.isnan(times[test]).all():
            raise RuntimeDataError(
                f"fold {fold + 1}: none of its {len(test)} test instances has a run to score. Leave instances without "
                "runs out, or use fewer folds."
            )
    rows = []
    for fold, (train, test) in enumerate(parts):
        y, known = splits.cut_off(learnt[train], known_of[train], cut_off)
        for name, model in models.items():
            if progress is not None:
                progress(f"fold {fold + 1}: {name}")
            started = time.perf_counter()
            fitted = fit_runs(clone(model), take[train], y, known)
            between = time.perf_counter()
            rtd = fitted.predict_distribution(take[test])
            rtd.median()
            spent = {"fit_seconds": between - started, "predict_seconds": time.perf_counter() - between}
            for score in names:
                values = SCORES[score](rtd, times[test], flags[test])
                mean = float(np.nanmean(values))
                rows.append(
                    {"model": name, "fold": fold, "score": score, "value": mean, "instances": len(test)} | spent
                )
    return pd.DataFrame(rows)


def _check_models(models: Any) -> None:
    if not isinstance(models, Mapping) or not models:
        raise SettingError(f"models: expected names and models, such as {{'Ridge': Ridge()}}; found {models!r:.100}.")
    for name, model in models.items():
        if isinstance(model, type) or not hasattr(model, "predict_distribution"):
            raise SettingError(f"models[{name!r}]: expected a model, such as Ridge(); found {model!r:.100}.")


def _score_names(scores: Any) -> list[str]:
    names = list(scores) if isinstance(scores, Iterable) and not isinstance(scores, str) else []
    if not names:
        raise SettingError(f"scores={scores!r}: expected a list of names, such as ['nllh', 'crps'].")
    if unknown := [name for name in names if name not in list(SCORES)]:
        raise SettingError(f"scores: no score named {unknown}; there are {sorted(SCORES)}.")
    return names


def _rows_of(features: Any, n_instances: int) -> Any:
    """What takes rows of a feature table by their numbers."""
    try:
        table = features if isinstance(features, pd.DataFrame) else np.asarray(features)
    except ValueError as error:
        raise FeatureError(f"features: not a table ({error}).") from error
    if table.ndim != 2:
        raise FeatureError(f"features: expected a table, one row an instance; found shape {table.shape}.")
    if len(table) != n_instances:
        raise RuntimeDataError(f"features has {len(table)} rows, but seconds has {n_instances}: give one an instance.")
    return table.iloc if isinstance(table, pd.DataFrame) else table


def summary(results: pd.DataFrame) -> pd.DataFrame:
    """Mean over folds: one row a model, one column a score, and the seconds a fit took; best first score on top."""
    needed = ["model", "score", "value", "fit_seconds"]
    if not isinstance(results, pd.DataFrame) or not set(needed) <= set(results.columns) or results.empty:
        raise SettingError(f"results: expected the table that compare() returns, with rows and the columns {needed}.")
    order = list(dict.fromkeys(results["score"]))
    table = results.pivot_table(index="model", columns="score", values="value", aggfunc="mean", dropna=False)[order]
    table["fit_seconds"] = results.groupby("model")["fit_seconds"].mean()
    table.columns.name = None
    return table.sort_values(order[0])
