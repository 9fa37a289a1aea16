"""Labels, roles and order of models, scores, families and axes, as their registries have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from bayes_distnet.distributions.families import FAMILIES
from bayes_distnet.experiments.published import published
from bayes_distnet.experiments.registry import EXPERIMENTS
from bayes_distnet.experiments.roles import role_of
from bayes_distnet.experiments.statistics import model_order
from bayes_distnet.models.registry import BASE, MODELS, RECOMMENDED, Role
from bayes_distnet.report.words import joined
from bayes_distnet.scoring.registry import SCORES, Better

RECOMMENDED_LABEL = MODELS[RECOMMENDED].label
BASE_LABEL = MODELS[BASE].label
FIRST_SCORE = "nllh"  # score by which models are ranked


@dataclass(frozen=True)
class AxisWords:
    """Words for an axis of experiments.

    Parameters
    ----------
    head : str
        Head of its column in tables.
    unit : str
        Noun after a level: "8 runs", "20 % cut off".
    label : str
        Label of the axis in figures.
    levels : str
        Noun for several levels.
    """

    head: str
    unit: str
    label: str
    levels: str


#: Words by column of the tidy table.
AXIS_WORDS = {
    "runs": AxisWords("Runs", "runs", "runs per instance to learn from", "numbers of runs per instance to learn from"),
    "censored": AxisWords("Cut off", "cut off", "training runs cut off", "fractions of the training runs cut off"),
}


def experiment_axes() -> dict[str, str]:
    """Return the axis of every experiment that varies one."""
    return {key: experiment.axis for key, experiment in EXPERIMENTS.items() if experiment.axis is not None}


def score_label(score: str) -> str:
    """Return the label of a score; the name with a capital letter if no such score is registered."""
    return SCORES[score].label if score in SCORES else score.replace("_", " ").capitalize()


def short_label(score: str) -> str:
    """Return the label of a score without its unit, and without "as published"."""
    return score_label(score).split(" [")[0].removesuffix(" as published")


def shown_scores(table: pd.DataFrame) -> list[str]:
    """Return the scores of a tidy table that reports show in figures and tables."""
    found = set(table.loc[table["value"].notna(), "score"])
    return [key for key, score in SCORES.items() if score.compared and key in found]


def all_scores(table: pd.DataFrame) -> list[str]:
    """Return the scores of a tidy table, except those as published; those that are not registered come last."""
    found = [str(score) for score in dict.fromkeys(table["score"])]
    registered = [key for key, score in SCORES.items() if key in found and not score.published]
    return registered + [score for score in found if score not in SCORES]


def published_scores(table: pd.DataFrame) -> list[str]:
    """Return the scores of a tidy table that are computed as published, or that the paper's tables have."""
    keys = [key for key, score in SCORES.items() if score.published]
    return [key for key in dict.fromkeys([*keys, *published()["score"]]) if key in set(table["score"])]


def claimed_scores() -> list[str]:
    """Return the scores of the paper's claim."""
    return [key for key, score in SCORES.items() if score.claimed]


def compared_scores() -> list[str]:
    """Return the compared scores of which less is better."""
    return [key for key, score in SCORES.items() if score.compared and score.better is Better.LESS]


def is_ranked(score: str) -> bool:
    """Whether a value of a score can be better than another."""
    return score not in SCORES or SCORES[score].better is not Better.NEITHER


def target_of(score: str) -> float | None:
    """Return the correct value of a score that has one."""
    return SCORES[score].target if score in SCORES else None


def directions(scores: Sequence[str]) -> str:
    """Describe in a sentence which values of scores are good.

    Parameters
    ----------
    scores : sequence of str
        Keys of scores.

    Returns
    -------
    str
        The sentence.

    Examples
    --------
    >>> directions(["nllh", "mass", "coverage"])
    'Less is better, except for Mass, where neither less nor more is better, and for Coverage, where 0.9 is correct.'
    """
    exceptions = [
        f"for {short_label(score)}, where "
        + ("neither less nor more is better" if target_of(score) is None else f"{target_of(score):g} is correct")
        for score in scores
        if not is_ranked(score) or target_of(score) is not None
    ]
    return f"Less is better{', except ' if exceptions else ''}{', and '.join(exceptions)}."


def labels_of(scores: Iterable[str]) -> str:
    """Return scores as a list in words: "NLLH, KLD and KS"."""
    return joined(short_label(score) for score in scores)


def family_rank(family: str) -> int:
    """Return the place of a family in tables; those that are not registered come last."""
    return list(FAMILIES).index(family) if family in FAMILIES else len(FAMILIES)


def roles_of(table: pd.DataFrame) -> dict[str, Role]:
    """Return the models of a table in its order, each with its role.

    Parameters
    ----------
    table : DataFrame
        Rows with the column `model`; the column `role` is optional.

    Returns
    -------
    dict of str to Role
        The role in the table; else the role in the registry; else peer.
    """
    stored = dict(zip(table["model"], table["role"], strict=True)) if "role" in table else {}
    return {model: Role(stored[model]) if model in stored else role_of(model) for model in model_order(table["model"])}


def limits_of(table: pd.DataFrame) -> set[str]:
    """Return the limits among the models of a table: they have seen the test runs, so they never are the best."""
    return {model for model, role in roles_of(table).items() if role is Role.LIMIT}


def main_labels() -> list[str]:
    """Return the models that experiments are about."""
    return [entry.label for entry in MODELS.values() if entry.main]


def preset_labels() -> list[str]:
    """Return the models with published settings: variants of others."""
    return [entry.label for entry in MODELS.values() if entry.variant_of is not None]


def claimed_pair() -> tuple[str, str]:
    """Return the two models of the paper's claim: the first registered one that is set against another, and that."""
    first = next(entry for entry in MODELS.values() if entry.against is not None)
    return first.label, MODELS[str(first.against)].label


def rows_of(table: pd.DataFrame) -> list[tuple[str, str]]:
    """Return models with their families in the order of tables.

    Parameters
    ----------
    table : DataFrame
        Rows with the columns `model` and `family`.

    Returns
    -------
    list of (str, str)
        Each pair once.
    """
    pairs = list(dict.fromkeys(zip(table["model"], table["family"], strict=True)))
    rank = {model: i for i, model in enumerate(model_order(table["model"]))}
    return sorted(pairs, key=lambda pair: (rank[pair[0]], family_rank(pair[1])))
