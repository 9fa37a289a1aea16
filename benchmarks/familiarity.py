"""Which unseen instances are unusual or outside, and what is predicted for them? Prints tables of docs/uncertainty.md.

    python benchmarks/familiarity.py

Ten folds over the instances of the shipped data, with all training instances of a fold and with some of them;
sat-portfolio without one of its four kinds; and predictions of an instance some of whose features are made extreme.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from bayes_distnet import BayesDistNet, HybridDistNet, load_dataset
from bayes_distnet.data.splits import first_runs, folds_by_instance
from bayes_distnet.models.base import fit_runs
from bayes_distnet.models.familiarity import OUTSIDE, TrainingRange
from bayes_distnet.scoring.likelihood import nllh

SIZES = (10, 30, 100, None)


def same_kind(name):
    """Percentages of unseen instances that are unusual or outside, and outside, by number of training instances."""
    x = load_dataset(name).features.to_numpy(dtype=float)
    rng, cells = np.random.default_rng(0), []
    for size in SIZES:
        parts = folds_by_instance(len(x), 10, 0)
        far = np.concatenate(
            [TrainingRange.fit(x[rng.permutation(train)[:size]]).distance(x[test]) for train, test in parts]
        )
        cells.append(f"{100 * np.mean(far > 1):.1f}, {100 * np.mean(far > OUTSIDE):.1f}")
    print(f"| {name} | " + " | ".join(cells) + " |")


def kinds(features):
    """Kinds of the instances of sat-portfolio, by the lengths of their clauses."""
    count = {k: features[f"structure.cls{k}"] for k in (1, 2, 6, 7)}
    conditions = [count[2] == 0, count[1] >= 15, (count[6] > 0) & (count[7] > 0)]
    return np.select(conditions, ["random k-SAT", "factoring", "quasigroup"], "colouring")


def other_kind(solver):
    """Verdicts and scores where a model has not learnt from one of the kinds."""
    data = load_dataset("sat-portfolio").of(solver)
    kind = kinds(data.features)
    for name in np.unique(kind):
        train, test = np.flatnonzero(kind != name), np.flatnonzero(kind == name)
        model = fit_runs(
            HybridDistNet(), data.features.iloc[train], *first_runs(data.seconds[train], data.finished[train], 4, 0)
        )
        new, runs = data.features.iloc[test], (data.seconds[test], data.finished[test])
        table, rtd = model.familiarity(new), model.predict_distribution(new)
        # With a huge tolerance no feature is out of range, and only the mean of squares can show that a row is far.
        model.training_range_ = replace(model.training_range_, tolerance=1e9)
        before = model.predict_distribution(new)
        cells = [f"{100 * np.mean(table['verdict'] == verdict):.0f} %" for verdict in ("unusual", "outside")]
        cells += [f"{table['distance'].median():.1f}"]
        cells += [f"{law.unsure_share().mean():.2f}" for law in (before, rtd)]
        cells += [f"{nllh(law, *runs).mean():.3f}" for law in (before, rtd)]
        print(f"| {solver} | {name} | " + " | ".join(cells) + " |")


def extreme(model):
    """Predictions of one instance of clasp-factoring, with features that no instance has."""
    train, test = load_dataset("clasp-factoring").split(0.2, random_state=0)
    model.fit(train.features, train.seconds[:, :8])
    usual, top, low = test.features.iloc[[0]], train.features.max(), train.features.min()
    first = top[top > 0].index
    rows = {
        "as it is": usual,
        "one feature 3,000 times its largest trained value": usual.assign(**(3000 * top[first[:1]])),
        "the same with five": usual.assign(**(3000 * top[first[:5]])),
        "all ten ranges lower": usual - 10 * (top - low),
        "all missing": usual * np.nan,
    }
    together = pd.concat(rows.values())
    rtd, table = model.predict_distribution(together), model.familiarity(together)
    ends = np.stack(rtd.band(0.9), axis=1)
    for what, verdict, median, (bottom, ceiling), unsure in zip(
        rows, table["verdict"], rtd.median(), ends, rtd.unsure_share(), strict=True
    ):
        print(
            f"| {type(model).__name__} | {what} | {verdict} | {median:.3f} | {bottom:.2g} to {ceiling:.2g} | "
            f"{unsure:.2f} |"
        )
    print(f"(median of all training runs: {np.median(train.seconds):.3f} s)")


def heads(*names):
    print("\n| " + " | ".join(names) + " |\n" + "|---" * len(names) + "|")


def main():
    heads("data", *("all" if size is None else str(size) for size in SIZES))
    for name in ("clasp-factoring", "lpg-zenotravel", "sat-portfolio"):
        same_kind(name)
    heads("solver", "kind left out", "unusual", "outside", "distance", "unsure before", "unsure", "nllh before", "nllh")
    for solver in ("clasp", "kissat"):
        other_kind(solver)
    heads("model", "features", "verdict", "median", "band(0.9)", "unsure")
    for model in (BayesDistNet(), HybridDistNet()):
        extreme(model)


if __name__ == "__main__":
    main()
