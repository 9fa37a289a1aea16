"""Collect the data sets that come with the package anew: instances, runs, repeats, features, provenance.

    python scripts/collect_datasets.py clasp-factoring --work /tmp/factoring

It takes 30 to 60 minutes a data set on two cores that have nothing else to do. Killed or stopped, the same command
goes on. The result replaces the folder in src/bayes_distnet/datasets/.
"""

from __future__ import annotations

import argparse
import json
import platform
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

import bayes_distnet.data.shipped
from bayes_distnet.collect.collector import collect
from bayes_distnet.collect.instances.registry import generate
from bayes_distnet.collect.repeat import relative_difference, repeat
from bayes_distnet.collect.solvers.registry import find_solver
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.data.store import Store

COLUMNS = ["instance", "solver", "seed", "seconds", "wall_seconds", "status", "cutoff", "answer"]


@dataclass(frozen=True)
class Recipe:
    """What to run on what."""

    kind: str
    count: int
    solvers: tuple[str, ...]
    seeds: int
    cutoff: float
    seed: int = 2021


RECIPES = {
    "clasp-factoring": Recipe("factoring", 510, ("clasp",), 100, 10.0),
    "lpg-zenotravel": Recipe("zenotravel", 300, ("lpg",), 50, 20.0),
    "sat-portfolio": Recipe("sat-mix", 300, ("clasp", "glucose", "kissat"), 20, 0.5),
}
REPEATS = 300


def main() -> None:
    """Collect one data set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=RECIPES)
    parser.add_argument("--work", type=Path, required=True, help="a folder for instances and the store of runs")
    parser.add_argument("--stage", choices=("runs", "all"), default="all", help="runs: stop before features")
    parsed = parser.parse_args()
    recipe = RECIPES[parsed.name]
    paths = generate(recipe.kind, recipe.count, random_state=recipe.seed, folder=parsed.work / "instances")
    solvers = [find_solver(name) for name in recipe.solvers]
    store = parsed.work / "runs.sqlite"
    collect(solvers, paths, recipe.seeds, store=store, cutoff=recipe.cutoff, progress=True)
    with Store(store) as database:
        repeated = len(database.repeats())
    if repeated < REPEATS:
        repeat(solvers, paths, REPEATS - repeated, store=store, random_state=repeated, progress=True)
    if parsed.stage == "runs":
        return
    from bayes_distnet.features import extract_features

    features = extract_features(paths, random_state=0, progress=True)
    with Store(store) as database:
        runs = RunTable.from_frame(database.runs().frame[COLUMNS].sort_values(["solver", "instance", "seed"]))
        provenance = _provenance(parsed.name, recipe, database)
    data = Dataset(runs, features.features, features.cost, provenance=provenance)
    data.save(Path(bayes_distnet.data.shipped.__file__).parent / parsed.name)
    print(json.dumps(provenance, indent=2))
    print(data)
    print(runs.summary().to_string())


def _provenance(name: str, recipe: Recipe, database: Store) -> dict[str, object]:
    repeats = database.repeats()
    difference = relative_difference(repeats)
    solvers = [
        {"name": row.name, "version": row.version, "command": _portable(json.loads(row.command)), "answer": row.answer}
        for row in database.solvers().itertuples(index=False)
    ]
    return {
        "collect_again": f"python scripts/collect_datasets.py {name} --work FOLDER",
        "instances": f"bayes-distnet generate {recipe.kind} {recipe.count} --seed {recipe.seed} --out FOLDER",
        "solvers": solvers,
        "sessions": database.sessions(),
        "libc": " ".join(platform.libc_ver()),
        "same_seed_again": {
            "runs": len(difference),
            "relative_difference_median": round(float(difference.median()), 4),
            "relative_difference_90_percent": round(float(difference.quantile(0.9)), 4),
            "share_of_variance_between_seeds": round(_share_of_noise(repeats, database.runs()), 4),
        },
    }


def _share_of_noise(repeats: pd.DataFrame, runs: RunTable) -> float:
    """Return which part of the variance of log seconds between seeds of an instance is the machine's.

    The machine's variance is that of a run done twice, from the median difference, so that single hiccups do not
    count; that between seeds is the median over instances.
    """
    noise = (np.log(repeats["again"] / repeats["seconds"]).abs().median() / 0.6745) ** 2 / 2
    solved = runs.frame[runs.finished]
    between = np.log(solved["seconds"]).groupby([solved["solver"], solved["instance"]]).var()
    return float(noise / between.median())


def _portable(words: list[str]) -> list[str]:
    """Leave out where on this machine the solver lies."""
    return [words[0].rpartition("/")[2], *words[1:]]


if __name__ == "__main__":
    main()
