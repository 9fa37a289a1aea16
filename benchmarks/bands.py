"""Do bands hold what they promise, and what do runs of a new instance add? Prints the tables of docs/uncertainty.md.

    python benchmarks/bands.py [--folds 10] [--jobs 2] [--seeds own|shared]

Models learn from a few runs of each training instance and are asked about unseen instances, whose own quantiles are
those of 20 to 100 runs. These have a noise of their own, so that even perfect bands do not hold all that they
promise: "of" is what a perfect model with the same effect would reach with as many runs, by simulation. Each fold
learns from other seeds. By default every instance has seeds of its own; with `--seeds shared` all instances of a fold
have the same, as in the paper: the luck that a seed has on many instances then moves many bands at once.
"""

from __future__ import annotations

import argparse
import itertools
import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone

from bayes_distnet import BayesDistNet, HybridDistNet, load_dataset
from bayes_distnet.data.splits import cut_off, first_runs, folds_by_instance
from bayes_distnet.models.base import fit_runs
from bayes_distnet.scoring.distances import ks
from bayes_distnet.scoring.likelihood import joint_nllh, nllh

CONDITIONS = [(1, 0.0), (2, 0.0), (4, 0.0), (8, 0.0), (16, 0.0), (8, 0.2), (8, 0.4), (8, 0.6)]
ASKED = [(0.5, 0.5), (0.5, 0.9), (0.9, 0.5), (0.9, 0.9)]  # quantile, level
SEEN = (0, 1, 2, 4, 8)
MODELS = (BayesDistNet(), HybridDistNet())


def held(seconds, rtd, q, level):
    """Fraction of the instances whose own quantile the band holds."""
    low, high = rtd.band(level, q=q)
    own = np.nanquantile(seconds, q, axis=1)
    return np.mean((low <= own) & (own <= high))


def perfect(seconds, rtd, q, level, repeats=50):
    """The same for instances that follow the prediction and its effect, in normal scores."""
    rng, size = np.random.default_rng(0), rtd.effect.size
    log_sf, ends = np.full((len(size), 1), np.log1p(-q)), (0.5 - level / 2, 0.5 + level / 2)
    low, high = (rtd.effect.scores_at(value, log_sf)[:, 0] for value in rtd.effect.quantiles(ends))
    inside = []
    for _ in range(repeats):
        shared = np.sqrt(size) * rng.normal(size=len(size))
        own = np.quantile(shared[:, None] + np.sqrt(1 - size)[:, None] * rng.normal(size=seconds.shape), q, axis=1)
        inside.append(np.mean((low <= own) & (own <= high)))
    return np.mean(inside)


def empirical_ks(seen, rest):
    """KS distance between two sets of runs, per instance."""
    times = np.sort(np.concatenate([seen, rest], axis=1), axis=1)
    first, second = ((runs[:, None, :] <= times[:, :, None]).mean(axis=2) for runs in (seen, rest))
    return np.abs(first - second).max(axis=1)


def own_seeds(seconds, finished, fold):
    """Runs of every instance in an order of its own."""
    order = np.argsort(np.random.default_rng(fold).random(seconds.shape), axis=1)
    return np.take_along_axis(seconds, order, axis=1), np.take_along_axis(finished, order, axis=1)


def asked(model, data, fold, train, test, runs, fraction, seeds):
    """Fit to a few runs of the training instances, and predict the others."""
    warnings.simplefilter("ignore")
    seconds, finished = data.seconds[train], data.finished[train]
    if seeds == "own":
        seconds, finished = own_seeds(seconds, finished, fold)
    seconds, finished = cut_off(*first_runs(seconds, finished, runs, fold), fraction)
    fitted = fit_runs(model, data.features.iloc[train], seconds, finished)
    return fitted.predict_distribution(data.features.iloc[test]), data.seconds[test]


def bands(rtd, own):
    """One line of the first table."""
    covered = [f(rtd, q, level) for q, level in ASKED for f in (lambda *a: held(own, *a), lambda *a: perfect(own, *a))]
    low, high = rtd.band(0.9)
    return [rtd.effect.size.mean(), *covered, np.median(high / low), nllh(rtd, own).mean(), joint_nllh(rtd, own).mean()]


def updates(rtd, own):
    """Scores after 0, 1, 2 ... runs of the instance have been seen."""
    mixed = np.random.default_rng(0).permuted(
        own, axis=1
    )  # other seeds per instance: a seed's luck is not confined to one
    seen, rest = mixed[:, : max(SEEN)], mixed[:, max(SEEN) :]
    lines = []
    for k in SEEN:
        law = rtd.given_runs(seen[:, :k]) if k else rtd
        alone = empirical_ks(seen[:, :k], rest).mean() if k else np.nan
        lines.append([nllh(law, rest).mean(), ks(law, rest).mean(), alone])
    return lines


def describe(predicted):
    """Cells of the first table, means over folds."""
    size, *rest = np.mean([bands(*one) for one in predicted], axis=0)
    cells = [f"{found:.2f} of {best:.2f}" for found, best in zip(rest[:8:2], rest[1:8:2], strict=True)]
    return f"{size:.2f}", *cells, f"{rest[8]:.1f}", f"{rest[9]:.3f}", f"{rest[10]:.3f}"


def predictions(model, data, runs, fraction, parts, jobs, seeds):
    """Predictions and runs of the unseen instances of every fold."""
    tasks = (delayed(asked)(clone(model), data, fold, *part, runs, fraction, seeds) for fold, part in enumerate(parts))
    return Parallel(n_jobs=jobs)(tasks)


def portfolio(jobs, seeds):
    """The first table for data on which nothing was chosen: instances on which all runs finished."""
    for solver, data in (
        (name, load_dataset("sat-portfolio").of(name)) for name in load_dataset("sat-portfolio").solvers
    ):
        data = data.take(np.flatnonzero(data.finished.all(axis=1)))
        parts = list(folds_by_instance(len(data), 5, 0))
        for model in MODELS:
            predicted = predictions(model, data, 4, 0.0, parts, jobs, seeds)
            line(f"sat-portfolio, {solver}", "4", "0%", type(model).__name__, *describe(predicted))


def line(*cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", type=int, default=10, help="of ten")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--seeds", choices=("own", "shared"), default="own", help="of the instances of a fold")
    folds, jobs, seeds = vars(parser.parse_args()).values()
    asks = [f"{'median' if q == 0.5 else f'{q:g} quantile'} in band({level:g})" for q, level in ASKED]
    line("data", "runs", "cut off", "model", "effect", *asks, "width", "nllh", "joint")
    line(*["---"] * 12)
    later = []
    for name, (runs, fraction) in itertools.product(("clasp-factoring", "lpg-zenotravel"), CONDITIONS):
        data = load_dataset(name).matched()
        parts = list(folds_by_instance(len(data), 10, 0))[:folds]
        for model in MODELS:
            predicted = predictions(model, data, runs, fraction, parts, jobs, seeds)
            line(name, str(runs), f"{fraction:.0%}", type(model).__name__, *describe(predicted))
            if (runs, fraction) == (8, 0.0):
                later.append((name, type(model).__name__, np.mean([updates(*one) for one in predicted], axis=0)))
    portfolio(jobs, seeds)
    print()
    line("data", "model", "runs seen", "nllh of further runs", "ks", "ks of the runs seen alone")
    line(*["---"] * 6)
    for name, model, table in later:
        for k, (score, distance, alone) in zip(SEEN, table, strict=True):
            line(name, model, str(k), f"{score:.3f}", f"{distance:.3f}", f"{alone:.3f}" if k else "")


if __name__ == "__main__":
    main()
