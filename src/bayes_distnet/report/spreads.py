"""Spread of predictions for features that are moved away from the data."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bayes_distnet.experiments.statistics import model_order, most_complete, shared
from bayes_distnet.report.names import main_labels
from bayes_distnet.report.words import joined


def comparable_shifts(shifts: pd.DataFrame) -> pd.DataFrame:
    """Keep the shifts of one condition, that of the most jobs, and the folds and seeds that all models have.

    Parameters
    ----------
    shifts : DataFrame
        `Results.shifts`.

    Returns
    -------
    DataFrame
        Some of its rows.
    """
    return shared(most_complete(shifts), "runs")


def spreads(shifts: pd.DataFrame) -> pd.DataFrame:
    """Return the width of predictions: the ratio of the upper to the lower quartile.

    Parameters
    ----------
    shifts : DataFrame
        Rows of `Results.shifts`.

    Returns
    -------
    DataFrame
        Median ratio over instances, one row per model and family, one column per shift; NaN where a model predicts
        no numbers.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = shifts["high"].astype(float) / shifts["low"].astype(float)
    wide = shifts.assign(ratio=ratio).pivot_table(
        index=["model", "family"], columns="shift", values="ratio", aggfunc="median", dropna=False
    )
    # With NaN kept, pivoting pairs every model with every family.
    return wide.reindex(pd.MultiIndex.from_frame(shifts[["model", "family"]].drop_duplicates()))


def widening(shifts: pd.DataFrame) -> list[str]:
    """Describe how the predictions of main models widen far from the data.

    Parameters
    ----------
    shifts : DataFrame
        `Results.shifts`.

    Returns
    -------
    list of str
        One sentence, or none if there is nothing to report.
    """
    if shifts.empty:
        return []
    table = spreads(comparable_shifts(shifts))
    shifted_by = sorted(float(shift) for shift in table.columns)
    far, near = [shifted_by[0], shifted_by[-1]], min(shifted_by, key=abs)
    texts = []
    main = main_labels()
    for model in [name for name in model_order(table.index.get_level_values("model")) if name in main]:
        rows = table.loc[[model]].dropna(subset=list({near, *far}))
        if len(rows):
            at = rows[near].median(), rows[far].max(axis=1).median()
            texts.append(f"from {at[0]:.1f} to {at[1]:.3g} for {model}")
    if not texts:
        return []
    return [
        f"With all features moved by up to {max(map(abs, far)):g} standard deviations: the ratio of the predicted "
        f"quartiles goes {joined(texts)}."
    ]
