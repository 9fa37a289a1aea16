"""Special functions against mpmath, and the ways they must not fail."""

import jax
import jax.numpy as jnp
import mpmath as mp
import numpy as np
import pytest
import scipy.special
from oracles import gamma, inverse_gaussian

from bayes_distnet.distributions.special import gamma as special_gamma
from bayes_distnet.distributions.special import inverse_gaussian as ig
from bayes_distnet.distributions.special import normal
from bayes_distnet.distributions.special.dispatch import namespace
from bayes_distnet.distributions.special.elementary import (
    capped_exp,
    log1mexp,
    log_difference,
    log_ratio,
    ratio,
    softplus,
)
from bayes_distnet.distributions.special.gamma import (
    excess,
    gamma_log_prob,
    gamma_log_sf,
    log_gamma_1p,
    log_minus_digamma,
    log_minus_digamma_slope,
)
from bayes_distnet.distributions.special.inverse_gaussian import ig_exponent, ig_log_sf
from bayes_distnet.distributions.special.normal import log_ndtr, mills_ratio


def exactly(function, *grids):
    """Evaluate a function of mpmath numbers on arrays, at 80 digits."""
    with mp.workdps(80):
        points = zip(*(np.ravel(g) for g in np.broadcast_arrays(*grids)), strict=True)
        return np.array([float(function(*(mp.mpf(float(x)) for x in point))) for point in points])


def value_and_slope(function, x, dtype):
    """Return function(x) and its derivative with JAX in a dtype, as float64 arrays."""
    with jax.enable_x64(dtype == "float64"):
        value, slope = jax.jit(jax.vmap(jax.value_and_grad(function)))(jnp.asarray(x, dtype))
        return np.asarray(value, float), np.asarray(slope, float)


def chebyshev(function, count):
    """Return the first Chebyshev coefficients of a function on [-1, 1], from 60 nodes."""
    angles = [mp.pi * (mp.mpf(2 * k + 1)) / 120 for k in range(60)]
    values = [function(mp.cos(a)) for a in angles]
    sums = [sum(v * mp.cos(j * a) for v, a in zip(values, angles, strict=True)) / 30 for j in range(count)]
    return np.array([float(sums[0] / 2), *map(float, sums[1:])])


def test_tables_can_be_made_again():
    def hazard_excess(y):
        x = (5 + 7 * y) / (2 - 2 * y)
        if x > 6:  # the continued fraction 1 / (x + 2 / (x + 3 / (x + ...)))
            excess_x = mp.mpf(0)
            for n in range(300, 0, -1):
                excess_x = n / (x + excess_x)
        else:
            excess_x = mp.npdf(x) / mp.ncdf(-x) - x
        return (x + 2) * excess_x

    def stirling(y):
        k = (3 + y) / (1 - y)
        if k > 60:
            terms = (mp.bernoulli(2 * n) / (2 * n * (2 * n - 1) * k ** (2 * n - 1)) for n in range(1, 25))
            return 12 * k * sum(terms)
        return 12 * k * (mp.loggamma(k) - (k - mp.mpf(1) / 2) * mp.log(k) + k - mp.log(2 * mp.pi) / 2)

    def log_gamma(y):
        k = (1 + y) / 2
        return mp.loggamma(1 + k) / k

    with mp.workdps(40):
        for table, function in (
            (normal._HAZARD_EXCESS, hazard_excess),
            (special_gamma._STIRLING, stirling),
            (special_gamma._LOG_GAMMA_1P, log_gamma),
        ):
            np.testing.assert_allclose(table, chebyshev(function, len(table)), rtol=1e-12, atol=1e-19)
            assert abs(table[-1]) < 1e-16


# --- Logarithms and ratios --------------------------------------------------------------------------------------


def test_namespace_follows_the_arrays():
    assert namespace(1.0, np.ones(2)) is np
    assert namespace(np.ones(2), jnp.ones(2)) is jnp
    jax.jit(lambda x: [x, 1 / (namespace(x) is jnp)][0])(1.0)  # a tracer counts as JAX's


