"""Statistics of experiments: means and deviations over folds and seeds, and comparisons of models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from bayes_distnet.arrays import BoolArray
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_choice

#: What each experiment varies: a column of the tidy table.
AXES = {"low-samples": "runs", "censoring": "censored"}


#: Scores by name, as tables head their columns.
LABELS = {
    "nllh": "NLLH",
    "kld": "KLD",
    "ks": "KS",
    "mass": "Mass",
    "crps": "CRPS [s]",
    "coverage": "Coverage",
    "calibration": "Calibration",
    "nllh_published": "NLLH as published",
    "kld_published": "KLD as published",
    "ks_published": "KS as published",
}


FAMILIES = {"lognormal": "lognormal", "inverse-gaussian": "inverse Gaussian", "": "own"}


CUTOFFS = {"global": "one cutoff for all", "instance": "a cutoff an instance", "random": "a cutoff a run"}


#: The models the experiments are about, in the order of tables; peers follow, limits come last.
MAIN = ("HybridDistNet", "BayesDistNet", "BayesDistNet (runtimes)", "DistNet")


RECOMMENDED = "HybridDistNet"


LIMIT = "limit:"


#: Share of runs that the interval behind `coverage` is meant to hold.
COVERED = 0.9


#: Scores of which neither less nor more is better by itself: a right prediction has some mass out there.
UNRANKED = ("mass",)


#: What a model has to learn from, as columns of the tidy table.
CONDITION = ["runs", "cutoffs", "censored"]


_ORDER = (*MAIN[:3], "BayesDistNet (paper)", MAIN[3], "DistNet (paper)")


_CELL = ["model", "family"]


def loss(score: str, values: pd.Series) -> pd.Series:
    """Return what is to be small: the score itself, for coverage the distance from 0.9."""
    return (values - COVERED).abs() if score == "coverage" else values


def model_order(names: Iterable[str]) -> list[str]:
    """Sort models as tables show them: the networks, their peers as they come, the limits."""
    found = list(dict.fromkeys(names))
    networks = [name for name in _ORDER if name in found]
    limits = [name for name in found if name.startswith(LIMIT)]
    return networks + [name for name in found if name not in {*networks, *limits}] + limits


def row_name(model: str, family: str) -> str:
    """Name a model and its family: "DistNet, lognormal"."""
    return f"{model}, {FAMILIES.get(family, family)}" if family else model


def level_name(axis: str, level: float) -> str:
    """Name a level: "8" runs, "20 %" censored."""
    return f"{100 * level:g} %" if axis == "censored" else f"{level:g}"


def split_by(table: pd.DataFrame, columns: list[str], sort: bool = False) -> Iterator[tuple[Any, pd.DataFrame]]:
    """Yield values of several columns, and the rows that have them."""
    groups: Any = table.groupby(columns, sort=sort)
    yield from groups


def shared(table: pd.DataFrame, *axes: str) -> pd.DataFrame:
    """Keep the folds and seeds that all models have at all levels: some folds are harder than others.

    A level is a value of `axes`. A model that has done less than half of the folds at a level does not decide: it keeps
    what it has of the folds and seeds of the others. Where nothing is shared, all is kept.
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
    """Keep what is shared, and of that only models that have all of it at some level."""
    table = shared(table, *axes)
    jobs = table[[*axes, *_CELL, "fold", "seed"]].drop_duplicates()
    done = jobs.groupby([*axes, *_CELL])["fold"].transform("size")
    splits = jobs[[*axes, "fold", "seed"]].drop_duplicates()
    jobs = jobs.assign(done=done).merge(splits.groupby(list(axes)).size().rename("all").reset_index(), on=list(axes))
    complete = pd.MultiIndex.from_frame(jobs.loc[jobs["done"] == jobs["all"], [*axes, *_CELL]])
    return table[pd.MultiIndex.from_frame(table[[*axes, *_CELL]]).isin(complete)]


def most_complete(table: pd.DataFrame) -> pd.DataFrame:
    """Keep one condition: of those with nearly the most jobs, the one without censoring and nearest to 8 runs."""
    jobs = table[[*CONDITION, *_CELL, "fold", "seed"]].drop_duplicates()
    counts = jobs.groupby(CONDITION).size().rename("jobs").reset_index()
    # An experiment that was stopped has a few more jobs of the conditions that come first.
    counts = counts[counts["jobs"] >= 0.9 * counts["jobs"].max()]
    order = counts.assign(far=(counts["runs"] - 8).abs()).sort_values(["censored", "far"])
    return table.merge(order[CONDITION].iloc[:1], on=CONDITION)


