"""Special functions of the gamma family: log density, log survival and the equation for its shape.

Kernels as in `dispatch`. Derivatives with respect to the shape are exact, not finite differences.
"""

from functools import cache
from types import ModuleType

import numpy as np
import scipy.special
from numpy.polynomial.chebyshev import chebder
from numpy.polynomial.legendre import leggauss

from bayes_distnet.arrays import Array
from bayes_distnet.distributions.special.dispatch import Partials, evaluate, is_single, namespace
from bayes_distnet.distributions.special.elementary import HALF_LOG_2PI, LOG_2
from bayes_distnet.distributions.special.series import clenshaw

#: Largest shape for which SciPy's incomplete gamma function is used: beyond, its series stops too early.
SCIPY_SHAPE = 1e5

# 12 k S(k) on k >= 1 in y = (k - 3) / (k + 1), S the remainder of Stirling's formula for log Gamma(k).
_STIRLING = (
    0.9915679101226132, 0.012502862861511387, -0.00501498109492819, 0.0011029972558347504,
    -0.0001807821850079915, 2.487296739388948e-05, -3.279522456854801e-06, 4.5677741654519004e-07,
    -6.519286614958461e-08, 9.164203139744778e-09, -1.3259406377670843e-09, 1.9727334544085117e-10,
    -2.877209876298921e-11, 4.303033124926978e-12, -6.622990236879086e-13, 9.790404989597955e-14,
    -1.5126519464787966e-14, 2.3976516723470915e-15, -3.4766156226322974e-16, 5.730555805997423e-17,
)  # fmt: skip

# log Gamma(1 + k) / k on 0 <= k <= 1 in y = 2 k - 1.
_LOG_GAMMA_1P = (
    -0.2647362369323025, 0.28587285859139466, -0.0235145763321575, 0.002685079974656731,
    -0.0003497552715727561,
    4.880755320003236e-05, -7.098358790485804e-06, 1.060746616681459e-06, -1.6155933858435658e-07,
    2.4955218012272827e-08, -3.896697345119788e-09, 6.137352658308378e-10, -9.734966110649396e-11,
    1.5533015630980043e-11, -2.4909467297324567e-12, 4.0120228240690907e-13, -6.486576014785499e-14,
    1.0522714222232995e-14, -1.7121447861626472e-15, 2.7933134227060936e-16, -4.568268129158122e-17,
)  # fmt: skip


def _excess(xp: ModuleType, x: Array, center: Array) -> tuple[Array, Partials]:
    rho = (x - center) / center
    s = (x - center) / (x + center)
    near = abs(s) < 0.2
    # rho - 2 artanh(s), and rho - 2 s = rho s: the leading terms cancel on paper instead of in the rounding.
    small = xp.where(near, s, 0.0)
    square = small * small
    series: Array = 0.0
    for n in range(7 if is_single(x) else 25, 1, -2):
        series = series * square + 1.0 / n
    value = xp.where(near, small * (rho - 2.0 * square * series), rho - xp.log(x / center))
    return value, lambda: (rho / x, -rho / center)


def excess(x: Array, center: Array) -> Array:
    """Return x / center - 1 - log(x / center) >= 0, accurate also for x near the center.

    Parameters
    ----------
    x, center : array
        Positive.

    Returns
    -------
    array
        Not negative.

    Examples
    --------
    >>> round(float(excess(1.0 + 1e-9, 1.0)) * 1e18, 6)  # computed as written, it would be 0
    0.5
    """
    return evaluate(_excess, x, center)


@cache
def _stirling_series(terms: int) -> tuple[tuple[float, ...], ...]:
    """Return the series behind Stirling's remainder and its first two derivatives."""
    return tuple(tuple(map(float, chebder(_STIRLING[:terms], m))) for m in range(3))


def _stirling(k: Array) -> Array:
    """Remainder of Stirling's formula for log Gamma(k), k >= 1."""
    terms = _STIRLING[:9] if is_single(k) else _STIRLING
    return clenshaw(terms, (k - 3.0) / (k + 1.0)) / (12.0 * k)


def _log_minus_digamma(xp: ModuleType, k: Array) -> tuple[Array, Partials]:
    # With S Stirling's remainder, psi(j) = log j - 1 / (2 j) + S'(j), and psi(k) = psi(k + 1) - 1 / k.
    series, first, second = _stirling_series(10 if is_single(k) else len(_STIRLING))
    j = k + 1.0
    y, y1 = (j - 3.0) / (j + 1.0), 4.0 / (j + 1.0) ** 2
    p0, p1 = clenshaw(series, y), clenshaw(first, y) * y1
    value = (1.0 / k - xp.log1p(1.0 / k)) + (0.5 - (p1 - p0 / j) / 12.0) / j

    def partials() -> tuple[Array, ...]:
        p2 = clenshaw(second, y) * y1 * y1 - 2.0 * clenshaw(first, y) * y1 / (j + 1.0)
        return (-1.0 / (k * k * j) - (0.5 / j + (p2 - 2.0 * (p1 - p0 / j) / j) / 12.0) / j,)

    return value, partials