@pytest.mark.parametrize(
    ("ours", "exact", "grid"),
    [
        (softplus, lambda x: mp.log1p(mp.exp(x)), np.r_[-600.0, -80.0, np.linspace(-40, 40, 81), 600.0]),
        (log1mexp, lambda x: mp.log(-mp.expm1(x)), -np.logspace(-300, 1.9, 100)),
        (mills_ratio, lambda x: mp.ncdf(-x) / mp.npdf(x), np.r_[np.linspace(-5, 12, 80)]),
        (log_ndtr, lambda x: mp.log(mp.ncdf(x)) if x < 0 else mp.log1p(-mp.ncdf(-x)), np.linspace(-40, 37, 155)),
        (log_gamma_1p, lambda k: mp.loggamma(1 + k), np.r_[np.logspace(-12, -1, 23), 0.5, 2.5, 10.0, 1e3, 1e8]),
        (log_minus_digamma, lambda k: mp.log(k) - mp.psi(0, k), np.logspace(-4, 9, 53)),
        (log_minus_digamma_slope, lambda k: 1 / k - mp.psi(1, k), np.logspace(-4, 9, 53)),
    ],
)
def test_numpy_functions_are_relatively_accurate(ours, exact, grid):
    # exp(-x^2 / 2) at x = 37 has lost three digits to the rounding of its exponent.
    np.testing.assert_allclose(ours(grid), exactly(exact, grid), rtol=3e-13 if ours is log_ndtr else 2e-14)


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-12), ("float32", 2e-5)])
def test_log_ndtr_and_softplus_with_their_slopes(dtype, tolerance):
    x = np.linspace(-37, 37, 149).astype(np.float32).astype(float)
    tiny = float(np.finfo(dtype).tiny) * 10
    value, slope = value_and_slope(log_ndtr, x, dtype)
    np.testing.assert_allclose(value, log_ndtr(x), rtol=tolerance, atol=tiny)
    exact = np.exp(-0.5 * x * x - 0.5 * np.log(2 * np.pi) - log_ndtr(x))
    np.testing.assert_allclose(slope, exact, rtol=tolerance, atol=tiny)
    value, slope = value_and_slope(softplus, x, dtype)
    np.testing.assert_allclose(value, softplus(x), rtol=tolerance)
    np.testing.assert_allclose(slope, scipy.special.expit(x), rtol=tolerance)


def test_log_ndtr_has_a_second_derivative():
    with jax.enable_x64(True):
        x = jnp.array([-20.0, -1.0, 0.3, 3.0])
        slope, second = jax.jit(jax.vmap(jax.value_and_grad(jax.grad(log_ndtr))))(x)
    np.testing.assert_allclose(second, -slope * (slope + x), rtol=1e-9)


def test_log_difference_does_not_round_the_logarithm():
    rng = np.random.default_rng(0)
    t = np.exp(rng.uniform(-27, 27, 2000)).astype(np.float32)
    loc = (np.log(t.astype(float)) + rng.uniform(-0.3, 0.3, 2000)).astype(np.float32)
    exact = np.log(t.astype(float)) - loc.astype(float)
    assert np.abs(jnp.log(t) - loc - exact).max() > 8e-7  # the error it avoids
    assert np.abs(log_difference(jnp.asarray(t), jnp.asarray(loc)) - exact).max() < 8e-8


