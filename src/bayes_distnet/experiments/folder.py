"""Results folders: their data, their models and the experiments that were asked for, as `about.json` stores them."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import warnings
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.errors import ResultsError
from bayes_distnet.experiments.journal import write_about
from bayes_distnet.experiments.plans import Plan
from bayes_distnet.experiments.results import DATA, FORMAT, KEY, LOCK, Results, read_about
from bayes_distnet.files import is_draft, written_folder

#: Packages whose versions are stored with results.
PACKAGES = ("bayes-distnet", "jax", "numpy", "scikit-learn", "ngboost", "xgboost", "lifelines", "quantile-forest")


def check_folder(folder: Path, mine: dict[str, Any]) -> bool:
    """Check that new results belong in a folder.

    Parameters
    ----------
    folder : Path
        Folder, which need not exist.
    mine : dict
        Name and fingerprint of the data, number of folds, whether they are those of the data, and preset of the new
        results.

    Returns
    -------
    bool
        Whether the folder holds results.

    Raises
    ------
    ResultsError
        It holds other files, or results of other data or settings.
    """
    about = read_about(folder)
    if about is None:
        # Files that a crash right at the start has left do not count.
        inside = folder.iterdir() if folder.is_dir() else [folder] if folder.exists() else []
        if any(path.name not in (DATA, LOCK) and not is_draft(path) for path in inside):
            raise ResultsError(f"{folder}: not empty, and no results in it. Choose another folder.")
        return False
    held = {"own_folds": False} | about  # folders of earlier versions lack the entry
    for what, value in mine.items():
        if held.get(what) != value:
            found = "other runs, features or folds" if what == "fingerprint" else f"{what}={held.get(what)!r}"
            raise ResultsError(f"{folder}: holds results of {found}, not of {mine['data']!r} with these settings.")
    return True


def open_folder(folder: Path, data: Dataset, mine: dict[str, Any]) -> None:
    """Store data and `about.json` in a folder, unless it has them.

    Parameters
    ----------
    folder : Path
        Results folder.
    data : Dataset
        Runs and features.
    mine : dict
        As for `check_folder`.
    """
    has_results = check_folder(folder, mine)
    if not has_results or not (folder / DATA).is_dir():  # results may have been copied without data
        for left_over in filter(is_draft, folder.iterdir()):
            shutil.rmtree(left_over, ignore_errors=True)
        with written_folder(folder / DATA) as draft:
            data.save(draft)
    if not has_results:
        write_about(folder, {"format": FORMAT, **mine, "experiments": {}, "sessions": [], "models": {}})


def check_redo(folder: Path, plans: Sequence[Plan]) -> None:
    """Check that no results of a model with other settings would stay beside those that are done again.

    Parameters
    ----------
    folder : Path
        Results folder.
    plans : sequence of Plan
        Experiments whose jobs are done again.

    Raises
    ------
    ResultsError
        Some would stay.
    """
    stored = (read_about(folder) or {}).get("models", {})
    again = {(job.kind, *job.key) for plan in plans for job in plan.jobs()}
    others = {
        entry.label
        for plan in plans
        for text, entry in plan.entries.items()
        if _differ(stored.get(entry.label), _identity(text, plan))
    }
    model_at = 1 + KEY.index("model")
    stay = [key for key in Results.load(folder).done() - again if key[model_at] in others]
    if stay:
        label = stay[0][model_at]
        raise ResultsError(
            f"{folder}: {len(stay)} other jobs of {label!r} with other settings ({stored[label].get('settings')}) "
            "would stay. Do them all again, give yours another name, or choose another folder."
        )


def announce(folder: Path, plan: Plan, *, redo: bool) -> None:
    """Add a plan to `about.json`; plans of earlier calls stay.

    Parameters
    ----------
    folder : Path
        Results folder.
    plan : Plan
        Experiment that is about to run.
    redo : bool
        Whether its jobs are done again, so that its models replace those of the same name.

    Raises
    ------
    ResultsError
        The folder holds results of another model of the same name.
    """
    about = read_about(folder) or {}
    stored = about.setdefault("models", {})
    for text, entry in plan.entries.items():
        mine = _identity(text, plan)
        held = mine if redo else stored.get(entry.label, mine)
        _check_same(folder, entry.label, held, mine)
        stored[entry.label] = held | {"role": mine["role"]}
    key = plan.experiment.key
    before = about["experiments"].get(key, {}).get("calls", [])
    about["experiments"][key] = _joined([call for call in before if call != plan.about()] + [plan.about()])
    about |= {"machine": f"{platform.machine()}, {os.cpu_count()} cores", "versions": _versions()}
    write_about(folder, about)


def _check_same(folder: Path, label: str, held: dict[str, str], mine: dict[str, str]) -> None:
    if _differ(held, mine):
        raise ResultsError(
            f"{folder}: holds results of another model called {label!r} ({held.get('settings')}). "
            "Give yours another name, or choose another folder."
        )
    if held.get("source") != mine.get("source"):
        warnings.warn(
            f"{mine['from']} has changed since its results were written to {folder}: they stay. "
            "With redo (--redo) they are done again.",
            stacklevel=5,
        )


def _joined(calls: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the entry of an experiment in `about.json`: all calls, and the union of their settings."""

    def every(what: str) -> list[Any]:
        return list(dict.fromkeys(value for call in calls for value in call[what]))

    return {
        "models": every("models"),
        "families": every("families"),
        "runs": sorted(every("runs")),
        "censored": sorted(every("censored")),
        "cutoffs": list(dict.fromkeys(call["cutoffs"] for call in calls)),
        "folds_done": max(call["folds_done"] for call in calls),
        "seeds": max(call["seeds"] for call in calls),
        "calls": calls,
    }


def _identity(text: str, plan: Plan) -> dict[str, str]:
    """Return the entry of a model in `about.json`."""
    settings, role = plan.model_settings[text], str(plan.entries[text].role)
    return {"from": Path(text).name, "settings": settings, "role": role} | _source(text)


def _differ(held: dict[str, str] | None, mine: dict[str, str]) -> bool:
    return held is not None and any(held.get(what) != mine[what] for what in ("from", "settings"))


def _source(text: str) -> dict[str, str]:
    """Return a digest of the file of a user's model, if it is in a file."""
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


def note_session(folder: Path, session: dict[str, Any]) -> None:
    """Add a session to `about.json`.

    Parameters
    ----------
    folder : Path
        Results folder.
    session : dict
        Start, duration, number of jobs and of processes.
    """
    about = read_about(folder) or {}
    about.setdefault("sessions", []).append(session)
    write_about(folder, about)
