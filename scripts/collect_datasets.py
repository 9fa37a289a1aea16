"""Collect a shipped data set again: instances, runs, repeats, features, provenance.

    python scripts/collect_datasets.py clasp-factoring --work FOLDER

A data set takes 30 to 60 minutes on two idle cores. If the script is stopped or killed, the same command continues.
The result replaces the folder of the data set in src/bayes_distnet/data/shipped/. With `--stage features` only the
features of the shipped data set and their costs are computed again.
"""

from __future__ import annotations

import argparse
import json
import platform
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

import bayes_distnet.data.shipped
from bayes_distnet.collect.collector import collect_runs
from bayes_distnet.collect.instances.registry import generate_instances
from bayes_distnet.collect.repeat import relative_difference, repeat_runs
from bayes_distnet.collect.solvers.registry import find_solver
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.data.store import Store

COLUMNS = ["instance", "solver", "seed", "seconds", "wall_seconds", "status", "cutoff", "answer"]


@dataclass(frozen=True)
class Recipe:
    """Solvers, instances and limits of a data set."""

    kind: str
    count: int
    solvers: tuple[str, ...]
    seeds: int
    cutoff: float
    random_state: int = 2021


RECIPES = {
    "clasp-factoring": Recipe("factoring", 510, ("clasp",), 100, 10.0),
    "lpg-zenotravel": Recipe("zenotravel", 300, ("lpg",), 50, 20.0),
    "sat-portfolio": Recipe("sat-mix", 300, ("clasp", "glucose", "kissat"), 20, 0.5),
    "clasp-quasigroup": Recipe("quasigroup-small", 300, ("clasp-backtracking",), 100, 1.0),
}
REPEATS = 300  # runs that are repeated with the same seed
MEASURED = 3  # computations of the features


def main() -> None:
    """Collect one data set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=RECIPES)
    parser.add_argument("--work", type=Path, required=True, help="folder for instances and the store of runs")
    parser.add_argument("--stage", choices=("runs", "features", "all"), default="all", help="what is done")
    parsed = parser.parse_args()
    recipe = RECIPES[parsed.name]
    folder = parsed.work / "instances"
    paths = generate_instances(recipe.kind, recipe.count, folder=folder, random_state=recipe.random_state)
    shipped = Path(bayes_distnet.data.shipped.__file__).parent / parsed.name
    if parsed.stage == "features":
        with_features(Dataset.load(shipped), paths).save(shipped)
        return
    solvers = [find_solver(name) for name in recipe.solvers]
    store = parsed.work / "runs.sqlite"
    collect_runs(solvers, paths, recipe.seeds, store=store, cutoff=recipe.cutoff, progress=True)
    with Store(store) as database:
        repeated = len(database.repeats())
    if repeated < REPEATS:
        repeat_runs(solvers, paths, REPEATS - repeated, store=store, random_state=repeated, progress=True)
    if parsed.stage == "runs":
        return
    with Store(store) as database:
        runs = RunTable.from_frame(database.runs().frame[COLUMNS].sort_values(["solver", "instance", "seed"]))
        provenance = _provenance(parsed.name, recipe, database)
    names = pd.Index([path.name for path in paths], name="instance", dtype=object)
    data = with_features(Dataset(runs, pd.DataFrame(index=names), provenance=provenance), paths)
    data.save(shipped)
    print(json.dumps(provenance, indent=2))
    print(data)
    print(runs.summary().to_string())


def with_features(data: Dataset, paths: list[Path]) -> Dataset:
    """Compute the features of a data set three times; a cost is the least of the three: other work makes it higher."""
    from bayes_distnet.features.group_costs import measured_groups
    from bayes_distnet.features.table import extract_features

    tables = [extract_features(paths, random_state=0, progress=True) for _ in range(MEASURED)]
    costs = pd.concat([table.costs for table in tables]).groupby(level=0).min().reindex(data.features.index)
    features = tables[0].features.reindex(data.features.index)
    groups = measured_groups(costs, features.columns)
    return replace(data, features=features, feature_cost=costs["seconds"], feature_groups=groups)


def _provenance(name: str, recipe: Recipe, database: Store) -> dict[str, object]:
    repeats = database.repeats()
    difference = relative_difference(repeats)
    solvers = [
        {"name": row.name, "version": row.version, "command": _portable(json.loads(row.command)), "answer": row.answer}
        for row in database.solvers().itertuples(index=False)
    ]
    return {
        "collect_again": f"python scripts/collect_datasets.py {name} --work FOLDER",
        "instances": f"bayes-distnet generate {recipe.kind} {recipe.count} --seed {recipe.random_state} --out FOLDER",
        "solvers": solvers,
        "sessions": database.sessions(),
        "libc": " ".join(platform.libc_ver()),
        "same_seed_again": {
            "runs": len(difference),
            "relative_difference_median": round(float(difference.median()), 4),
            "relative_difference_90_percent": round(float(difference.quantile(0.9)), 4),
            "share_of_variance_between_seeds": round(_noise_fraction(repeats, database.runs()), 4),
        },
    }


def _noise_fraction(repeats: pd.DataFrame, runs: RunTable) -> float:
    """Return the fraction of the variance of log seconds between seeds of an instance that is due to the machine.

    The variance due to the machine is estimated from the median difference of repeated runs, so that single outliers
    do not count. The variance between seeds is the median over instances.
    """
    noise = (np.log(repeats["again"] / repeats["seconds"]).abs().median() / 0.6745) ** 2 / 2
    solved = runs.frame[runs.finished]
    between = np.log(solved["seconds"]).groupby([solved["solver"], solved["instance"]]).var()
    return float(noise / between.median())


def _portable(words: list[str]) -> list[str]:
    """Return a command without the folder of its program on this machine."""
    return [words[0].rpartition("/")[2], *words[1:]]


if __name__ == "__main__":
    main()
