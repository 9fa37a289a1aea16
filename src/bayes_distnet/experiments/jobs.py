"""One job of an experiment: one model on one fold under one condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayes_distnet.arrays import IntArray
from bayes_distnet.data import splits
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.registry import ModelEntry
from bayes_distnet.scoring.trial import Part


@dataclass(frozen=True)
class Condition:
    """Condition under which a model learns.

    Parameters
    ----------
    runs : int
        Runs per instance.
    cutoffs : str
        Kind of cutoffs, "none" if no run is cut off.
    censored : float
        Fraction of the runs that are cut off.
    """

    runs: int
    cutoffs: str
    censored: float


@dataclass(frozen=True)
class Job:
    """A job: model, family, condition, fold and seed.

    Parameters
    ----------
    text : str
        Key of the model, or the place where its code is: see `find_model`.
    model : str
        Label of the model in tables.
    family : str
        Family; "" for a model without a choice.
    condition : Condition
        Runs to learn from.
    fold, seed : int
        Fold over instances, and seed of splits and models.
    folds : int
        Number of folds.
    own_folds : bool
        Whether they are the folds of the data; otherwise the seed deals instances out to folds.
    preset : str or None
        "paper" for the published splits.
    kind : str
        Kind of job, as in results.
    source : str
        "package.module:function" that does the job.
    examples : bool
        Whether predictions of single instances are stored for figures.
    alone : bool
        Whether policies that need no model are evaluated in this job: one per condition, fold and seed.
    learns : bool
        Whether the model learns from training runs; a limit does not.
    """

    text: str
    model: str
    family: str
    condition: Condition
    fold: int
    seed: int
    folds: int
    own_folds: bool
    preset: str | None
    kind: str
    source: str
    examples: bool = False
    alone: bool = False
    learns: bool = True

    @property
    def key(self) -> tuple[Any, ...]:
        """Values of `results.KEY`, which distinguish its result from others of its kind."""
        at = self.condition
        return at.runs, at.cutoffs, at.censored, self.model, self.family, self.fold, self.seed


@dataclass(frozen=True)
class Split:
    """Instances of a fold.

    Parameters
    ----------
    train : Part
        Features and runs to learn from, some of them cut off.
    test : Part
        Features and all runs of the test instances.
    train_rows, test_rows : ndarray of int
        Their rows in the data.
    scale : float
        Longest training run before any was cut off: the unit of time of the published scores.
    """

    train: Part
    test: Part
    train_rows: IntArray
    test_rows: IntArray
    scale: float


def fold_rows(job: Job, data: Dataset) -> tuple[IntArray, IntArray]:
    """Return the rows of the training and of the test instances of a job.

    Parameters
    ----------
    job : Job
        Job with fold, seed and preset.
    data : Dataset
        All instances.

    Returns
    -------
    train, test : ndarray of int
        Rows in the data.
    """
    if job.preset == "paper":
        parts = splits.published_folds(len(data), job.folds)
    elif job.own_folds and data.folds is not None:
        parts = splits.folds_by_label(data.folds.iloc[:, job.seed % data.folds.shape[1]])
    else:
        parts = splits.folds_by_instance(len(data), job.folds, job.seed)
    return list(parts)[job.fold]


def split_data(job: Job, data: Dataset) -> Split:
    """Split data as a job asks for.

    Parameters
    ----------
    job : Job
        Job with fold, seed, condition and preset.
    data : Dataset
        All instances.

    Returns
    -------
    Split
        Instances to learn from and instances to predict.
    """
    train, test = fold_rows(job, data)
    seconds, finished = splits.first_runs(data.seconds[train], data.finished[train], job.condition.runs, job.seed)
    scale = float(np.nanmax(seconds))
    # The published code validates on the last fifth of the training instances, and never cuts their runs off.
    cut = len(train) if job.preset is None else splits.published_training_part(len(train))
    if job.condition.censored:
        kind, fraction = job.condition.cutoffs, job.condition.censored
        some = splits.cut_off(seconds[:cut], finished[:cut], fraction, kind, job.seed)
        seconds, finished = np.concatenate([some[0], seconds[cut:]]), np.concatenate([some[1], finished[cut:]])
    return Split(
        Part(data.features.iloc[train], seconds, finished),
        Part(data.features.iloc[test], data.seconds[test], data.finished[test]),
        train,
        test,
        scale,
    )


def build_model(entry: ModelEntry, job: Job) -> RuntimeEstimator:
    """Build the unfitted model of a job, without progress bars of its own.

    Parameters
    ----------
    entry : ModelEntry
        Entry of the model.
    job : Job
        Job with family and seed.

    Returns
    -------
    RuntimeEstimator
        The model.
    """
    model = entry.build(job.family, job.seed)
    if "verbose" in model.get_params(deep=False):
        model.set_params(verbose=False)
    return model


def instance_names(data: Dataset, rows: ArrayLike) -> list[Any]:
    """Return the names of instances.

    Parameters
    ----------
    data : Dataset
        All instances.
    rows : array-like of int
        Rows of some of them.

    Returns
    -------
    list
        Names, as the index of the features has them.
    """
    names: list[Any] = data.features.index[np.asarray(rows)].tolist()
    return names


def rounded(value: float, digits: int = 6) -> float:
    """Round a number, so that it is short in a record.

    Parameters
    ----------
    value : float
        Number.
    digits : int, default 6
        Significant digits.

    Returns
    -------
    float
        The rounded number.

    Examples
    --------
    >>> rounded(1234.5678), rounded(0.00123456, 2)
    (1234.57, 0.0012)
    """
    return float(f"{value:.{digits}g}")
