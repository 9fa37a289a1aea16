"""The special functions behind the families, for NumPy (float64) and JAX (float32 or float64) alike.

Each function is written once, as a *kernel*: `kernel(xp, *arguments) -> (value, partials)`, where `xp` is
NumPy or `jax.numpy` and `partials()` gives the derivative with respect to every argument. Under NumPy the
value is returned; under JAX the derivative is attached with `jax.custom_jvp` (see `special_jax`), because
differentiating through a branch that is not taken gives NaN. JAX is not imported while all is NumPy.

Nothing overflows: a quantity that grows without bound in the log likelihood of an absurd prediction, such as
(t / scale)^shape, goes on linearly in log time once it passes a ceiling (7e12 in float32, 1e102 in float64),
so that its gradient, and the square of its gradient, stay finite.
"""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import scipy.special

Array = Any
Partials = Callable[[], tuple[Array, ...]]
Kernel = Callable[..., tuple[Array, Partials]]

HALF_LOG_2PI = 0.9189385332046727
LOG_2 = 0.6931471805599453


def namespace(*arrays: Array) -> ModuleType:
    """Return `jax.numpy` if any argument is a JAX array or tracer, else NumPy.

    >>> namespace(1.0, np.ones(3)).__name__
    'numpy'
    """
    jax = sys.modules.get("jax")
    if jax is not None and any(isinstance(a, jax.Array) for a in arrays):
        import jax.numpy as jnp

        return jnp
    return np


def stop_gradient(x: Array) -> Array:
    """Return x as a constant that no derivative flows through (NumPy: x itself)."""
    if namespace(x) is np:
        return x
    from bayes_distnet import special_jax

    return special_jax.stop_gradient(x)


def repeat(step: Callable[[Array], Array], x: Array, count: int) -> Array:
    """Return x after a number of steps, under JAX as a loop that is compiled once.

    >>> repeat(lambda x: 2.0 * x, np.array(1.0), 3).item()
    8.0
    """
    if namespace(x) is not np:
        from bayes_distnet import special_jax

        return special_jax.repeat(step, x, count)
    for _ in range(count):
        x = step(x)
    return x


def evaluate(kernel: Kernel, *args: Array) -> Array:
    """Return the value of a kernel: in float64 for NumPy, with its derivative attached for JAX."""
    if namespace(*args) is np:
        with np.errstate(all="ignore"):
            return kernel(np, *(np.asarray(a, dtype=float) for a in args))[0]
    from bayes_distnet import special_jax

    return special_jax.differentiable(kernel)(*args)


def is_single(x: Array) -> bool:
    """Whether an array is in float32."""
    return bool(x.dtype.itemsize < 8)


# --- Chebyshev series -------------------------------------------------------------------------------------
# Tables are made with mpmath at 50 digits; tests/test_special.py makes them again. The number of terms used
# in float32 is the smallest whose remainder is below its rounding.

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


def clenshaw(coefficients: tuple[float, ...], y: Array) -> Array:
    """Return the sum of a Chebyshev series at y in [-1, 1].

    >>> clenshaw((1.0, 2.0, 3.0), np.array(0.5)).item()
    0.5
    """
    this: Array = 0.0
    last: Array = 0.0
    for c in coefficients[:0:-1]:
        this, last = 2.0 * y * this - last + c, this
    return y * this - last + coefficients[0]


def _clenshaw_difference(coefficients: tuple[float, ...], y: Array, z: Array) -> tuple[Array, Array, Array]:
    """Return f(y), f(z) and (f(y) - f(z)) / (y - z), the last by a recursion that does not cancel."""
    fy: Array = 0.0
    fy_last: Array = 0.0
    fz: Array = 0.0
    fz_last: Array = 0.0
    d: Array = 0.0
    d_last: Array = 0.0
    for c in coefficients[:0:-1]:
        d, d_last = 2.0 * (y * d + fz) - d_last, d
        fy, fy_last = 2.0 * y * fy - fy_last + c, fy
        fz, fz_last = 2.0 * z * fz - fz_last + c, fz
    c = coefficients[0]
    return y * fy - fy_last + c, z * fz - fz_last + c, y * d + fz - d_last


