"""Statistics of experiments: means and deviations over the folds and seeds that models share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd

from bayes_distnet.distributions.families import FAMILIES
from bayes_distnet.experiments.registry import EXPERIMENTS
from bayes_distnet.experiments.roles import with_roles
from bayes_distnet.models.registry import MODELS
from bayes_distnet.scoring.registry import SCORES
from bayes_distnet.validation import check_choice

#: Column of the tidy table that an experiment varies, by experiment.
AXES = {key: experiment.axis for key, experiment in EXPERIMENTS.items() if experiment.axis is not None}

#: Kinds of cutoffs as tables name them.
CUTOFFS = {"global": "one cutoff for all runs", "instance": "one cutoff per instance", "random": "one cutoff per run"}

#: Columns of the tidy table that describe the runs to learn from.
CONDITION = ["runs", "cutoffs", "censored"]

_CELL = ["model", "family"]


def loss(score: str, values: pd.Series) -> pd.Series:
    """Return numbers of which less is better.

    Parameters
    ----------
    score : str
        Key of the score.
    values : Series
        Values of the score.

    Returns
    -------
    Series
        The values; for a score with a target their distances from it.
    """
    target = SCORES[score].target if score in SCORES else None
    return values if target is None else (values - target).abs()


def model_order(names: Iterable[str]) -> list[str]:
    """Sort models as tables show them.

    Parameters
    ----------
    names : iterable of str
        Labels of models.

    Returns
    -------
    list of str
        Each once: registered models and peers in the order of the registry, other models as they come, limits.

    Examples
    --------
    >>> model_order(["limit: empirical", "mine", "Ridge", "HybridDistNet"])
    ['HybridDistNet', 'Ridge', 'mine', 'limit: empirical']
    """
    found = list(dict.fromkeys(names))
    place = {entry.label: (entry.is_limit, rank) for rank, entry in enumerate(MODELS.values())}
    # Sorting is stable: models of users, which share a place, stay in the order in which they come.
    return sorted(found, key=lambda name: place.get(name, (False, len(MODELS))))


def family_label(family: str) -> str:
    """Return the name of a family in tables; "own" for a model that has no choice."""
    if family not in FAMILIES:
        return family or "own"
    return FAMILIES[family].label


def row_name(model: str, family: str) -> str:
    """Name a model and its family: "DistNet, lognormal".

    Parameters
    ----------
    model : str
        Label of the model.
    family : str
        Its family; "" if it has no choice.

    Returns
    -------
    str
        Name of the row in tables.
    """
    return f"{model}, {family_label(family)}" if family else model


def level_name(axis: str, level: float) -> str:
    """Name a level of an axis: "8" runs, "20 %" censored.

    Parameters
    ----------
    axis : str
        "runs" or "censored".
    level : float
        Value of that column.

    Returns
    -------
    str
        Name in tables.
    """
    return f"{100 * level:g} %" if axis == "censored" else f"{level:g}"


def split_by(table: pd.DataFrame, columns: list[str], sort: bool = False) -> Iterator[tuple[Any, pd.DataFrame]]:
    """Split a table by the values of several columns.

    Parameters
    ----------
    table : DataFrame
        Table.
    columns : list of str
        Columns.
    sort : bool, default False
        Whether to sort by the values.

    Yields
    ------
    tuple of tuple and DataFrame
        Values, and the rows that have them.
    """
    groups: Any = table.groupby(columns, sort=sort)
    yield from groups


def shared(table: pd.DataFrame, *axes: str) -> pd.DataFrame:
    """Keep the folds and seeds that all models have at all levels: some folds are harder than others.

    A model that has done less than half of the folds at a level does not decide: of the folds and seeds of the others
    it keeps those that it has. If no fold and seed is shared, all rows are kept.

    Parameters
    ----------
    table : DataFrame
        Rows of the tidy table.
    *axes : str
        Columns whose values are the levels.

    Returns
    -------
    DataFrame
        Some of the rows.
    """
    row = [*axes, *_CELL]
    jobs = table[[*row, "fold", "seed"]].drop_duplicates()
    done = jobs.groupby(row)["fold"].transform("nunique")
    deciding = jobs[done >= table["fold"].nunique() / 2]
    counts = deciding.groupby(["fold", "seed"]).size()
    common = counts.index[counts == len(deciding[row].drop_duplicates())]
    chosen = pd.MultiIndex.from_frame(table[["fold", "seed"]]).isin(common)
    return table[chosen] if chosen.any() else table


def whole(table: pd.DataFrame, *axes: str) -> pd.DataFrame:
    """Keep the folds and seeds that are `shared`, and only models that have all of them at some level.

    Parameters
    ----------
    table : DataFrame
        Rows of the tidy table.
    *axes : str
        Columns whose values are the levels.

    Returns
    -------
    DataFrame
        Some of the rows.
    """
    table = shared(table, *axes)
    jobs = table[[*axes, *_CELL, "fold", "seed"]].drop_duplicates()
    done = jobs.groupby([*axes, *_CELL])["fold"].transform("size")
    splits = jobs[[*axes, "fold", "seed"]].drop_duplicates()
    jobs = jobs.assign(done=done).merge(splits.groupby(list(axes)).size().rename("all").reset_index(), on=list(axes))
    complete = pd.MultiIndex.from_frame(jobs.loc[jobs["done"] == jobs["all"], [*axes, *_CELL]])
    return table[pd.MultiIndex.from_frame(table[[*axes, *_CELL]]).isin(complete)]


def most_complete(table: pd.DataFrame) -> pd.DataFrame:
    """Keep one condition: of those with nearly the most jobs, the one with least censoring and nearest to 8 runs.

    Parameters
    ----------
    table : DataFrame
        Rows of the tidy table.

    Returns
    -------
    DataFrame
        Rows of that condition.
    """
    jobs = table[[*CONDITION, *_CELL, "fold", "seed"]].drop_duplicates()
    counts = jobs.groupby(CONDITION).size().rename("jobs").reset_index()
    # An experiment that was stopped has a few more jobs of the conditions that come first.
    counts = counts[counts["jobs"] >= 0.9 * counts["jobs"].max()]
    order = counts.assign(far=(counts["runs"] - 8).abs()).sort_values(["censored", "far"])
    return table.merge(order[CONDITION].iloc[:1], on=CONDITION)


def summarise(table: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Compute mean and standard deviation over the folds and seeds that models share.

    Parameters
    ----------
    table : DataFrame
        Rows of the tidy table in which only the axis, the model, its family and the score vary.
    axis : str
        "runs" or "censored".

    Returns
    -------
    DataFrame
        One row per level, model, family and score: `mean`, `deviation`; `jobs`, the number of folds and seeds, without
        those where the score is NaN; `full`, whether these are all that the level has, so that the row may be called
        the best; `role`.
    """
    check_choice("axis", axis, tuple(AXES.values()))
    return means_of(shared(table, axis), axis)


