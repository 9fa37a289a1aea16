"""The paper's experiments on any data set, every model on the same splits.

`EXPERIMENTS` lists them. An experiment is a list of jobs, one per model, family, condition, fold and seed. Processes of
this machine or a Dask cluster do the jobs. Each is stored when it is done, so that a killed experiment resumes where it
stopped.
"""

from __future__ import annotations

import datetime
import multiprocessing
import os
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.splits import check_features
from bayes_distnet.errors import SettingError
from bayes_distnet.experiments.folder import announce, check_folder, check_redo, note_session, open_folder
from bayes_distnet.experiments.jobs import Job
from bayes_distnet.experiments.journal import append, fold_journal, locked, open_journal, remove
from bayes_distnet.experiments.plans import ExperimentSettings, Plan, make_plan
from bayes_distnet.experiments.processes import Pace, dask_processes, local_processes
from bayes_distnet.experiments.registry import EXPERIMENTS
from bayes_distnet.experiments.results import Results, fingerprint
from bayes_distnet.experiments.tasks import share_work
from bayes_distnet.validation import check_at_least


def run_experiment(
    experiment: str,
    data: Dataset,
    folder: str | os.PathLike[str],
    *,
    name: str,
    redo: bool = False,
    cores: int | None = None,
    cluster: str | None = None,
    progress: bool = True,
    **settings: Unpack[ExperimentSettings],
) -> Results:
    """Do an experiment, or the part of it that is not done.

    Parameters
    ----------
    experiment : str
        Key of `EXPERIMENTS`, such as "low-samples" or "restarts".
    data : Dataset
        Runs of one solver, and features. Instances without runs are left out.
    folder : path-like
        Results folder. Several experiments on the same data share a folder.
    name : str
        Name of the data in tables.
    redo : bool, default False
        Whether to remove the results that the folder holds of these jobs and do them again: for a model whose code has
        changed.
    cores : int, optional
        Processes of this machine; by default one per core.
    cluster : str, optional
        Address of a Dask scheduler, or "local" to start one on this machine; its workers must see the folder.
    progress : bool, default True
        Whether to show a bar with the time left.
    **settings
        Models, families, runs, censored, cutoffs, folds, only_folds, seeds, preset and quick: see
        `bayes_distnet.experiments.plans.ExperimentSettings`.

    Returns
    -------
    Results
        All results of the folder.

    Raises
    ------
    SettingError
        A setting that is out of range, or does not fit the data or the experiment. Nothing is written then.
    ResultsError
        A folder that holds something else, or that another experiment is writing to.
    """
    how = _Execution(folder, name, redo, cores, cluster, progress)
    data = _checked(data, how)
    return _run([make_plan(experiment, data, **settings)], data, how)


def run_experiments(
    experiments: Sequence[str],
    data: Dataset,
    folder: str | os.PathLike[str],
    *,
    name: str,
    redo: bool = False,
    cores: int | None = None,
    cluster: str | None = None,
    progress: bool = True,
    **settings: Unpack[ExperimentSettings],
) -> Results:
    """Do several experiments on the same data; all settings are checked before the first one runs.

    Work that they share is done once: a model that two of them fit on the same runs is fitted once.

    Parameters
    ----------
    experiments : sequence of str
        Keys of `EXPERIMENTS`.
    data, folder, name, redo, cores, cluster, progress : as for `run_experiment`
        Data, place of the results, and the way in which jobs are done.
    **settings
        See `run_experiment`. Of several experiments only those that vary the number of runs take `runs`, and only those
        that vary the fraction censored take `censored`; the others keep their defaults.

    Returns
    -------
    Results
        All results of the folder.

    Raises
    ------
    SettingError
        As `run_experiment`; or no experiment; or `runs` or `censored` that none of several experiments takes.
    ResultsError
        As `run_experiment`.
    """
    keys = list(dict.fromkeys(EXPERIMENTS.find(key).key for key in experiments))
    if not keys:
        raise SettingError("experiments: expected at least one.")
    how = _Execution(folder, name, redo, cores, cluster, progress)
    data = _checked(data, how)
    plans = [make_plan(key, data, **mine) for key, mine in _settings_of_each(keys, settings).items()]
    return _run(plans, data, how)


