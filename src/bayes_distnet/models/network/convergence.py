"""Whether chains have converged: R-hat and effective number of draws (Vehtari et al. 2021)."""

from __future__ import annotations

import numpy as np
import scipy.special
import scipy.stats

from bayes_distnet.arrays import FloatArray


def r_hat(values: FloatArray) -> FloatArray:
    """Return rank-normalised split R-hat: 1 if all parts of all chains agree in location and in spread.

    Parameters
    ----------
    values : array
        (chains, draws, ...), at least four draws.

    Returns
    -------
    array
        (...), the larger one of the R-hats of values and of their distances from the median.

    Examples
    --------
    >>> same = np.random.default_rng(0).normal(size=(4, 500))
    >>> bool(r_hat(same) < 1.02), bool(r_hat(same + [[0.0], [0.0], [0.0], [2.0]]) > 1.2)
    (True, True)
    """
    parts = _split(values)
    folded = np.abs(parts - np.median(parts, axis=(0, 1)))
    return np.maximum(_plain_r_hat(_normal_scores(parts)), _plain_r_hat(_normal_scores(folded)))


def effective_draws(values: FloatArray) -> FloatArray:
    """Return the number of independent draws that say as much about the middle of the distribution.

    Parameters
    ----------
    values : array
        (chains, draws, ...), at least four draws.

    Returns
    -------
    array
        (...), from the autocorrelations of rank-normalised values, summed as long as pairs of them are positive.

    Examples
    --------
    >>> round(float(effective_draws(np.random.default_rng(0).normal(size=(4, 500)))), -3)
    2000.0
    """
    scores = _normal_scores(_split(values))
    chains, draws = scores.shape[:2]
    centred = scores - scores.mean(axis=1, keepdims=True)
    spectrum = np.fft.rfft(centred, 2 * draws, axis=1)
    covariance = np.fft.irfft(np.abs(spectrum) ** 2, axis=1)[:, :draws].mean(axis=0) / draws
    within = covariance[0] * draws / (draws - 1.0)
    pooled = covariance[0] + scores.mean(axis=1).var(axis=0, ddof=1)
    correlation = 1.0 - (within - covariance) / pooled
    correlation[0] = 1.0
    pairs = correlation[: draws // 2 * 2].reshape(draws // 2, 2, *correlation.shape[1:]).sum(axis=1)
    # Beyond the first pair that is not positive there is only noise; before it, pairs never grow.
    kept = np.minimum.accumulate(np.where(np.minimum.accumulate(pairs > 0, axis=0), pairs, 0.0), axis=0)
    length = np.maximum(2.0 * kept.sum(axis=0) - 1.0, 1.0 / np.log10(chains * draws))
    return np.asarray(chains * draws / length)


def _split(values: FloatArray) -> FloatArray:
    half = values.shape[1] // 2
    return np.concatenate([values[:, :half], values[:, -half:]])


def _normal_scores(values: FloatArray) -> FloatArray:
    count = values.shape[0] * values.shape[1]
    ranks = scipy.stats.rankdata(values.reshape(count, -1), axis=0)
    return np.asarray(scipy.special.ndtri((ranks - 0.375) / (count + 0.25)).reshape(values.shape))


def _plain_r_hat(values: FloatArray) -> FloatArray:
    draws = values.shape[1]
    within, between = values.var(axis=1, ddof=1).mean(axis=0), values.mean(axis=1).var(axis=0, ddof=1)
    return np.asarray(np.sqrt((draws - 1.0) / draws + between / within))