def means_of(table: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Compute mean and standard deviation of all rows: `summarise` for a table that is `shared` already.

    Parameters
    ----------
    table : DataFrame
        Rows of the tidy table.
    axis : str
        "runs" or "censored".

    Returns
    -------
    DataFrame
        As `summarise`.
    """
    table = with_roles(table)
    groups = table.groupby([axis, *_CELL, "score"], sort=False, observed=True)["value"]
    found = groups.agg(["mean", "std", "count"]).reset_index()
    found.columns = pd.Index([axis, *_CELL, "score", "mean", "deviation", "jobs"])
    scored = table.dropna(subset="value")[[axis, "score", "fold", "seed"]].drop_duplicates()
    most = scored.groupby([axis, "score"])["fold"].size()
    found["full"] = (
        found["jobs"].to_numpy() == most.reindex(pd.MultiIndex.from_frame(found[[axis, "score"]])).to_numpy()
    )
    found["role"] = found["model"].map(dict(zip(table["model"], table["role"], strict=True)))
    rank = {name: i for i, name in enumerate(model_order(found["model"]))}
    found["rank"] = found["model"].map(rank)
    return found.sort_values([axis, "rank"], kind="stable", ignore_index=True).drop(columns="rank")


def slices(table: pd.DataFrame, axis: str) -> dict[str, pd.DataFrame]:
    """Split rows so that only the axis varies: by kind of cutoffs and by the level of the other axis.

    Parameters
    ----------
    table : DataFrame
        Rows of the tidy table.
    axis : str
        "runs" or "censored".

    Returns
    -------
    dict of str to DataFrame
        Rows by a description of the slice, "" if there is one only. Rows without censoring belong to every kind of
        cutoffs.
    """
    check_choice("axis", axis, tuple(AXES.values()))
    if axis == "runs":
        return {
            "" if kind == "none" else f"{level_name('censored', fraction)} cut off, {CUTOFFS.get(kind, kind)}": part
            for (kind, fraction), part in split_by(table, ["cutoffs", "censored"], sort=True)
        }
    kinds = [kind for kind in CUTOFFS if kind in set(table["cutoffs"])]
    parts = {}
    for runs, rows in table.groupby("runs"):
        for kind in kinds or ["none"]:
            words = [CUTOFFS[kind]] if len(kinds) > 1 else []
            words += [f"{runs} runs"] if len(set(table["runs"])) > 1 else []
            part = rows[rows["cutoffs"].isin(["none", kind])]
            # A model that was run with another kind only would be a row of dashes.
            asked = pd.MultiIndex.from_frame(part.loc[part["cutoffs"] == kind, _CELL])
            alone = len(kinds) == 1 or asked.empty
            parts[", ".join(words)] = part if alone else part[pd.MultiIndex.from_frame(part[_CELL]).isin(asked)]
    return parts
