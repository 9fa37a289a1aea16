"""What an experiment does: models, families, conditions, folds and seeds, and the jobs these come to."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.splits import CUTOFFS, check_folds
from bayes_distnet.distributions.families import get_family
from bayes_distnet.errors import SettingError
from bayes_distnet.experiments.jobs import Condition, Job
from bayes_distnet.experiments.results import SCORED, SHIFTS
from bayes_distnet.models.network.estimator import PRESETS
from bayes_distnet.models.registry import BASE, MODELS, ModelEntry, find_model
from bayes_distnet.validation import check_at_least, check_choice, is_number

EXPERIMENTS = ("low-samples", "censoring", "uncertainty")
FAMILIES = ("lognormal", "inverse-gaussian")

RUNS = (1, 2, 4, 8, 16)
CENSORED = (0.0, 0.2, 0.4, 0.6, 0.8)
CENSORED_RUNS = 8
QUICK_RUNS, QUICK_CENSORED, QUICK_FOLDS = (1, 4, 16), (0.0, 0.4, 0.8), 2
EXAMPLES_AT = 0.6  # share censored of the second condition whose predictions are kept for figures


@dataclass(frozen=True)
class Plan:
    """An experiment to be done."""

    experiment: str
    preset: str | None
    peers: dict[str, ModelEntry]  # by what the user called them
    settings: dict[str, str]  # of their models, as text
    families: tuple[str, ...]
    runs: tuple[int, ...]
    censored: tuple[float, ...]
    cutoffs: str
    folds: int
    folds_done: int
    seeds: int

    @property
    def models(self) -> list[tuple[str, str, str]]:
        """What the user called a model, its name, and a family: the rows of the tables."""
        return [
            (text, peer.label, family)
            for text, peer in self.peers.items()
            for family in (self.families if peer.families else ("",))
        ]

    def about(self) -> dict[str, Any]:
        """Return what `about.json` says of it."""
        return {
            "models": [peer.label for peer in self.peers.values()],
            "families": list(dict.fromkeys(family for _, _, family in self.models if family)),
            "jobs": [[name, family] for _, name, family in self.models],
            "runs": list(self.runs),
            "censored": list(self.censored),
            "cutoffs": self.cutoffs,
            "folds_done": self.folds_done,
            "seeds": self.seeds,
        }

    def jobs(self) -> list[Job]:
        """List all jobs, seed by seed and fold by fold: a part of them is a smaller experiment."""
        conditions = [
            Condition(runs, self.cutoffs if share else "none", share) for runs in self.runs for share in self.censored
        ]
        kind, shown = SHIFTS if self.experiment == "uncertainty" else SCORED, _shown(conditions)
        return [
            Job(text, name, family, c, fold, seed, self.folds, self.preset, kind, seed == 0 and c in shown)
            for seed in range(self.seeds)
            for fold in range(self.folds_done)
            for c in conditions
            for text, name, family in self.models
        ]


def make_plan(
    experiment: str,
    data: Dataset,
    *,
    models: Sequence[str] | None,
    families: Sequence[str] | None,
    runs: Sequence[int] | None,
    censored: Sequence[float] | None,
    cutoffs: str,
    folds: int,
    only_folds: int | None,
    seeds: int | None,
    preset: str | None,
    quick: bool,
) -> Plan:
    """Check what was asked for, as `run_experiment` takes it, and fill in what was not."""
    check_choice("experiment", experiment, EXPERIMENTS)
    check_choice("preset", preset, PRESETS)
    check_choice("cutoffs", cutoffs, CUTOFFS)
    peers = _peers(models, quick=quick, preset=preset, shifts=experiment == "uncertainty")
    once = quick or experiment == "uncertainty"
    plan = Plan(
        experiment=experiment,
        preset=preset,
        peers=peers,
        settings={text: _settings(text, peer) for text, peer in peers.items()},
        families=_families(families, peers, once),
        runs=_run_counts(experiment, runs, quick, int((~np.isnan(data.seconds)).sum(axis=1).max())),
        censored=_shares(experiment, censored, quick),
        cutoffs=cutoffs,
        folds=int(folds),
        folds_done=_folds_done(folds, only_folds, quick, len(data)),
        seeds=_seeds(seeds, once, preset),
    )
    if experiment == "uncertainty" and len(plan.runs) * len(plan.censored) > 1:
        raise SettingError("uncertainty: expected one number of runs and one share censored.")
    return plan


def _peers(models: Sequence[str] | None, *, quick: bool, preset: str | None, shifts: bool) -> dict[str, ModelEntry]:
    """Return the models to run, by what the user called them."""
    if models is None:
        if preset == "paper":
            chosen: Iterable[str] = [
                entry.key for entry in MODELS.values() if entry.published or entry.is_limit or entry.key == BASE
            ]
        elif shifts:
            chosen = [entry.key for entry in MODELS.values() if entry.main]
        elif quick:
            chosen = [entry.key for entry in MODELS.values() if entry.quick]
        else:
            missing = [entry.key for entry in MODELS.values() if not entry.installed]
            if missing:
                warnings.warn(
                    f"left out, since not installed: {', '.join(missing)}. pip install 'bayes-distnet[peers]'.",
                    stacklevel=4,
                )
            chosen = [entry.key for entry in MODELS.values() if entry.installed and not entry.published]
    else:
        chosen = [models] if isinstance(models, str) else models
    peers = {_whole(text): find_model(text) for text in chosen}
    if not peers:
        raise SettingError("models: expected at least one.")
    if shifts:
        peers = {text: peer for text, peer in peers.items() if not peer.is_limit}
    if not peers:
        raise SettingError("models: in uncertainty limits have no part; expected a model.")
    names = [peer.label for peer in peers.values()]
    if twice := {name for name in names if names.count(name) > 1}:
        raise SettingError(f"models: two are called {sorted(twice)[0]!r}. Give each a name of its own.")
    return peers


def _settings(text: str, peer: ModelEntry) -> str:
    """Return what tells a model from another of the same name; make one, to see that it can be made."""
    if peer.is_limit:
        return ""
    try:
        model = repr(peer.build(_first_family(peer), 0))
    except (Exception, SystemExit) as error:  # whatever a stranger's model raises
        raise SettingError(f"model {text!r}: cannot be made: {type(error).__name__}: {error}") from error
    return re.sub(r" at 0x[0-9a-f]+", "", model)  # a function among the settings is elsewhere in every process


def _first_family(peer: ModelEntry) -> str:
    return peer.families[0] if isinstance(peer.families, tuple) else "lognormal"


def _whole(text: str) -> str:
    """Return what finds the same model from another folder: workers may not run in this one."""
    if not isinstance(text, str):
        raise SettingError(
            f"models: found {text!r}; expected where other processes find it: a key or file.py:attribute."
        )
    place, colon, attribute = text.rpartition(":")
    return f"{Path(place).resolve()}:{attribute}" if colon and place.endswith(".py") else text


def _families(families: Sequence[str] | None, peers: dict[str, ModelEntry], once: bool) -> tuple[str, ...]:
    chosen = FAMILIES[: 1 if once else None] if families is None else _listed("families", families)
    for family in chosen:
        get_family(family)
        for peer in peers.values():
            if peer.families and not peer.takes(family):
                raise SettingError(f"families: {peer.label} cannot be asked for {family!r}, only {peer.families}.")
    return tuple(dict.fromkeys(chosen))


def _seeds(seeds: int | None, once: bool, preset: str | None) -> int:
    if seeds is None:
        return 1 if once else 5 if preset else 3
    check_at_least("seeds", seeds, 1)
    return int(seeds)


def _listed(name: str, values: Any) -> list[Any]:
    """Return one or several values as a list; there must be one."""
    several = isinstance(values, Iterable) and not isinstance(values, str)
    listed = list(values) if several else [values]
    if not listed:
        raise SettingError(f"{name}: expected at least one.")
    return listed


def _run_counts(experiment: str, runs: Sequence[int] | None, quick: bool, there: int) -> tuple[int, ...]:
    if runs is None:
        if experiment == "low-samples":
            counts: tuple[int, ...] = tuple(k for k in (QUICK_RUNS if quick else RUNS) if k <= there)
        else:
            counts = (min(CENSORED_RUNS, there),)
    else:
        counts = tuple(dict.fromkeys(_listed("runs", runs)))
    for count in counts:
        check_at_least("runs", count, 1)
        if count > there:
            raise SettingError(f"runs={count}: the data have {there} runs an instance.")
    return tuple(int(count) for count in counts)


def _shares(experiment: str, censored: Sequence[float] | None, quick: bool) -> tuple[float, ...]:
    if censored is None:
        return (0.0,) if experiment != "censoring" else QUICK_CENSORED if quick else CENSORED
    shares = _listed("censored", censored)
    for share in shares:
        if not is_number(share) or not 0 <= share < 1:
            raise SettingError(f"censored={share!r}: expected a share of the runs, at least 0 and below 1.")
    return tuple(dict.fromkeys(float(share) for share in shares))


def _folds_done(folds: int, only_folds: int | None, quick: bool, n_instances: int) -> int:
    check_folds(n_instances, folds)
    if only_folds is not None:
        check_at_least("only_folds", only_folds, 1)
    return int(min(folds, only_folds or (QUICK_FOLDS if quick else folds)))


def _shown(conditions: list[Condition]) -> list[Condition]:
    """Return the conditions whose predictions are kept for figures: the usual one, and one with many runs cut off."""
    usual = min(conditions, key=lambda c: (c.censored, abs(c.runs - CENSORED_RUNS)))
    hard = sorted((c for c in conditions if c.censored), key=lambda c: abs(c.censored - EXAMPLES_AT))
    return [usual, *hard[:1]]