def summarise(table: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Return mean and deviation over the folds and seeds that models share: a row a level, model, family and score.

    `jobs` counts the folds and seeds behind a row; a score that failed on a fold is NaN there and left out. `full` says
    whether these are all that the level has: only then may a row be called the best.
    """
    check_choice("axis", axis, tuple(AXES.values()))
    return means_of(shared(table, axis), axis)


def means_of(table: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Do what `summarise` does with all rows there are: for a table that is `shared` already."""
    groups = table.groupby([axis, *_CELL, "score"], sort=False, observed=True)["value"]
    found = groups.agg(["mean", "std", "count"]).reset_index()
    found.columns = pd.Index([axis, *_CELL, "score", "mean", "deviation", "jobs"])
    scored = table.dropna(subset="value")[[axis, "score", "fold", "seed"]].drop_duplicates()
    most = scored.groupby([axis, "score"])["fold"].size()
    found["full"] = (
        found["jobs"].to_numpy() == most.reindex(pd.MultiIndex.from_frame(found[[axis, "score"]])).to_numpy()
    )
    rank = {name: i for i, name in enumerate(model_order(found["model"]))}
    found["rank"] = found["model"].map(rank)
    return found.sort_values([axis, "rank"], kind="stable", ignore_index=True).drop(columns="rank")


def slices(table: pd.DataFrame, axis: str) -> dict[str, pd.DataFrame]:
    """Split rows so that only the axis varies: by kind of cutoffs and, across, by what the other axis stands at.

    Keys say what a slice is: "" if there is but one of its kind. Cells without censoring belong to every kind.
    """
    check_choice("axis", axis, tuple(AXES.values()))
    if axis == "runs":
        return {
            "" if kind == "none" else f"{level_name('censored', share)} cut off, {CUTOFFS.get(kind, kind)}": part
            for (kind, share), part in split_by(table, ["cutoffs", "censored"], sort=True)
        }
    kinds = [kind for kind in CUTOFFS if kind in set(table["cutoffs"])]
    parts = {}
    for runs, rows in table.groupby("runs"):
        for kind in kinds or ["none"]:
            words = [CUTOFFS[kind]] if len(kinds) > 1 else []
            words += [f"{runs} runs"] if len(set(table["runs"])) > 1 else []
            part = rows[rows["cutoffs"].isin(["none", kind])]
            # A model that was asked about another kind only would be a row of dashes here.
            asked = pd.MultiIndex.from_frame(part.loc[part["cutoffs"] == kind, _CELL])
            alone = len(kinds) == 1 or asked.empty
            parts[", ".join(words)] = part if alone else part[pd.MultiIndex.from_frame(part[_CELL]).isin(asked)]
    return parts


def _is_limit(found: pd.DataFrame) -> BoolArray:
    return np.array([str(model).startswith(LIMIT) for model in found["model"]], dtype=bool)


def paired(table: pd.DataFrame, axis: str, score: str, model: tuple[str, str], other: tuple[str, str]) -> pd.DataFrame:
    """Compare two models, each a name and a family, on the folds and seeds that both have; one row a level.

    Columns: the level, `mean` and `other_mean`, `difference` (mean of model minus other; below 0 the first is ahead;
    of coverage, of the distances from 0.9), its `standard_error`, `wins` of the first, and `jobs`, of how many. The
    standard error is the deviation of the differences over the root of the number of folds, not of folds times seeds:
    another seed deals out the same instances again, and what they have in common no number of seeds averages out.
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
        raise SettingError(f"no {score} of {row_name(name, family)!r}: there are {sorted(set(table['model']))}.")
    values = part.set_index([axis, "fold", "seed"])["value"]
    if values.index.has_duplicates:
        level, fold, seed = values.index[values.index.duplicated()][0]
        raise SettingError(
            f"two values of {score} of {row_name(name, family)!r} at {axis}={level}, fold {fold}, seed {seed}. "
            "Give rows in which nothing else varies: see `slices`."
        )
    return values


def behind(
    table: pd.DataFrame, axis: str, scores: Sequence[str] = ("nllh", "kld", "ks", "crps"), model: str = RECOMMENDED
) -> pd.DataFrame:
    """List where a model is not ahead: level and score, the model that is, and by how much, widest gaps first.

    All are compared on the folds and seeds that they share; who has not done all of these is left out. With several
    families the model's best one counts. `gap` and `standard_error` are as in `paired`; `wins` counts the folds and
    seeds in which the model was ahead all the same.
    """
    table = shared(table[table["score"].isin(list(scores))], axis)
    found = means_of(table, axis)
    found = found[~_is_limit(found) & found["full"]]
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
