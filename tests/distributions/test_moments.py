"""Moments of mixtures against closed forms and brute-force integration."""

import numpy as np
import pytest
import scipy.special
from example_mixtures import LEVELS, derived, integral_of_sf, tame, wild

from bayes_distnet.distributions.families import FAMILIES, LogLogistic, LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution


@pytest.mark.parametrize("name", FAMILIES)
def test_moments_equal_brute_force_integrals(name):
    for label, rtd in derived(tame(name, n=1)).items():
        mean, second = integral_of_sf(rtd), integral_of_sf(rtd, power=1)
        assert rtd.mean() == pytest.approx([mean], rel=1e-8), label
        if name != "loglogistic" or label in ("minimum", "shared minimum", "all of it"):
            assert rtd.variance() == pytest.approx([second - mean**2], rel=1e-7), label
        t = rtd.quantile([0.01, 0.6, 0.99])
        exact = [integral_of_sf(rtd, upto=x) for x in t[0]]
        assert rtd.restricted_mean(t) == pytest.approx(np.array([exact]), rel=1e-8), label


def test_variance_is_epistemic_plus_aleatoric():
    rtd = tame("gamma")
    draws = rtd.sample(400_000, random_state=1)
    assert rtd.epistemic() + rtd.aleatoric() == pytest.approx(rtd.variance(), rel=1e-12)
    assert rtd.variance() == pytest.approx(draws.var(axis=1), rel=0.02)
    assert rtd.std() ** 2 == pytest.approx(rtd.variance())
    means, variances = rtd.components.mean(), rtd.components.variance()
    w = rtd.weights
    assert rtd.aleatoric() == pytest.approx((w * variances).sum(1))
    assert rtd.epistemic() == pytest.approx((w * means**2).sum(1) - (w * means).sum(1) ** 2)
    alive = rtd.given_alive(2.0).minimum_of(2)
    assert alive.epistemic() + alive.aleatoric() == pytest.approx(alive.variance(), rel=1e-9)


def test_one_component_leaves_nothing_epistemic():
    rtd = RuntimeDistribution(LogLogistic(scale=[1.0, 1.0], shape=[3.0, 0.5]))
    assert np.all(rtd.epistemic() == 0)
    assert rtd.aleatoric()[1] == np.inf


def test_infinite_moments_are_inf_and_not_noise():
    rtd = RuntimeDistribution(
        LogLogistic(scale=1.0, shape=[[3.0, 0.9], [3.0, 1.5], [3.0, 2.5]]), weights=[1 - 1e-9, 1e-9]
    )
    assert np.isinf(rtd.mean()).tolist() == [True, False, False]
    assert np.isinf(rtd.variance()).tolist() == [True, True, False]
    assert np.isinf(rtd.epistemic()).tolist() == [True, False, False]
    assert np.isinf(rtd.aleatoric()).tolist() == [True, True, False]
    # Half the index, twice the copies: the fastest of two has a mean where one run has none.
    assert np.isinf(rtd.given_alive(5.0).mean()).tolist() == [True, False, False]
    for shared in (False, True):
        assert np.isfinite(rtd.minimum_of(2, independent=not shared).mean()).all()
        assert np.isinf(rtd.minimum_of(2, independent=not shared).variance()).tolist() == [True, False, False]
    # sf = 1/(1 + t), so E[min of k] = 1 / (k - 1).
    plain = RuntimeDistribution(LogLogistic(scale=[1.0], shape=[1.0]))
    assert plain.mean() == np.inf
    assert plain.minimum_of(2, independent=True).mean() == pytest.approx(1.0, rel=1e-9)
    assert plain.minimum_of(5, independent=True).mean() == pytest.approx(0.25, rel=1e-9)
    assert plain.restricted_mean([1.0, 1e6])[0] == pytest.approx([np.log(2.0), np.log1p(1e6)], rel=1e-9)


def test_a_component_without_weight_counts_nothing():
    rtd = RuntimeDistribution(LogLogistic(scale=1.0, shape=[[3.0, 0.5]]), weights=[1.0, 0.0])
    alone = RuntimeDistribution(LogLogistic(scale=[1.0], shape=[3.0]))
    assert rtd.mean() == pytest.approx(alone.mean())
    assert rtd.variance() == pytest.approx(alone.variance())
    assert rtd.given_alive(3.0).quantile(0.9) == pytest.approx(alone.given_alive(3.0).quantile(0.9))


