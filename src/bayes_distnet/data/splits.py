"""Parts of data to learn from: folds over instances, some of the runs, runs cut off, and features moved away."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayes_distnet.arrays import BoolArray, FloatArray, IntArray
from bayes_distnet.errors import FeatureError, SettingError
from bayes_distnet.validation import check_at_least, check_choice, check_numbers, check_part, check_row, check_seed

CUTOFFS = ("global", "instance", "random")
SHIFTS = np.linspace(-8.0, 8.0, 33)  # in standard deviations


def folds_by_instance(n_instances: int, folds: int, random_state: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Deal instances out to folds at random.

    Parameters
    ----------
    n_instances : int
        Number of instances.
    folds : int
        Number of folds, from 2 to the number of instances.
    random_state : int
        Seed of the random order.

    Yields
    ------
    train, test : ndarray of int
        Rows of the training and of the test instances of one fold.
    """
    check_folds(n_instances, folds)
    rng = np.random.default_rng(check_seed("random_state", random_state))
    fold = rng.permutation(np.arange(n_instances) % folds)
    for k in range(folds):
        yield np.flatnonzero(fold != k), np.flatnonzero(fold == k)


def two_parts(
    n_instances: int, groups: ArrayLike | None, test_size: float, random_state: int
) -> tuple[IntArray, IntArray]:
    """Split instances at random into two parts, without dividing a group.

    Parameters
    ----------
    n_instances : int
        Number of instances.
    groups : array-like of shape (n_instances,), optional
        Group of each instance; by default each is a group of its own.
    test_size : float
        Fraction of the groups in the second part, between 0 and 1.
    random_state : int
        Seed that determines the split.

    Returns
    -------
    train, test : ndarray of int
        Rows of the two parts, in order.

    Raises
    ------
    SettingError
        If one of the two would be empty.

    Examples
    --------
    >>> [part.tolist() for part in two_parts(4, ["a", "b", "a", "b"], 0.5, random_state=0)]
    [[1, 3], [0, 2]]
    """
    if not 0 < test_size < 1:
        raise SettingError(f"test_size={test_size!r}: expected a fraction between 0 and 1.")
    unit = np.arange(n_instances) if groups is None else pd.factorize(np.asarray(groups, dtype=object))[0]
    n = int(unit.max(initial=-1)) + 1
    order = np.random.default_rng(check_seed("random_state", random_state)).permutation(n)
    tested = round(n * test_size)
    if not 0 < tested < n:
        what = "instances" if groups is None else "groups"
        raise SettingError(f"test_size={test_size:g} of {n} {what} leaves one part empty; take another fraction.")
    test = np.isin(unit, order[:tested])
    return np.flatnonzero(~test), np.flatnonzero(test)


def folds_by_label(labels: ArrayLike) -> Iterator[tuple[IntArray, IntArray]]:
    """Split instances by the folds that were published with them.

    Parameters
    ----------
    labels : array-like of shape (n_instances,)
        Fold per instance, such as a column of `Dataset.folds`. An instance without a fold (missing) is a training
        instance of every fold.

    Yields
    ------
    train, test : ndarray of int
        Rows of the training and of the test instances of one fold; folds in the order of their numbers.

    Examples
    --------
    >>> [test.tolist() for _, test in folds_by_label([2, 1, 2, None])]
    [[1], [0, 2]]
    """
    fold = pd.Series(labels).to_numpy(dtype=float, na_value=np.nan)
    for label in np.unique(fold[~np.isnan(fold)]):
        yield np.flatnonzero(fold != label), np.flatnonzero(fold == label)


