"""The score of all estimators: the mean log likelihood of runs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayes_distnet.data.observations import observe
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.distributions.ticks import log_tick_density
from bayes_distnet.errors import RuntimeDataError
from bayes_distnet.validation import check_numbers

NO_FLAGS = (
    "score: no finished flags, with which this {model} was fitted: runs that were cut off would count as finished, and "
    "models that predict too short times would win. Give one target to fit and score, y = bayes_distnet.runtimes("
    "seconds, finished); or pass finished=... to score; or turn on scikit-learn's metadata routing. See "
    "docs/scikit-learn.md."
)


def mean_log_likelihood(
    rtd: PredictedRuntimes,
    y: Any,
    finished: ArrayLike | None,
    sample_weight: ArrayLike | None = None,
    *,
    tick: float | None = None,
) -> float:
    """Return the mean log likelihood of runs.

    Parameters
    ----------
    rtd : PredictedRuntimes
        Predictions, one row per row of y.
    y, finished : array-like
        Runs, in the forms that `fit` takes.
    sample_weight : array-like or None
        Weight of every row; None weighs all runs alike.
    tick : float, optional
        Tick of the timer in seconds; densities are then means over ticks.

    Returns
    -------
    float
        Mean over runs of the log density (per second) if finished, else of the log survival.
    """
    # The rows stand in for features: rows without a run drop out.
    rows, observations = observe(np.arange(len(rtd), dtype=float)[:, None], y, finished, need_finished=False)
    row = rows[observations.instance, 0].astype(int)
    runs, seconds = rtd[row], observations.seconds[:, None]
    density = runs.log_pdf(seconds) if tick is None else log_tick_density(runs, seconds, tick)
    values = np.where(observations.finished, density[:, 0], runs.log_sf(seconds)[:, 0])
    return float(np.average(values, weights=None if sample_weight is None else _weights(sample_weight, len(rtd))[row]))


def _weights(sample_weight: ArrayLike, rows: int) -> Any:
    weights = check_numbers("sample_weight", sample_weight, RuntimeDataError)
    if weights.shape != (rows,) or not np.all(weights >= 0) or not weights.any():
        raise RuntimeDataError(f"sample_weight: expected one weight of at least 0 for each of {rows} rows, not all 0.")
    return weights
