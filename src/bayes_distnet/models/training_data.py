"""Fitting a model to a data set."""

from __future__ import annotations

import pandas as pd

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.models.base import RuntimeEstimator, fit_runs

MOSTLY_EMPTY = 4  # cells per run from which on a matrix instances x runs is not made


def fit_dataset(model: RuntimeEstimator, data: Dataset) -> RuntimeEstimator:
    """Fit a model to a data set, one row per instance even where two instances share all features.

    Parameters
    ----------
    model : RuntimeEstimator
        An unfitted model.
    data : Dataset
        Runs of one solver and features of the instances.

    Returns
    -------
    RuntimeEstimator
        The same model, fitted.
    """
    observed = data.runs.observed()
    if len(data) * observed.frame["instance"].value_counts().max() <= MOSTLY_EMPTY * len(observed):
        fitted: RuntimeEstimator = fit_runs(model, data.features, data.seconds, data.finished)
        return fitted
    # Instances differ much in their number of runs: one row per run is smaller than a matrix of them.
    rows = data.features.index.get_indexer(pd.Index(observed.frame["instance"]))
    return model.fit(data.features.iloc[rows], observed.seconds, finished=observed.finished, groups=rows)
