"""The tails of the standard normal distribution."""

from types import ModuleType

import numpy as np
import scipy.special

from bayes_distnet.arrays import Array, FloatArray
from bayes_distnet.distributions.special.dispatch import Partials, evaluate, is_single, namespace
from bayes_distnet.distributions.special.elementary import HALF_LOG_2PI
from bayes_distnet.distributions.special.series import clenshaw

# (x + 2) H(x) on x >= -1/2 in y = (x - 5/2) / (x + 7/2), H(x) = phi(x) / Phi(-x) - x.
_HAZARD_EXCESS = (
    1.3540623558164746, -0.3008014838197829, -0.09795287977944676, 0.0475550148168179, 0.000576662310737678,
    -0.0039347840731384035, 0.00020969106775755764, 0.0003389517880692507, -2.7885594514622256e-05,
    -3.0625698954553326e-05, 2.550471800836233e-06, 2.843765741297322e-06, -1.7570914623013046e-07,
    -2.641052841694545e-07, 6.351899713607292e-09, 2.3829032275015234e-08, 5.860156508844617e-10,
    -2.0278455470940326e-09, -1.6452860268874292e-10, 1.5783008525465885e-10, 2.2917952966691373e-11,
    -1.0874395752296234e-11, -2.3742559023990953e-12, 6.468882674172149e-13, 1.9315883062356774e-13,
    -3.5008928327545875e-14, -1.2193527727438877e-14, 2.417318328812983e-15, 6.178647852087278e-16,
    -2.811817300951809e-16, -4.313208178507032e-17,
)  # fmt: skip


def hazard_terms(x: Array) -> tuple[float, ...]:
    """Return as many terms of the series of the hazard as the precision of x needs."""
    return _HAZARD_EXCESS[:14] if is_single(x) else _HAZARD_EXCESS


def _log_ndtr(xp: ModuleType, x: Array) -> tuple[Array, Partials]:
    tail = x < 0.5
    y = xp.where(tail, -x, x)
    hazard = y + clenshaw(hazard_terms(y), (y - 2.5) / (y + 3.5)) / (y + 2.0)
    log_density = -0.5 * x * x - HALF_LOG_2PI
    density = xp.exp(log_density)
    above = xp.where(tail, 0.0, density / hazard)  # Phi(-x)
    value = xp.where(tail, log_density - xp.log(hazard), xp.log1p(-above))
    return value, lambda: (xp.where(tail, hazard, density / (1.0 - above)),)


def log_ndtr(x: Array) -> Array:
    """Log of the standard normal distribution function, relatively accurate in both tails.

    Parameters
    ----------
    x : array
        Any number.

    Returns
    -------
    array
        log Phi(x).

    Examples
    --------
    >>> round(float(log_ndtr(-30.0)), 9)
    -454.321243956
    """
    if namespace(x) is np:
        return scipy.special.log_ndtr(np.asarray(x, dtype=float))
    return evaluate(_log_ndtr, x)


def mills_ratio(x: Array) -> Array:
    """Phi(-x) / phi(x) of the standard normal distribution; NumPy only.

    Parameters
    ----------
    x : array-like
        Any number.

    Returns
    -------
    ndarray
        Phi(-x) / phi(x).

    Examples
    --------
    >>> float(mills_ratio(1e8))
    1e-08
    """
    return np.sqrt(0.5 * np.pi) * scipy.special.erfcx(np.asarray(x, dtype=float) / np.sqrt(2.0))


def normal_beyond(z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of a standard normal variable, given that it exceeds z; NumPy only.

    Parameters
    ----------
    z : array
        Thresholds.

    Returns
    -------
    mean : array
        The inverse Mills ratio phi(z) / Phi(-z).
    variance : array
        Between 0 and 1.

    Examples
    --------
    >>> mean, variance = normal_beyond(np.array([-40.0, 0.0]))
    >>> mean.round(6).tolist(), variance.round(6).tolist()
    ([0.0, 0.797885], [1.0, 0.36338])
    """
    mean: FloatArray = np.exp(-0.5 * z**2 - HALF_LOG_2PI - scipy.special.log_ndtr(-z))
    return mean, np.maximum(1.0 + z * mean - mean**2, 0.0)
