"""Scores of selectors by the protocol of ASlib: normalised PAR10, where 0 is the oracle and 1 the single best solver.

Published tables differ in four points, and all combinations can be had:

- the average: the mean over folds of the ratios per fold, or the ratio of the means over all instances. The first
  explodes where a fold's single best solver is near the oracle.
- instances that nobody solves: left out (as in most tables), or kept.
- features: all groups charged, only those used, or none.
- the single best solver: here the one of the training instances of each fold, by mean PAR10. Neither it nor the oracle
  pays for features.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bayes_distnet.arrays import FloatArray


@dataclass(frozen=True)
class Normalised:
    """Normalised PAR10 of a policy.

    Parameters
    ----------
    mean_of_ratios, mean_of_ratios_error : float
        Mean over folds, and its standard error. Folds whose single best solver is the oracle have no ratio.
    ratio_of_means, ratio_of_means_error : float
        Ratio of the means over all instances, and its standard error over instances.
    """

    mean_of_ratios: float
    mean_of_ratios_error: float
    ratio_of_means: float
    ratio_of_means_error: float


def normalised(cost: FloatArray, single_best: FloatArray, oracle: FloatArray, fold: pd.Series) -> Normalised:
    """Normalise the costs of a policy.

    Parameters
    ----------
    cost, single_best, oracle : ndarray
        PAR10 of the policy, of the single best solver and of the oracle, per instance.
    fold : Series
        Fold of each instance.

    Returns
    -------
    Normalised
        Both averages; NaN where the single best solver is as good as the oracle everywhere.

    Examples
    --------
    >>> cost, best, least = np.array([3.0, 4.0]), np.array([4.0, 10.0]), np.array([2.0, 2.0])
    >>> found = normalised(cost, best, least, pd.Series([1, 2]))
    >>> found.mean_of_ratios, round(found.ratio_of_means, 3)
    (0.375, 0.3)
    """
    lost, gap = cost - oracle, single_best - oracle
    by_fold = pd.DataFrame({"lost": lost, "gap": gap}).groupby(fold.to_numpy()).mean()
    by_fold = by_fold[by_fold["gap"] > 0]
    ratios = (by_fold["lost"] / by_fold["gap"]).to_numpy(float)
    mean_gap = float(gap.mean()) if len(gap) else 0.0
    ratio = float(lost.mean()) / mean_gap if mean_gap > 0 else np.nan
    return Normalised(
        float(ratios.mean()) if len(ratios) else np.nan,
        standard_error(ratios),
        ratio,
        # First-order error of a ratio of two means over the same instances.
        standard_error(lost - ratio * gap) / mean_gap if mean_gap > 0 else np.nan,
    )


def standard_error(values: FloatArray) -> float:
    """Return the standard error of a mean; NaN of fewer than two values."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.nan