def log_minus_digamma(k: Array) -> Array:
    """log(k) - digamma(k), which is about 1 / (2 k) for large k, without cancellation.

    Parameters
    ----------
    k : array
        Positive.

    Returns
    -------
    array
        Positive.

    Examples
    --------
    >>> round(float(log_minus_digamma(1.0)), 12)  # Euler's constant
    0.577215664902
    """
    return evaluate(_log_minus_digamma, k)


def log_minus_digamma_slope(k: Array) -> Array:
    """Derivative of `log_minus_digamma`, 1 / k - trigamma(k).

    Parameters
    ----------
    k : array
        Positive.

    Returns
    -------
    array
        Negative.

    Examples
    --------
    >>> round(float(log_minus_digamma_slope(1.0)), 12) == round(1.0 - np.pi**2 / 6.0, 12)
    True
    """
    xp = namespace(k)
    return _log_minus_digamma(xp, xp.asarray(k))[1]()[0]


def _gamma_log_prob(xp: ModuleType, k: Array, x: Array) -> tuple[Array, Partials]:
    # Saddle-point form: no difference of large numbers for large k. Stirling's remainder S(k) from S(k + 1).
    remainder = _stirling(k + 1.0) + (k + 0.5) * xp.log1p(1.0 / k) - 1.0
    # k excess(x, k) is x, to rounding, long before x / k overflows.
    center = xp.maximum(k, 8.0 * float(np.finfo(x.dtype).tiny) * x)
    value = 0.5 * xp.log(k) - HALF_LOG_2PI - remainder - center * _excess(xp, x, center)[0]
    return value - xp.log(x), lambda: (xp.log(x / k) + _log_minus_digamma(xp, k)[0], ((k - 1.0) - x) / x)


def gamma_log_prob(shape: Array, x: Array) -> Array:
    """Log density at x of the gamma distribution with this shape and scale one.

    Parameters
    ----------
    shape, x : array
        Positive.

    Returns
    -------
    array
        Log density.

    Examples
    --------
    >>> round(float(gamma_log_prob(1.0, 2.0)), 12)
    -2.0
    """
    return evaluate(_gamma_log_prob, shape, x)


def log_gamma_1p(k: Array) -> Array:
    """Log of Gamma(1 + k), relatively accurate also for small k (no derivative attached).

    Parameters
    ----------
    k : array
        Positive.

    Returns
    -------
    array
        log Gamma(1 + k).

    Examples
    --------
    >>> round(float(log_gamma_1p(1e-12)) * 1e12, 9)
    -0.577215665
    """
    xp = namespace(k)
    k = xp.asarray(k)
    small = xp.minimum(k, 1.0)
    large = xp.maximum(k, 1.0)
    terms = _LOG_GAMMA_1P[:10] if is_single(k) else _LOG_GAMMA_1P
    above = (large + 0.5) * xp.log(large) - large + HALF_LOG_2PI + _stirling(large)
    return xp.where(k < 1.0, small * clenshaw(terms, 2.0 * small - 1.0), above)


@cache
def _quadrature(nodes: int) -> list[tuple[float, float]]:
    """Gauss-Legendre nodes and weights on [0, 1] under s -> s^2: crowded where the integrand is large."""
    x, w = leggauss(nodes)
    s = 0.5 * (x + 1.0)
    return [(float(a), float(b)) for a, b in zip(s * s, s * w, strict=True)]


def _exp_remainder(xp: ModuleType, v: Array) -> Array:
    """exp(v) - 1 - v, whose cancellation float64 can afford: x times its error is below 1e-15 sqrt(x)."""
    if not is_single(v):
        return xp.expm1(v) - v
    near = abs(v) < 0.3
    small = xp.where(near, v, 0.0)
    series: Array = 0.0
    for n in range(7, 2, -1):
        series = (series + 1.0) * small / n
    return xp.where(near, 0.5 * small * small * (1.0 + series), xp.expm1(v) - v)


