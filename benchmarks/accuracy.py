"""Accuracy of all models on Hutter et al.'s (2014) runs and on generated ones, by cross-validation over instances.

    python benchmarks/accuracy.py --epm FOLDER --results docs/accuracy.csv --page docs/results.md

FOLDER holds NAME-features.csv.gz and NAME-runs.csv.gz for every NAME of `SETS`: a feature table by instance (-512 =
missing) and a run table (instance, solver, seconds, status, cutoff). Times of a timer that ticks are learnt from and
scored as intervals, as `compare` does with all data, so that no model is rewarded for spikes. Cells already in the
results file are not done again, so a killed run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from bayes_distnet import BayesDistNet, DistNet, HybridDistNet, RandomForest, make_runs
from bayes_distnet.models.registry import find_model
from bayes_distnet.scoring.comparison import compare

MODELS = {
    "HybridDistNet": HybridDistNet(),
    "BayesDistNet": BayesDistNet(),
    "BayesDistNet (parameters)": BayesDistNet(output="parameters"),
    "DistNet": DistNet(),
    "RandomForest": RandomForest(),
    "QuantileForest": find_model("quantile-forest").build(),
    "NGBoost": find_model("ngboost").build(),
    "XGBoost AFT": find_model("xgboost").build(),
}
SETS = {
    "ibm": ("minisat", "spear", "cryptominisat"),
    "swgcp": ("minisat", "tnm", "saps"),
    "rand-sat": ("saps",),
    "rcw": ("cplex",),
    "reg": ("cplex",),
    "portgen": ("lkh", "concorde"),
}
MOST = 2000  # instances of a set
SCORES = ("nllh", "ks", "crps")
SHOWN = ("nllh", "crps")
START, END = "<!-- accuracy -->", "<!-- end of accuracy -->"

Data = tuple[pd.DataFrame, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Cell:
    name: str
    load: Callable[[], Data]
    cut_off: float = 0.0
    runs: int | None = None


def epm(folder: Path, name: str, solver: str) -> Data:
    features = pd.read_csv(folder / f"{name}-features.csv.gz", index_col="instance").replace(-512, np.nan)
    runs = pd.read_csv(folder / f"{name}-runs.csv.gz").query("solver == @solver").set_index("instance")
    frame = runs.loc[features.index]
    rng = np.random.default_rng(0)
    chosen = np.sort(rng.permutation(len(frame))[:MOST])
    frame, features = frame.iloc[chosen], features.iloc[chosen]
    finished, seconds = (frame["status"] == "solved").to_numpy(), frame["seconds"].to_numpy(float)
    return features, seconds[:, None], finished[:, None]


def generated(humps: bool) -> Data:
    data = make_runs(n_instances=400, n_runs=40, n_features=60, humps=humps, random_state=5)
    return data.features, data.seconds, data.finished


def cells(folder: Path | None) -> list[Cell]:
    found = []
    if folder is not None:
        for name, solvers in SETS.items():
            for solver in solvers:
                load = partial(epm, folder, name, solver)
                found += [Cell(f"{name} {solver}", load), Cell(f"{name} {solver}, 60 % cut off", load, 0.6)]
    for label, humps, runs in (("generated", False, 1), ("generated", False, 8), ("generated, two humps", True, 8)):
        load, name = partial(generated, humps), f"{label}, {runs} run{'s' * (runs > 1)}"
        found += [Cell(name, load, 0.0, runs), Cell(f"{name}, 60 % cut off", load, 0.6, runs)]
    return found


def markdown(results: pd.DataFrame, score: str) -> str:
    """One row per cell, one column per model, the best in bold."""
    chosen = results[results["score"] == score]
    table = chosen.pivot_table(index="cell", columns="model", values="value", aggfunc="mean", sort=False)
    table = table[[name for name in MODELS if name in table.columns]]
    lines = ["| data | " + " | ".join(table.columns) + " |", "|---" * (len(table.columns) + 1) + "|"]
    for cell, row in table.iterrows():
        figures = [f"**{v:.3f}**" if v == row.round(3).min() else f"{v:.3f}" for v in row.round(3) + 0.0]
        lines.append(f"| {cell} | " + " | ".join(figures) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epm", type=Path, help="folder of the EPM data; without it only generated runs are used")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--only-folds", type=int, help="do no more than so many of the folds")
    parser.add_argument("--results", type=Path, default=Path("out/accuracy.csv"))
    parser.add_argument("--page", type=Path, help="Markdown page whose tables to bring up to date")
    options = parser.parse_args()
    results = pd.read_csv(options.results) if options.results.exists() else pd.DataFrame(columns=["cell", "model"])
    for cell in cells(options.epm):
        done = set(results.loc[results["cell"] == cell.name, "model"])
        todo = {name: model for name, model in MODELS.items() if name not in done}
        if not todo:
            continue
        print(cell.name, file=sys.stderr, flush=True)
        features, seconds, finished = cell.load()
        new = compare(
            todo,
            features,
            seconds,
            finished,
            folds=options.folds,
            only_folds=options.only_folds,
            runs=cell.runs,
            cut_off=cell.cut_off,
            scores=SCORES,
            progress=lambda line: print(f"  {line}", file=sys.stderr, flush=True),
        )
        results = pd.concat([results, new.assign(cell=cell.name)]) if len(results) else new.assign(cell=cell.name)
        options.results.parent.mkdir(parents=True, exist_ok=True)
        results.to_csv(options.results, index=False, float_format="%.5g")
    text = "\n\n".join(f"**{score}**\n\n{markdown(results, score)}" for score in SHOWN)
    print(text)
    if options.page is not None:
        page = options.page.read_text()
        head, rest = page.split(START)
        options.page.write_text(f"{head}{START}\n\n{text}\n\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
