"""Scores by likelihood against closed forms, dense grids and literal versions of the published definitions."""

import numpy as np
import pytest
import scipy.stats
from predictions import mixtures, with_a_censored_run, with_runs

from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.instance_effect import InstanceEffect
from bayes_distnet.distributions.instance_runtimes import InstanceRuntimes
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError
from bayes_distnet.scoring.likelihood import KERNEL_FLOOR, joint_nllh, kld, nllh


def test_nllh_is_relative_to_the_longest_run():
    rtd, seconds, _ = with_runs(5)
    expected = -(rtd.log_pdf(seconds) + np.log(seconds.max(1))[:, None]).mean(1)
    assert nllh(rtd, seconds) == pytest.approx(expected, rel=1e-12)
    minutes = RuntimeDistribution(LogNormal(rtd.components.loc - np.log(60), rtd.components.scale), rtd.weights)
    assert nllh(minutes, seconds / 60) == pytest.approx(expected, rel=1e-9)  # the unit does not matter


def test_nllh_of_a_censored_run_is_its_survival():
    rtd, seconds, finished = with_runs(4, cutoff=3.0)
    assert 0 < finished.mean() < 1
    value = np.where(finished, rtd.log_pdf(seconds) + np.log(seconds.max(1))[:, None], rtd.log_sf(seconds))
    assert nllh(rtd, seconds, finished) == pytest.approx(-value.mean(1))


def test_only_the_published_nllh_has_a_floor():
    rtd = RuntimeDistribution(LogNormal([0.0], [0.1]))
    seconds = [[1.0, 50.0]]
    assert nllh(rtd, seconds)[0] > 300
    scaled = np.array([1.0, 50.0]) / 50.0
    total = 0.0
    for t in scaled:  # the published definition, literally, in time scaled by the largest runtime
        density = scipy.stats.lognorm.pdf(t, 0.1, scale=1 / 50.0)
        total += np.log(density if density > 1e-6 else 1e-4) + np.log(max(scaled))
    assert nllh(rtd, seconds, published=True) == pytest.approx([-total / 2], rel=1e-12)
    # In other units of time the floor is another one.
    assert nllh(rtd, seconds, published=True, scale=500.0) != pytest.approx([-total / 2])
    with pytest.raises(SettingError, match="scale"):
        nllh(rtd, seconds, published=True, scale=-1.0)


def test_kld_of_one_run_is_that_of_its_kernel():
    # KL(N(y, b^2) || N(m, s^2)) = log(s/b) + (b^2 + (y - m)^2) / (2 s^2) - 1/2
    rtd = RuntimeDistribution(LogNormal([0.0, 2.0], [1.0, 0.5]))
    y, b, m, s = np.log([3.0, 3.0]), KERNEL_FLOOR, np.array([0.0, 2.0]), np.array([1.0, 0.5])
    expected = np.log(s / b) + (b**2 + (y - m) ** 2) / (2 * s**2) - 0.5
    assert kld(rtd, [3.0, 3.0]) == pytest.approx(expected, rel=1e-8)
    equal = kld(rtd, np.full((2, 5), 3.0))
    assert equal == pytest.approx(expected + np.log(5) - (b**2 - (b / 5) ** 2) / (2 * s**2), rel=1e-8)


def test_kld_of_the_true_distribution_is_about_zero_and_of_another_is_not():
    rtd = mixtures(n=3)
    seconds = rtd.sample(3000, random_state=4)
    right = kld(rtd, seconds)
    wrong = RuntimeDistribution(LogNormal(rtd.components.loc + 0.5, rtd.components.scale), rtd.weights)
    assert np.all(np.abs(right) < 0.02)
    assert np.all(kld(wrong, seconds) > 0.1)


def test_kld_equals_brute_force():
    rtd, seconds, _ = with_runs(7, n=2)
    for i in range(2):
        y = np.log(seconds[i])
        x = np.linspace(y.min() - 8, y.max() + 8, 200_001)
        p, q = scipy.stats.gaussian_kde(y)(x), rtd[i].pdf(np.exp(x))[0] * np.exp(x)
        expected = np.sum(np.where(p > 0, p * np.log(np.maximum(p, 1e-300) / q), 0.0)) * (x[1] - x[0])
        assert kld(rtd[i], seconds[[i]]) == pytest.approx([expected], rel=1e-6)


