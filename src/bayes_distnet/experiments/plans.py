"""Plans of experiments: models, families, conditions, folds and seeds, and the list of jobs that follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.splits import CUTOFFS
from bayes_distnet.errors import SettingError
from bayes_distnet.experiments.choices import (
    Entry,
    choose_censored,
    choose_families,
    choose_folds,
    choose_folds_done,
    choose_models,
    choose_runs,
    choose_seeds,
    settings_of,
)
from bayes_distnet.experiments.jobs import Condition, Job
from bayes_distnet.experiments.registry import EXPERIMENTS, Experiment
from bayes_distnet.validation import check_choice

PRESETS = (None, "paper")  # splits of this package, and the published ones
USUAL_RUNS = 8  # runs per instance of the condition whose predictions are stored for figures
EXAMPLES_AT = 0.6  # fraction censored of the second condition whose predictions are stored


class ExperimentSettings(TypedDict, total=False):
    """Settings of experiments, all of them optional.

    Attributes
    ----------
    models : sequence of str
        Keys of `MODELS`, or "module:attribute" or "file.py:attribute" for a model of your own; in experiments on
        selection keys of `SELECTORS`, or "module:attribute" for a selector of your own. By default all models
        that are installed, except those with the published settings, whose training takes minutes.
    families : sequence of str
        Families of the models that have a choice. By default lognormal and inverse Gaussian; for a quick experiment and
        for uncertainty only the first.
    runs : sequence of int
        Runs per instance to learn from, one condition each. All runs are used to score.
    censored : sequence of float
        Fractions of the training runs to cut off, one condition each.
    cutoffs : {"global", "instance", "random"}
        Kind of cutoffs: one cutoff for all runs (the default), one per instance, or one per run.
    folds : int
        Number of folds to which instances are dealt out at random. By default the folds that were published with the
        data are used, if there are any, and else 10 random ones.
    only_folds : int
        Number of folds to do; by default all.
    seeds : int
        Number of seeds, each with other folds, other runs to learn from and another start of the models. By default 3,
        with the published splits 5, for a quick experiment and for uncertainty 1. Folds of the data are the same for
        every seed, unless several repetitions of them were published: then seeds take them in turn.
    preset : {"paper"}
        "paper" for the published splits: the same folds for every seed, validation runs never cut off. By default the
        models are then those with the published settings.
    quick : bool
        Whether to do two folds, one seed, one family, three conditions and the faster models: a rough answer in two
        minutes.
    """

    models: Sequence[str] | None
    families: Sequence[str] | None
    runs: Sequence[int] | None
    censored: Sequence[float] | None
    cutoffs: str
    folds: int | None
    only_folds: int | None
    seeds: int | None
    preset: str | None
    quick: bool


@dataclass(frozen=True)
class Plan:
    """An experiment whose settings are checked.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    preset : str or None
        "paper" for the published splits.
    entries : dict of str to ModelEntry or SelectorEntry
        Models or selectors, by the texts that find them.
    model_settings : dict of str to str
        Settings of each model, by the same texts.
    families : tuple of str
        Families of the models that have a choice.
    runs : tuple of int
        Runs per instance to learn from.
    censored : tuple of float
        Fractions of the runs to cut off.
    cutoffs : str
        Kind of cutoffs.
    folds, folds_done : int
        Number of folds, and number of folds to do.
    own_folds : bool
        Whether the folds are those of the data.
    seeds : int
        Number of seeds.
    """

    experiment: Experiment
    preset: str | None
    entries: dict[str, Entry]
    model_settings: dict[str, str]
    families: tuple[str, ...]
    runs: tuple[int, ...]
    censored: tuple[float, ...]
    cutoffs: str
    folds: int
    folds_done: int
    own_folds: bool
    seeds: int

    @property
    def models(self) -> list[tuple[str, str, str]]:
        """Text, label and family of every model: the rows of tables."""
        return [
            (text, entry.label, family)
            for text, entry in self.entries.items()
            for family in (self.families if entry.families else ("",))
        ]

    def about(self) -> dict[str, Any]:
        """Return the entry of the plan in `about.json`."""
        return {
            "models": [entry.label for entry in self.entries.values()],
            "families": list(dict.fromkeys(family for _, _, family in self.models if family)),
            "jobs": [[label, family] for _, label, family in self.models],
            "runs": list(self.runs),
            "censored": list(self.censored),
            "cutoffs": self.cutoffs,
            "folds_done": self.folds_done,
            "seeds": self.seeds,
        }

    def jobs(self) -> list[Job]:
        """Return all jobs, seed by seed and fold by fold, so that a part of them is a smaller experiment."""
        conditions = [
            Condition(runs, self.cutoffs if fraction else "none", fraction)
            for runs in self.runs
            for fraction in self.censored
        ]
        shown, models = _shown(conditions), self.models
        return [
            Job(
                text,
                label,
                family,
                c,
                fold,
                seed,
                self.folds,
                self.own_folds,
                self.preset,
                self.experiment.kind,
                self.experiment.source,
                examples=seed == 0 and c in shown,
                alone=(text, label, family) == models[0],
                learns=not self.entries[text].is_limit,
            )
            for seed in range(self.seeds)
            for fold in range(self.folds_done)
            for c in conditions
            for text, label, family in models
        ]


def make_plan(
    experiment: str,
    data: Dataset,
    *,
    models: Sequence[str] | None = None,
    families: Sequence[str] | None = None,
    runs: Sequence[int] | None = None,
    censored: Sequence[float] | None = None,
    cutoffs: str = "global",
    folds: int | None = None,
    only_folds: int | None = None,
    seeds: int | None = None,
    preset: str | None = None,
    quick: bool = False,
) -> Plan:
    """Check the settings of an experiment and fill in the defaults.

    Parameters
    ----------
    experiment : str
        Key of `EXPERIMENTS`.
    data : Dataset
        Runs, and features.
    models, families, runs, censored, cutoffs, folds, only_folds, seeds, preset, quick : settings
        See `ExperimentSettings`.

    Returns
    -------
    Plan
        The experiment to do.

    Raises
    ------
    SettingError
        A setting that is out of range, or does not fit the data or the experiment.
    """
    entry = EXPERIMENTS.find(experiment)
    check_choice("preset", preset, PRESETS)
    check_choice("cutoffs", cutoffs, CUTOFFS)
    entries = choose_models(models, entry, quick=quick, preset=preset)
    once = quick or entry.once
    number, own_folds = choose_folds(folds, data, preset=preset)
    plan = Plan(
        experiment=entry,
        preset=preset,
        entries=entries,
        model_settings={text: settings_of(text, model) for text, model in entries.items()},
        families=choose_families(families, entries.values(), once=once),
        runs=choose_runs(runs, entry, quick=quick, most=most_runs(data)),
        censored=choose_censored(censored, entry, quick=quick),
        cutoffs=cutoffs,
        folds=number,
        folds_done=choose_folds_done(number, only_folds, quick=quick),
        own_folds=own_folds,
        seeds=choose_seeds(seeds, once=once, preset=preset),
    )
    if entry.selects and (any(plan.censored) or preset is not None):
        raise SettingError(
            f"{entry.key}: runs are neither cut off nor split as published; leave out censored and preset."
        )
    if entry.axis is None and len(plan.runs) * len(plan.censored) > 1:
        raise SettingError(f"{entry.key}: expected one number of runs and one fraction censored.")
    return plan


def most_runs(data: Dataset) -> int:
    """Return the largest number of runs that a solver has on an instance."""
    observed = data.runs.observed().frame
    return int(observed.groupby(["solver", "instance"]).size().max())


def _shown(conditions: list[Condition]) -> list[Condition]:
    """Return the conditions whose predictions are stored for figures: the usual one, and one with many runs cut off."""
    usual = min(conditions, key=lambda c: (c.censored, abs(c.runs - USUAL_RUNS)))
    hard = sorted((c for c in conditions if c.censored), key=lambda c: abs(c.censored - EXAMPLES_AT))
    return [usual, *hard[:1]]
