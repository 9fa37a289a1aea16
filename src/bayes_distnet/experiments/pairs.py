"""Comparisons of models, pair by pair on the same folds and seeds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from bayes_distnet.errors import SettingError
from bayes_distnet.experiments.roles import is_limit
from bayes_distnet.experiments.statistics import loss, means_of, row_name, shared, split_by
from bayes_distnet.models.registry import MODELS, RECOMMENDED
from bayes_distnet.scoring.registry import SCORES, Better


def paired(table: pd.DataFrame, axis: str, score: str, model: tuple[str, str], other: tuple[str, str]) -> pd.DataFrame:
    """Compare two models on the folds and seeds that both have.

    The standard error is the deviation of the differences divided by the root of the number of folds, not of folds
    times seeds: another seed deals out the same instances again, and their common part does not average out over seeds.

    Parameters
    ----------
    table : DataFrame
        Rows of the tidy table in which only the axis, the model, its family and the score vary.
    axis : str
        "runs" or "censored".
    score : str
        Key of the score.
    model, other : tuple of str
        Label and family of each.

    Returns
    -------
    DataFrame
        One row per level: the level; `mean` and `other_mean`; `difference`, the mean of model minus other, of a score
        with a target that of the distances from it, so that below 0 the first is ahead; its `standard_error`; `wins`
        of the first; `jobs`, the number of folds and seeds.

    Raises
    ------
    SettingError
        A model without such scores, or two values of one job.
    """
    sides = [_side(table, axis, score, *row) for row in (model, other)]
    both = pd.concat(sides, axis=1, keys=["mean", "other_mean"], join="inner").dropna().reset_index()
    rows = []
    for level, part in both.groupby(axis):
        losses = [loss(score, part[name]).to_numpy(float) for name in ("mean", "other_mean")]
        with np.errstate(invalid="ignore"):  # two infinite scores are equally bad
            gaps = np.where(losses[0] == losses[1], 0.0, losses[0] - losses[1])
            difference = gaps.mean()
        spread = gaps.std(ddof=1) if gaps.size > 1 and np.isfinite(gaps).all() else np.nan
        means = part["mean"].mean(), part["other_mean"].mean()
        error = spread / np.sqrt(part["fold"].nunique())
        rows.append((level, *means, difference, error, int((gaps < 0).sum()), gaps.size))
    columns = [axis, "mean", "other_mean", "difference", "standard_error", "wins", "jobs"]
    return pd.DataFrame(rows, columns=columns)


def _side(table: pd.DataFrame, axis: str, score: str, name: str, family: str) -> pd.Series:
    """Scores of one model by level, fold and seed."""
    part = table[(table["model"] == name) & (table["family"] == family) & (table["score"] == score)]
    if part.empty:
        raise SettingError(f"no {score} of {row_name(name, family)!r}; expected one of {sorted(set(table['model']))}.")
    values = part.set_index([axis, "fold", "seed"])["value"]
    if values.index.has_duplicates:
        level, fold, seed = values.index[values.index.duplicated()][0]
        raise SettingError(
            f"two values of {score} of {row_name(name, family)!r} at {axis}={level}, fold {fold}, seed {seed}. "
            "Give rows in which nothing else varies: see `slices`."
        )
    return values


def behind(
    table: pd.DataFrame,
    axis: str,
    scores: Sequence[str] | None = None,
    model: str = MODELS[RECOMMENDED].label,
) -> pd.DataFrame:
    """List the levels and scores at which a model is not ahead.

    Models are compared on the folds and seeds that they share; a model that has not done all of these is left out. Of
    several families the model's best one counts.

    Parameters
    ----------
    table : DataFrame
        Rows of the tidy table in which only the axis, the model, its family and the score vary.
    axis : str
        "runs" or "censored".
    scores : sequence of str, optional
        Keys of scores; by default those that experiments compare and of which less is better.
    model : str
        Label of the model; by default the recommended one.

    Returns
    -------
    DataFrame
        One row per level and score, widest gaps first: `mean`, the model `ahead` and `its_mean`; `gap` and
        `standard_error`, as in `paired`; `wins`, the number of folds and seeds in which the model was ahead; `jobs`.
    """
    if scores is None:
        scores = [key for key, score in SCORES.items() if score.compared and score.better is Better.LESS]
    table = shared(table[table["score"].isin(list(scores))], axis)
    found = means_of(table, axis)
    found = found[~is_limit(found) & found["full"]]
    listed = []
    for (level, score), part in split_by(found, [axis, "score"]):
        part = part.assign(loss=loss(str(score), part["mean"])).sort_values("loss", kind="stable")
        own, others = part[part["model"] == model], part[part["model"] != model]
        if own.empty or others.empty or own["loss"].min() < others["loss"].min():
            continue
        mine, best = ((str(row["model"]), str(row["family"])) for row in (own.iloc[0], others.iloc[0]))
        gap = paired(table[table[axis] == level], axis, str(score), mine, best).iloc[0]
        means = gap["mean"], row_name(*best), gap["other_mean"]
        listed.append((level, score, *means, *gap[["difference", "standard_error", "wins", "jobs"]]))
    columns = [axis, "score", "mean", "ahead", "its_mean", "gap", "standard_error", "wins", "jobs"]
    rows = pd.DataFrame(listed, columns=columns)
    place = rows["score"].map({score: i for i, score in enumerate(scores)})
    return rows.assign(place=place).sort_values(["place", "gap"], ascending=[True, False]).drop(columns="place")
