import numpy as np
import pytest
import scipy.integrate
import scipy.stats
from scenarios import observations

from bayes_distnet.models.network.instance_likelihood import InstanceRuns, log_joint


def runs(times, finished):
    """Runs of instances from ragged lists of log times and flags."""
    instance = np.repeat(np.arange(len(times)), [len(row) for row in times])
    return InstanceRuns.of(observations(instance, np.exp(np.concatenate(times)), np.concatenate(finished)), 0.0)


def covariance(k, scale, size):
    return scale**2 * ((1 - size) * np.eye(k) + size * np.ones((k, k)))


@pytest.mark.parametrize("size", [0.0, 0.1, 0.6])
def test_finished_runs_have_the_density_of_a_multivariate_normal(size):
    rng = np.random.default_rng(0)
    times = [rng.normal(size=k) for k in (1, 3, 8)]
    location, scale = np.array([0.5, -0.2, 1.0]), np.array([0.3, 1.0, 2.0])
    found = log_joint(runs(times, [np.ones(len(row), bool) for row in times]), location, scale, np.asarray(size))
    expected = [
        scipy.stats.multivariate_normal(np.full(len(row), loc), covariance(len(row), s, size)).logpdf(row)
        for row, loc, s in zip(times, location, scale, strict=True)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize(("size", "exact"), [(0.0, 1e-9), (0.1, 1e-7), (0.3, 1e-5), (0.5, 5e-3)])
@pytest.mark.parametrize("finished", [[0] * 8, [1, 1, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0]])
def test_cut_off_runs_have_the_integral_over_the_effect(size, exact, finished):
    rng = np.random.default_rng(1)
    finished = np.array(finished, dtype=bool)
    times = np.where(finished, rng.normal(size=finished.size), 1.5)

    def likelihood(a):
        z, luck = (times - 0.3) / 0.8 - np.sqrt(size) * a, np.sqrt(1 - size)
        each = np.where(finished, scipy.stats.norm.pdf(z, scale=luck) / 0.8, scipy.stats.norm.sf(z, scale=luck))
        return scipy.stats.norm.pdf(a) * each.prod()

    expected = np.log(scipy.integrate.quad(likelihood, -12, 12, epsabs=0, epsrel=1e-10, limit=200)[0])
    found = log_joint(runs([times], [finished]), np.array([0.3]), np.array([0.8]), np.asarray(size))
    assert found[0] == pytest.approx(expected, abs=exact)


def test_instances_with_and_without_cut_off_runs_go_together():
    first, second = ([0.1, 0.7], [True, True]), ([0.4, 0.9, 1.2], [False, True, False])
    both = runs([first[0], second[0]], [first[1], second[1]])
    loc, scale, size = np.array([0.2, 0.3]), np.array([0.5, 0.6]), np.asarray(0.2)
    alone = [
        log_joint(runs([t], [f]), loc[i : i + 1], scale[i : i + 1], size) for i, (t, f) in enumerate((first, second))
    ]
    np.testing.assert_allclose(log_joint(both, loc, scale, size), np.concatenate(alone), rtol=1e-12)