def published_folds(n_instances: int, folds: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Deal instances out to the folds of the published runs.

    They are scikit-learn's `KFold`, shuffled with random state 0, whatever the seed of the experiment.

    Parameters
    ----------
    n_instances : int
        Number of instances.
    folds : int
        Number of folds, from 2 to the number of instances.

    Yields
    ------
    train, test : ndarray of int
        Rows of the training and of the test instances of one fold.
    """
    from sklearn.model_selection import KFold  # imported here: reading a data set does not need it

    check_folds(n_instances, folds)
    yield from KFold(folds, shuffle=True, random_state=0).split(np.zeros(n_instances))


def published_training_part(n_instances: int) -> int:
    """Count the training instances of a fold that the published code trains on; the last fifth validates.

    Parameters
    ----------
    n_instances : int
        Number of training instances of the fold.

    Returns
    -------
    int
        Number of instances, from the first on.
    """
    return min(math.ceil(0.8 * n_instances), n_instances - 1)


def check_folds(n_instances: int, folds: int) -> None:
    """Check that there are at least two folds, and an instance for each.

    Parameters
    ----------
    n_instances : int
        Number of instances.
    folds : int
        Number of folds.

    Raises
    ------
    SettingError
        If there are too few folds or too few instances.
    """
    check_at_least("folds", folds, 2)
    if n_instances < 2:
        raise SettingError(f"{n_instances} instance with runs and features: cross-validation needs at least two.")
    if folds > n_instances:
        raise SettingError(f"folds={folds}: expected 2 to the number of instances ({n_instances}).")


def first_runs(
    seconds: FloatArray, finished: BoolArray, runs: int | None, random_state: int
) -> tuple[FloatArray, BoolArray]:
    """Keep some runs of each instance: the first in one random order of the columns.

    Where every instance has every run, these are the same columns for all instances, as in the paper.

    Parameters
    ----------
    seconds : ndarray of shape (n_instances, n_runs)
        Runtimes; NaN where there is no run.
    finished : ndarray of bool of shape (n_instances, n_runs)
        Whether each run finished.
    runs : int or None
        Number of runs per instance; None keeps all. An instance with fewer runs keeps all of them.
    random_state : int
        Seed of the random order.

    Returns
    -------
    seconds, finished : ndarray
        The runs kept, without columns that hold none.
    """
    order = np.random.default_rng(check_seed("random_state", random_state)).permutation(seconds.shape[1])
    seconds, finished = seconds[:, order], finished[:, order]
    kept = ~np.isnan(seconds)
    if runs is not None:
        check_at_least("runs", runs, 1)
        kept &= kept.cumsum(axis=1) <= runs
    used = kept.any(axis=0)
    return np.where(kept, seconds, np.nan)[:, used], (finished & kept)[:, used]


def cut_off(
    seconds: FloatArray, finished: BoolArray, fraction: float, cutoffs: str = "global", random_state: int = 0
) -> tuple[FloatArray, BoolArray]:
    """Cut off a fraction of the runs.

    Parameters
    ----------
    seconds : ndarray of shape (n_instances, n_runs)
        Runtimes; NaN where there is no run.
    finished : ndarray of bool of shape (n_instances, n_runs)
        Whether each run finished.
    fraction : float
        Fraction of the runs that do not finish, in [0, 1).
    cutoffs : {"global", "instance", "random"}, default "global"
        Kind of cutoffs, see `choose_cutoffs`.
    random_state : int, default 0
        Seed of cutoffs that are drawn at random.

    Returns
    -------
    seconds, finished : ndarray
        The same runs; those longer than their cutoff end at the cutoff and are not finished.

    Examples
    --------
    >>> cut_off(np.array([[1.0, 2.0], [3.0, 4.0]]), np.ones((2, 2), bool), 0.5)
    (array([[1., 2.],
           [2., 2.]]), array([[ True,  True],
           [False, False]]))
    """
    limit = choose_cutoffs(seconds, fraction, cutoffs, random_state)
    return np.minimum(seconds, limit), finished & (seconds <= limit)


def choose_cutoffs(seconds: FloatArray, fraction: float, cutoffs: str = "global", random_state: int = 0) -> FloatArray:
    """Choose cutoffs that a fraction of the runs do not meet.

    Parameters
    ----------
    seconds : ndarray of shape (n_instances, n_runs)
        Runtimes; NaN where there is no run.
    fraction : float
        Fraction of the runs that are longer than their cutoff, in [0, 1).
    cutoffs : {"global", "instance", "random"}, default "global"
        "global": one cutoff for all runs, the runtime of rank floor(N (1 - fraction)) as in the paper. "instance": one
        cutoff per instance, as if instances had different budgets. "random": one cutoff per run, as if runs had
        started at different times before a deadline. The last two are drawn from a log-normal distribution as wide as
        the runtimes, independent of the runtimes of an instance.
    random_state : int, default 0
        Seed of cutoffs that are drawn at random.

    Returns
    -------
    ndarray of shape (n_instances, n_runs)
        Cutoff per run; infinite if the fraction is 0.
    """
    check_choice("cutoffs", cutoffs, CUTOFFS)
    rng = np.random.default_rng(check_seed("random_state", random_state))
    present = ~np.isnan(seconds)
    if check_part(fraction, "fraction") == 0 or not present.any():
        return np.full(seconds.shape, np.inf)
    if cutoffs == "global":
        ordered = np.sort(seconds[present])
        rank = math.floor(round(len(ordered) * (1 - fraction), 6))  # 1 - 0.8 is a little less than 0.2
        return np.full(seconds.shape, ordered[max(rank - 1, 0)])
    log_times = np.log(np.where(present, seconds, 1.0))
    draws = rng.normal(size=(len(seconds), 1 if cutoffs == "instance" else seconds.shape[1]))
    draws = np.broadcast_to(draws * log_times[present].std(), seconds.shape)
    # A run is cut off if log time minus draw lies above the centre of the log cutoffs: choose it as their quantile.
    centre = np.quantile((log_times - draws)[present], 1 - fraction)
    limit: FloatArray = np.exp(centre + draws)
    return limit


def check_features(features: pd.DataFrame) -> pd.DataFrame:
    """Check that a table of features holds numbers only.

    Parameters
    ----------
    features : DataFrame
        Features, one row per instance.

    Returns
    -------
    DataFrame
        The features as float64.

    Raises
    ------
    FeatureError
        If it is no DataFrame, or a column holds anything else.
    """
    if not isinstance(features, pd.DataFrame):
        raise FeatureError(f"features: expected a DataFrame, one row per instance; found {type(features).__name__}.")
    try:
        return features.astype(float)
    except (TypeError, ValueError) as error:
        raise FeatureError(f"features: not all columns are numbers ({error}). Encode or drop the others.") from error


def shifted(
    features: pd.DataFrame, instance: int, shifts: FloatArray = SHIFTS, among: IntArray | None = None
) -> pd.DataFrame:
    """Move all features of one instance away, by multiples of their standard deviations.

    Parameters
    ----------
    features : DataFrame
        Features, one row per instance.
    instance : int
        Row of the instance.
    shifts : array-like of shape (n_shifts,), optional
        Multiples of the standard deviation; default: 33 from -8 to 8.
    among : array-like of int, optional
        Rows of the instances whose standard deviations count; default: all.

    Returns
    -------
    DataFrame
        Features of the instance, one row per shift.
    """
    table = check_features(features)
    check_row("instance", instance, len(table))
    by = check_numbers("shifts", shifts).reshape(-1, 1)
    deviation = (table if among is None else table.iloc[among]).std(ddof=0).to_numpy()
    return pd.DataFrame(table.to_numpy()[instance] + by * deviation, columns=features.columns)
