"""Models compared in one call, on the same folds over instances."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import clone

from bayes_distnet.arrays import BoolArray, FloatArray, IntArray
from bayes_distnet.data import splits
from bayes_distnet.data.observations import check_seconds
from bayes_distnet.data.ticks import AUTO, resolve_tick, tick_note
from bayes_distnet.errors import FeatureError, RuntimeDataError, SettingError
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.scoring.trial import Part, fit_and_score, score_names
from bayes_distnet.validation import check_at_least, check_part, check_seed


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
    tick: float | str | None = AUTO,
    random_state: int = 0,
    progress: Callable[[str], None] | None = None,
) -> pd.DataFrame:
    """Fit every model on every fold and score it on the instances left out.

    Parameters
    ----------
    models : mapping
        Unfitted models by name.
    features : DataFrame or array-like of shape (n_instances, n_features)
        One row per instance.
    seconds : array-like of shape (n_instances, n_runs) or (n_instances,)
        Runtimes; NaN where there is no run.
    finished : array-like of bool, optional
        False for a run that was cut off; by default all runs finished.
    folds : int, default 5
        Folds over instances.
    only_folds : int, optional
        Number of folds to do; by default all.
    runs : int, optional
        Runs per instance to learn from: the first of a random order, the same columns for all instances. By default
        all. Test instances keep all runs.
    cut_off : float, default 0.0
        Fraction of the training runs to cut off, all at one time.
    scores : iterable of str
        Keys of `SCORES`. Where runs were cut off, crps ends at the latest cutoff for all instances: whether it counts
        longer times must not depend on whether a run finished.
    tick : float, "auto" or None, default "auto"
        Tick of the timer in seconds: finished runs are scored as intervals of that width. "auto" looks for it in all
        runs (`find_tick`); None takes times as exact. Models look for it in their training runs.
    random_state : int, default 0
        Seed of the folds and of the order of runs.
    progress : callable, optional
        Called with a line of text before each fit, and with one about the tick if there is one.

    Returns
    -------
    DataFrame
        One row per model, fold and score: model, fold, score, value (mean over test instances), instances,
        fit_seconds, predict_seconds.

    Raises
    ------
    SettingError
        A setting out of range, or an unknown score.
    RuntimeDataError, FeatureError
        Runs and features that do not fit together, or a fold without a run to score.

    Examples
    --------
    >>> from bayes_distnet import Marginal, Ridge, make_runs
    >>> data = make_runs(n_instances=60, n_runs=4, random_state=0)
    >>> results = compare({"Ridge": Ridge(), "Marginal": Marginal()}, data.features, data.seconds, folds=2)
    >>> list(summary(results).index)
    ['Ridge', 'Marginal']
    """
    _check_models(models)
    names = score_names(scores)
    check_part(cut_off, "cut_off")
    for setting, value in (("runs", runs), ("only_folds", only_folds)):
        if value is not None:
            check_at_least(setting, value, 1)
    check_seed("random_state", random_state)
    times, flags = _matrices(seconds, finished)
    take = _rows_of(features, len(times))
    width = resolve_tick(tick, times, flags)
    if width is not None and progress is not None:
        progress(tick_note(width))
    learnt, known = splits.first_runs(times, flags, runs, random_state)
    parts = list(splits.folds_by_instance(len(times), folds, random_state))[:only_folds]
    _check_tests(times, [test for _, test in parts])
    cutoffs = times[~flags & ~np.isnan(times)]
    horizon = np.full(len(times), cutoffs.max()) if len(cutoffs) else None
    rows = []
    for fold, (train, test) in enumerate(parts):
        learn_from = Part(take[train], *splits.cut_off(learnt[train], known[train], cut_off))
        unseen = Part(take[test], times[test], flags[test], None if horizon is None else horizon[test])
        for name, model in models.items():
            if progress is not None:
                progress(f"fold {fold + 1}: {name}")
            trial = fit_and_score(clone(model), learn_from, unseen, names, tick=width)
            spent = {"fit_seconds": trial.fit_seconds, "predict_seconds": trial.predict_seconds}
            rows += [
                {"model": name, "fold": fold, "score": score, "value": mean, "instances": len(test)} | spent
                for score, mean in trial.means.items()
            ]
    return pd.DataFrame(rows)


def _check_models(models: Any) -> None:
    if not isinstance(models, Mapping) or not models:
        raise SettingError(f"models: expected names and models, such as {{'Ridge': Ridge()}}; found {models!r:.100}.")
    for name, model in models.items():
        if isinstance(model, type) or not hasattr(model, "predict_distribution"):
            raise SettingError(f"models[{name!r}]: expected a model, such as Ridge(); found {model!r:.100}.")


def _matrices(seconds: ArrayLike, finished: ArrayLike | None) -> tuple[FloatArray, BoolArray]:
    """Runs as matrices, instances x runs."""
    times, flags = check_seconds(seconds, finished, what="seconds")
    if times.ndim == 1:
        times, flags = times[:, None], flags[:, None]
    if times.ndim != 2:
        raise RuntimeDataError(f"seconds has shape {times.shape}; give (instances,) or (instances, runs).")
    return times, flags


def _check_tests(times: FloatArray, tests: list[IntArray]) -> None:
    for fold, test in enumerate(tests, start=1):
        if np.isnan(times[test]).all():
            raise RuntimeDataError(
                f"fold {fold}: none of its {len(test)} test instances has a run to score. Leave instances without "
                "runs out, or use fewer folds."
            )


def _rows_of(features: Any, n_instances: int) -> Any:
    """Indexer that takes rows of a feature table by their numbers."""
    try:
        table = features if isinstance(features, pd.DataFrame) else np.asarray(features)
    except ValueError as error:
        raise FeatureError(f"features: not a table ({error}).") from error
    if table.ndim != 2:
        raise FeatureError(f"features: expected a table, one row per instance; found shape {table.shape}.")
    if len(table) != n_instances:
        raise RuntimeDataError(
            f"features has {len(table)} rows, but seconds has {n_instances}: give one row per instance."
        )
    return table.iloc if isinstance(table, pd.DataFrame) else table


def summary(results: pd.DataFrame) -> pd.DataFrame:
    """Average the results of a comparison over folds.

    Parameters
    ----------
    results : DataFrame
        Table that `compare` returned.

    Returns
    -------
    DataFrame
        One row per model, one column per score, and `fit_seconds`; sorted by the first score, least first.

    Raises
    ------
    SettingError
        A table of another form, or without rows.
    """
    needed = ["model", "score", "value", "fit_seconds"]
    if not isinstance(results, pd.DataFrame) or not set(needed) <= set(results.columns) or results.empty:
        raise SettingError(f"results: expected the table that compare() returns, with rows and the columns {needed}.")
    order = list(dict.fromkeys(results["score"]))
    table = results.pivot_table(index="model", columns="score", values="value", aggfunc="mean", dropna=False)[order]
    table["fit_seconds"] = results.groupby("model")["fit_seconds"].mean()
    table.columns.name = None
    return table.sort_values(order[0])
