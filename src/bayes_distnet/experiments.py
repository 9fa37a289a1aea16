"""The paper's three experiments on any data set, every model on the same splits.

low-samples: 1 to 16 runs an instance to learn from. censoring: 8 runs, up to 80 % of them cut off. uncertainty: a
held-out instance with all features moved away from the training data. An experiment is a list of jobs, one a model,
family, condition, fold and seed; jobs are done by processes of this machine or a Dask cluster, and each is written down
when it is done, so that a killed experiment goes on where it stopped.
"""

from __future__ import annotations

import datetime
import importlib.util
import os
import platform
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from bayes_distnet.dataset import Dataset
from bayes_distnet.errors import ResultsError, SettingError, check_at_least, check_choice, is_number
from bayes_distnet.families import get_family
from bayes_distnet.jobs import SHIFTS, Condition, Job
from bayes_distnet.peers import PEERS, Peer, find_peer
from bayes_distnet.processes import Pace, dask_processes, local_processes
from bayes_distnet.results import (
    DATA,
    FORMAT,
    Results,
    append,
    fingerprint,
    fold_journal,
    open_journal,
    read_about,
    write_about,
)
from bayes_distnet.splits import CUTOFFS

EXPERIMENTS = ("low-samples", "censoring", "uncertainty")
FAMILIES = ("lognormal", "inverse-gaussian")
PRESETS = (None, "paper")

RUNS = (1, 2, 4, 8, 16)
CENSORED = (0.0, 0.2, 0.4, 0.6, 0.8)
CENSORED_RUNS = 8
QUICK_RUNS, QUICK_CENSORED, QUICK_FOLDS = (1, 4, 16), (0.0, 0.4, 0.8), 2
EXAMPLES_AT = 0.6  # share censored of the second condition whose predictions are kept for figures

NETWORKS = ("hybrid", "bayes", "bayes-runtimes", "distnet")
BASELINES = ("forest", "ridge", "knn", "marginal")
THIRD_PARTY = ("ngboost", "xgboost", "lifelines", "quantile-forest")
LIMITS = ("limit-lognormal", "limit-empirical")
QUICK_MODELS = ("hybrid", "bayes", "distnet", *BASELINES, *LIMITS)
PACKAGES = ("bayes-distnet", "jax", "numpy", "scikit-learn", "ngboost", "xgboost", "lifelines", "quantile-forest")
PAPER_MODELS = ("distnet-paper", "bayes-paper", "marginal", *LIMITS)


