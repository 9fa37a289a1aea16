"""Predictions as a table, one row per instance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.open_table import lacking
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.distributions.instance_runtimes import InstanceRuntimes
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.errors import FeatureError, SettingError
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.bounds.calibrate import calibration_of
from bayes_distnet.models.prediction_columns import FAMILIAR, OUT_OF_RANGE, QUANTILES, PredictionColumns
from bayes_distnet.validation import check_level, check_numbers


def aligned(features: pd.DataFrame, model: RuntimeEstimator, where: str = "features") -> pd.DataFrame:
    """Return the columns that a model was fitted on, in its order; others are left out."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return features
    if missing := [str(name) for name in names if name not in features.columns]:
        raise FeatureError(f"{where}: {lacking(missing, len(names))}")
    return features[list(names)]


def predictions(
    model: RuntimeEstimator,
    features: pd.DataFrame,
    *,
    columns: Sequence[str] | None = None,
    quantiles: Sequence[float] = QUANTILES,
    within: Sequence[float] = (),
    elapsed: ArrayLike = 0.0,
    band: float = 0.9,
    seen: RunTable | None = None,
    bounds: float | None = None,
    cutoff: ArrayLike | None = None,
) -> pd.DataFrame:
    """Return predictions as a table; times are in seconds.

    Parameters
    ----------
    model : RuntimeEstimator
        A fitted model.
    features : DataFrame
        One row per instance; columns that the model was not fitted on are left out.
    columns : sequence of str, optional
        Names of the columns wanted, in the place of `quantiles` and `within`: mean, median, q90, within:60, band (for
        low and high), unsure, familiar: all of these by default. Further ones: bounds (for lower and upper), spread,
        ignorance and luck (factors within which runs lie, the instance's median is known, and its runs differ, with
        90 % probability), out_of_range (features), trust (for unsure, ignorance, luck, familiar and out_of_range).
    quantiles : sequence of float
        Levels of the columns q10, q25, ...
    within : sequence of float
        Seconds of the columns within_60, ...: the probability of finishing within that time.
    elapsed : float or array-like of shape (n_rows,), default 0.0
        Seconds that the runs have been going already; all columns are then about the time left.
    band : float, default 0.9
        Level of the columns low and high.
    seen : RunTable, optional
        Runs of these instances that have been made already, by the same solver; instances are matched by name.
    bounds : float, optional
        Level of the columns lower and upper, which it adds: a run takes at least `lower` with this probability, and at
        most `upper` with this probability. The model must have been calibrated: see `Bounded` and `train`.
    cutoff : array-like of shape (n_rows,), optional
        Cutoff of each row, where bounds were calibrated under cutoffs that are a function of the features.

    Returns
    -------
    DataFrame
        One row per row of `features`: mean, median and quantiles of the runtime; within_*; low and high, the band of
        the instance's own median; unsure, the fraction of the variance of log time that is ignorance about the instance
        instead of the solver's luck. These three are NaN for a model that does not express how sure it is. The last
        column, familiar, is the verdict on the instance: familiar, unusual or outside, see
        `RuntimeEstimator.familiarity`.

    Raises
    ------
    SettingError
        Levels, times or names of columns that are not allowed, or `seen` that cannot be used.
    FeatureError
        Columns that are missing.
    """
    asked = PredictionColumns.usual(quantiles, within) if columns is None else PredictionColumns.parse(columns)
    asked = asked if bounds is None else asked.with_bounds()
    runs = None if seen is None else Dataset(seen, features)
    table, _ = predict_rows(model, features, asked, elapsed=elapsed, band=band, seen=runs, bounds=bounds, cutoff=cutoff)
    if runs is not None and not runs.seconds.size:
        raise SettingError("seen: none of these runs is of an instance in features. Names have to match.")
    return table


def predict_rows(
    model: RuntimeEstimator,
    features: pd.DataFrame,
    asked: PredictionColumns,
    *,
    elapsed: ArrayLike = 0.0,
    band: float = 0.9,
    seen: Dataset | None = None,
    bounds: float | None = None,
    cutoff: ArrayLike | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Predict some rows: see `predictions`.

    Parameters
    ----------
    model : RuntimeEstimator
        A fitted model.
    features : DataFrame
        One row per instance.
    asked : PredictionColumns
        Columns wanted.
    elapsed : float or array-like of shape (n_rows,)
        Seconds that the runs have been going already.
    band : float
        Level of the columns low and high.
    seen : Dataset, optional
        Runs of these instances, one row of features per row of `features`.
    bounds : float, optional
        Level of the columns lower and upper.
    cutoff : array-like of shape (n_rows,), optional
        Cutoff of each row, for bounds under cutoffs that are a function of the features.

    Returns
    -------
    table, familiarity : DataFrame
        Predictions, and how the rows compare with the training data.
    """
    band, waited = check_level(band, "band"), _check_elapsed(elapsed, len(features))
    known = aligned(features, model)
    rtd = model.predict_distribution(known)
    ends = _bounds(model, rtd, asked, bounds, cutoff, given=bool(waited.any()) or seen is not None)
    rtd = rtd if seen is None else _given_runs(rtd, seen)
    rtd = rtd.given_alive(waited) if waited.any() else rtd
    familiar = model.familiarity(known)
    out = ["; ".join(map(str, names)) for names in familiar["out_of_range"]]
    columns = asked.of(rtd, band) | ends | {FAMILIAR: familiar["verdict"].to_numpy(), OUT_OF_RANGE: out}
    return pd.DataFrame({name: columns[name] for name in asked.names}, index=features.index), familiar


def _bounds(
    model: RuntimeEstimator,
    rtd: PredictedRuntimes,
    asked: PredictionColumns,
    level: float | None,
    cutoff: ArrayLike | None,
    *,
    given: bool,
) -> dict[str, FloatArray]:
    """Compute the columns lower and upper, as far as they are wanted."""
    if not asked.bounds:
        return {}
    calibration = calibration_of(model)
    if given:
        raise SettingError("bounds: they hold for new runs of new instances; leave out elapsed and seen.")
    return {name: getattr(calibration, name)(rtd, level, cutoff) for name in asked.bounds}


def _check_elapsed(elapsed: ArrayLike, rows: int) -> FloatArray:
    waited = check_numbers("elapsed", elapsed)
    if waited.shape not in ((), (rows,)) or not np.all(np.isfinite(waited) & (waited >= 0)):
        raise SettingError(
            f"elapsed={str(elapsed)[:60]}: expected the seconds that the runs have been going, one or per row."
        )
    return waited


def _given_runs(rtd: PredictedRuntimes, seen: Dataset) -> PredictedRuntimes:
    """Condition on the runs that have been made of the instances."""
    if not isinstance(rtd, InstanceRuntimes):
        raise SettingError("seen: this model cannot learn from runs of a new instance; hybrid and bayes can.")
    return rtd.given_runs(seen.seconds, seen.finished) if seen.seconds.size else rtd
