"""Who learns from what: folds over instances, runs cut off as a budget would have, and features moved away."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold

from bayes_distnet.arrays import BoolArray, FloatArray, IntArray
from bayes_distnet.errors import FeatureError, SettingError
from bayes_distnet.validation import check_at_least, check_choice, check_numbers, check_part, check_row, check_seed

CUTOFFS = ("global", "instance", "random")
SHIFTS = np.linspace(-8.0, 8.0, 33)  # in standard deviations


def folds_by_instance(n_instances: int, folds: int, seed: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield training and test instances of every fold, instances dealt out at random."""
    check_folds(n_instances, folds)
    fold = np.random.default_rng(check_seed("seed", seed)).permutation(np.arange(n_instances) % folds)
    for k in range(folds):
        yield np.flatnonzero(fold != k), np.flatnonzero(fold == k)


def published_folds(n_instances: int, folds: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the folds of the published runs: scikit-learn's, shuffled with random state 0, the same for every seed."""
    check_folds(n_instances, folds)
    yield from KFold(folds, shuffle=True, random_state=0).split(np.zeros(n_instances))


def published_training_part(n_instances: int) -> int:
    """How many of a fold's training instances the published code trains on; the rest, the last fifth, validates."""
    return min(math.ceil(0.8 * n_instances), n_instances - 1)


def check_folds(n_instances: int, folds: int) -> None:
    """Raise an error unless there are two folds or more, and an instance for each."""
    check_at_least("folds", folds, 2)
    if n_instances < 2:
        raise SettingError(f"{n_instances} instance with runs and features: cross-validation takes two at least.")
    if folds > n_instances:
        raise SettingError(f"folds={folds}: expected 2 to the number of instances ({n_instances}).")


def first_runs(seconds: FloatArray, finished: BoolArray, runs: int | None, seed: int) -> tuple[FloatArray, BoolArray]:
    """Keep so many runs of each instance (all of its, if it has fewer), the first of one random order of columns.

    Where every instance has every run, these are the same columns for all, as in the paper.
    """
    order = np.random.default_rng(check_seed("seed", seed)).permutation(seconds.shape[1])
    seconds, finished = seconds[:, order], finished[:, order]
    there = ~np.isnan(seconds)
    if runs is not None:
        check_at_least("runs", runs, 1)
        there &= there.cumsum(axis=1) <= runs
    used = there.any(axis=0)
    return np.where(there, seconds, np.nan)[:, used], (finished & there)[:, used]


def cut_off(
    seconds: FloatArray, finished: BoolArray, share: float, cutoffs: str = "global", seed: int = 0
) -> tuple[FloatArray, BoolArray]:
    """Cut off a share of the runs (instances x runs, NaN = no run).

    cutoffs: "global", one cutoff for all (the paper's, see `cut_off_slowest`); "instance", one for each instance, as
    when instances were given different budgets; "random", one for each run, as when runs started at different times
    before a deadline. The last two are lognormal, as wide as the runtimes are, whatever an instance's own runtimes.
    """
    check_choice("cutoffs", cutoffs, CUTOFFS)
    if cutoffs == "global":
        return cut_off_slowest(seconds, finished, share)
    present = ~np.isnan(seconds)
    if check_part(share, "share") == 0 or not present.any():
        return seconds, finished
    log_times = np.log(np.where(present, seconds, 1.0))
    rng = np.random.default_rng(check_seed("seed", seed))
    draws = rng.normal(size=(len(seconds), 1 if cutoffs == "instance" else seconds.shape[1]))
    draws = np.broadcast_to(draws * log_times[present].std(), seconds.shape)
    # A run is cut off if its cutoff's level lies below this: choose the level that cuts off the share asked for.
    level = np.quantile((log_times - draws)[present], 1 - share)
    cutoff = np.exp(level + draws)
    return np.where(present, np.minimum(seconds, cutoff), np.nan), finished & (seconds <= cutoff)


def cut_off_slowest(seconds: FloatArray, finished: BoolArray, share: float) -> tuple[FloatArray, BoolArray]:
    """Cut all runs off at the runtime of rank floor(N (1 - share)), as the paper does.

    >>> cut_off_slowest(np.array([[1.0, 2.0], [3.0, 4.0]]), np.ones((2, 2), bool), 0.5)
    (array([[1., 2.],
           [2., 2.]]), array([[ True,  True],
           [False, False]]))
    """
    share, ordered = check_part(share, "share"), np.sort(seconds[~np.isnan(seconds)])
    if share == 0 or not ordered.size:
        return seconds, finished
    rank = math.floor(round(len(ordered) * (1 - share), 6))  # 1 - 0.8 is a little less than 0.2
    cutoff = ordered[max(rank - 1, 0)]
    return np.where(np.isnan(seconds), np.nan, np.minimum(seconds, cutoff)), finished & (seconds <= cutoff)


def check_features(features: pd.DataFrame) -> pd.DataFrame:
    """Return a table of features as numbers; raise an error if it is none."""
    if not isinstance(features, pd.DataFrame):
        raise FeatureError(f"features: expected a DataFrame, one row an instance; found {type(features).__name__}.")
    try:
        return features.astype(float)
    except (TypeError, ValueError) as error:
        raise FeatureError(f"features: not all columns are numbers ({error}). Encode or drop the others.") from error


def shifted(
    features: pd.DataFrame, instance: int, shifts: FloatArray = SHIFTS, among: IntArray | None = None
) -> pd.DataFrame:
    """Return one instance with all its features moved by so many of their standard deviations, a row a shift.

    Deviations are those of the instances `among`, of all if not given.
    """
    table = check_features(features)
    check_row("instance", instance, len(table))
    by = check_numbers("shifts", shifts).reshape(-1, 1)
    deviation = (table if among is None else table.iloc[among]).std(ddof=0).to_numpy()
    return pd.DataFrame(table.to_numpy()[instance] + by * deviation, columns=features.columns)
