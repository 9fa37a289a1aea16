"""Families: the same claims for all of them, then accuracy against textbook formulas in 45 digits."""

import contextlib
import functools
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from oracles import values_and_gradients
from scipy import optimize, stats

from bayes_distnet.distributions.families import (
    FAMILIES,
    Gamma,
    InverseGaussian,
    LogLogistic,
    LogNormal,
    get_family,
)
from bayes_distnet.distributions.families.samples import SPREAD_FLOOR
from bayes_distnet.errors import SettingError

# Parameters (three rows each) and the same law in SciPy.
LAWS = {
    "lognormal": (LogNormal([0.0, -3.0, 4.0], [1.0, 0.2, 1.5]), lambda m, s: stats.lognorm(s, scale=np.exp(m))),
    "inverse-gaussian": (
        FAMILIES["inverse-gaussian"]([1.0, 0.05, 60.0], [2.0, 1.0, 20.0]),
        lambda mu, lam: stats.invgauss(mu / lam, scale=lam),
    ),
    "exponential": (FAMILIES["exponential"]([1.0, 0.05, 60.0]), lambda s: stats.expon(scale=s)),
    "weibull": (
        FAMILIES["weibull"]([1.0, 0.05, 60.0], [1.0, 5.0, 0.6]),
        lambda s, k: stats.weibull_min(k, scale=s),
    ),
    "gamma": (FAMILIES["gamma"]([1.0, 20.0, 0.4], [1.0, 0.002, 90.0]), lambda k, s: stats.gamma(k, scale=s)),
    "loglogistic": (
        FAMILIES["loglogistic"]([1.0, 0.05, 60.0], [2.5, 9.0, 3.0]),
        lambda s, k: stats.fisk(k, scale=s),
    ),
    "normal": (Normal([0.0, -3.0, 40.0], [1.0, 0.2, 15.0]), lambda m, s: stats.norm(m, s)),
}
LEVELS = np.array([1e-9, 1e-3, 0.05, 0.3, 0.5, 0.8, 0.99, 1 - 1e-9])


def law(name):
    family, scipy_law = LAWS[name]
    family = type(family)(*(np.asarray(p) for p in family.parameters().values()))
    return family, scipy_law(*family.parameters().values())


@functools.cache
def compiled(name):
    """Return log_prob and log_sf and their gradients, as a function of 256 points (256, arguments), compiled."""

    def both(point):
        t, *theta = point
        family = FAMILIES[name](*theta)
        return jnp.stack([family.log_prob(t), family.log_sf(t)])

    def evaluate(points):
        value, pullback = jax.vjp(jax.vmap(both), points)
        ones, zeros = jnp.ones(256, points.dtype), jnp.zeros(256, points.dtype)
        slopes = [pullback(jnp.stack(pair, -1))[0] for pair in ((ones, zeros), (zeros, ones))]
        return value, jnp.stack(slopes, -1)

    return jax.jit(evaluate)


