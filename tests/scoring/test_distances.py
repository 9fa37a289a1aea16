"""Scores by distance against closed forms, SciPy and dense grids."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.stats
from predictions import grid_integral, mixtures, with_a_censored_run, with_runs
from scipy.special import ndtr

from bayes_distnet.distributions.families import Exponential, LogLogistic, LogNormal
from bayes_distnet.distributions.kernel_estimate import KernelEstimate
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.scoring.distances import crps, ks, mass, wasserstein


def test_ks_is_scipys():
    rtd, seconds, _ = with_runs(9)
    expected = [scipy.stats.kstest(seconds[i], lambda t, i=i: rtd[i].cdf(t)[0]).statistic for i in range(6)]
    assert ks(rtd, seconds) == pytest.approx(expected, rel=1e-12)
    assert ks(rtd, seconds, published=True) == pytest.approx(expected, rel=1e-12)
    ragged = seconds.copy()
    ragged[:, 5:] = np.nan
    expected = [scipy.stats.kstest(seconds[i, :5], lambda t, i=i: rtd[i].cdf(t)[0]).statistic for i in range(6)]
    assert ks(rtd, ragged) == pytest.approx(expected, rel=1e-12)


def test_ks_stops_at_the_horizon():
    rtd = RuntimeDistribution(Exponential([1.0]))
    seconds, finished = [[0.2, 0.9, 1.5, 3.0]], [[True, True, False, True]]  # nothing is known past 1.5
    F = rtd.cdf([0.2, 0.9, 1.5])[0]
    expected = max(F[0], abs(F[0] - 0.25), abs(F[1] - 0.25), abs(F[1] - 0.5), abs(F[2] - 0.5))
    assert ks(rtd, seconds, finished) == pytest.approx([expected])
    # A run that finishes exactly at the cutoff counts as finished there.
    assert ks(rtd, [[1.0, 1.0]], [[True, False]]) == pytest.approx([max(rtd.cdf(1.0)[0], abs(rtd.cdf(1.0)[0] - 0.5))])
    assert ks(rtd, [[1.0, 1.0]], [[False, False]]) == pytest.approx(rtd.cdf(1.0))


def test_published_ks_of_kernels_compares_their_centres():
    rng = np.random.default_rng(0)
    centres, seconds = rng.gamma(2, 1, (3, 16)), rng.gamma(2, 1.2, (3, 40))
    rtd = KernelEstimate(centres, 0.3)
    expected = [scipy.stats.ks_2samp(seconds[i], centres[i]).statistic for i in range(3)]
    assert ks(rtd, seconds, published=True) == pytest.approx(expected, rel=1e-12)
    assert ks(rtd, seconds) != pytest.approx(expected)


def test_published_ks_of_finished_runs_alone():
    rtd, seconds, _ = with_runs(8, n=2)
    more, flags = with_a_censored_run(seconds)
    assert ks(rtd, more, flags, published=True) == pytest.approx(ks(rtd, seconds, published=True))


def test_mass_outside():
    rtd = KernelEstimate([[1.0, 3.0]], 2.0)
    seconds = [[1.0, 4.0]]
    kernel = [scipy.stats.norm(m, 2.0) for m in (1.0, 3.0)]
    inside = np.mean([k.cdf(6.0) - k.cdf(0.0) for k in kernel])
    assert mass(rtd, seconds) == pytest.approx([1 - inside])
    assert mass(rtd, seconds, [[True, False]]) == 0


def lognormal_crps(m, s, t):
    """Baran and Lerch (2015), Log-normal distribution based EMOS, equation (6)."""
    z = (np.log(t) - m) / s
    return t * (2 * ndtr(z) - 1) - 2 * np.exp(m + s * s / 2) * (ndtr(z - s) + ndtr(s / np.sqrt(2)) - 1)


def test_crps_of_a_lognormal_is_the_closed_form():
    rng = np.random.default_rng(0)
    m, s, t = rng.normal(0, 3, 200), rng.uniform(0.01, 2.5, 200), np.exp(rng.normal(0, 3, 200))
    rtd = RuntimeDistribution(LogNormal(m, s))
    assert crps(rtd, t) == pytest.approx(lognormal_crps(m, s, t), rel=1e-6)
    several = t[:, None] * [0.5, 1.0, 2.0]
    assert crps(rtd, several) == pytest.approx(lognormal_crps(m[:, None], s[:, None], several).mean(1), rel=1e-6)


def test_crps_of_an_exponential_is_the_closed_form():
    mean, t = np.array([0.1, 2.0, 50.0]), np.array([1.0, 1.0, 30.0])
    expected = t - 1.5 * mean + 2 * mean * np.exp(-t / mean)
    assert crps(RuntimeDistribution(Exponential(mean)), t) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("cutoff", [np.inf, 3.0])
def test_crps_of_mixtures_equals_brute_force(cutoff):
    rtd, seconds, finished = with_runs(3, n=4, cutoff=cutoff)
    value = crps(rtd, seconds, finished)
    for i in range(4):
        horizon = seconds[i][~finished[i]].min(initial=np.inf)
        total = 0.0
        for t, done in zip(seconds[i], finished[i], strict=True):
            t = t if done else np.inf
            end = min(t, horizon)
            total += grid_integral(lambda x, i=i: rtd[i].cdf(x)[0] ** 2, end)
            if end < horizon:
                top = min(horizon, rtd[i].quantile(1 - 1e-12)[0])
                total += grid_integral(lambda x, i=i, a=end: rtd[i].sf(a + x)[0] ** 2, max(top - end, 0.0))
        assert value[i] == pytest.approx(total / 3, rel=1e-6)


@pytest.mark.parametrize("horizon", [np.inf, 5.0])
def test_crps_of_narrow_components(horizon):
    rtd = RuntimeDistribution(LogNormal([[0.0, 0.5, 1.5]], [[1e-3, 0.7, 1e-3]]), weights=[0.3, 0.4, 0.3])
    seconds, finished = np.array([[2.0, min(horizon, 6.0)]]), np.array([[True, horizon == np.inf]])
    top = min(horizon, 300.0)
    cuts = np.unique(np.minimum([0, 0.99, 0.995, 1.005, 1.01, 2, 4.4, 4.46, 4.5, 4.55, 6, 30, top], top))
    expected = 0.0
    for t in (2.0, 6.0):
        for a, b in pairwise(cuts):
            x = np.linspace(a, b, 40_001)
            expected += np.trapezoid((rtd.cdf(x)[0] - (t <= 0.5 * (a + b))) ** 2, x) / 2
    assert crps(rtd, seconds, finished) == pytest.approx([expected], rel=1e-6)


def test_crps_of_heavy_tails():
    # sf = 1/(1 + t): no mean, but the integral of sf^2 from t on is 1/(1 + t), and that of F^2 below is closed.
    rtd = RuntimeDistribution(LogLogistic([1.0], [1.0]))
    t = 3.0
    below = t - 2 * np.log1p(t) + 1 - 1 / (1 + t)
    assert crps(rtd, [t]) == pytest.approx([below + 1 / (1 + t)], rel=1e-8)
    # sf ~ t^-0.4: the integral diverges, and up to a horizon it does not.
    heavy = RuntimeDistribution(LogLogistic([1.0], [0.4]))
    assert crps(heavy, [t]) == np.inf
    assert np.isfinite(crps(heavy, [t], [False]))


def test_crps_of_remaining_time_and_of_minima():
    rtd = mixtures(n=2)
    for derived in (rtd.given_alive(2.0), rtd.minimum_of(3, independent=True), rtd.minimum_of(2)):
        value = crps(derived, [1.0, 2.0])
        for i, t in enumerate((1.0, 2.0)):
            top = derived[i].quantile(1 - 1e-13)[0]
            total = grid_integral(lambda x, i=i, d=derived: d[i].cdf(x)[0] ** 2, t)
            total += grid_integral(lambda x, i=i, t=t, d=derived: d[i].sf(t + x)[0] ** 2, top)
            assert value[i] == pytest.approx(total, rel=1e-6)


def test_crps_is_proper():
    rtd = mixtures(n=3)
    seconds = rtd.sample(2000, random_state=9)
    for other in (0.7, 1.4):
        wider = RuntimeDistribution(LogNormal(rtd.components.loc, rtd.components.scale * other), rtd.weights)
        assert np.all(crps(wider, seconds) > crps(rtd, seconds))


def test_wasserstein_is_scipys_with_a_large_sample():
    rtd, seconds, _ = with_runs(20, n=3)
    draws = rtd.quantile((np.arange(100_000) + 0.5) / 100_000)
    expected = [scipy.stats.wasserstein_distance(seconds[i], draws[i]) for i in range(3)]
    assert wasserstein(rtd, seconds) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("cutoff", [np.inf, 4.0])
def test_wasserstein_equals_brute_force(cutoff):
    rtd, seconds, finished = with_runs(6, n=3, cutoff=cutoff)
    value = wasserstein(rtd, seconds, finished)
    for i in range(3):
        horizon = seconds[i][~finished[i]].min(initial=np.inf)
        edges = np.unique(
            np.concatenate([[0.0], np.minimum(seconds[i], horizon), [min(horizon, rtd[i].quantile(1 - 1e-13)[0])]])
        )
        total = 0.0
        for a, b in pairwise(edges):
            share = np.mean(finished[i] & (seconds[i] <= a))
            total += grid_integral(lambda x, i=i, a=a, s=share: np.abs(rtd[i].cdf(a + x)[0] - s), b - a)
        assert value[i] == pytest.approx(total, rel=1e-6)


def test_wasserstein_of_one_run_is_the_mean_distance():
    rtd = RuntimeDistribution(Exponential([2.0]))
    expected = 3.0 - 2.0 + 2 * 2.0 * np.exp(-1.5)  # E|T - 3|
    assert wasserstein(rtd, [3.0]) == pytest.approx([expected], rel=1e-10)


def test_wasserstein_is_infinite_with_the_mean():
    rtd = RuntimeDistribution(LogLogistic([1.0], [0.9]))
    assert wasserstein(rtd, [[1.0, 2.0]]) == np.inf
    assert np.isfinite(wasserstein(rtd, [[1.0, 2.0]], [[True, False]]))
