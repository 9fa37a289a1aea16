"""The paper's three experiments on any data set, every model on the same splits.

low-samples: 1 to 16 runs an instance to learn from. censoring: 8 runs, up to 80 % of them cut off. uncertainty: a
held-out instance with all features moved away from the training data. An experiment is a list of jobs, one a model,
family, condition, fold and seed; jobs are done by processes of this machine or a Dask cluster, and each is written down
when it is done, so that a killed experiment goes on where it stopped.
"""

from __future__ import annotations

import datetime
import hashlib
import multiprocessing
import os
import platform
import shutil
import time
import warnings
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.splits import check_features
from bayes_distnet.errors import ResultsError, SettingError
from bayes_distnet.experiments.journal import append, fold_journal, forget, locked, open_journal, write_about
from bayes_distnet.experiments.plans import Plan, make_plan
from bayes_distnet.experiments.processes import Pace, dask_processes, local_processes
from bayes_distnet.experiments.results import ABOUT, DATA, FORMAT, KEY, LOCK, Results, fingerprint, read_about
from bayes_distnet.validation import check_at_least

PACKAGES = ("bayes-distnet", "jax", "numpy", "scikit-learn", "ngboost", "xgboost", "lifelines", "quantile-forest")


def run_experiment(
    experiment: str,
    data: Dataset,
    folder: str | os.PathLike[str],
    *,
    name: str,
    models: Sequence[str] | None = None,
    families: Sequence[str] | None = None,
    runs: Sequence[int] | None = None,
    censored: Sequence[float] | None = None,
    cutoffs: str = "global",
    folds: int = 10,
    only_folds: int | None = None,
    seeds: int | None = None,
    preset: str | None = None,
    quick: bool = False,
    redo: bool = False,
    cores: int | None = None,
    cluster: str | None = None,
    progress: bool = True,
) -> Results:
    """Do an experiment, or what is left of it, and return all results of the folder.

    Args:
        experiment: "low-samples", "censoring" or "uncertainty".
        data: runs of one solver and features. Instances without runs are left out.
        folder: where results go. Several experiments on the same data share a folder.
        name: what to call the data in tables.
        models: keys of `MODELS`, or "module:attribute" for a model of your own; by default all that are installed, but
            for the published presets, whose training takes minutes.
        families: of the models that can be asked for one; lognormal and inverse Gaussian by default, only the first if
            quick or for uncertainty.
        runs: how many runs an instance to learn from, one condition each; all are used to score.
        censored: shares of the training runs to cut off, one condition each.
        cutoffs: "global", "instance" or "random": see `splits.cut_off`.
        folds: of the cross-validation over instances.
        only_folds: do no more than so many of them.
        seeds: how many times, each with other folds, other runs to learn from and another start of the models; by
            default 3, with the published splits 5, if quick or for uncertainty 1.
        preset: "paper" for the published splits: the same folds for every seed, validation runs never cut off. Unless
            told, the models are then those with the published settings.
        quick: two folds, one seed, one family, three conditions and the faster models: a rough answer in two minutes.
        redo: forget what the folder holds of these jobs, and do them again: for a model whose code has changed.
        cores: processes of this machine; all cores by default.
        cluster: address of a Dask scheduler, or "local" to start one here; its workers must see the folder.
        progress: show a bar with the time left.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SettingError(
            "a script must call run_experiment under if __name__ == '__main__': its processes run it, too."
        )
    if cores is not None:
        check_at_least("cores", cores, 1)
    data = data.matched()
    check_features(data.features)
    plan = make_plan(
        experiment,
        data,
        models=models,
        families=families,
        runs=runs,
        censored=censored,
        cutoffs=cutoffs,
        folds=folds,
        only_folds=only_folds,
        seeds=seeds,
        preset=preset,
        quick=quick,
    )
    jobs = plan.jobs()
    _note_timeouts(data, plan)
    folder = Path(folder)
    stamp = fingerprint(data)
    mine = {"data": name, "fingerprint": stamp, "folds": plan.folds, "preset": preset}
    _check_folder(folder, mine)  # before anything is written to it
    with locked(folder):
        _open_folder(folder, data, mine)
        if redo:
            _check_redo(folder, plan)
            forget(folder, {(job.kind, *job.key) for job in jobs})
        _announce(folder, plan, redo)
        done = Results.load(folder).done()
        left = [job for job in jobs if (job.kind, *job.key) not in done]
        started, clock = datetime.datetime.now(datetime.UTC), time.monotonic()
        place = dask_processes(cluster, cores) if cluster else local_processes(cores)
        finished = 0
        try:
            with (
                open_journal(folder) as journal,
                place as pool,
                Pace(len(jobs), left, pool.size, experiment, shown=progress) as pace,
            ):
                for job, record in pool.do(left, str(folder.resolve()), stamp):
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
                    "where": "cluster" if cluster else "local",
                }
                _note_session(folder, session)
        return fold_journal(folder)


def _note_timeouts(data: Dataset, plan: Plan) -> None:
    """Say so if runs that were cut off when the data were collected leave a level of censoring nothing to cut off."""
    there = ~np.isnan(data.seconds)
    already = float((there & ~data.finished).sum() / there.sum())
    if plan.cutoffs == "global" and (idle := [share for share in plan.censored if 0 < share <= already]):
        levels = ", ".join(f"{100 * share:g} %" for share in idle)
        warnings.warn(
            f"{100 * already:.3g} % of the runs were cut off when they were collected: with {levels} cut off there may "
            "be nothing left to cut.",
            stacklevel=3,
        )


def _check_folder(folder: Path, mine: dict[str, Any]) -> bool:
    """Return whether the folder holds results; raise an error if what is in it does not go with these."""
    about = read_about(folder)
    if about is None:
        # What a crash right at the start has left does not count.
        left_over = {DATA, f"{DATA}.new", LOCK, f"{ABOUT}.new"}
        others = {p.name for p in folder.iterdir()} - left_over if folder.is_dir() else folder.exists()
        if others:
            raise ResultsError(f"{folder}: not empty, and no results in it. Choose another folder.")
        return False
    for what, value in mine.items():
        if about.get(what) != value:
            found = "other runs or features" if what == "fingerprint" else f"{what}={about.get(what)!r}"
            raise ResultsError(f"{folder}: holds results of {found}, not of {mine['data']!r} with these settings.")
    return True


def _open_folder(folder: Path, data: Dataset, mine: dict[str, Any]) -> None:
    """Write the data down, and what the results will be of, unless the folder has that already."""
    known = _check_folder(folder, mine)
    if not known or not (folder / DATA).is_dir():  # results may have been copied without data
        draft = folder / f"{DATA}.new"
        for left_over in (draft, folder / DATA):
            shutil.rmtree(left_over, ignore_errors=True)
        data.save(draft)
        draft.replace(folder / DATA)
    if not known:
        write_about(folder, {"format": FORMAT, **mine, "experiments": {}, "sessions": [], "models": {}})


def _check_redo(folder: Path, plan: Plan) -> None:
    """Raise an error if results of a model with other settings would stay beside those done again."""
    known = (read_about(folder) or {}).get("models", {})
    again = {(job.kind, *job.key) for job in plan.jobs()}
    others = {peer.label for text, peer in plan.peers.items() if _differ(known.get(peer.label), _identity(text, plan))}
    model_at = 1 + KEY.index("model")
    stay = [key for key in Results.load(folder).done() - again if key[model_at] in others]
    if stay:
        name = stay[0][model_at]
        raise ResultsError(
            f"{folder}: {len(stay)} other jobs of {name!r} with other settings ({known[name]['settings']}) would stay. "
            "Do them all again, give yours another name, or choose another folder."
        )


def _identity(text: str, plan: Plan) -> dict[str, str]:
    return {"from": Path(text).name, "settings": plan.settings[text]} | _source(text)


def _differ(held: dict[str, str] | None, mine: dict[str, str]) -> bool:
    return held is not None and (held["from"], held["settings"]) != (mine["from"], mine["settings"])


def _announce(folder: Path, plan: Plan, redo: bool) -> None:
    """Add the plan to what the folder says of itself; what earlier calls asked for stays."""
    about = read_about(folder) or {}
    known = about.setdefault("models", {})
    for text, peer in plan.peers.items():
        mine = _identity(text, plan)
        held = known.setdefault(peer.label, mine)
        if redo:
            known[peer.label] = mine
        elif _differ(held, mine):
            raise ResultsError(
                f"{folder}: holds results of another model called {peer.label!r} ({held['settings']}). "
                "Give yours another name, or choose another folder."
            )
        elif held.get("source") != mine.get("source"):
            warnings.warn(
                f"{mine['from']} has changed since its results were written to {folder}: they stay. "
                "With redo (--redo) they are done again.",
                stacklevel=3,
            )
    before = about["experiments"].get(plan.experiment, {})
    calls = [call for call in before.get("calls", []) if call != plan.about()] + [plan.about()]

    def every(what: str) -> list[Any]:
        return list(dict.fromkeys(value for call in calls for value in call[what]))

    about["experiments"][plan.experiment] = {
        "models": every("models"),
        "families": every("families"),
        "runs": sorted(every("runs")),
        "censored": sorted(every("censored")),
        "cutoffs": list(dict.fromkeys(call["cutoffs"] for call in calls)),
        "folds_done": max(call["folds_done"] for call in calls),
        "seeds": max(call["seeds"] for call in calls),
        "calls": calls,
    }
    about |= {"machine": f"{platform.machine()}, {os.cpu_count()} cores", "versions": _versions()}
    write_about(folder, about)


def _source(text: str) -> dict[str, str]:
    """Return a digest of the file that a user's model comes from, if it is one."""
    file = Path(text.rpartition(":")[0])
    return {"source": hashlib.sha256(file.read_bytes()).hexdigest()} if file.suffix == ".py" else {}


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _note_session(folder: Path, session: dict[str, Any]) -> None:
    about = read_about(folder) or {}
    about["sessions"].append(session)
    write_about(folder, about)