def test_log_ratio_is_relatively_accurate_near_one():
    t = (1 + np.linspace(-0.7, 0.9, 201)[:, None] * np.array([1.0, 1e-3, 1e-6])).ravel().astype(np.float32)
    np.testing.assert_allclose(log_ratio(jnp.asarray(t), jnp.float32(1.0)), np.log(t.astype(float)), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_capped_functions_go_on_smoothly_and_finitely(dtype):
    ceiling = 7e12 if dtype == "float32" else 1e102
    log_x = np.log(ceiling) + np.array([-30.0, -1.0, -1e-3, 1e-3, 1.0, 30.0])
    expected = np.where(log_x < np.log(ceiling), np.exp(log_x), ceiling * (1 + log_x - np.log(ceiling)))
    slope = np.minimum(np.exp(log_x), ceiling)  # with respect to log x
    for function, x, factor in ((capped_exp, log_x, 1.0), (lambda x: ratio(x, 1.0), np.exp(log_x), np.exp(log_x))):
        value, gradient = value_and_slope(function, x, dtype)
        np.testing.assert_allclose(value, expected, rtol=2e-5)
        np.testing.assert_allclose(gradient * factor, slope, rtol=2e-5)
    # lam (t - mu)^2 / (2 mu^2 t) for t far above mu is x = lam t / (2 mu^2), for t far below lam / (2 t).
    for t, by_t in ((1e8, 1.0), (1e-8, -1.0)):
        lam = np.exp(log_x) * (2 / t if t > 1 else 2 * t)
        value, by_lam = value_and_slope(lambda lam, t=t: ig_exponent(t, 1.0, lam), lam, dtype)
        np.testing.assert_allclose(value, expected, rtol=1e-4)
        np.testing.assert_allclose(by_lam * lam, slope, rtol=1e-4)
        with jax.enable_x64(dtype == "float64"):
            lam = jnp.asarray(lam, dtype)
            gradient = jax.jit(jax.vmap(jax.grad(ig_exponent), (None, None, 0)))(jnp.asarray(t, dtype), 1.0, lam)
        np.testing.assert_allclose(np.asarray(gradient) * t, by_t * slope, rtol=1e-4)


def test_functions_broadcast_and_promote_like_numpy():
    t, scale = jnp.arange(1, 4)[:, None], jnp.array([0.5, 2.0])
    np.testing.assert_allclose(ratio(t, scale), np.arange(1, 4)[:, None] / np.array([0.5, 2.0]))
    gradient = jax.grad(lambda s: jnp.sum(ratio(t, s)))(scale)
    np.testing.assert_allclose(gradient, [-24.0, -1.5])
    assert ratio(jnp.arange(3), 2).dtype == jnp.float32
    with jax.enable_x64(True):
        assert ratio(jnp.ones(3, jnp.float32), 2.0).dtype == jnp.float32
        assert ratio(jnp.ones(3), 2.0).dtype == jnp.float64


# --- Inverse Gaussian and gamma: the kernels in NumPy, as large grids need no compiling ------------------------------


def test_inverse_gaussian_kernel_agrees_with_the_mills_ratio():
    t, cv = np.meshgrid(np.logspace(-5, 4, 200), np.logspace(-2, 1.5, 40))
    lam = 1 / cv**2
    kernel, _ = ig._ig_log_sf(np, t, np.ones_like(t), lam)
    root = np.sqrt(lam / t)
    a, b = root * (t - 1), root * (t + 1)
    with np.errstate(all="ignore"):
        plain = np.log(mills_ratio(a) - mills_ratio(b)) - 0.5 * a * a - 0.5 * np.log(2 * np.pi)
    # Where nothing cancels, written plainly.
    fine = (a > -3) & (mills_ratio(b) < 0.99 * mills_ratio(a))
    assert fine.mean() > 0.2
    np.testing.assert_allclose(kernel[fine], plain[fine], rtol=1e-11)
    np.testing.assert_allclose(ig_log_sf(t, 1.0, lam), kernel, rtol=1e-11, atol=1e-300)


def test_inverse_gaussian_where_the_two_terms_almost_cancel():
    # A coefficient of variation of 300: the difference of Mills ratios is the 1e-9th part of either.
    points = np.array([(t, 1.0, 1e-5) for t in (1e-3, 1.0, 1e3, 1e5, 1e7)])
    exact = exactly(lambda *point: inverse_gaussian(*point)[1], *points.T)
    np.testing.assert_allclose(ig_log_sf(*points.T), exact, rtol=1e-12)


def test_gamma_kernel_agrees_with_scipy():
    k, z = np.meshgrid(np.logspace(-3, 5, 60), np.linspace(-6, 6, 61))
    x = k * np.exp(z / np.sqrt(k) * np.minimum(1.0, np.sqrt(k) * 3))
    with np.errstate(all="ignore"):
        kernel, partials = special_gamma._gamma_log_sf(np, k, x)
        by_k, by_x = partials()
        p, q = scipy.special.gammainc(k, x), scipy.special.gammaincc(k, x)
        expected = np.where(q > 0.5, np.log1p(-p), np.log(q))
        inside = (q > 1e-290) & (p > 1e-290)
    assert inside.mean() > 0.9
    np.testing.assert_allclose(kernel[inside], expected[inside], rtol=1e-11)
    hazard = np.exp(gamma_log_prob(k, x) - kernel)
    np.testing.assert_allclose(by_x[inside], -hazard[inside], rtol=1e-9)
    h = 1e-4
    with np.errstate(all="ignore"):
        up, down = (special_gamma._gamma_log_sf(np, k * np.exp(s * h), x)[0] for s in (1, -1))
    smooth = inside & (k < 1e3) & (kernel < -1e-200)
    error = np.abs((up - down) / (2 * h) / (by_k * k) - 1)[smooth]
    assert error.max() < 1e-3  # finite differences are not better in the lower tail
    assert np.median(error) < 1e-7


@pytest.mark.parametrize("shape", [0.006, 0.5, 1.0, 20.0, 1e5])
def test_gamma_survival_where_it_underflows(shape):
    x = np.array([2e3, 1e4, 2e5])
    deep = x > shape + 60 * np.sqrt(shape)
    exact = exactly(lambda x: gamma(x, mp.mpf(shape), mp.mpf(1))[1], x[deep])
    np.testing.assert_allclose(gamma_log_sf(shape, x[deep]), exact, rtol=1e-12)


def test_gamma_of_a_large_shape_where_scipy_stops_too_early():
    x = 1e6 + 1e3 * np.array([-7.0, -5.0, 5.0])
    exact = exactly(lambda x: gamma(x, mp.mpf(10) ** 6, mp.mpf(1))[1], x)
    assert np.abs(scipy.special.gammainc(1e6, x[0]) / -np.expm1(exact[0]) - 1) > 1e-8
    np.testing.assert_allclose(gamma_log_sf(1e6, x), exact, rtol=1e-11)


def test_gamma_density_has_no_large_cancellation():
    k = np.logspace(-3, 10, 27)
    for z in (-5.0, -0.1, 0.0, 0.1, 5.0):
        x = k * np.exp(z / np.sqrt(k + 1.0))
        exact = exactly(lambda k, x: (k - 1) * mp.log(x) - x - mp.loggamma(k), k, x)
        np.testing.assert_allclose(gamma_log_prob(k, x), exact, rtol=1e-9, atol=1e-9)


def test_excess_near_its_zero():
    x = 1 + np.array([-0.9, -0.3, -1e-3, -1e-8, 1e-12, 1e-5, 0.2, 0.7, 1e6])
    np.testing.assert_allclose(excess(x, 1.0), exactly(lambda x: x - 1 - mp.log(x), x), rtol=1e-13)
    assert excess(2.0, 2.0) == 0.0


@pytest.mark.parametrize(("shape", "x"), [(1e-300, 100.0), (1e-308, 1000.0), (3.5e-218, 1.0)])
def test_gamma_survival_of_the_smallest_shapes(shape, x):
    with mp.workdps(40):
        exact = float(mp.log(mp.gammainc(shape, x)) - mp.loggamma(shape))
    assert gamma_log_sf(shape, x) == pytest.approx(exact, rel=1e-12)


def test_gamma_survival_where_the_time_in_units_of_the_shape_overflows():
    assert gamma_log_sf(3.5e-218, 2e248) == pytest.approx(-2e248)
    assert gamma_log_prob(1e-300, 1e10) == pytest.approx(-1e10, rel=1e-6)
