r"""Tables of experiments: means and deviations over folds and seeds, as Markdown, LaTeX and HTML.

Everything here starts from the tidy table of `Results`. A mean is over folds and seeds, a deviation is the standard
deviation over them. Limits, which have seen the test runs, are shown but are never the best.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayes_distnet.errors import SettingError, check_choice

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
    return f"{100 * level:.0f} %" if axis == "censored" else f"{level:g}"


def split_by(table: pd.DataFrame, columns: list[str], sort: bool = False) -> Iterator[tuple[Any, pd.DataFrame]]:
    """Yield values of several columns, and the rows that have them."""
    groups: Any = table.groupby(columns, sort=sort)
    yield from groups


def shared(table: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Keep, of each level, the folds and seeds that all of its models have: some folds are harder than others.

    A level without any such fold is left as it is.
    """
    kept = []
    for _, part in table.groupby(axis, sort=False):
        jobs = part[[*_CELL, "fold", "seed"]].drop_duplicates()
        counts = jobs.groupby(["fold", "seed"]).size()
        common = counts.index[counts == len(jobs[_CELL].drop_duplicates())]
        chosen = pd.MultiIndex.from_frame(part[["fold", "seed"]]).isin(common)
        kept.append(part[chosen] if chosen.any() else part)
    return pd.concat(kept).sort_index() if kept else table


