"""Do bounds hold what they promise under cutoffs, and do raw quantiles? Prints the table of docs/bounds.md.

    python benchmarks/bounds.py [--seeds 3] [--models forest,bayes,hybrid] [--fractions 0,0.2,0.4,0.6]

A model learns from four runs of 60 % of the instances, cut off at the time that a given fraction of these runs exceeds.
Four runs of half of the other instances, under the same cutoff, calibrate it; all runs of the rest, whose times are
known beyond the cutoff, test the bounds. The other instances are dealt anew twenty times per fitted model. Raw bounds
are the 0.1 and 0.9 quantiles of the prediction, under the same rules: a lower bound is at most the cutoff, and an upper
bound past the cutoff is infinite. Every instance has seeds of its own: calibration runs with the same four seeds would
share the luck of these.
"""

from __future__ import annotations

import argparse
import itertools
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayes_distnet import BayesDistNet, HybridDistNet, RandomForest, load_dataset
from bayes_distnet.data.splits import choose_cutoffs, first_runs
from bayes_distnet.models.base import fit_runs
from bayes_distnet.models.bounds.calibrate import calibrate

SETS = ("clasp-factoring", "lpg-zenotravel", "sat-portfolio", "clasp-quasigroup")
LEVEL, RUNS, DEALS = 0.9, 4, 20
MODELS = {
    "forest": lambda seed: RandomForest(random_state=seed),
    "bayes": lambda seed: BayesDistNet(max_iter=100, random_state=seed),
    "hybrid": lambda seed: HybridDistNet(random_state=seed),
}


@dataclass
class Recalled:
    """A fitted model whose predictions of some instances are there already: features are their row numbers."""

    rtd: Any

    def predict_distribution(self, X):
        return self.rtd[X[:, 0]]


def cutoff_of(seconds, recorded, fraction):
    """The cutoff of the learnt runs, at most the recorded one."""
    return min(recorded, choose_cutoffs(seconds, fraction).flat[0])


def own_seeds(data, rng):
    """Runs of every instance in an order of its own: a seed's luck is not shared by all calibration runs."""
    order = np.argsort(rng.random(data.seconds.shape), axis=1)
    return np.take_along_axis(data.seconds, order, axis=1), np.take_along_axis(data.finished, order, axis=1)


def held(lower, upper, seconds):
    """Fractions of the runs that the bounds hold for, and of the instances with a finite upper bound."""
    return [(seconds >= lower[:, None]).mean(), (seconds <= upper[:, None]).mean(), np.isfinite(upper).mean()]


def seed_of_a_fit(data, make, fraction, seed):
    """Fit once, calibrate and test often: raw and calibrated fractions."""
    rng = np.random.default_rng(seed)
    recorded = float(data.runs.observed().frame["cutoff"].max())
    few, done = first_runs(*own_seeds(data, rng), RUNS, seed)
    order = rng.permutation(len(data))
    learnt, rest = np.split(order, [int(0.6 * len(data))])
    cutoff = cutoff_of(few[learnt], recorded, fraction)
    done, few = done & (few <= cutoff), np.minimum(few, cutoff)
    model = fit_runs(make(seed), data.features.iloc[learnt], few[learnt], done[learnt])
    share = (~done[learnt]).mean()
    known = Recalled(model.predict_distribution(data.features.iloc[rest]))
    few, done, seconds = few[rest], done[rest], np.where(data.finished, data.seconds, np.inf)[rest]
    lines = []
    for _ in range(DEALS):
        kept, new = np.split(rng.permutation(len(rest)), [len(rest) // 2])
        bounds = calibrate(known, kept[:, None], few[kept], done[kept], cutoff=cutoff, level=LEVEL)
        low, high = known.rtd[new].quantile([1 - LEVEL, LEVEL]).T
        raw = held(np.minimum(low, cutoff), np.where(high < cutoff, high, np.inf), seconds[new])
        lines.append(raw + held(bounds.lower(known.rtd[new]), bounds.upper(known.rtd[new]), seconds[new]))
    return np.mean(lines, axis=0), share


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="fits per line")
    parser.add_argument("--models", default="forest,bayes,hybrid", help=f"some of {', '.join(MODELS)}")
    parser.add_argument("--fractions", default="0,0.2,0.4,0.6", help="of the learnt runs cut off")
    parsed = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| data | cut off | model | lower: raw | lower | upper: raw | upper | finite: raw | finite |")
    print("|---|---|---|---|---|---|---|---|---|")
    for key, name in itertools.product(parsed.models.split(","), SETS):
        for solver, fraction in itertools.product(load_dataset(name).solvers, map(float, parsed.fractions.split(","))):
            data = load_dataset(name).of(solver).matched()
            if 0 < fraction < (~data.runs.observed().finished).mean():
                continue  # as many runs were cut off when they were recorded
            found = [seed_of_a_fit(data, MODELS[key], fraction, seed) for seed in range(parsed.seeds)]
            raw_low, raw_high, raw_finite, low, high, finite = np.mean([one for one, _ in found], axis=0)
            cells = [f"{value:.3f}" for value in (raw_low, low, raw_high, high, raw_finite, finite)]
            label = f"{name}, {solver}" if name == "sat-portfolio" else name
            cut = f"{np.mean([share for _, share in found]):.0%}"
            print("| " + " | ".join([label, cut, type(MODELS[key](0)).__name__, *cells]) + " |", flush=True)


if __name__ == "__main__":
    main()
