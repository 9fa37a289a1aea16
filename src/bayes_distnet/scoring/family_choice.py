"""Choice of the family that describes a solver's runtimes best."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.data.observations import check_seconds
from bayes_distnet.distributions.families import FAMILIES, Family
from bayes_distnet.errors import RuntimeDataError

#: The Kolmogorov-Smirnov test behind the column `rejected` rejects below this p-value.
REJECTION_LEVEL = 0.01


def best_family(runtimes: ArrayLike) -> pd.DataFrame:
    """Rank the families by how closely they fit the runtimes of each instance.

    Every family is fitted to the runs of every instance by maximum likelihood, and compared with them by the
    Kolmogorov-Smirnov distance sup abs(F_runs - F_family), as DistNet's families were chosen. Instances with fewer
    than two runs are left out. All runs must have finished. As the family is fitted to the same runs, the test
    behind `rejected` is lenient: a rejection counts, the lack of one does not.

    Parameters
    ----------
    runtimes : array-like of shape (n_instances, n_runs)
        Seconds; NaN where there is no run.

    Returns
    -------
    DataFrame
        One row per family, sorted by `ks`: `family`; `ks`, the mean distance over instances; `wins`, the fraction of
        instances where it is closest; `rejected`, the fraction where the test rejects it (p < 0.01).

    Raises
    ------
    RuntimeDataError
        No runtimes, or no instance with two runs.

    Examples
    --------
    >>> runtimes = np.random.default_rng(0).weibull(3.0, size=(20, 100))
    >>> best_family(runtimes)["family"][0]
    'weibull'
    """
    groups = _by_number_of_runs(_checked(runtimes))
    distances = {
        name: np.concatenate([_distances(family, runs) for runs in groups]) for name, family in FAMILIES.items()
    }
    closest = np.argmin(np.stack(list(distances.values())), axis=0)
    counts = np.concatenate([np.full(len(runs), runs.shape[1]) for runs in groups])
    rows = [
        {
            "family": name,
            "ks": float(d.mean()),
            "wins": float((closest == i).mean()),
            "rejected": float((_p_values(d, counts) < REJECTION_LEVEL).mean()),
        }
        for i, (name, d) in enumerate(distances.items())
    ]
    return pd.DataFrame(rows).sort_values("ks", ignore_index=True)


def _distances(family: type[Family], runs: FloatArray) -> FloatArray:
    """Kolmogorov-Smirnov distance of each row, sorted runs of one instance, to the family fitted to it."""
    fitted = family.from_samples(runs, axis=1)
    cdf: FloatArray = fitted.take((slice(None), None)).cdf(runs)
    steps = np.arange(runs.shape[1] + 1) / runs.shape[1]
    below, above = cdf - steps[:-1], steps[1:] - cdf
    return np.asarray(np.maximum(below, above).max(axis=1))


def _p_values(distances: FloatArray, counts: IntArray) -> FloatArray:
    from scipy.stats import kstwo  # scipy.stats is slow to import

    return np.asarray(kstwo.sf(distances, counts))


def _by_number_of_runs(runtimes: FloatArray) -> list[FloatArray]:
    """Return one full matrix of sorted runs per number of runs, for instances with two runs or more."""
    ordered = np.sort(runtimes, axis=1)  # NaN last
    counts = np.sum(~np.isnan(ordered), axis=1)
    return [ordered[counts == k, :k] for k in np.unique(counts[counts >= 2])]


def _checked(runtimes: Any) -> FloatArray:
    matrix, _ = check_seconds(runtimes, what="runtimes")
    if matrix.ndim != 2:
        raise RuntimeDataError(
            f"runtimes have {matrix.ndim} dimension(s), shape {matrix.shape}; best_family needs a matrix, "
            "instances x runs (NaN where there is no run)."
        )
    if not (np.sum(~np.isnan(matrix), axis=1) >= 2).any():
        raise RuntimeDataError(
            f"None of the {len(matrix)} instances has two runs or more; a distribution cannot be compared with one."
        )
    return matrix
