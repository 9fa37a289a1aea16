"""Density exponent and log survival of the inverse Gaussian distribution."""

from types import ModuleType

import numpy as np

from bayes_distnet.arrays import Array
from bayes_distnet.distributions.special.dispatch import Partials, evaluate, is_single, namespace
from bayes_distnet.distributions.special.elementary import HALF_LOG_2PI, capped
from bayes_distnet.distributions.special.normal import hazard_terms, mills_ratio
from bayes_distnet.distributions.special.series import clenshaw_difference


def _ig_exponent(xp: ModuleType, t: Array, mu: Array, lam: Array) -> tuple[Array, Partials]:
    c = lam / t
    q = (t - mu) / mu
    exponent = xp.minimum(0.5 * c * q * q, float(np.finfo(t.dtype).max))
    value, slope = capped(xp, exponent)

    def partials() -> tuple[Array, ...]:
        over = exponent > slope
        # d exponent / d log mu = -c q t / mu, which is the slope times -2 t / (t - mu).
        by_mu = xp.where(over, 2.0 * slope * (t / xp.where(over, t - mu, 1.0)), c * q * (t / mu))
        return (by_mu - slope) / t, -by_mu / mu, slope / lam

    return value, partials


def ig_exponent(t: Array, mu: Array, lam: Array) -> Array:
    """Return lam (t - mu)^2 / (2 mu^2 t), the exponent of the inverse Gaussian density.

    Parameters
    ----------
    t, mu, lam : array
        Positive.

    Returns
    -------
    array
        Not negative.

    Examples
    --------
    >>> float(ig_exponent(2.0, 1.0, 4.0))
    1.0
    """
    return evaluate(_ig_exponent, t, mu, lam)


def _ig_log_sf(xp: ModuleType, t: Array, mu: Array, lam: Array) -> tuple[Array, Partials]:
    # With R the Mills ratio, h = 1/R = x + H(x), root = sqrt(lam / t), a = root (t/mu - 1), b = a + 2 root:
    #   sf = phi(a) [R(a) - R(b)] = phi(a) 2 root (1 + H[a, b]) / (h(a) h(b)),   H[a, b] a divided difference,
    # where nothing cancels; on the lower side, 1 - sf = phi(a) [R(-a) + R(b)].
    largest = 1e18 if is_single(t) else 1e150
    root = xp.minimum(xp.sqrt(lam / t), largest)
    a = xp.clip(root * ((t - mu) / mu), -largest, largest)
    b = a + 2.0 * root
    upper = a > -0.5
    x = xp.where(upper, a, -a)
    fx, fb, slope = clenshaw_difference(hazard_terms(t), (x - 2.5) / (x + 3.5), (b - 2.5) / (b + 3.5))
    excess_b = fb / (b + 2.0)
    hx, hb = x + fx / (x + 2.0), b + excess_b
    # H(x) = f(y(x)) / (x + 2), so H[x, b] = f[y(x), y(b)] y[x, b] / (x + 2) - f(y(b)) / ((x + 2) (b + 2)).
    difference = (6.0 * slope / ((x + 3.5) * (b + 3.5)) - excess_b) / (x + 2.0)
    difference = xp.where(upper, 1.0 + difference, 1.0)
    square = 0.5 * a * a
    exponent, square_slope = capped(xp, square)
    density = xp.exp(-exponent - HALF_LOG_2PI)
    below = xp.where(upper, 0.0, density * (1.0 / hx + 1.0 / hb))
    log_upper = xp.log(2.0 * root * difference / hx) - xp.log(hb) - exponent - HALF_LOG_2PI
    value = xp.where(upper, log_upper, xp.log1p(-below))

    def partials() -> tuple[Array, ...]:
        capped = xp.where(square > square_slope, square_slope / xp.maximum(square, 1.0), 1.0)
        weight = xp.where(upper, 0.5 * hx / difference * capped, root * (density / (hb * (1.0 - below))))
        return -weight * hb / t, 2.0 * weight * root * (t / mu) / mu, weight * (excess_b - a) / lam

    return value, partials


def ig_log_sf(t: Array, mu: Array, lam: Array) -> Array:
    """Log survival function of the inverse Gaussian distribution with mean mu and shape lam.

    Parameters
    ----------
    t, mu, lam : array
        Positive.

    Returns
    -------
    array
        Log survival, not positive.

    Examples
    --------
    >>> round(float(ig_log_sf(100.0, 1.0, 9.0)), 6)
    -449.28038
    """
    if namespace(t, mu, lam) is not np:
        return evaluate(_ig_log_sf, t, mu, lam)
    t, mu, lam = np.broadcast_arrays(*(np.asarray(a, dtype=float) for a in (t, mu, lam)))
    with np.errstate(all="ignore"):
        root = np.sqrt(lam / t)
        a = np.where(t < np.inf, root * ((t - mu) / mu), np.inf)
        upper = a > -0.5
        mills_a, mills_b = mills_ratio(np.where(upper, a, -a)), mills_ratio(a + 2.0 * root)
        difference = mills_a - mills_b
        log_density = -0.5 * a * a - HALF_LOG_2PI
        value = np.where(
            upper,
            log_density + np.log(difference),
            np.log1p(-np.exp(log_density) * np.where(upper, 0.0, mills_a + mills_b)),
        )
    # SciPy's Mills ratio is the faster way; where the difference cancels, the kernel is the accurate one.
    rest = upper & ~(difference > 1e-3 * mills_a) & (t < np.inf)
    if rest.any():
        value[rest] = evaluate(_ig_log_sf, t[rest], mu[rest], lam[rest])
    return value