def summarise(table: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Return mean and deviation over the folds and seeds that models share: a row a level, model, family and score.

    `jobs` counts the folds and seeds behind a row. A score that failed on a fold is NaN there and left out.
    """
    check_choice("axis", axis, tuple(AXES.values()))
    table = shared(table, axis)
    groups = table.groupby([axis, *_CELL, "score"], sort=False, observed=True)["value"]
    found = groups.agg(["mean", "std", "count"]).reset_index()
    found.columns = pd.Index([axis, *_CELL, "score", "mean", "deviation", "jobs"])
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
            parts[", ".join(words)] = rows[rows["cutoffs"].isin(["none", kind])]
    return parts


@dataclass(frozen=True)
class Grid:
    """A table to print: means with their deviations, and which of them are the best of their kind."""

    mean: pd.DataFrame
    deviation: pd.DataFrame
    best: pd.DataFrame
    caption: str = ""
    by_column: bool = True
    """Whether a column is a score, with digits of its own, or the whole table is one."""

    @property
    def digits(self) -> list[int]:
        """Decimals of every column."""
        if self.by_column:
            return [_decimals(self.mean[column]) for column in self.mean]
        return [_decimals(pd.Series(self.mean.to_numpy().ravel()))] * self.mean.shape[1]

    def markdown(self) -> str:
        """Return a Markdown table, best values in bold."""
        head = [*map(str, self.mean.index.names), *map(str, self.mean.columns)]
        rule = ["---"] * self.mean.index.nlevels + ["---:"] * self.mean.shape[1]
        body = self._rows(lambda text: text.replace("|", r"\|"), _markdown_cell)
        return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *body]) + "\n"

    def latex(self) -> str:
        """Return a LaTeX table for the booktabs package, best values in bold."""
        keys, columns = self.mean.index.nlevels, self.mean.shape[1]
        head = " & ".join(rf"\textbf{{{latex_text(str(n))}}}" for n in [*self.mean.index.names, *self.mean.columns])
        body = self._rows(latex_text, _latex_cell, blank=True)
        lines = [
            (r"\midrule" + "\n" if i and row[0] and keys > 1 else "") + " & ".join(row) + r" \\"
            for i, row in enumerate(body)
        ]
        return "\n".join(
            [
                r"\begin{table}",
                r"\centering",
                rf"\caption{{{latex_text(self.caption)}}}",
                rf"\begin{{tabular}}{{{'l' * keys}{'r' * columns}}}",
                r"\toprule",
                head + r" \\",
                r"\midrule",
                *lines,
                r"\bottomrule",
                r"\end{tabular}",
                r"\end{table}",
                "",
            ]
        )

    def html(self) -> str:
        """Return an HTML table, best values in `<strong>`; a row whose group changes has the class "first"."""
        keys = self.mean.index.nlevels
        names = [*map(str, self.mean.index.names), *map(str, self.mean.columns)]
        kinds = [' class="text"' if i < keys else "" for i in range(len(names))]
        head = "".join(f'<th scope="col"{k}>{html.escape(name)}</th>' for k, name in zip(kinds, names, strict=True))
        lines = []
        for i, row in enumerate(self._rows(html.escape, _html_cell, blank=True)):
            labels = "".join(f'<th scope="row">{label}</th>' for label in row[:keys])
            cells = "".join(f"<td>{cell}</td>" for cell in row[keys:])
            start = '<tr class="first">' if i and row[0] and keys > 1 else "<tr>"
            lines.append(f"{start}{labels}{cells}</tr>")
        return f"<table><thead><tr>{head}</tr></thead><tbody>\n" + "\n".join(lines) + "\n</tbody></table>"

    def _rows(
        self, text: Callable[[str], str], cell: Callable[[str, str, bool], str], blank: bool = False
    ) -> list[list[str]]:
        """Labels and cells of every row; `blank` leaves out labels that repeat those of the row before."""
        rows = []
        digits = self.digits
        before: tuple[str, ...] = ()
        for index, means, deviations, best in zip(
            self.mean.index, self.mean.to_numpy(), self.deviation.to_numpy(), self.best.to_numpy(), strict=True
        ):
            labels = tuple(map(str, index)) if isinstance(index, tuple) else (str(index),)
            shown = [text(x) if not blank or labels[: i + 1] != before[: i + 1] else "" for i, x in enumerate(labels)]
            before = labels
            cells = zip(means, deviations, best, digits, strict=True)
            rows.append(shown + [cell(_number(m, n), _number(d, n), bool(bold)) for m, d, bold, n in cells])
        return rows


def _decimals(values: pd.Series) -> int:
    """Three decimals, four where most values are small."""
    return 4 if values.abs().median() < 0.05 else 3


def _number(value: float, digits: int) -> str:
    if np.isnan(value):
        return ""
    text = f"{value:.{digits}f}" if abs(value) < 1e4 else f"{value:.2g}"
    return text.replace("-", "−") if float(text) else text.replace("-", "")


def _markdown_cell(mean: str, deviation: str, bold: bool) -> str:
    shown = f"**{mean}**" if bold else mean or "–"
    return f"{shown} ± {deviation}" if deviation and mean else shown


def _html_cell(mean: str, deviation: str, bold: bool) -> str:
    shown = f"<strong>{mean}</strong>" if bold else mean or "–"
    return f"{shown} <small>± {deviation}</small>" if deviation and mean else shown


def _latex_cell(mean: str, deviation: str, bold: bool) -> str:
    if not mean:
        return "--"
    # In braces the minus is a sign, not an operation.
    mean, deviation = (text.replace("−", "{-}").replace("inf", r"\infty") for text in (mean, deviation))
    shown = rf"\mathbf{{{mean}}}" if bold else mean
    return rf"${shown} \pm {deviation}$" if deviation else f"${shown}$"


def latex_text(text: str) -> str:
    r"""Return text as LaTeX shows it.

    >>> print(latex_text("80 % of my_runs ± 2"))
    80 \% of my\_runs $\pm$ 2
    """
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$"}
    special |= {sign: "\\" + sign for sign in "&%$#_{}"} | {"–": "--", "−": "$-$"}
    return re.sub("|".join(map(re.escape, special)), lambda found: special[found[0]], text)


def appendix(table: pd.DataFrame, axis: str, scores: Sequence[str], caption: str = "") -> Grid:
    """Return a table in the form of the paper's appendix: levels, models and families down, scores across.

    The best of each level is marked, over all models and families.
    """
    found = _with_names(summarise(table, axis), axis)
    head = "Runs" if axis == "runs" else "Censored"
    parts = []
    for column in ("mean", "deviation", "best"):
        part = found.pivot_table(
            index=["at", "model", "own"], columns="score", values=column, sort=False, aggfunc="first", dropna=False
        )
        rows = pd.MultiIndex.from_frame(found[["at", "model", "own"]].drop_duplicates())
        part = part.reindex(index=rows, columns=list(scores))
        parts.append(part.set_axis([LABELS.get(s, s) for s in scores], axis=1).rename_axis([head, "Model", "Family"]))
    return Grid(parts[0].astype(float), parts[1].astype(float), parts[2] == True, caption)  # noqa: E712  NaN is not best


def overview(table: pd.DataFrame, axis: str, score: str, caption: str = "") -> Grid:
    """Return one score: models down, levels across, the best of each level marked."""
    found = _with_names(summarise(table[table["score"] == score], axis), axis)
    found["row"] = [row_name(m, f) for m, f in zip(found["model"], found["family"], strict=True)]
    order = found.assign(rank=found["model"].map({m: i for i, m in enumerate(model_order(found["model"]))}))
    rows = list(dict.fromkeys(order.sort_values(["rank"], kind="stable")["row"]))
    if axis == "runs":
        found["at"] = [f"{at} run{'s' if at != '1' else ''}" for at in found["at"]]
    levels = list(dict.fromkeys(found.sort_values(axis)["at"]))
    parts = [
        found.pivot_table(index="row", columns="at", values=column, aggfunc="first", dropna=False)
        .reindex(index=rows, columns=levels)
        .rename_axis("Model")
        for column in ("mean", "deviation", "best")
    ]
    return Grid(parts[0].astype(float), parts[1].astype(float), parts[2] == True, caption, by_column=False)  # noqa: E712


def _with_names(found: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Add the level's name, the family's name, and whether a row is the best of its level and score."""
    # Rounded as printed: what looks equal is equally good.
    parts = [loss(str(s), part["mean"].round(_decimals(part["mean"]))).round(9) for s, part in found.groupby("score")]
    values = pd.concat(parts or [found["mean"]]).reindex(found.index).where(~_is_limit(found))
    least = values.groupby([found[axis], found["score"]]).transform("min")
    return found.assign(
        at=[level_name(axis, level) for level in found[axis]],
        own=[FAMILIES.get(family, family) if family else "" for family in found["family"]],
        best=(values == least) & np.isfinite(values),
    )


def _is_limit(found: pd.DataFrame) -> NDArray[np.bool_]:
    return np.array([str(model).startswith(LIMIT) for model in found["model"]], dtype=bool)


def paired(table: pd.DataFrame, axis: str, score: str, model: tuple[str, str], other: tuple[str, str]) -> pd.DataFrame:
    """Compare two models, each a name and a family, on the same folds and seeds; one row a level.

    Columns: the level, `difference` (mean of model minus other; below 0 the first is ahead), its `standard_error`,
    `wins` of the first, and `jobs`, of how many. Seeds score the same instances again, so that the standard error
    counts folds, not folds times seeds.
    """
    key = [axis, "fold", "seed"]
    sides = []
    for name, family in (model, other):
        part = table[(table["model"] == name) & (table["family"] == family) & (table["score"] == score)]
        if part.empty:
            raise SettingError(f"no {score} of {row_name(name, family)!r}: there are {sorted(set(table['model']))}.")
        sides.append(loss(score, part.set_index(key)["value"]))
    differences = (sides[0] - sides[1]).dropna().rename("difference").reset_index()
    rows = []
    for level, part in differences.groupby(axis):
        gaps = part["difference"].to_numpy()
        spread = gaps.std(ddof=1) if gaps.size > 1 else np.nan
        error = spread / np.sqrt(part["fold"].nunique())
        rows.append((level, gaps.mean(), error, int((gaps < 0).sum()), gaps.size))
    return pd.DataFrame(rows, columns=[axis, "difference", "standard_error", "wins", "jobs"])


def behind(
    table: pd.DataFrame, axis: str, scores: Sequence[str] = ("nllh", "kld", "ks", "crps"), model: str = RECOMMENDED
) -> pd.DataFrame:
    """List where a model is not ahead: level and score, the model that is, and by how much, widest gaps first.

    With several families the model's best one counts. `gap` and `standard_error` are as in `paired`; `wins` counts the
    folds and seeds in which the model was ahead all the same.
    """
    found = summarise(table[table["score"].isin(list(scores))], axis)
    found = found[~_is_limit(found)]
    rows = []
    for (level, score), part in split_by(found, [axis, "score"]):
        part = part.assign(loss=loss(str(score), part["mean"])).dropna(subset="loss")
        own, others = part[part["model"] == model], part[part["model"] != model]
        if own.empty or others.empty or own["loss"].min() < others["loss"].min():
            continue
        mine, best = (rows.sort_values("loss", kind="stable").iloc[0] for rows in (own, others))
        at = paired(table[table[axis] == level], axis, str(score), *((r["model"], r["family"]) for r in (mine, best)))
        if at.empty:  # no fold that both have done
            continue
        gap = at.iloc[0]
        name = row_name(best["model"], best["family"])
        rows.append(
            (level, score, mine["mean"], name, best["mean"], *gap[["difference", "standard_error", "wins", "jobs"]])
        )
    columns = [axis, "score", "mean", "ahead", "its_mean", "gap", "standard_error", "wins", "jobs"]
    listed = pd.DataFrame(rows, columns=columns)
    place = listed["score"].map({score: i for i, score in enumerate(scores)})
    return listed.assign(place=place).sort_values(["place", "gap"], ascending=[True, False]).drop(columns="place")
