"""Calibration: predicted probabilities against the shares that came true."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.scoring.runs import runs_of
from bayes_distnet.validation import check_level, check_seed


def pit(rtd: PredictedRuntimes, runtimes: Any, finished: Any = None, *, random_state: int = 0) -> FloatArray:
    """Probability integral transform F(t) of every run: uniform on [0, 1] if the predictions are correct.

    All that is known of a run cut off at c is that its F(t) lies above F(c): it gets a uniform draw from that range.

    Parameters
    ----------
    rtd : PredictedRuntimes
        Predicted runtimes, one row per instance.
    runtimes, finished : array-like
        Runs of these instances: see `bayes_distnet.scoring.scores`.
    random_state : int, default 0
        Seed of the draws for censored runs.

    Returns
    -------
    ndarray of shape (n_instances, n_runs)
        F(t); NaN where there is no run.
    """
    runs = runs_of(rtd, runtimes, finished)
    cdf = rtd.cdf(runs.seconds)
    drawn = cdf + np.random.default_rng(check_seed("random_state", random_state)).random(cdf.shape) * (1 - cdf)
    return np.where(runs.present, np.where(runs.finished, cdf, drawn), np.nan)


def coverage(rtd: PredictedRuntimes, runtimes: Any, finished: Any = None, *, level: float = 0.9) -> FloatArray:
    """Share of the runs inside the central interval of a level: about `level` if the predictions are correct.

    A run cut off at c counts with its probability of lying inside, given that it lasts longer than c.

    Parameters
    ----------
    rtd : PredictedRuntimes
        Predicted runtimes, one row per instance.
    runtimes, finished : array-like
        Runs of these instances: see `bayes_distnet.scoring.scores`.
    level : float, default 0.9
        Predicted probability of the interval.

    Returns
    -------
    ndarray of shape (n_instances,)
        Shares; NaN for an instance without a run.
    """
    level = check_level(level)
    runs = runs_of(rtd, runtimes, finished)
    cdf, low, high = rtd.cdf(runs.seconds), 0.5 - 0.5 * level, 0.5 + 0.5 * level
    rest = np.maximum(1 - cdf, 1e-300)
    inside = np.where(runs.finished, (cdf >= low) & (cdf <= high), np.maximum(high - np.maximum(low, cdf), 0.0) / rest)
    return runs.average(inside)


def band_coverage(
    rtd: PredictedRuntimes, runtimes: Any, finished: Any = None, *, level: float = 0.9, q: float = 0.5
) -> FloatArray:
    """Whether the instance's own q-quantile lies inside the band of a level: in about `level` of the instances.

    The quantile is that of the runs, which has a noise of its own: with few runs, correct bands hold fewer of them.

    Parameters
    ----------
    rtd : PredictedRuntimes
        Predicted runtimes, one row per instance.
    runtimes, finished : array-like
        Runs of these instances: see `bayes_distnet.scoring.scores`.
    level : float, default 0.9
        Predicted probability of the band.
    q : float, default 0.5
        Level of the quantile.

    Returns
    -------
    ndarray of shape (n_instances,)
        1 or 0; NaN where the quantile lies past the horizon, and for predictions that cannot separate ignorance from
        luck.
    """
    runs = runs_of(rtd, runtimes, finished)
    if not rtd.splits:
        return np.full(len(rtd), np.nan)
    low, high = rtd.band(level, q=q)
    late = np.finfo(float).max / 4  # finite, so that quantiles at the very run before it are still numbers
    times = np.where(runs.present, np.where(runs.finished, runs.seconds, late), np.nan)
    rows = np.flatnonzero(runs.count)
    own = np.full(len(rtd), np.nan)
    own[rows] = np.nanquantile(times[rows], q, axis=1)
    known = own <= np.minimum(runs.horizon, late / 2)
    return np.where(known, (low <= own) & (own <= high), np.nan)


def calibration(transforms: FloatArray) -> float:
    r"""Mean :math:`|P(F(t) \le p) - p|` over p: distance of predicted probabilities from the shares that came true.

    Parameters
    ----------
    transforms : ndarray
        Transforms that `pit` returned, of as many instances as possible; NaN is left out.

    Returns
    -------
    float
        0 is best; 0.5 if all runs lie past one end; NaN without a run.

    Examples
    --------
    >>> round(calibration(np.array([0.1, 0.3, 0.5, 0.7, 0.9])), 3)
    0.05
    """
    known = np.sort(transforms[~np.isnan(transforms)])
    levels = (np.arange(200) + 0.5) / 200
    share = np.searchsorted(known, levels, side="right") / max(known.size, 1)
    return float(np.abs(share - levels).mean()) if known.size else np.nan


def calibration_error(rtd: PredictedRuntimes, runtimes: Any, finished: Any = None) -> float:
    """Calibration of a prediction over the runs of all instances: `calibration` of `pit`.

    Parameters
    ----------
    rtd : PredictedRuntimes
        Predicted runtimes, one row per instance.
    runtimes, finished : array-like
        Runs of these instances: see `bayes_distnet.scoring.scores`.

    Returns
    -------
    float
        0 is best; NaN without a run.
    """
    return calibration(pit(rtd, runtimes, finished))
