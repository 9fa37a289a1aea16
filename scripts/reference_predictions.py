"""Predictions of every model on a small fixed data set, to show that a change of code changed no numbers.

    python scripts/reference_predictions.py write before.npz     # on the old code
    python scripts/reference_predictions.py write after.npz      # on the new code
    python scripts/reference_predictions.py compare before.npz after.npz

The same machine and the same versions of all packages are needed: training in float32 amplifies rounding.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np

from bayes_distnet import load_dataset
from bayes_distnet.data.splits import cut_off
from bayes_distnet.models.base import fit_runs
from bayes_distnet.models.registry import MODELS
from bayes_distnet.scoring.registry import SCORES

DATA = ("clasp-factoring", "lpg-zenotravel")
FAMILIES = ("lognormal", "inverse-gaussian")
FRACTIONS = (0.0, 0.4)  # of the training runs cut off
TRAIN, TEST, RUNS, TEST_RUNS = 110, 25, 4, 20
UNIT = 5.0  # seconds that are one unit of the published scores
TOLERANCE = 1e-5  # relative


def predictions() -> dict[str, np.ndarray]:
    """Fit every model under every condition, and return quantiles, densities, bands and scores."""
    found: dict[str, np.ndarray] = {}
    for name in DATA:
        data = load_dataset(name).matched()
        order = np.random.default_rng(0).permutation(len(data))
        train, test = order[:TRAIN], order[TRAIN : TRAIN + TEST]
        runs = data.seconds[test][:, :TEST_RUNS], data.finished[test][:, :TEST_RUNS]
        for fraction in FRACTIONS:
            seconds, finished = cut_off(data.seconds[train][:, :RUNS], data.finished[train][:, :RUNS], fraction)
            for key, entry in MODELS.items():
                for family in FAMILIES if entry.families else ("",):
                    if entry.is_limit:
                        rtd = entry.limit_of(data.seconds[test], data.finished[test])
                    else:
                        model = entry.build(family, 3)
                        fit_runs(model, data.features.iloc[train], seconds, finished)
                        rtd = model.predict_distribution(data.features.iloc[test])
                    at = f"{name}/{fraction}/{key}/{family}"
                    print(at, file=sys.stderr)
                    found |= {f"{at}/{what}": values for what, values in answers(rtd, *runs).items()}
    return found


def answers(rtd, seconds, finished) -> dict[str, np.ndarray]:
    """Return what is compared of one prediction."""
    found = {"q": rtd.quantile([0.05, 0.5, 0.95]), "mean": rtd.mean()}
    found |= {"logpdf": rtd.log_pdf(seconds[:, :5]), "logsf": rtd.log_sf(seconds[:, :5])}
    if rtd.n_components > 1 and rtd.samples is None:
        found["band"] = np.stack(rtd.band(0.9))
    for key, score in SCORES.items():
        found[key] = score(rtd, seconds, finished, **({"scale": UNIT} if score.scaled else {}))
    return found


def compare(before: Path, after: Path) -> int:
    """Print the largest relative differences; return 1 if one is above the tolerance."""
    old, new = np.load(before), np.load(after)
    shared = sorted(set(old.files) & set(new.files))
    gaps = {}
    for name in shared:
        a, b = old[name], new[name]
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        with np.errstate(all="ignore"):
            gaps[name] = float(np.where(same, 0.0, np.abs(a - b) / (np.abs(a) + 1e-3)).max(initial=0.0))
    for name in sorted(gaps, key=gaps.__getitem__)[-15:]:
        print(f"{gaps[name]:.2e}  {name}")
    only = {"before": set(old.files) - set(new.files), "after": set(new.files) - set(old.files)}
    for side, names in only.items():
        print(f"only {side}: {', '.join(sorted(names)) or 'nothing'}")
    print(f"{len(shared)} arrays compared; the largest relative difference is {max(gaps.values(), default=0.0):.2e}")
    return int(max(gaps.values(), default=0.0) > TOLERANCE)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("write").add_argument("file", type=Path)
    both = commands.add_parser("compare")
    both.add_argument("before", type=Path)
    both.add_argument("after", type=Path)
    parsed = parser.parse_args()
    if parsed.command == "compare":
        return compare(parsed.before, parsed.after)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.savez(parsed.file, **predictions())
    return 0


if __name__ == "__main__":
    sys.exit(main())
