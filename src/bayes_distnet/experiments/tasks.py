"""Tasks: jobs that share work, done one after the other by one process.

Experiments overlap. A job of uncertainty fits a model that a job of censoring fits, too, and a limit, which does not
learn, predicts the same under every condition. Jobs are compared by what they depend on, their training runs and test
instances, not by their names: a model is fitted once on the same runs, and results that must be equal are copied.
"""

from __future__ import annotations

import hashlib
import time
import warnings
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.errors import ResultsError
from bayes_distnet.experiments.jobs import Job, Split, build_model, split_data
from bayes_distnet.experiments.results import DATA, KEY, Record
from bayes_distnet.models.registry import find_model
from bayes_distnet.registry import load
from bayes_distnet.scoring.trial import Fit, fit_part


@dataclass(frozen=True)
class Task:
    """Jobs with the same model and the same training runs.

    Parameters
    ----------
    equal : tuple of tuple of Job
        Groups of jobs whose results are equal: the first job of each group is done, its result is that of the others.
    """

    equal: tuple[tuple[Job, ...], ...]


def share_work(jobs: Iterable[Job], data: Dataset) -> list[Task]:
    """Put jobs that share work together.

    Parameters
    ----------
    jobs : iterable of Job
        Jobs to do.
    data : Dataset
        All instances.

    Returns
    -------
    list of Task
        Each job in one task, in the order of the first jobs of the tasks.
    """
    tasks: dict[Any, dict[Any, list[Job]]] = defaultdict(lambda: defaultdict(list))
    known: dict[Any, tuple[Any, Any]] = {}  # models share splits
    for job in jobs:
        if len(data.solvers) > 1:  # selectors take no split of one solver's runs
            tasks[job][job].append(job)
            continue
        where = (job.condition, job.fold, job.seed, job.folds, job.own_folds, job.preset)
        if where not in known:
            split = split_data(job, data)
            known[where] = _training(split), (_digest(split.train_rows, split.test_rows), split.scale)
        training, rest = known[where]
        model = (job.text, job.family, job.seed, training) if job.learns else (job.text, rest[0])
        tasks[model][rest, job.source, job.examples, job.alone].append(job)
    return [Task(tuple(map(tuple, groups.values()))) for groups in tasks.values()]


def do_task(task: Task, folder: str, fingerprint: str) -> list[tuple[Job, Record]]:
    """Do the jobs of a task on the data in a results folder.

    Parameters
    ----------
    task : Task
        Jobs to do.
    folder : str
        Results folder.
    fingerprint : str
        Digest of its data, so that a process that did jobs on other data reads them anew.

    Returns
    -------
    list of tuple of Job and dict
        Record of each job for the journal. If the model raised an error, the record holds the error in place of
        results. Only the record of a job that was done has `seconds`, the time that it took.

    Raises
    ------
    ResultsError
        The folder holds no data.
    """
    data = _load(folder, fingerprint)
    done = []
    try:
        for first, *others in task.equal:
            started = time.perf_counter()
            found = _do(first, data)
            spent = {"seconds": round(time.perf_counter() - started, 3)}
            done.append((first, _named(first) | found | spent))
            done += [(job, _named(job) | found) for job in others]
    finally:
        _fits.clear()  # another task has other runs, and code of a user's model may change between calls
    return done


def _named(job: Job) -> Record:
    return {"kind": job.kind, "key": dict(zip(KEY, job.key, strict=True))}


def _do(job: Job, data: Dataset) -> Record:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings of models would break the progress bar; scores show their effect
        try:
            found: Record = load(job.source)(job, data)
        except (Exception, SystemExit) as error:  # a model's failure is a result, not the end
            return {"error": f"{type(error).__name__}: {error}"[:500]}
    return found


@lru_cache(maxsize=1)
def _load(folder: str, fingerprint: str) -> Dataset:
    """Read the data once per process, and again where the fingerprint is another."""
    if not (Path(folder) / DATA).is_dir():
        raise ResultsError(f"{folder}: no data in it. Workers must see the results folder under the same name.")
    return Dataset.load(Path(folder) / DATA)


# The model that the present task has fitted, by what it depends on.
_fits: dict[tuple[Any, ...], Fit] = {}


def fit_of(job: Job, split: Split) -> Fit:
    """Fit the model of a job, unless a job of the same task has fitted it.

    Parameters
    ----------
    job : Job
        Job to do.
    split : Split
        Its training instances.

    Returns
    -------
    Fit
        The fitted model, and seconds that fitting took.
    """
    key = (job.text, job.family, job.seed, _training(split))
    if key not in _fits:
        _fits[key] = fit_part(build_model(find_model(job.text), job), split.train)
    return _fits[key]


def _training(split: Split) -> str:
    """Digest of the training runs and of their instances."""
    return _digest(split.train_rows, split.train.seconds, split.train.finished)


def _digest(*arrays: Any) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
