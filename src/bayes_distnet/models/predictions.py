"""Predictions as a table, one row per instance."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.distributions.instance_runtimes import InstanceRuntimes
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.errors import FeatureError, SettingError
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.validation import check_level


def aligned(features: pd.DataFrame, model: RuntimeEstimator) -> pd.DataFrame:
    """Return the columns that a model was fitted on, in its order; others are left out."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return features
    if missing := [str(name) for name in names if name not in features.columns]:
        raise FeatureError(
            f"features: no column {', '.join(missing[:3])}{' ...' if len(missing) > 3 else ''} ({len(missing)} of the "
            f"{len(names)} that the model was fitted on are missing). Compute the features as for the training runs."
        )
    return features[list(names)]


def predictions(
    model: RuntimeEstimator,
    features: pd.DataFrame,
    *,
    quantiles: Sequence[float] = (0.1, 0.25, 0.75, 0.9),
    within: Sequence[float] = (),
    elapsed: float = 0.0,
    band: float = 0.9,
    seen: RunTable | None = None,
) -> pd.DataFrame:
    """Return predictions as a table; times are in seconds.

    Parameters
    ----------
    model : RuntimeEstimator
        A fitted model.
    features : DataFrame
        One row per instance; columns that the model was not fitted on are left out.
    quantiles : sequence of float
        Levels of the columns q10, q25, ...
    within : sequence of float
        Seconds of the columns within_60, ...: the probability of finishing within that time.
    elapsed : float, default 0.0
        Seconds that the runs have been going already; all columns are then about the time left.
    band : float, default 0.9
        Level of the columns low and high.
    seen : RunTable, optional
        Runs of these instances that have been made already, by the same solver; instances are matched by name.

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
        Levels or times out of range, or `seen` that cannot be used.
    FeatureError
        Columns that are missing.
    """
    levels = [check_level(level, "quantiles") for level in quantiles]
    if any(not second > 0 for second in within):
        raise SettingError(f"within={list(within)}: expected positive numbers of seconds.")
    if not 0 <= elapsed < math.inf:
        raise SettingError(f"elapsed={elapsed:g}: expected the seconds that the runs have been going.")
    known = aligned(features, model)
    rtd = model.predict_distribution(known)
    rtd = rtd if seen is None else _given_runs(rtd, seen, features)
    rtd = rtd.given_alive(elapsed) if elapsed else rtd
    columns = {"mean": rtd.mean(), "median": rtd.median()}
    columns |= {f"q{100 * level:g}": rtd.quantile(level) for level in levels}
    columns |= {f"within_{seconds:g}": rtd.cdf(seconds) for seconds in within}
    low, high, fraction = _uncertainty(rtd, check_level(band, "band"))
    table = pd.DataFrame(columns | {"low": low, "high": high, "unsure": fraction}, index=features.index)
    return table.assign(familiar=model.familiarity(known)["verdict"].to_numpy())


def _given_runs(rtd: PredictedRuntimes, seen: RunTable, features: pd.DataFrame) -> PredictedRuntimes:
    """Condition on the runs that have been made of the instances."""
    if not isinstance(rtd, InstanceRuntimes):
        raise SettingError("seen: this model cannot learn from runs of a new instance; hybrid and bayes can.")
    known = Dataset(seen, features)
    if not known.seconds.size:
        raise SettingError("seen: none of these runs is of an instance in features. Names have to match.")
    return rtd.given_runs(known.seconds, known.finished)


def _uncertainty(rtd: PredictedRuntimes, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the band of the median and the fraction of the variance that is ignorance; NaN where it is unknown."""
    if not rtd.splits:
        unknown = np.full(len(rtd), np.nan)
        return unknown, unknown, unknown
    return *rtd.band(level), rtd.unsure_share()
