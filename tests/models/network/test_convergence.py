import numpy as np
import pytest

from bayes_distnet.models.network.convergence import effective_draws, r_hat


def autoregressive(weight, draws=10000, chains=4):
    rng = np.random.default_rng(0)
    values = np.zeros((chains, draws))
    for i in range(1, draws):
        values[:, i] = weight * values[:, i - 1] + rng.normal(size=chains)
    return values


def test_chains_of_one_distribution_agree():
    assert r_hat(np.random.default_rng(0).standard_cauchy(size=(4, 500, 20))).max() < 1.03


@pytest.mark.parametrize("change", [lambda v: v + 2.0, lambda v: 5.0 * v], ids=["elsewhere", "wider"])
def test_a_chain_that_differs_is_seen(change):
    values = np.random.default_rng(0).normal(size=(4, 500))
    values[0] = change(values[0])
    assert r_hat(values) > 1.1


def test_a_drift_within_all_chains_is_seen():
    assert r_hat(np.random.default_rng(0).normal(size=(4, 500)) + np.linspace(0, 3, 500)) > 1.1


@pytest.mark.parametrize(("weight", "expected"), [(0.0, 1.0), (0.5, 1 / 3), (0.9, 1 / 19)])
def test_autocorrelation_lowers_the_effective_number_of_draws(weight, expected):
    assert effective_draws(autoregressive(weight)) == pytest.approx(40000 * expected, rel=0.15)
