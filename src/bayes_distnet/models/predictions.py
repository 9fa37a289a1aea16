"""Predictions as a table, one row per instance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.errors import FeatureError, SettingError
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.validation import check_level


def aligned(features: pd.DataFrame, model: RuntimeEstimator) -> pd.DataFrame:
    """Return the columns a model was fitted on, in its order; others are left out."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return features
    if missing := [str(name) for name in names if name not in features.columns]:
        raise FeatureError(
            f"features: no column {', '.join(missing[:3])}{' ...' if len(missing) > 3 else ''} ({len(missing)} of the "
            f"{len(names)} the model was fitted on are missing). Compute the features as for the training runs."
        )
    return features[list(names)]


def predictions(
    model: RuntimeEstimator,
    features: pd.DataFrame,
    *,
    quantiles: Sequence[float] = (0.1, 0.25, 0.75, 0.9),
    within: Sequence[float] = (),
    alive: float = 0.0,
    band: float = 0.9,
) -> pd.DataFrame:
    """Return a table of what a model predicts, one row a row of features; times are in seconds.

    mean, median, q10 ...: of the runtime. within_60: chance of finishing within 60 s. low, high: where the median
    lies, as far as the model knows (the band of that level). epistemic: the share of the variance that is the model's
    not knowing, not the solver's chance. The last three are NaN for a model that does not say how sure it is.

    alive: the runs have been going for so many seconds; all columns are then about what is left.
    """
    levels = [check_level(level, "quantiles") for level in quantiles]
    if any(not second > 0 for second in within):
        raise SettingError(f"within={list(within)}: expected positive numbers of seconds.")
    if not 0 <= alive < math.inf:
        raise SettingError(f"alive={alive:g}: expected the seconds that the runs have been going.")
    rtd = model.predict_distribution(aligned(features, model))
    rtd = rtd.given_alive(alive) if alive else rtd
    columns = {"mean": rtd.mean(), "median": rtd.median()}
    columns |= {f"q{100 * level:g}": rtd.quantile(level) for level in levels}
    columns |= {f"within_{seconds:g}": rtd.cdf(seconds) for seconds in within}
    low, high, share = _doubt(rtd, check_level(band, "band"))
    return pd.DataFrame(columns | {"low": low, "high": high, "epistemic": share}, index=features.index)


def _doubt(rtd: PredictedRuntimes, level: float) -> tuple[Any, Any, Any]:
    """Band of the median, and epistemic fraction of the variance; NaN without draws of distributions to compare."""
    if rtd.n_components == 1 or rtd.samples is not None:
        unknown = np.full(len(rtd), np.nan)
        return unknown, unknown, unknown
    low, high = rtd.band(level)
    unsure, chance = rtd.epistemic(), rtd.aleatoric()
    with np.errstate(invalid="ignore"):
        return low, high, unsure / (unsure + chance)
