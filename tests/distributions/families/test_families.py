"""The same claims for all families."""

import subprocess
import sys

import jax
import numpy as np
import pytest
from example_families import every_family, example
from scipy import stats

from bayes_distnet.distributions.families import FAMILIES, Gamma, InverseGaussian, LogLogistic, LogNormal, get_family
from bayes_distnet.errors import SettingError

LEVELS = np.array([1e-9, 1e-3, 0.05, 0.3, 0.5, 0.8, 0.99, 1 - 1e-9])


@every_family
def test_agrees_with_scipy(name):
    family, reference = example(name)
    t = family.quantile(LEVELS[:, None])
    assert t.shape == (8, 3)
    np.testing.assert_allclose(family.log_prob(t), reference.logpdf(t), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(family.prob(t), reference.pdf(t), rtol=1e-9)
    np.testing.assert_allclose(family.cdf(t), reference.cdf(t), rtol=1e-9)
    np.testing.assert_allclose(family.sf(t), reference.sf(t), rtol=1e-6)  # SciPy's own cancels for some
    np.testing.assert_allclose(family.log_cdf(t), np.log(reference.cdf(t)), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(family.mean(), reference.mean(), rtol=1e-12)
    np.testing.assert_allclose(family.variance(), reference.var(), rtol=1e-10)


def integrate(function, ends):
    """Integrate function(t) dt over the panels between ends (panels + 1, rows), by 40 nodes each in log time."""
    low, high = np.log(ends[:-1]), np.log(ends[1:])
    nodes, weights = np.polynomial.legendre.leggauss(40)
    t = np.exp(low + (high - low) * 0.5 * (nodes[:, None, None] + 1.0))
    return np.sum(weights[:, None, None] * function(t) * t, axis=0) * 0.5 * (high - low)


@every_family
def test_density_integrates_to_one_and_to_the_cdf(name):
    family, _ = example(name)
    levels = np.array([1e-13, 1e-9, 1e-6, 1e-4, 1e-2, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1 - 1e-4, 1 - 1e-6, 1 - 1e-9])
    parts = integrate(family.prob, family.quantile(levels[:, None]))
    np.testing.assert_allclose(np.cumsum(parts, axis=0), np.tile(levels[1:, None] - levels[0], 3), rtol=1e-10)


@every_family
def test_quantile_undoes_the_cdf(name):
    family, _ = example(name)
    p = LEVELS[:, None]
    t = family.quantile(p)
    elasticity = t * family.prob(t)
    error = np.where(p < 0.5, family.cdf(t) - p, (1 - p) - family.sf(t))
    assert np.max(np.abs(error) / elasticity) < 1e-12
    assert (family.quantile(1.0) == np.inf).all()
    assert (family.quantile(0.0) == 0.0).all()
    assert np.isnan(family.quantile(np.nan)).all()


@every_family
def test_log_isf_reaches_far_into_both_tails(name):
    family, _ = example(name)
    log_q = -np.array([1e4, 700.0, 30.0, 1.0, 0.1, 1e-9, 1e-40])[:, None]
    u = family.log_isf(log_q)
    with np.errstate(over="ignore"):
        t = np.exp(u)
    inside = (u > -600) & (u < 600)  # a log-logistic is past the largest float by then
    assert inside.mean() > 0.7
    np.testing.assert_allclose(family.log_sf(t)[inside], np.broadcast_to(log_q, u.shape)[inside], rtol=1e-11)


@every_family
def test_mean_beyond_is_the_partial_expectation(name):
    family, _ = example(name)
    log_q = -np.array([1e-6, 1e-3, 0.1, 0.5, 1.0, 2.0, 4.0, 7.0, 10.0, 15.0, 20.0, 25.0, 30.0, 36.0])[:, None]
    ends = np.exp(family.log_isf(log_q))
    parts = integrate(lambda t: t * family.prob(t), ends)
    found = family.mean_beyond(ends[:-1]) - family.mean_beyond(ends[-1])
    np.testing.assert_allclose(found, np.cumsum(parts[::-1], axis=0)[::-1], rtol=1e-8)
    np.testing.assert_allclose(family.mean_beyond(0.0), family.mean(), rtol=1e-14)


@every_family
def test_mean_beyond_does_not_underflow_in_log_space(name):
    family, _ = example(name)
    far = np.exp(family.log_isf(-1000.0)) if name != "loglogistic" else np.array([1e150, 1e40, 1e120])
    assert (family.log_sf(far) < -300).all()
    residual = np.exp(family.log_mean_beyond(far) - family.log_sf(far)) / far  # E[T | T > far] / far
    assert ((residual > 1) & (residual < 2)).all()


@every_family
def test_samples_follow_the_cdf(name):
    family, _ = example(name)
    draws = family.sample(np.random.default_rng(5), (4000, 3))
    assert draws.shape == (4000, 3)
    for row in range(3):
        assert stats.kstest(draws[:, row], family.take(row).cdf).pvalue > 1e-3
    again = family.sample(np.random.default_rng(5), (4000, 3))
    np.testing.assert_array_equal(draws, again)


def test_samples_of_very_wide_distributions_are_positive_and_right():
    wide = InverseGaussian(1.0, 1e-5)  # a coefficient of variation of 300
    draws = wide.sample(np.random.default_rng(0), 4000)
    assert stats.kstest(draws, wide.cdf).pvalue > 1e-3
    assert (Gamma(0.003, 1.0).sample(np.random.default_rng(0), 1000) > 0).all()


@every_family
def test_at_infinity(name):
    family, _ = example(name)
    assert (family.sf(np.inf) == 0).all()
    assert (family.cdf(np.inf) == 1).all()
    assert (family.prob(np.inf) == 0).all()
    assert np.isnan(family.prob(np.nan)).all()
    assert np.isnan(family.cdf(np.nan)).all()
    assert (family.log_sf(np.inf) == -np.inf).all()
    assert (family.mean_beyond(np.inf) == 0).all()


@every_family
def test_outside_the_support(name):
    family, _ = example(name)
    t = np.array([-1.0, 0.0])[:, None]
    assert (family.prob(t) == 0).all()
    assert (family.cdf(t) == 0).all()
    assert (family.sf(t) == 1).all()
    assert (family.log_cdf(t) == -np.inf).all()


@every_family
def test_take_scaled_and_parameters(name):
    family, _ = example(name)
    assert tuple(family.parameters()) == family.parameter_names
    np.testing.assert_array_equal(family.take([2, 0]).log_sf(2.0), family.log_sf(2.0)[[2, 0]])
    np.testing.assert_allclose(family.scaled(60.0).cdf(120.0), family.cdf(2.0), rtol=1e-12)
    mixed = type(family)(*(p[:1] if i else p for i, p in enumerate(family.parameters().values())))
    assert mixed.take(2).log_sf(1.0) == mixed.log_sf(1.0)[2]  # parameters of different shapes


@pytest.mark.parametrize("name", ["lognormal", "inverse-gaussian"])
def test_censored_likelihood_is_density_or_survival(name):
    family, _ = example(name)
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