@dataclass(frozen=True)
class Plan:
    """An experiment to be done: what `about.json` says of it."""

    models: tuple[str, ...]
    families: tuple[str, ...]
    runs: tuple[int, ...]
    censored: tuple[float, ...]
    cutoffs: str
    folds_done: int
    seeds: int


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
        models: keys of `PEERS`, or "module:attribute" for a model of your own; by default all that are installed, but
            for the published presets, whose training takes minutes.
        families: of the models that can be asked for one; lognormal and inverse Gaussian by default.
        runs: how many runs an instance to learn from, one condition each; all are used to score.
        censored: shares of the training runs to cut off, one condition each.
        cutoffs: "global", "instance" or "random": see `splits.cut_off`.
        folds: of the cross-validation over instances.
        only_folds: do no more than so many of them.
        seeds: how many times, each with other folds, other runs to learn from and another start of the models.
        preset: "paper" for the published splits: the same folds for every seed, validation runs never cut off. Unless
            told, the models are then those with the published settings.
        quick: two folds, one seed, one family, three conditions and the faster models: a rough answer in two minutes.
        cores: processes of this machine; all cores by default.
        cluster: address of a Dask scheduler, or "local" to start one here; its workers must see the folder.
        progress: show a bar with the time left.
    """
    check_choice("experiment", experiment, EXPERIMENTS)
    check_choice("preset", preset, PRESETS)
    check_choice("cutoffs", cutoffs, CUTOFFS)
    data = data.matched()
    peers = _peers(models, quick=quick, preset=preset, shifts=experiment == "uncertainty")
    plan = Plan(
        models=tuple(peer.name for peer in peers.values()),
        families=tuple(families or FAMILIES[: 1 if quick or experiment == "uncertainty" else None]),
        runs=_run_counts(experiment, runs, quick, data.seconds.shape[1]),
        censored=_shares(experiment, censored, quick),
        cutoffs=cutoffs,
        folds_done=_folds_done(folds, only_folds, quick, len(data)),
        seeds=seeds or (1 if quick or experiment == "uncertainty" else 5 if preset else 3),
    )
    check_at_least("seeds", plan.seeds, 1)
    for family in plan.families:
        get_family(family)
    jobs = _jobs(experiment, plan, peers, folds, preset)
    folder = Path(folder)
    _open_folder(folder, data, name, folds, preset)
    with open_journal(folder) as journal:
        _announce(folder, experiment, plan)
        done = Results.load(folder).done()
        left = [job for job in jobs if job.key not in done]
        started, clock = datetime.datetime.now(datetime.UTC), time.monotonic()
        place = dask_processes(cluster, cores) if cluster else local_processes(cores)
        finished = 0
        try:
            with place as pool, Pace(len(jobs), left, pool.size, experiment, shown=progress) as pace:
                for job, record in pool.do(left, str(folder.resolve())):
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


def _peers(models: Sequence[str] | None, *, quick: bool, preset: str | None, shifts: bool) -> dict[str, Peer]:
    """Return the models to run, by what the user called them."""
    if models is None:
        if preset == "paper":
            chosen: Iterable[str] = PAPER_MODELS
        elif shifts:
            chosen = NETWORKS
        elif quick:
            chosen = QUICK_MODELS
        else:
            there = [key for key in THIRD_PARTY if importlib.util.find_spec(str(PEERS[key].needs))]
            chosen = (*NETWORKS, *BASELINES, *there, *LIMITS)
    else:
        chosen = [models] if isinstance(models, str) else models
    peers = {text: find_peer(text) for text in chosen}
    if shifts:
        peers = {text: peer for text, peer in peers.items() if peer.make is not None}
    if not peers:
        raise SettingError("models: expected at least one.")
    names = [peer.name for peer in peers.values()]
    if twice := {name for name in names if names.count(name) > 1}:
        raise SettingError(f"models: two are called {sorted(twice)[0]!r}. Give each a name of its own.")
    return peers


def _run_counts(experiment: str, runs: Sequence[int] | None, quick: bool, there: int) -> tuple[int, ...]:
    if runs is None:
        if experiment == "low-samples":
            counts: tuple[int, ...] = tuple(k for k in (QUICK_RUNS if quick else RUNS) if k <= there)
        else:
            counts = (min(CENSORED_RUNS, there),)
    else:
        counts = tuple(runs)
    for count in counts:
        check_at_least("runs", count, 1)
        if count > there:
            raise SettingError(f"runs={count}: the data have {there} runs an instance.")
    if not counts:
        raise SettingError("runs: expected at least one number of runs an instance.")
    return counts


def _shares(experiment: str, censored: Sequence[float] | None, quick: bool) -> tuple[float, ...]:
    if censored is None:
        return (0.0,) if experiment != "censoring" else QUICK_CENSORED if quick else CENSORED
    for share in censored:
        if not is_number(share) or not 0 <= share < 1:
            raise SettingError(f"censored={share!r}: expected a share of the runs, at least 0 and below 1.")
    if not len(censored):
        raise SettingError("censored: expected at least one share.")
    return tuple(float(share) for share in censored)


def _folds_done(folds: int, only_folds: int | None, quick: bool, n_instances: int) -> int:
    check_at_least("folds", folds, 2)
    if folds > n_instances:
        raise SettingError(f"folds={folds}: expected 2 to the number of instances ({n_instances}).")
    if only_folds is not None:
        check_at_least("only_folds", only_folds, 1)
    return min(folds, only_folds or (QUICK_FOLDS if quick else folds))


def _jobs(experiment: str, plan: Plan, peers: dict[str, Peer], folds: int, preset: str | None) -> list[Job]:
    """List all jobs, seed by seed and fold by fold: a part of them is a smaller experiment."""
    conditions = [
        Condition(runs, plan.cutoffs if share else "none", share) for runs in plan.runs for share in plan.censored
    ]
    shown = _shown(conditions)
    jobs = []
    for seed in range(plan.seeds):
        for fold in range(plan.folds_done):
            for condition in conditions:
                for text, peer in peers.items():
                    offered = [family for family in plan.families if family in peer.families]
                    if peer.families and not offered:
                        continue
                    for family in offered or [""]:
                        job = Job(text, peer.name, family, condition, fold, seed, folds, preset)
                        if experiment == "uncertainty":
                            job = replace(job, kind=SHIFTS)
                        jobs.append(replace(job, examples=seed == 0 and condition in shown))
    if not jobs:
        raise SettingError(f"families={plan.families!r}: none of the models can be asked for any of them.")
    return jobs


def _shown(conditions: list[Condition]) -> list[Condition]:
    """Return the conditions whose predictions are kept for figures: the usual one, and one with many runs cut off."""
    usual = min(conditions, key=lambda c: (c.censored, abs(c.runs - CENSORED_RUNS)))
    hard = sorted((c for c in conditions if c.censored), key=lambda c: abs(c.censored - EXAMPLES_AT))
    return [usual, *hard[:1]]


def _open_folder(folder: Path, data: Dataset, name: str, folds: int, preset: str | None) -> None:
    """Make the folder, or check that what is in it goes with this experiment."""
    about = read_about(folder)
    mine = {"data": name, "fingerprint": fingerprint(data), "folds": folds, "preset": preset}
    if about is None:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise ResultsError(f"{folder}: not empty, and no results in it. Choose another folder.")
        folder.mkdir(parents=True, exist_ok=True)
        data.save(folder / DATA)
        write_about(folder, {"format": FORMAT, **mine, "experiments": {}, "sessions": []})
        return
    for what, value in mine.items():
        if about.get(what) != value:
            found = "other runs or features" if what == "fingerprint" else f"{what}={about.get(what)!r}"
            raise ResultsError(f"{folder}: holds results of {found}, not of {name!r} with these settings.")


def _announce(folder: Path, experiment: str, plan: Plan) -> None:
    """Add the plan to what the folder says of itself; levels and models of earlier calls stay."""
    about = read_about(folder) or {}
    before = about["experiments"].get(experiment, {})
    new: dict[str, Any] = asdict(plan)
    for what in ("models", "families", "runs", "censored"):
        old = before.get(what, [])
        new[what] = [*old, *(value for value in new[what] if value not in old)]
    for what in ("runs", "censored"):
        new[what].sort()
    kinds = before.get("cutoffs", [])
    new["cutoffs"] = [*kinds, *([plan.cutoffs] if plan.cutoffs not in kinds else [])]
    for what in ("folds_done", "seeds"):
        new[what] = max(new[what], before.get(what, 0))
    about["experiments"][experiment] = new
    about |= {"machine": f"{platform.machine()}, {os.cpu_count()} cores", "versions": _versions()}
    write_about(folder, about)


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
