"""One distribution for all runs, by censored maximum likelihood: models work relative to its scale."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_ndtr

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.distributions.families import Family, LogNormal, get_family
from bayes_distnet.distributions.families.base import RAW_SPREAD_RANGE

LEAST_SPREAD = 0.02  # smallest spread of log time: even identical runtimes carry a timer's error
WEAK = 0.01  # weight of a pull towards the crude moments; it decides only where the data cannot (one finished run)
# Options of the Nelder-Mead search.
OPTIONS = {"xatol": 1e-7, "fatol": 1e-9, "maxiter": 2000}


def censored_maximum_likelihood(family: str | type[Family], seconds: FloatArray, finished: BoolArray) -> Family:
    """Fit one family to finished and cut-off runs by maximum likelihood.

    Parameters
    ----------
    family : str or type
        Name or class of a family.
    seconds : ndarray
        (k,) runtimes, positive; the cutoff for a run that was cut off.
    finished : ndarray
        (k,) booleans, False for a run that was cut off.

    Returns
    -------
    Family
        Parameters without axes.

    Examples
    --------
    >>> runs = np.random.default_rng(0).lognormal(1.0, 0.5, size=5000)
    >>> fitted = censored_maximum_likelihood("lognormal", np.minimum(runs, 1.5), runs < 1.5)
    >>> {name: round(float(value), 1) for name, value in fitted.parameters().items()}
    {'loc': 1.0, 'scale': 0.5}
    """
    kind = get_family(family)
    center, spread = log_location_and_spread(seconds, finished)
    if kind is LogNormal:
        return LogNormal(np.float64(center), np.float64(spread))

    def loss(raw: FloatArray) -> float:
        fitted = kind.from_raw(raw, center, spread)
        return float(-np.sum(fitted.log_likelihood(seconds, finished)) + WEAK * np.sum(raw**2))

    for _ in range(40):
        best = minimize(loss, np.zeros(kind.n_raw), method="Nelder-Mead", options=OPTIONS).x
        fitted = kind.from_raw(best, center, spread)
        if kind.n_raw == 1 or RAW_SPREAD_RANGE[0] + 0.01 < best[1] < RAW_SPREAD_RANGE[1] - 0.01:
            break
        # The answer lies outside the range of raw outputs: search again around the last one.
        center += spread * best[0]
        spread *= math.exp(np.clip(best[1], *RAW_SPREAD_RANGE))
    return fitted


def log_location_and_spread(seconds: FloatArray, finished: BoolArray) -> tuple[float, float]:
    """Mean and standard deviation of log runtime, by maximum likelihood of a censored normal.

    Parameters
    ----------
    seconds : ndarray
        (k,) runtimes, positive; the cutoff for a run that was cut off.
    finished : ndarray
        (k,) booleans, False for a run that was cut off.

    Returns
    -------
    location, spread : float
        Of log time; the spread is at least `LEAST_SPREAD`.
    """
    log_seconds = np.log(seconds)
    crude = log_seconds.mean(), max(float(log_seconds.std()), LEAST_SPREAD)
    if finished.all():
        return float(crude[0]), crude[1]
    known = log_seconds[finished]
    mean, square = known.mean(), known.var()
    cutoff, times = np.unique(log_seconds[~finished], return_counts=True)

    def loss(theta: FloatArray) -> float:
        loc, log_scale = crude[0] + crude[1] * theta[0], math.log(crude[1]) + theta[1]
        scale = math.exp(log_scale)
        density = len(known) * (log_scale + (square + (mean - loc) ** 2) / (2 * scale**2))
        return float(density - times @ log_ndtr((loc - cutoff) / scale) + WEAK * (theta @ theta))

    theta = minimize(loss, np.zeros(2), method="Nelder-Mead", options=OPTIONS).x
    return float(crude[0] + crude[1] * theta[0]), max(crude[1] * math.exp(theta[1]), LEAST_SPREAD)
