"""Parameters from samples."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from example_families import every_family
from scipy import optimize, stats

from bayes_distnet.distributions.families import FAMILIES
from bayes_distnet.distributions.families.samples import SPREAD_FLOOR


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