def _gamma_tail(xp: ModuleType, k: Array, x: Array, upper: Array) -> tuple[Array, Array]:
    """Return I and the mean of u under the integrand of I, where the tail probability is x density(x) I.

    The tail is the upper one for x >= k, else the lower one, and x >= 1. In u = |log(time / x)|,
        I = int_0^inf exp(-|x - k| u - x (exp(v) - 1 - v)) du,  v = u upwards and -u downwards,
    a falling exponent without any cancellation, cut where it reaches the rounding error.
    """
    sign = xp.where(upper, 1.0, -1.0).astype(x.dtype)
    drift = abs(x - k)
    depth, nodes = (17.0, 14) if is_single(x) else (37.0, 32)
    # The cut: where either part of the exponent alone reaches the depth, and a Newton step for both together.
    q = depth / x
    root = xp.sqrt(2.0 * q)
    cut = xp.where(upper, xp.log1p(root + q), root + q)
    cut = xp.minimum(cut, depth / xp.maximum(drift, depth / cut))
    exponent = drift * cut + x * _exp_remainder(xp, sign * cut)
    cut = cut - (exponent - depth) / (drift + x * abs(xp.expm1(sign * cut)))
    total: Array = 0.0
    moment: Array = 0.0
    for node, weight in _quadrature(nodes):
        u = node * cut
        term = weight * xp.exp(-drift * u - x * _exp_remainder(xp, sign * u))
        total, moment = total + term, moment + node * term
    return cut * total, cut * moment / total


def _gamma_log_sf(xp: ModuleType, k: Array, x: Array) -> tuple[Array, Partials]:
    # x <= 1: P = x^k / Gamma(1 + k) (1 + k s) with s = sum_{n >= 1} (-x)^n / (n! (k + n)), kept in log space,
    # as P is near one for small shapes. x > 1: the quadrature for the tail that is smaller.
    small, low, large = x <= 1.0, xp.minimum(x, 1.0), xp.maximum(x, 1.0)
    s: Array = 0.0
    s_k: Array = 0.0  # d (k s) / d k
    power: Array = 1.0
    for n in range(1, 11 if is_single(x) else 19):  # the next term is below the rounding error for x <= 1
        power = power * low * (-1.0 / n)
        s, s_k = s + power / (k + n), s_k + power * n / (k + n) ** 2
    log_p_small = k * xp.log(low) - log_gamma_1p(k) + xp.log1p(k * s)

    upper = large >= k
    integral, mean_u = _gamma_tail(xp, k, large, upper)
    log_tail = _gamma_log_prob(xp, k, large)[0] + xp.log(large * integral)
    log_p = xp.where(small, log_p_small, xp.where(upper, -LOG_2, log_tail))
    from_p = small | ~upper
    below = -xp.expm1(log_p)
    log_q = xp.where(log_p > -LOG_2, xp.log(below), xp.log1p(-xp.exp(xp.minimum(log_p, -LOG_2))))

    def partials() -> tuple[Array, ...]:
        digamma_gap = _log_minus_digamma(xp, k)[0]
        next_digamma = xp.log(k) - digamma_gap + 1.0 / k
        by_k_small = xp.log(low) - next_digamma + s_k / (1.0 + k * s)
        by_k_large = xp.log(large / k) + digamma_gap + xp.where(upper, mean_u, -mean_u)
        by_k = xp.where(small, by_k_small, by_k_large)
        by_x = xp.where(small, k * xp.exp(-low) / (1.0 + k * s), 1.0 / integral) / x
        odds = xp.exp(log_p) / below
        return xp.where(from_p, -odds, 1.0) * by_k, -xp.where(from_p, odds, 1.0) * by_x

    return xp.where(from_p, log_q, log_tail), partials


def gamma_log_sf(shape: Array, x: Array) -> Array:
    """Log of the regularised upper incomplete gamma function Q(shape, x), also where Q itself underflows.

    Parameters
    ----------
    shape, x : array
        Positive.

    Returns
    -------
    array
        Log survival, not positive.

    Examples
    --------
    >>> float(gamma_log_sf(1.0, 2000.0))
    -2000.0
    """
    if namespace(shape, x) is not np:
        return evaluate(_gamma_log_sf, shape, x)
    shape, x = np.broadcast_arrays(np.asarray(shape, dtype=float), np.asarray(x, dtype=float))
    with np.errstate(divide="ignore"):
        q = scipy.special.gammaincc(shape, x)
        value = np.asarray(np.log(q))
    near = q > 0.5
    if near.any():
        value[near] = np.log1p(-scipy.special.gammainc(shape[near], x[near]))
    rest = ((q < 1e-290) | (shape > SCIPY_SHAPE)) & np.isfinite(x) & (x > 0)
    if rest.any():
        value[rest] = evaluate(_gamma_log_sf, shape[rest], x[rest])
    return value
