"""Settings of an experiment: each is checked, or has its default filled in."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.splits import check_folds
from bayes_distnet.decide.selection.registry import SELECTORS, SelectorEntry, find_selector
from bayes_distnet.distributions.families import get_family
from bayes_distnet.errors import SettingError, install_line
from bayes_distnet.experiments.registry import Experiment
from bayes_distnet.models.registry import BASE, MODELS, ModelEntry, find_model
from bayes_distnet.validation import check_at_least, is_number

#: A model, or in experiments on selection a selector.
Entry: TypeAlias = ModelEntry | SelectorEntry

#: Families by default, of the models that have a choice.
DEFAULT_FAMILIES = ("lognormal", "inverse-gaussian")

FOLDS = 10  # folds of data without folds of their own
QUICK_FOLDS = 2  # folds of a quick experiment
# Seeds by default: of a usual experiment, and with the published splits.
SEEDS, PUBLISHED_SEEDS = 3, 5


def choose_models(
    models: Sequence[str] | None, experiment: Experiment, *, quick: bool, preset: str | None
) -> dict[str, Entry]:
    """Find the models of an experiment, or its selectors.

    Parameters
    ----------
    models : sequence of str or None
        Keys of `MODELS` or places of code, as `find_model` takes them, or those of `SELECTORS`; None for the default.
    experiment : Experiment
        Experiment, which may leave out limits.
    quick : bool
        Whether the default is the faster models.
    preset : str or None
        "paper" if the default is the models with the published settings.

    Returns
    -------
    dict of str to ModelEntry or SelectorEntry
        Entries by the texts that find them from any folder.

    Raises
    ------
    SettingError
        No model, an unknown one, or two of the same label.
    """
    if models is None:
        chosen: Iterable[str] = _default_models(experiment, quick=quick, preset=preset)
    else:
        chosen = [models] if isinstance(models, str) else models
    find: Callable[[str], Entry] = find_selector if experiment.selects else find_model
    entries = {_absolute(text): find(text) for text in chosen}
    if not entries:
        raise SettingError("models: expected at least one.")
    if not experiment.limits:
        entries = {text: entry for text, entry in entries.items() if not entry.is_limit}
    if not entries:
        raise SettingError(f"models: limits have no part in {experiment.key}; expected a model.")
    if experiment.parallel and (alone := [text for text, entry in entries.items() if not _parallel(entry)]):
        raise SettingError(f"models: {alone[0]} makes no plans for several cores; {experiment.key} is about those.")
    labels = [entry.label for entry in entries.values()]
    if twice := {label for label in labels if labels.count(label) > 1}:
        raise SettingError(f"models: two are called {sorted(twice)[0]!r}. Give each a name of its own.")
    return entries


def _parallel(entry: Entry) -> bool:
    return isinstance(entry, SelectorEntry) and entry.parallel


def _default_models(experiment: Experiment, *, quick: bool, preset: str | None) -> list[str]:
    if experiment.selects:
        takes_part = [entry for entry in SELECTORS.values() if entry.installed and entry.default]
        return [
            entry.key
            for entry in takes_part
            if (entry.quick or not quick) and (entry.parallel or not experiment.parallel)
        ]
    entries = list(MODELS.values())
    if preset == "paper":
        return [entry.key for entry in entries if entry.published or entry.is_limit or entry.key == BASE]
    if experiment.models:
        return list(experiment.models)
    if experiment.main_only:
        return [entry.key for entry in entries if entry.main]
    if quick:
        return [entry.key for entry in entries if entry.quick]
    if missing := [entry.key for entry in entries if not entry.installed]:
        warnings.warn(f"left out, since not installed: {', '.join(missing)}; {install_line('peers')}.", stacklevel=5)
    return [entry.key for entry in entries if entry.installed and not entry.published]


def _absolute(text: str) -> str:
    """Return a text that finds the same model from another folder: workers may not run in this one."""
    if not isinstance(text, str):
        raise SettingError(
            f"models: found {text!r}; expected the place where other processes find it: a key or file.py:attribute."
        )
    place, colon, attribute = text.rpartition(":")
    return f"{Path(place).resolve()}:{attribute}" if colon and place.endswith(".py") else text


def settings_of(text: str, entry: Entry) -> str:
    """Describe the settings of a model, so that another model of the same name is recognised.

    Parameters
    ----------
    text : str
        Name that the user gave the model.
    entry : ModelEntry or SelectorEntry
        Its entry.

    Returns
    -------
    str
        Representation of the unfitted model; "" for a limit.

    Raises
    ------
    SettingError
        The model cannot be built.
    """
    if entry.is_limit:
        return ""
    try:
        model = repr(entry.build(entry.families[0] if isinstance(entry.families, tuple) else "lognormal", 0))
    except (Exception, SystemExit) as error:  # a user's model may raise anything
        raise SettingError(f"model {text!r}: cannot be made: {type(error).__name__}: {error}") from error
    return re.sub(r" at 0x[0-9a-f]+", "", model)  # the address of a function among the settings differs per process


def choose_families(families: Sequence[str] | None, entries: Iterable[Entry], *, once: bool) -> tuple[str, ...]:
    """Check families, or return the default ones.

    Parameters
    ----------
    families : sequence of str or None
        Families, or None for the default.
    entries : iterable of ModelEntry or SelectorEntry
        Models, each of which must take all families if it has a choice.
    once : bool
        Whether the default is a single family.

    Returns
    -------
    tuple of str
        Families, each once.
    """
    chosen = DEFAULT_FAMILIES[: 1 if once else None] if families is None else _listed("families", families)
    for family in chosen:
        get_family(family)
        for entry in entries:
            if isinstance(entry, ModelEntry) and entry.families and not entry.takes(family):
                raise SettingError(f"families: {entry.label} does not take {family!r}, only {entry.families}.")
    return tuple(dict.fromkeys(chosen))


def choose_runs(runs: Sequence[int] | None, experiment: Experiment, *, quick: bool, most: int) -> tuple[int, ...]:
    """Check numbers of runs per instance, or return the default ones.

    Parameters
    ----------
    runs : sequence of int or None
        Runs per instance to learn from, or None for the default.
    experiment : Experiment
        Experiment with the default numbers.
    quick : bool
        Whether to take those of a quick experiment.
    most : int
        Largest number of runs of an instance in the data.

    Returns
    -------
    tuple of int
        Numbers of runs, each once.
    """
    if runs is None:
        counts = tuple(count for count in experiment.default_runs(quick) if count <= most) or (most,)
    else:
        counts = tuple(dict.fromkeys(_listed("runs", runs)))
    for count in counts:
        check_at_least("runs", count, 1)
        if count > most:
            raise SettingError(f"runs={count}: the data have {most} runs per instance.")
    return tuple(int(count) for count in counts)


def choose_censored(censored: Sequence[float] | None, experiment: Experiment, *, quick: bool) -> tuple[float, ...]:
    """Check fractions of runs to cut off, or return the default ones.

    Parameters
    ----------
    censored : sequence of float or None
        Fractions, or None for the default.
    experiment : Experiment
        Experiment with the default fractions.
    quick : bool
        Whether to take those of a quick experiment.

    Returns
    -------
    tuple of float
        Fractions, each once.
    """
    if censored is None:
        return experiment.default_censored(quick)
    fractions = _listed("censored", censored)
    for fraction in fractions:
        if not is_number(fraction) or not 0 <= fraction < 1:
            raise SettingError(f"censored={fraction!r}: expected a fraction of the runs, at least 0 and below 1.")
    return tuple(dict.fromkeys(float(fraction) for fraction in fractions))


def choose_folds(folds: int | None, data: Dataset, *, preset: str | None) -> tuple[int, bool]:
    """Check the number of folds, or return the default one.

    Parameters
    ----------
    folds : int or None
        Number of folds, or None for the default.
    data : Dataset
        Runs and features, with or without folds of their own.
    preset : str or None
        "paper" for the published splits, which do not use the folds of the data.

    Returns
    -------
    folds : int
        Number of folds.
    own_folds : bool
        Whether they are the folds of the data.
    """
    own = int(data.folds.nunique().min()) if folds is None and preset is None and data.folds is not None else 0
    number = own if own > 1 else FOLDS if folds is None else folds
    check_folds(len(data), number)
    return int(number), own > 1


def choose_folds_done(folds: int, only_folds: int | None, *, quick: bool) -> int:
    """Check the number of folds to do, or return the default one.

    Parameters
    ----------
    folds : int
        Number of folds.
    only_folds : int or None
        Most folds to do.
    quick : bool
        Whether to do two by default.

    Returns
    -------
    int
        Folds to do.
    """
    if only_folds is not None:
        check_at_least("only_folds", only_folds, 1)
    return int(min(folds, only_folds or (QUICK_FOLDS if quick else folds)))


def choose_seeds(seeds: int | None, *, once: bool, preset: str | None) -> int:
    """Check the number of seeds, or return the default one.

    Parameters
    ----------
    seeds : int or None
        Number of seeds, or None for the default.
    once : bool
        Whether one is enough.
    preset : str or None
        "paper" for the number of the published runs.

    Returns
    -------
    int
        Number of seeds.
    """
    if seeds is None:
        return 1 if once else PUBLISHED_SEEDS if preset else SEEDS
    check_at_least("seeds", seeds, 1)
    return int(seeds)


def _listed(name: str, values: Any) -> list[Any]:
    """Return one or several values as a list that is not empty."""
    several = isinstance(values, Iterable) and not isinstance(values, str)
    listed = list(values) if several else [values]
    if not listed:
        raise SettingError(f"{name}: expected at least one.")
    return listed