def _settings_of_each(keys: list[str], settings: ExperimentSettings) -> dict[str, ExperimentSettings]:
    """Return the settings of each experiment: of several, each takes the levels of its own axis."""
    each: dict[str, ExperimentSettings] = {key: settings.copy() for key in keys}
    if len(keys) == 1:
        return each
    for axis in ("runs", "censored"):
        if settings.get(axis) is not None and not any(EXPERIMENTS[key].axis == axis for key in keys):
            takers = ", ".join(key for key, entry in EXPERIMENTS.items() if entry.axis == axis)
            raise SettingError(f"{axis}: of several experiments only {takers} takes it, which is not among them.")
    for key, mine in each.items():
        if EXPERIMENTS[key].axis != "runs":
            mine["runs"] = None
        if EXPERIMENTS[key].axis != "censored":
            mine["censored"] = None
    return each


@dataclass(frozen=True)
class _Execution:
    """The way in which jobs are done, and the place of their results."""

    folder: str | os.PathLike[str]
    name: str
    redo: bool
    cores: int | None
    cluster: str | None
    progress: bool


def _checked(data: Dataset, how: _Execution) -> Dataset:
    """Return the instances with runs; raise an error if no experiment can be done here or on these data."""
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SettingError(
            "a script must call run_experiment under if __name__ == '__main__': its processes run the script, too."
        )
    if how.cores is not None:
        check_at_least("cores", how.cores, 1)
    data = data.matched()
    check_features(data.features)
    return data


def _run(plans: Sequence[Plan], data: Dataset, how: _Execution) -> Results:
    for plan in plans:
        _warn_of_timeouts(data, plan)
    folder = Path(how.folder)
    jobs: dict[tuple[Any, ...], Job] = {}
    for job in (job for plan in plans for job in plan.jobs()):
        jobs.setdefault((job.kind, *job.key), job)  # experiments have jobs in common
    plan = plans[0]  # all have the same splits
    splits = {"folds": plan.folds, "own_folds": plan.own_folds, "preset": plan.preset}
    stamp = fingerprint(data)
    mine = {"data": how.name, "fingerprint": stamp, **splits}
    check_folder(folder, mine)  # before anything is written to it
    with locked(folder):
        open_folder(folder, data, mine)
        if how.redo:
            check_redo(folder, plans)
            remove(folder, jobs.keys())
        for plan in plans:
            announce(folder, plan, redo=how.redo)
        _do(list(jobs.values()), data, ", ".join(plan.experiment.key for plan in plans), stamp, how)
        return fold_journal(folder)


def _do(jobs: list[Job], data: Dataset, experiment: str, stamp: str, how: _Execution) -> None:
    """Do the jobs that the folder does not hold, and store each in the journal."""
    folder = Path(how.folder)
    done = Results.load(folder).done()
    left = [job for job in jobs if (job.kind, *job.key) not in done]
    started, clock = datetime.datetime.now(datetime.UTC), time.monotonic()
    place = dask_processes(how.cluster, how.cores) if how.cluster else local_processes(how.cores)
    finished = 0
    try:
        with (
            open_journal(folder) as journal,
            place as pool,
            Pace(len(jobs), left, pool.size, experiment, shown=how.progress) as pace,
        ):
            for job, record in pool.do(share_work(left, data), str(folder.resolve()), stamp):
                append(journal, record)
                finished += 1
                pace.done(job, record)
    finally:
        if finished:
            session = {
                "experiment": experiment,
                "started": started.isoformat(timespec="seconds"),
                "seconds": round(time.monotonic() - clock, 1),
                "jobs": finished,
                "processes": pool.size,
                "where": "cluster" if how.cluster else "local",
            }
            note_session(folder, session)


def _warn_of_timeouts(data: Dataset, plan: Plan) -> None:
    """Warn if runs that were cut off during collection leave a level of censoring nothing to cut off."""
    observed = data.runs.observed()
    already = float((~observed.finished).mean())
    if plan.cutoffs == "global" and (idle := [fraction for fraction in plan.censored if 0 < fraction <= already]):
        levels = ", ".join(f"{100 * fraction:g} %" for fraction in idle)
        warnings.warn(
            f"{100 * already:.3g} % of the runs were cut off when they were collected: with {levels} cut off there may "
            "be nothing left to cut.",
            stacklevel=4,
        )