def values_and_slopes(name, points, dtype):
    """Return values (n, 2) and gradients (n, arguments, 2) with JAX in a dtype."""
    with jax.enable_x64(True) if dtype == "float64" else contextlib.nullcontext():
        padded = np.resize(points, (-(-len(points) // 256) * 256, points.shape[1]))
        parts = [compiled(name)(jnp.asarray(part, dtype)) for part in padded.reshape(-1, 256, points.shape[1])]
        values, slopes = (np.concatenate([np.asarray(p[i], float) for p in parts]) for i in (0, 1))
    return values[: len(points)], slopes[: len(points)]


every_law = pytest.mark.parametrize("name", LAWS)
every_family = pytest.mark.parametrize("name", FAMILIES)


# --- The same claims for all families -----------------------------------------------------------------------------


@every_law
def test_agrees_with_scipy(name):
    family, reference = law(name)
    t = family.quantile(LEVELS[:, None])
    assert t.shape == (8, 3)
    np.testing.assert_allclose(family.log_prob(t), reference.logpdf(t), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(family.prob(t), reference.pdf(t), rtol=1e-9)
    np.testing.assert_allclose(family.cdf(t), reference.cdf(t), rtol=1e-9)
    np.testing.assert_allclose(family.sf(t), reference.sf(t), rtol=1e-6)  # SciPy's own cancels for some
    np.testing.assert_allclose(family.log_cdf(t), np.log(reference.cdf(t)), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(family.mean(), reference.mean(), rtol=1e-12)
    np.testing.assert_allclose(family.variance(), reference.var(), rtol=1e-10)


def integrate(function, family, ends):
    """Integrate function(t) dt over the panels between ends (panels + 1, rows), by 40 nodes each in log time."""
    axis, back = (np.log, np.exp) if family.positive else (np.asarray, np.asarray)
    low, high = axis(ends[:-1]), axis(ends[1:])
    nodes, weights = np.polynomial.legendre.leggauss(40)
    t = back(low + (high - low) * 0.5 * (nodes[:, None, None] + 1.0))
    slope = t if family.positive else 1.0
    return np.sum(weights[:, None, None] * function(t) * slope, axis=0) * 0.5 * (high - low)


@every_law
def test_density_integrates_to_one_and_to_the_cdf(name):
    family, _ = law(name)
    levels = np.array([1e-13, 1e-9, 1e-6, 1e-4, 1e-2, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1 - 1e-4, 1 - 1e-6, 1 - 1e-9])
    parts = integrate(family.prob, family, family.quantile(levels[:, None]))
    np.testing.assert_allclose(np.cumsum(parts, axis=0), np.tile(levels[1:, None] - levels[0], 3), rtol=1e-10)


@every_law
def test_quantile_undoes_the_cdf(name):
    family, _ = law(name)
    p = LEVELS[:, None]
    t = family.quantile(p)
    elasticity = np.abs(t) * family.prob(t)
    error = np.where(p < 0.5, family.cdf(t) - p, (1 - p) - family.sf(t))
    assert np.max(np.abs(error) / np.where(family.positive, elasticity, family.prob(t))) < 1e-12
    assert (family.quantile(1.0) == np.inf).all()
    assert (family.quantile(0.0) == (0.0 if family.positive else -np.inf)).all()
    assert np.isnan(family.quantile(np.nan)).all()


@every_family
def test_log_isf_reaches_far_into_both_tails(name):
    family, _ = law(name)
    log_q = -np.array([1e4, 700.0, 30.0, 1.0, 0.1, 1e-9, 1e-40])[:, None]
    u = family.log_isf(log_q)
    with np.errstate(over="ignore"):
        t = np.exp(u)
    inside = (u > -600) & (u < 600)  # a log-logistic is past the largest float by then
    assert inside.mean() > 0.7
    np.testing.assert_allclose(family.log_sf(t)[inside], np.broadcast_to(log_q, u.shape)[inside], rtol=1e-11)


@every_law
def test_mean_beyond_is_the_partial_expectation(name):
    family, _ = law(name)
    log_q = -np.array([1e-6, 1e-3, 0.1, 0.5, 1.0, 2.0, 4.0, 7.0, 10.0, 15.0, 20.0, 25.0, 30.0, 36.0])[:, None]
    if family.positive:
        ends = np.exp(family.log_isf(log_q))
    else:
        ends = family.mean() + np.sqrt(family.variance()) * np.linspace(-5.0, 9.0, 14)[:, None]
    parts = integrate(lambda t: t * family.prob(t), family, ends)
    found = family.mean_beyond(ends[:-1]) - family.mean_beyond(ends[-1])
    np.testing.assert_allclose(found, np.cumsum(parts[::-1], axis=0)[::-1], rtol=1e-8)
    if family.positive:
        np.testing.assert_allclose(family.mean_beyond(0.0), family.mean(), rtol=1e-14)


@every_family
def test_mean_beyond_does_not_underflow_in_log_space(name):
    family, _ = law(name)
    far = np.exp(family.log_isf(-1000.0)) if name != "loglogistic" else np.array([1e150, 1e40, 1e120])
    assert (family.log_sf(far) < -300).all()
    residual = np.exp(family.log_mean_beyond(far) - family.log_sf(far)) / far  # E[T | T > far] / far
    assert ((residual > 1) & (residual < 2)).all()


@every_law
def test_samples_follow_the_cdf(name):
    family, _ = law(name)
    draws = family.sample(np.random.default_rng(5), (4000, 3))
    assert draws.shape == (4000, 3)
    for row in range(3):
        assert stats.kstest(draws[:, row], family.take(row).cdf).pvalue > 1e-3
    again = family.sample(np.random.default_rng(5), (4000, 3))
    np.testing.assert_array_equal(draws, again)


def test_samples_of_very_wide_laws_are_positive_and_right():
    wide = InverseGaussian(1.0, 1e-5)  # a coefficient of variation of 300
    draws = wide.sample(np.random.default_rng(0), 4000)
    assert stats.kstest(draws, wide.cdf).pvalue > 1e-3
    assert (Gamma(0.003, 1.0).sample(np.random.default_rng(0), 1000) > 0).all()


@every_law
def test_at_infinity(name):
    family, _ = law(name)
    assert (family.sf(np.inf) == 0).all()
    assert (family.cdf(np.inf) == 1).all()
    assert (family.prob(np.inf) == 0).all()
    assert np.isnan(family.prob(np.nan)).all()
    assert np.isnan(family.cdf(np.nan)).all()
    assert (family.log_sf(np.inf) == -np.inf).all()
    if family.positive:
        assert (family.mean_beyond(np.inf) == 0).all()


@every_family
def test_outside_the_support(name):
    family, _ = law(name)
    t = np.array([-1.0, 0.0])[:, None]
    assert (family.prob(t) == 0).all()
    assert (family.cdf(t) == 0).all()
    assert (family.sf(t) == 1).all()
    assert (family.log_cdf(t) == -np.inf).all()


@every_family
def test_take_scaled_and_parameters(name):
    family, _ = law(name)
    assert tuple(family.parameters()) == family.parameter_names
    np.testing.assert_array_equal(family.take([2, 0]).log_sf(2.0), family.log_sf(2.0)[[2, 0]])
    np.testing.assert_allclose(family.scaled(60.0).cdf(120.0), family.cdf(2.0), rtol=1e-12)
    mixed = type(family)(*(p[:1] if i else p for i, p in enumerate(family.parameters().values())))
    assert mixed.take(2).log_sf(1.0) == mixed.log_sf(1.0)[2]  # parameters of different shapes


@pytest.mark.parametrize("name", ["lognormal", "inverse-gaussian"])
def test_censored_likelihood_is_density_or_survival(name):
    family, _ = law(name)
    t, finished = np.array([0.5, 2.0, 3.0]), np.array([True, False, True])
    expected = np.where(finished, family.log_prob(t), family.log_sf(t))
    np.testing.assert_array_equal(family.log_likelihood(t, finished), expected)

    @jax.jit
    def with_jax(t, finished, theta):
        return type(family)(**theta).log_likelihood(t, finished)

    np.testing.assert_allclose(with_jax(t, finished, family.parameters()), expected, rtol=1e-5)


def test_infinite_moments_are_infinite():
    heavy = LogLogistic(3.0, np.array([0.5, 1.0, 1.5, 2.0, 3.0]))
    assert np.isinf(heavy.mean()).tolist() == [True, True, False, False, False]
    assert np.isinf(heavy.variance()).tolist() == [True, True, True, True, False]
    assert np.isinf(heavy.mean_beyond(2.0)).tolist() == [True, True, False, False, False]
    assert LogNormal(0.0, 60.0).mean() == np.inf
    assert FAMILIES["weibull"](1.0, 1e-3).mean() == np.inf


def test_get_family():
    assert get_family("lognormal") is LogNormal
    assert get_family(Gamma) is Gamma
    with pytest.raises(SettingError, match="'lognormal', 'inverse-gaussian'"):
        get_family("cauchy")


def test_numpy_families_do_not_import_jax():
    code = (
        "import sys, numpy as np\n"
        "from bayes_distnet.distributions.families import FAMILIES\n"
        "for family in FAMILIES.values():\n"
        "    f = family.from_samples(np.array([1.0, 2.0, 4.0]))\n"
        "    f.log_prob(1.0), f.log_sf(1.0), f.quantile(0.3), f.mean_beyond(1.0)\n"
        "assert 'jax' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)})


# --- Parameters from raw outputs ----------------------------------------------------------------------------------


@every_family
def test_from_raw_has_the_location_and_spread_asked_for(name):
    kind = FAMILIES[name]
    center, spread, raw = 2.0, 1.5, np.array([[0.3, -1.0], [-1.0, 0.4]])[:, : FAMILIES[name].n_raw]
    family = kind.from_raw(raw, center, spread)
    location = center + spread * raw[:, 0]
    if name == "lognormal":
        np.testing.assert_allclose(np.log(family.quantile(0.5)), location, rtol=1e-12)
    elif name in ("weibull", "loglogistic"):
        np.testing.assert_allclose(np.log(family.scale), location, rtol=1e-12)
    else:
        np.testing.assert_allclose(np.log(family.mean()), location, rtol=1e-12)
    if kind.n_raw == 2:
        wanted = spread * np.exp(raw[:, 1])
        if name in ("gamma", "inverse-gaussian"):
            found = np.sqrt(family.variance()) / family.mean()
        else:  # standard deviation of log time, from its quantiles
            p = (np.arange(200_000) + 0.5) / 200_000
            found = np.log(family.quantile(p[:, None])).std(axis=0)
        np.testing.assert_allclose(found, wanted, rtol=1e-4)
        wild = kind.from_raw(np.array([0.0, 99.0]), center, spread).parameters()
        edge = kind.from_raw(np.array([0.0, 1.5]), center, spread).parameters()
        assert wild == edge
    from_jax = kind.from_raw(jnp.asarray(raw), center, spread)
    for ours, theirs in zip(from_jax.parameters().values(), family.parameters().values(), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5)


@every_family
def test_from_log_parameters(name):
    kind = FAMILIES[name]
    raw = np.array([0.3, -0.2])[: kind.n_raw]
    values = list(kind.from_log_parameters(raw).parameters().values())
    np.testing.assert_allclose(values, [0.3, np.exp(-0.2)] if name == "lognormal" else np.exp(raw))


@every_family
def test_nothing_overflows_in_float32_however_wrong_the_outputs(name):
    kind, points = FAMILIES[name], []
    locations = [-1e4, -100, -30, -10, -1, 0, 1, 10, 30, 100, 1e4]
    raw = np.stack(np.meshgrid(locations, [-99.0, -1.0, 1.5], indexing="ij"), -1).reshape(-1, 2)
    times = np.array([1e-12, 1e-6, 1e-2, 1.0, 1e3, 1e6, 1e12])
    for spread in (0.05, 1.0, 4.0):
        theta = kind.from_raw(raw[:, : kind.n_raw], 0.0, spread).parameters().values()
        rows = np.stack(list(theta), -1)
        points += [np.concatenate([np.full((len(rows), 1), t), rows], axis=1) for t in times]
    points = np.unique(np.concatenate(points).astype(np.float32), axis=0)
    values, slopes = values_and_slopes(name, points, "float32")
    assert np.isfinite(values).all()
    assert np.isfinite(slopes).all()
    # Per relative change of a parameter, as the outputs make it, the square is finite too: it is needed for
    # clipping by the gradient's norm.
    assert np.abs(slopes * np.maximum(np.abs(points), 1e-30)[..., None]).max() < 1e19


def test_from_raw_has_finite_gradients_at_its_ends():
    raw = jnp.array([[-1e4, -99.0], [0.0, 0.0], [1e4, 99.0]])
    for kind in FAMILIES.values():

        def total(raw, kind=kind):
            return jnp.sum(kind.from_raw(raw, 0.0, 4.0).log_prob(jnp.array([1e12, 1.0, 1e-12])))

        assert np.isfinite(jax.jit(jax.grad(total))(raw[:, : kind.n_raw])).all()


# --- Parameters from samples --------------------------------------------------------------------------------------


def unusual_samples(n):
    rng = np.random.default_rng(n)
    rows = [
        np.exp(rng.normal(size=n)),
        np.exp(5 * rng.normal(size=n)),
        np.exp(0.02 * rng.normal(size=n)) * 1e6,
        rng.gamma(0.2, size=n) + 1e-9,
        np.exp(np.clip(rng.standard_cauchy(n), -20, 20)),
        np.exp(10.0 * (np.arange(n) % 2) + 0.1 * rng.normal(size=n)),  # two humps
        np.where(np.arange(n) == 0, 1e9, np.exp(0.1 * rng.normal(size=n))),  # one far out
        rng.weibull(4.0, size=n) * 1e-5,
    ]
    return np.stack(rows)


@every_family
@pytest.mark.parametrize("n", [2, 5, 16, 100])
def test_from_samples_maximises_the_likelihood(name, n):
    kind, y = FAMILIES[name], unusual_samples(n)
    fitted = kind.from_samples(y)
    names, best = list(fitted.parameters()), np.array(list(fitted.parameters().values()))

    def loss(theta, row):
        # In units in which the likelihood has curvature one, about: log parameters, loc in units of the scale.
        move = {
            k: v + d * best[1, row] if k == "loc" else v * np.exp(d)
            for k, v, d in zip(names, best[:, row], theta, strict=True)
        }
        return -kind(**move).log_prob(y[row]).mean()

    for row in range(len(y)):
        start = loss(np.zeros(len(names)), row)
        found = optimize.minimize(
            loss,
            np.zeros(len(names)),
            args=(row,),
            method="Nelder-Mead",
            options={
                "xatol": 1e-7,
                "fatol": 1e-13,
                "initial_simplex": np.vstack([np.zeros(len(names)), 0.1 * np.eye(len(names))]),
            },
        )
        assert start <= found.fun + 1e-11 * max(1.0, abs(start))


@pytest.mark.parametrize(
    ("name", "fit"),
    [
        ("lognormal", lambda y: stats.lognorm.fit(y, floc=0)),
        ("gamma", lambda y: stats.gamma.fit(y, floc=0)),
        ("weibull", lambda y: stats.weibull_min.fit(y, floc=0)),
        ("loglogistic", lambda y: stats.fisk.fit(y, floc=0)),
    ],
)
def test_from_samples_agrees_with_scipy(name, fit):
    y = np.random.default_rng(0).gamma(2.0, 3.0, size=200)
    shape, _, scale = fit(y)
    fitted = FAMILIES[name].from_samples(y)
    if name == "lognormal":
        assert (fitted.loc, fitted.scale) == pytest.approx((np.log(scale), shape), rel=1e-4)
    else:
        assert (fitted.scale, fitted.shape) == pytest.approx((scale, shape), rel=1e-4)


def equal_samples(n):
    y = np.array([3.0, 1e-12, 5e11, 3.0])[:, None] * np.ones(n)
    y[3, n - 1] += 1e-6
    return y


@functools.cache
def fitted_in_float32(name):
    """Fit unusual and equal samples: return the samples, the parameters, the gradient of the log likelihood."""
    y = np.concatenate([unusual_samples(16), equal_samples(16)]).astype(np.float32)

    def total(y):
        fitted = FAMILIES[name].from_samples(y)
        return jnp.sum(fitted.take(np.s_[:, None]).log_prob(y)), fitted.parameters()

    (_, parameters), gradient = jax.jit(jax.value_and_grad(total, has_aux=True))(y)
    return y, parameters, gradient


@every_family
def test_from_samples_takes_any_axis_and_jax(name):
    kind, y = FAMILIES[name], unusual_samples(16)
    expected = kind.from_samples(y).parameters()
    for key, value in kind.from_samples(y.T, axis=0).parameters().items():
        np.testing.assert_allclose(value, expected[key], rtol=1e-12)
    y, parameters, _ = fitted_in_float32(name)
    wanted = kind.from_samples(y.astype(float)).parameters()
    for key, value in parameters.items():
        np.testing.assert_allclose(value, wanted[key], rtol=1e-4, atol=1e-5)


@every_family
def test_gradient_of_from_samples_agrees_with_finite_differences(name):
    kind, y = FAMILIES[name], np.concatenate([unusual_samples(6), unusual_samples(2).repeat(3, axis=1)])
    with jax.enable_x64(True):
        # Rows do not touch each other: the gradient of the sum over rows is every row's own.
        jacobian = jax.jit(
            jax.jacrev(lambda y: jnp.stack([jnp.sum(p) for p in kind.from_samples(y).parameters().values()]))
        )
        gradients = np.asarray(jacobian(jnp.asarray(y)))
    for gradient, key in zip(gradients, kind.parameter_names, strict=True):
        value = kind.from_samples(y).parameters()[key]
        unit = np.maximum(np.abs(value), 1.0 if key == "loc" else 0.0)
        for column in range(y.shape[1]):
            step = 1e-5 * y[:, column] * (np.arange(y.shape[1]) == column)[:, None]
            up, down = (kind.from_samples(y + s * step.T).parameters()[key] for s in (1, -1))
            ours = gradient[:, column] * y[:, column] / unit
            np.testing.assert_allclose(ours, (up - down) / 2e-5 / unit, rtol=1e-5, atol=2e-7)


@every_family
@pytest.mark.parametrize("n", [1, 4])
def test_equal_samples_get_the_smallest_spread(name, n):
    y = equal_samples(n)
    fitted = FAMILIES[name].from_samples(y)
    assert all(np.isfinite(p).all() for p in fitted.parameters().values())
    np.testing.assert_allclose(fitted.mean(), y[:, 0], rtol=1e-2)
    if name != "exponential":
        spread = np.sqrt(fitted.variance()) / fitted.mean()
        np.testing.assert_allclose(spread, SPREAD_FLOOR, rtol=0.01)
    _, parameters, gradient = fitted_in_float32(name)
    assert all(np.isfinite(p).all() for p in parameters.values())
    assert np.isfinite(gradient).all()


# --- Accuracy -----------------------------------------------------------------------------------------------------
# From 1e-12 to 1e12 s; out to log sf = -450 above and to 1 - sf = exp(-450) below, which is 30 deviations of a normal
# law on either side.

DEPTHS = -np.array([450.0, 150.0, 50.0, 12.0, 4.0, 1.5, 0.8, 0.6, 0.3, 0.05, 1e-3, 1e-6, 1e-15, 1e-32, 1e-90, 1e-195])
PARAMETERS = {
    "lognormal": [(m, s) for m in (-25.0, 0.0, 2.0, 25.0) for s in (0.02, 0.3, 1.0, 3.0)],
    "inverse-gaussian": [(m, m / cv**2) for m in (1e-9, 1.0, 1e9) for cv in (0.01, 0.3, 1.0, 13.0)],
    "exponential": [(s,) for s in (1e-10, 1.0, 1e10)],
    "weibull": [(s, k) for s in (1e-9, 1.0, 1e9) for k in (0.1, 1.0, 3.0, 60.0)],
    "gamma": [(k, m / k) for m, k in ((1, 0.006), (1e-9, 0.3), (1e9, 0.3), (1e9, 1), (1e-9, 9), (1, 9), (1e9, 3000))],
    "loglogistic": [(s, k) for s in (1e-9, 1.0, 1e9) for k in (0.3, 1.0, 3.0, 90.0)],
}


@functools.cache
def accuracy_case(name):
    """Points (n, arguments), all of them float32 numbers, and the oracle's values and gradients there."""
    kind, points = FAMILIES[name], []
    for theta in PARAMETERS[name]:
        family = kind(*theta)
        u = family.log_isf(DEPTHS)
        times = [*np.exp(u[(u > np.log(1e-12)) & (u < np.log(1e12))]), 1e-12, 1e12]
        points += [(t, *theta) for t in times if abs(family.log_prob(t)) < 600 and family.log_sf(t) > -600]
    points = np.array(points, dtype=np.float32).astype(float)
    return points, *values_and_gradients(name, points)


def worst(error):
    return np.max(np.where(np.isnan(error), np.inf, error))


@every_family
@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-9), ("float32", 1e-4)])
def test_values_and_gradients_are_accurate(name, dtype, tolerance):
    points, values, gradients = accuracy_case(name)
    ours, slopes = values_and_slopes(name, points, dtype)
    # Below that, float32 has no numbers: exp(-450) is 0 there.
    tiny = np.finfo(dtype).tiny * 100
    # log_sf is relatively accurate everywhere, also next to 0. log_prob, and its gradient (per relative change of
    # an argument; per scale, of a location), pass through 0 as sums of terms of order 1: relative to those.
    floor = np.array([1.0, tiny])
    assert worst(np.abs(ours - values) / np.maximum(np.abs(values), floor)) < tolerance

    units = np.abs(points)[..., None]
    if name == "lognormal":
        units[:, 1] = units[:, 2]
    allowed = np.maximum(np.abs(gradients * units), floor)
    if name == "gamma" and dtype == "float32":
        # Near its mean the gradient of a narrow gamma density is the difference of t / scale and the shape: the
        # rounding of t / scale alone moves it by shape * 6e-8, which no way of computing it in float32 avoids.
        allowed[..., 0] = np.maximum(allowed[..., 0], points[:, [1]] * 4 * 6e-8 / tolerance)
    error = np.where(np.abs(gradients) > tiny, np.abs(slopes - gradients) * units / allowed, 0.0)
    assert worst(error) < tolerance


@every_family
def test_numpy_values_are_accurate(name):
    points, values, _ = accuracy_case(name)
    t, *theta = points.T
    family = FAMILIES[name](*theta)
    ours = np.stack([family.log_prob(t), family.log_sf(t)], -1)
    assert worst(np.abs(ours - values) / np.maximum(np.abs(values), [1.0, 1e-300])) < 1e-9


@every_family
def test_accuracy_case_reaches_the_tails(name):
    points, values, _ = accuracy_case(name)
    assert points[:, 0].min() < 1e-11
    assert points[:, 0].max() > 1e11
    assert values[:, 1].min() < -440
    assert values[:, 1].max() > (-1e-21 if name == "exponential" else -1e-90)


def test_inverse_gaussian_survival_far_beyond_a_float():
    family = InverseGaussian(1.0, 9.0)
    assert family.log_sf(1e6) == pytest.approx(
        values_and_gradients("inverse-gaussian", [(1e6, 1.0, 9.0)])[0][0, 1], rel=1e-12
    )