def test_kld_under_censoring_adds_the_probability_past_the_horizon():
    rtd = RuntimeDistribution(LogNormal([0.3], [0.8]))
    seconds, finished = np.array([[0.5, 1.0, 1.7, 2.0, 2.0]]), np.array([[True, True, True, False, False]])
    y, h = np.log(seconds[0, :3]), np.log(2.0)
    b = y.std(ddof=1) * 3**-0.2
    x = np.linspace(-8, h, 400_001)
    kernel = sum(scipy.stats.norm.pdf(x, c, b) + scipy.stats.norm.pdf(x, 2 * h - c, b) for c in y) / 5
    integrand = np.where(
        kernel > 1e-200, kernel * np.log(np.maximum(kernel, 1e-200)), 0
    ) - kernel * scipy.stats.norm.logpdf(x, 0.3, 0.8)
    expected = np.trapezoid(integrand, x) + 0.4 * np.log(0.4 / rtd.sf(2.0)[0])
    assert kld(rtd, seconds, finished) == pytest.approx([expected], rel=1e-6)
    all_cut = kld(rtd, np.full((1, 3), 2.0), np.zeros((1, 3), bool))
    assert all_cut == pytest.approx(-rtd.log_sf(2.0))


def test_kld_of_the_true_distribution_under_censoring_is_about_zero():
    rtd = mixtures(n=3)
    seconds, cutoff = rtd.sample(3000, random_state=4), rtd.quantile(0.6)[:, None]
    right = kld(rtd, np.minimum(seconds, cutoff), seconds < cutoff)
    assert np.all(np.abs(right) < 0.02)


def test_published_kld_is_the_published_sum():
    rtd, seconds, _ = with_runs(12, n=3)
    scale, grid = seconds.max(), np.linspace(0, 1.5, 200)
    expected = []
    for i in range(3):
        reference, predicted = scipy.stats.gaussian_kde(seconds[i] / scale)(grid), rtd[i].pdf(grid * scale)[0] * scale
        total = 0.0
        for p, q in zip(reference, predicted, strict=True):
            total += p * (np.log(p + 1e-8) - np.log(q + 1e-8)) / 200
        expected.append(total)
    assert kld(rtd, seconds, published=True) == pytest.approx(expected, rel=1e-9)
    assert np.isnan(kld(rtd, seconds[:, :1], published=True)).all()
    assert np.isnan(kld(rtd, np.ones((3, 4)), published=True)).all()


def test_published_kld_of_finished_runs_alone():
    rtd, seconds, _ = with_runs(8, n=2)
    more, flags = with_a_censored_run(seconds)
    assert kld(rtd, more, flags, published=True) == pytest.approx(kld(rtd, seconds, published=True))


@pytest.mark.parametrize("score", [nllh, kld])
@pytest.mark.parametrize("bad", ["a", 0.0, -1.0, np.nan, np.inf, True])
def test_a_bad_scale_is_refused(score, bad):
    with pytest.raises(SettingError, match=r"scale=.*positive"):
        score(mixtures(n=2), [1.0, 2.0], published=True, scale=bad)


def test_joint_nllh_of_one_run_is_nllh():
    rtd = mixtures(n=3)
    runs, finished = np.array([1.0, 2.0, 30.0]), np.array([True, False, True])
    np.testing.assert_allclose(joint_nllh(rtd, runs, finished), nllh(rtd, runs, finished))


def test_joint_nllh_prefers_the_right_split():
    rng = np.random.default_rng(0)
    runs = np.exp(0.6 * rng.normal(size=(400, 1)) + 0.8 * rng.normal(size=(400, 6)))
    marginal = RuntimeDistribution(LogNormal(np.zeros(400), np.ones(400)))
    splits = [InstanceRuntimes(marginal, InstanceEffect.of(size, 400)) for size in (0.0, 0.15, 0.36, 0.6, 0.9)]
    assert np.argmin([joint_nllh(rtd, runs).mean() for rtd in splits]) == 2
    assert len({nllh(rtd, runs).mean() for rtd in splits}) == 1
