"""Where restarting pays: each instance's own best cutoff, chosen on half of its runs and scored on the other half.

    python benchmarks/best_cutoffs.py [NAME ...]

Not restarting counts as the mean runtime up to the cutoff of the collection, which is less than the expected runtime
where runs were cut off: the speed-ups printed are lower bounds there.
"""

from __future__ import annotations

import sys

import numpy as np

from bayes_distnet import Dataset, load_dataset
from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.data.shipped.registry import DATASETS

FEWEST = 5  # finished runs below a cutoff: one that rests on fewer is not considered


def expected(seconds: FloatArray, finished: BoolArray, cutoff: float) -> float:
    """Return the expected total time with restarts at a cutoff."""
    within = np.count_nonzero(finished & (seconds <= cutoff))
    return float(np.minimum(seconds, cutoff).sum() / max(within, 0.5))


def best_cutoff(seconds: FloatArray, finished: BoolArray) -> float:
    """Return the cutoff with the least expected total time; infinite if restarting does not pay."""
    times = np.sort(seconds[finished])[FEWEST - 1 :]
    totals = [expected(seconds, finished, cutoff) for cutoff in times]
    pays = len(totals) > 0 and min(totals) < seconds.mean()
    return float(times[np.argmin(totals)]) if pays else np.inf


def describe(label: str, data: Dataset) -> None:
    """Print one line about the runs of one solver."""
    seconds, finished = data.seconds, data.finished
    halves = [(slice(0, None, 2), slice(1, None, 2)), (slice(1, None, 2), slice(0, None, 2))]
    gains, cutoffs = [], []
    for times, ended in zip(seconds, finished, strict=True):
        if not ended.any():
            continue
        for chosen, scored in halves:
            cutoff = best_cutoff(times[chosen], ended[chosen])
            cutoffs.append(cutoff)
            alone = times[scored].mean()
            gains.append(alone / expected(times[scored], ended[scored], cutoff) if np.isfinite(cutoff) else 1.0)
    used, medians = np.array(cutoffs), np.median(seconds, axis=1)
    restarts = np.isfinite(used)
    low, high = np.quantile(gains, [0.1, 0.9])
    shown = ", ".join(f"{cutoff:.3g}" for cutoff in np.quantile(used[restarts], [0.25, 0.5, 0.75]))
    print(
        f"{label}: speed-up {np.exp(np.mean(np.log(gains))):.2f} (80 % between {low:.2f} and {high:.2f}); restarts pay "
        f"on {restarts.mean():.0%}, with cutoffs of {shown} s (quartiles)\n"
        f"    cut off {1 - finished.mean():.1%}; mean run {seconds.mean():.3g} s; medians {medians.min():.3g} to "
        f"{medians.max():.3g} s, their median {np.median(medians):.3g} s"
    )


def main() -> None:
    """Print one line per data set and solver."""
    for name in sys.argv[1:] or DATASETS:
        data = load_dataset(name)
        for solver in data.solvers:
            describe(name if len(data.solvers) == 1 else f"{name}, {solver}", data.of(solver))


if __name__ == "__main__":
    main()