# --- Logarithms and ratios --------------------------------------------------------------------------------


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

    >>> float(log_ratio(2.0, 2.0))
    0.0
    """
    if namespace(t, scale) is np:
        return np.log(np.asarray(t, dtype=float) / scale)
    return evaluate(_log_ratio, t, scale)


def _ceiling(x: Array) -> float:
    return 7e12 if is_single(x) else 1e102


def _capped(xp: ModuleType, x: Array) -> tuple[Array, Array]:
    """Return x, above the ceiling its tangent in log x; and the derivative with respect to log x."""
    top = _ceiling(x)
    slope = xp.minimum(x, top)
    return slope * (1.0 + xp.log(xp.maximum(x / top, 1.0))), slope


def _ratio(xp: ModuleType, t: Array, scale: Array) -> tuple[Array, Partials]:
    value, slope = _capped(xp, t / scale)
    return value, lambda: (slope / t, -slope / scale)


def ratio(t: Array, scale: Array) -> Array:
    """Return t / scale, going on as a logarithm above the ceiling.

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

    >>> float(capped_exp(0.0))
    1.0
    """
    return evaluate(_capped_exp, u)


def _softplus(xp: ModuleType, u: Array) -> tuple[Array, Partials]:
    e = xp.exp(-abs(u))
    return xp.maximum(u, 0.0) + xp.log1p(e), lambda: (xp.where(u > 0.0, 1.0, e) / (1.0 + e),)


def softplus(u: Array) -> Array:
    """log(1 + exp(u)), relatively accurate at both ends.

    >>> float(softplus(-100.0)) == float(np.exp(-100.0))
    True
    """
    return evaluate(_softplus, u)


def log1mexp(x: Array) -> Array:
    """log(1 - exp(x)) for x <= 0, relatively accurate at both ends; NumPy only.

    >>> float(log1mexp(-1e-20)) == float(np.log(1e-20))
    True
    """
    x = np.asarray(x, dtype=float)
    with np.errstate(divide="ignore", under="ignore"):
        near = np.log(-np.expm1(np.maximum(x, -LOG_2)))
        return np.where(x > -LOG_2, near, np.log1p(-np.exp(np.minimum(x, -LOG_2))))


# --- The normal tail --------------------------------------------------------------------------------------


def _hazard_terms(x: Array) -> tuple[float, ...]:
    return _HAZARD_EXCESS[:14] if is_single(x) else _HAZARD_EXCESS


def _log_ndtr(xp: ModuleType, x: Array) -> tuple[Array, Partials]:
    tail = x < 0.5
    y = xp.where(tail, -x, x)
    hazard = y + clenshaw(_hazard_terms(y), (y - 2.5) / (y + 3.5)) / (y + 2.0)
    log_density = -0.5 * x * x - HALF_LOG_2PI
    density = xp.exp(log_density)
    above = xp.where(tail, 0.0, density / hazard)  # Phi(-x)
    value = xp.where(tail, log_density - xp.log(hazard), xp.log1p(-above))
    return value, lambda: (xp.where(tail, hazard, density / (1.0 - above)),)


def log_ndtr(x: Array) -> Array:
    """Log of the standard normal distribution function, relatively accurate in both tails.

    >>> round(float(log_ndtr(-30.0)), 9)
    -454.321243956
    """
    if namespace(x) is np:
        return scipy.special.log_ndtr(np.asarray(x, dtype=float))
    return evaluate(_log_ndtr, x)


def mills_ratio(x: Array) -> Array:
    """Phi(-x) / phi(x) of the standard normal law; NumPy only.

    >>> float(mills_ratio(1e8))
    1e-08
    """
    return np.sqrt(0.5 * np.pi) * scipy.special.erfcx(np.asarray(x, dtype=float) / np.sqrt(2.0))


# --- Inverse Gaussian -------------------------------------------------------------------------------------


def _ig_exponent(xp: ModuleType, t: Array, mu: Array, lam: Array) -> tuple[Array, Partials]:
    c = lam / t
    q = (t - mu) / mu
    exponent = xp.minimum(0.5 * c * q * q, float(np.finfo(t.dtype).max))
    value, slope = _capped(xp, exponent)

    def partials() -> tuple[Array, ...]:
        over = exponent > slope
        # d exponent / d log mu = -c q t / mu, which is the slope times -2 t / (t - mu).
        by_mu = xp.where(over, 2.0 * slope * (t / xp.where(over, t - mu, 1.0)), c * q * (t / mu))
        return (by_mu - slope) / t, -by_mu / mu, slope / lam

    return value, partials


def ig_exponent(t: Array, mu: Array, lam: Array) -> Array:
    """Return lam (t - mu)^2 / (2 mu^2 t), the exponent of the inverse Gaussian density.

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
    fx, fb, slope = _clenshaw_difference(_hazard_terms(t), (x - 2.5) / (x + 3.5), (b - 2.5) / (b + 3.5))
    excess_b = fb / (b + 2.0)
    hx, hb = x + fx / (x + 2.0), b + excess_b
    # H(x) = f(y(x)) / (x + 2), so H[x, b] = f[y(x), y(b)] y[x, b] / (x + 2) - f(y(b)) / ((x + 2) (b + 2)).
    difference = (6.0 * slope / ((x + 3.5) * (b + 3.5)) - excess_b) / (x + 2.0)
    difference = xp.where(upper, 1.0 + difference, 1.0)
    square = 0.5 * a * a
    exponent, square_slope = _capped(xp, square)
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
