"""Collect experiments on selection and portfolios: `python scripts/write_selection.py out/selection/*`.

Brings two tidy tables in results/selection up to date, `policies.csv` (one row per data set, experiment and policy) and
`folds.csv` (one row per data set, experiment, policy and fold): policies of other folders stay. Then it puts tables
into docs/selection-results.md, between the lines `<!-- NAME -->` and `<!-- end -->`. The names are `aslib COLUMN`, for
a table of scenarios and policies, and `DATA EXPERIMENT`, for a table of the policies on one data set.
"""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd

from bayes_distnet import Results
from bayes_distnet.experiments.decisions import decided, summary_of
from bayes_distnet.experiments.selection import ORACLE, SINGLE_BEST, fold_table
from bayes_distnet.models.registry import Role

HOME = Path(__file__).parents[1]
PAGE, TABLES = HOME / "docs/selection-results.md", HOME / "results/selection"
MARK = re.compile(r"<!-- (?P<what>\S+) (?P<how>\S+) -->\n.*?<!-- end -->", re.DOTALL)

#: Published normalised PAR10: official folds, mean of the ratios per fold, all feature groups charged, instances that
#: nobody solves left out, no presolver. Run2Survive: Tornede et al. 2020, its best of three rules.
PUBLISHED = {
    "ASP-POTASSCO": (0.301, 0.317, 0.429, 0.172, 0.172),
    "QBF-2016": (0.474, 0.613, 0.618, 0.510, 0.474),
    "SAT18-EXP": (0.601, 0.621, 0.603, 0.632, 0.549),
    "CSP-2010": (0.243, 0.356, 0.242, 0.342, 0.231),
    "MAXSAT12-PMS": (0.269, 0.257, 0.231, 0.279, 0.216),
    "SAT11-HAND": (0.362, 0.454, 0.438, 0.561, 0.362),
    "BNSL-2016": (0.193, 0.177, 0.176, 0.241, 0.176),
}
COLUMNS = tuple(f"published: {name}" for name in ("Run2Survive", "forest", "SATzilla'11", "SUNNY", "lowest"))


def main(folders: list[str]) -> None:
    """Write the tables and fill the page."""
    results = joined([Results.load(folder) for folder in folders])
    pairs = [(one, experiment) for one in results for experiment in ("selection", "portfolio")]
    pairs = [(one, experiment) for one, experiment in pairs if experiment in one.about["experiments"]]
    policies = pd.concat([_named(one, experiment, summary_of(one, experiment)) for one, experiment in pairs])
    folds = pd.concat([_named(one, experiment, _by_fold(one, experiment)) for one, experiment in pairs])
    policies, folds = _kept("policies", policies), _kept("folds", folds)

    def filled(mark: re.Match[str]) -> str:
        table = (
            _scenarios(policies, mark["how"]) if mark["what"] == "aslib" else _policies(policies, **mark.groupdict())
        )
        return mark[0] if table is None else f"<!-- {mark['what']} {mark['how']} -->\n\n{table}\n\n<!-- end -->"

    PAGE.write_text(MARK.sub(filled, PAGE.read_text("utf-8")), "utf-8")


def _kept(name: str, new: pd.DataFrame) -> pd.DataFrame:
    """Write a table in which new rows replace those of the same data, experiment and policy, and return it."""
    path, key = TABLES / f"{name}.csv", ["data", "experiment", "policy"]
    old = pd.read_csv(path) if path.exists() else new.iloc[:0]
    again = pd.MultiIndex.from_frame(old[key]).isin(pd.MultiIndex.from_frame(new[key]))
    table = pd.concat([old[~again], new]).sort_values(["data", "experiment"], kind="stable")
    path.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(path, index=False, float_format="%.5g")
    return table


