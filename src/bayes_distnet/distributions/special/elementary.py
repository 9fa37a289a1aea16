"""Logarithms, ratios and exponentials that neither overflow nor cancel.

A quantity that grows without bound in the log likelihood of an absurd prediction, such as (t / scale)^shape,
continues linearly in log time once it passes a ceiling (7e12 in float32, 1e102 in float64), so that its gradient, and
the square of its gradient, stay finite.
"""

from types import ModuleType

import numpy as np

from bayes_distnet.arrays import Array, FloatArray
from bayes_distnet.distributions.special.dispatch import Partials, evaluate, is_single, namespace

HALF_LOG_2PI = 0.9189385332046727
LOG_2 = 0.6931471805599453


def _log_difference(xp: ModuleType, t: Array, loc: Array) -> tuple[Array, Partials]:
    if not is_single(t):
        return xp.log(t) - loc, lambda: (1.0 / t, -xp.ones_like(loc))
    # In float32, log t = 27 is rounded by 1e-6, which is a lot in units of a small scale. The exponent of t
    # times the leading bits of log 2 is exact, so that only the small remainder is rounded.
    mantissa, exponent = xp.frexp(t)
    low = mantissa < 0.70710678
    mantissa = xp.where(low, 2.0 * mantissa, mantissa)
    exponent = exponent.astype(t.dtype) - xp.where(low, 1.0, 0.0).astype(t.dtype)
    remainder = xp.log(mantissa) - 2.1219444e-4 * exponent
    return (0.693359375 * exponent - loc) + remainder, lambda: (1.0 / t, -xp.ones_like(loc))


def log_difference(t: Array, loc: Array) -> Array:
    """log(t) - loc, without the rounding of log(t) in float32.

    Parameters
    ----------
    t : array
        Positive.
    loc : array
        Broadcasts against t.

    Returns
    -------
    array
        log(t) - loc.

    Examples
    --------
    >>> float(log_difference(1.0, 2.0))
    -2.0
    """
    return evaluate(_log_difference, t, loc)


def _log_ratio(xp: ModuleType, t: Array, scale: Array) -> tuple[Array, Partials]:
    gap = (t - scale) / scale
    near = abs(gap) < 0.5
    value = xp.where(near, xp.log1p(xp.where(near, gap, 0.0)), xp.log(t / scale))
    return value, lambda: (1.0 / t, -1.0 / scale)


def log_ratio(t: Array, scale: Array) -> Array:
    """log(t / scale), with JAX relatively accurate also for t near the scale.

    Parameters
    ----------
    t, scale : array
        Positive.

    Returns
    -------
    array
        log(t / scale).

    Examples
    --------
    >>> float(log_ratio(2.0, 2.0))
    0.0
    """
    if namespace(t, scale) is np:
        return np.log(np.asarray(t, dtype=float) / scale)
    return evaluate(_log_ratio, t, scale)


def _ceiling(x: Array) -> float:
    return 7e12 if is_single(x) else 1e102


def capped(xp: ModuleType, x: Array) -> tuple[Array, Array]:
    """Return x, above the ceiling its tangent in log x; and the derivative with respect to log x.

    Parameters
    ----------
    xp : module
        `numpy` or `jax.numpy`.
    x : array
        Not negative.

    Returns
    -------
    value : array
        x, continued.
    slope : array
        The derivative.
    """
    top = _ceiling(x)
    slope = xp.minimum(x, top)
    return slope * (1.0 + xp.log(xp.maximum(x / top, 1.0))), slope


def _ratio(xp: ModuleType, t: Array, scale: Array) -> tuple[Array, Partials]:
    value, slope = capped(xp, t / scale)
    return value, lambda: (slope / t, -slope / scale)


def ratio(t: Array, scale: Array) -> Array:
    """Return t / scale, going on as a logarithm above the ceiling.

    Parameters
    ----------
    t, scale : array
        Positive.

    Returns
    -------
    array
        t / scale, continued.

    Examples
    --------
    >>> float(ratio(3.0, 2.0))
    1.5
    """
    return evaluate(_ratio, t, scale)


def _capped_exp(xp: ModuleType, u: Array) -> tuple[Array, Partials]:
    top = float(np.log(_ceiling(u)))
    slope = xp.exp(xp.minimum(u, top))
    return slope * (1.0 + xp.maximum(u - top, 0.0)), lambda: (slope,)


def capped_exp(u: Array) -> Array:
    """exp(u), going on as a straight line above the ceiling.

    Parameters
    ----------
    u : array
        Any number.

    Returns
    -------
    array
        exp(u), continued.

    Examples
    --------
    >>> float(capped_exp(0.0))
    1.0
    """
    return evaluate(_capped_exp, u)


def _softplus(xp: ModuleType, u: Array) -> tuple[Array, Partials]:
    e = xp.exp(-abs(u))
    return xp.maximum(u, 0.0) + xp.log1p(e), lambda: (xp.where(u > 0.0, 1.0, e) / (1.0 + e),)


def softplus(u: Array) -> Array:
    """log(1 + exp(u)), relatively accurate at both ends.

    Parameters
    ----------
    u : array
        Any number.

    Returns
    -------
    array
        log(1 + exp(u)).

    Examples
    --------
    >>> float(softplus(-100.0)) == float(np.exp(-100.0))
    True
    """
    return evaluate(_softplus, u)


def log1mexp(x: Array) -> Array:
    """log(1 - exp(x)) for x <= 0, relatively accurate at both ends; NumPy only.

    Parameters
    ----------
    x : array-like
        Not positive.

    Returns
    -------
    ndarray
        log(1 - exp(x)).

    Examples
    --------
    >>> float(log1mexp(-1e-20)) == float(np.log(1e-20))
    True
    """
    x = np.asarray(x, dtype=float)
    with np.errstate(divide="ignore", under="ignore"):
        near = np.log(-np.expm1(np.maximum(x, -LOG_2)))
        return np.where(x > -LOG_2, near, np.log1p(-np.exp(np.minimum(x, -LOG_2))))


def log_sum_exp(terms: FloatArray) -> FloatArray:
    """Log of the sum of exp over the last axis, minus infinity where every term is; NumPy only.

    Parameters
    ----------
    terms : ndarray
        (..., m).

    Returns
    -------
    ndarray
        (...).

    Examples
    --------
    >>> float(log_sum_exp(np.array([-1000.0, -1000.0])).round(6))
    -999.306853
    """
    top = terms.max(axis=-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(terms - top).sum(axis=-1)) + top[..., 0])