@pytest.mark.parametrize("make", [tame, wild])
def test_minimum_of_two_exponential_mixtures_has_the_closed_mean(make):
    rtd = make("exponential")
    w, rate = rtd.weights, 1 / rtd.components.scale
    pair = w[:, :, None] * w[:, None, :]
    expected = (pair / (rate[:, :, None] + rate[:, None, :])).sum((1, 2))
    assert rtd.minimum_of(2, independent=True).mean() == pytest.approx(expected, rel=1e-9)
    second = (2 * pair / (rate[:, :, None] + rate[:, None, :]) ** 2).sum((1, 2))
    assert rtd.minimum_of(2, independent=True).variance() == pytest.approx(second - expected**2, rel=1e-7)


def test_little_weight_far_away_is_not_overlooked():
    # E[min of two] = 2 E[T] Phi(-s / sqrt 2) for lognormals; a run of the far spike leaves the other one's runtime.
    w, far, s = 1e-5, 25.0, 0.5
    rtd = RuntimeDistribution(LogNormal([[0.0, far]], [[s, 1e-3]]), weights=[1 - w, w])
    near = np.exp(s * s / 2)
    two_near, two_far = (
        2 * near * scipy.special.ndtr(-s / np.sqrt(2)),
        2 * np.exp(far) * scipy.special.ndtr(-1e-3 / np.sqrt(2)),
    )
    expected = (1 - w) ** 2 * two_near + 2 * w * (1 - w) * near + w**2 * two_far
    assert w**2 * two_far > 5  # more than all the rest
    assert rtd.minimum_of(2, independent=True).mean() == pytest.approx([expected], rel=1e-6)


@pytest.mark.parametrize("name", FAMILIES)
def test_moments_of_wild_minima_equal_brute_force(name):
    rtd = wild(name, n=4)
    two = rtd.minimum_of(3, independent=True)
    if name == "loglogistic":
        rtd, two = rtd[np.isfinite(two.mean())], two[np.isfinite(two.mean())]
    edges = rtd.components.take(np.s_[:, None, :]).quantile(
        np.r_[1e-9, 1e-6, 1e-3, 0.1, 0.5, 0.9, 0.999, 1 - 1e-6, 1 - 1e-10][:, None]
    )
    nodes, weights = np.polynomial.legendre.leggauss(60)
    for i in range(len(rtd)):
        y = np.log(edges[i][edges[i] > 1e-300].ravel())
        top = two[i].quantile(1 - 1e-12)[0]
        y = np.unique(np.concatenate([y, np.log(two[i].quantile(LEVELS)[0]), np.log(top) + np.geomspace(0.1, 40, 20)]))
        half = 0.5 * np.diff(y)[:, None]
        points = y[:-1, None] + half * (1 + nodes)
        sf = two[i].sf(np.exp(points.ravel())).reshape(points.shape)
        mean = np.exp(y[0]) + (sf * np.exp(points) * half * weights).sum()
        assert two[i].mean() == pytest.approx([mean], rel=1e-5 if name == "loglogistic" else 1e-7)


def test_restricted_mean_at_its_ends():
    rtd = tame("inverse-gaussian")
    assert np.all(rtd.restricted_mean([-1.0, 0.0]) == [-1.0, 0.0])
    assert rtd.restricted_mean(np.inf) == pytest.approx(rtd.mean())
    assert rtd.restricted_mean(1e-9) == pytest.approx(np.full(4, 1e-9), rel=1e-9)  # nothing ends that soon
    assert rtd.restricted_mean(1e9) == pytest.approx(rtd.mean(), rel=1e-9)


def test_mean_of_the_time_left_deep_in_the_tail():
    # Normal tail: E[Z - a | Z > a] ~ 1/a - 2/a^3 + 10/a^5; for log time this is a check on E[e^(sZ)] with tiny s.
    s, a = 1e-6, 30.0
    left = RuntimeDistribution(LogNormal([0.0], [s])).given_alive(np.exp(s * a))
    hazard = np.exp(-0.5 * a * a - 0.5 * np.log(2 * np.pi) - scipy.special.log_ndtr(-a))
    assert left.mean()[0] == pytest.approx(s * (hazard - a), rel=1e-4)