def joined(results: list[Results]) -> list[Results]:
    """Join folders of the same data, whose selectors were run apart."""
    found: dict[str, Results] = {}
    for one in results:
        name = one.about["data"]
        if name in found:
            first = found[name]
            about = first.about | {"experiments": first.about["experiments"] | one.about["experiments"]}
            one = replace(first, about=about, decisions=pd.concat([first.decisions, one.decisions]))
        found[name] = one
    return list(found.values())


def _named(results: Results, experiment: str, table: pd.DataFrame) -> pd.DataFrame:
    return pd.concat(
        [pd.DataFrame({"data": results.about["data"], "experiment": experiment}, table.index), table], axis=1
    )


def _by_fold(results: Results, experiment: str) -> pd.DataFrame:
    """Return mean PAR10 and fraction solved per fold, over instances that some solver solves."""
    rows = decided(results, experiment)
    solved = fold_table(rows, "solved")
    solvable = solved[ORACLE] > 0
    means = [
        fold_table(rows, name)[solvable].groupby(["seed", "fold"]).mean().melt(ignore_index=False, value_name=name)
        for name in ("par10", "par10_used", "par10_free", "solved")
    ]
    keyed = [part.reset_index().set_index(["seed", "fold", "policy"]) for part in means]
    return pd.concat(keyed, axis=1).reset_index()


def _scenarios(policies: pd.DataFrame, score: str) -> str | None:
    """One row per scenario: published columns where they are comparable, then every policy of ours and of peers."""
    chosen = policies[(policies["experiment"] == "selection") & policies["data"].isin(PUBLISHED)]
    if chosen.empty:
        return None
    chosen = chosen[~chosen["policy"].isin([ORACLE, SINGLE_BEST])]
    roles = chosen.drop_duplicates("policy").set_index("policy")["role"]
    wide = chosen.pivot_table(index="data", columns="policy", values=score)
    wide = wide.reindex([name for name in PUBLISHED if name in wide.index])
    order = [policy for role in Role for policy in roles.index if roles[policy] == str(role)]
    folds = chosen.groupby("data")["folds"].max()
    published = COLUMNS if score == "mean_of_ratios" else ()
    lines = [["scenario", "folds", *published, *order]]
    for name, row in wide[order].iterrows():
        known = [f"{value:.3f}" for value in PUBLISHED[str(name)]] if published else []
        least = row.min()
        own = ["–" if pd.isna(value) else f"**{value:.3f}**" if value == least else f"{value:.3f}" for value in row]
        lines.append([str(name), f"{folds[name]:.0f}", *known, *own])
    complete = wide[order].dropna()
    if len(complete) > 2:
        medians = [f"{value:.3f}" for value in complete.median()]
        known = [f"{pd.Series(c).median():.3f}" for c in zip(*(PUBLISHED[str(n)] for n in complete.index), strict=True)]
        lines.append([f"median of {len(complete)}", "", *(known if published else []), *medians])
    return _markdown(lines)


def _policies(policies: pd.DataFrame, what: str, how: str) -> str | None:
    """One row per policy of a data set, the best one first when only the features that it uses are charged."""
    chosen = policies[(policies["data"] == what) & (policies["experiment"] == how)]
    if chosen.empty:
        return None
    lines = [["policy", "role", "gap closed", "solved", "gap closed, all features", "gap closed, free features"]]
    for row in chosen.sort_values("ratio_of_means_used", kind="stable").to_dict("records"):
        gaps = [
            f"{1 - row[f'ratio_of_means{charge}']:.3f} ± {row[f'ratio_of_means_error{charge}']:.3f}"
            for charge in ("_used", "", "_free")
        ]
        lines.append([row["policy"], row["role"], gaps[0], f"{100 * row['solved_used']:.1f} %", *gaps[1:]])
    return _markdown(lines)


def _markdown(lines: list[list[str]]) -> str:
    head, *body = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([head, "|" + "---|" * len(lines[0]), *body])


if __name__ == "__main__":
    main(sys.argv[1:])
