"""Draws of several components."""

import numpy as np
import pytest
import scipy.stats
from example_mixtures import LEVELS, derived, grouped, integral_of_sf, tame

from bayes_distnet.distributions.families import LogLogistic, LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError


def by_hand(rtd: RuntimeDistribution, label: int) -> tuple[RuntimeDistribution, np.ndarray]:
    """One draw as a distribution of its own, and its weight (n,)."""
    mine = np.flatnonzero(rtd.draws == label)
    weights = rtd.weights[:, mine]
    return RuntimeDistribution(rtd.components.take(np.s_[:, mine]), weights), weights.sum(axis=1)


def test_halves_of_a_component_are_that_component():
    rtd = tame("weibull")
    halves = type(rtd.components)(**{k: np.repeat(v, 2, axis=1) for k, v in rtd.components.parameters().items()})
    fraction = np.tile([0.3, 0.7], rtd.n_components)
    split = RuntimeDistribution(halves, np.repeat(rtd.weights, 2, axis=1) * fraction, np.repeat(np.arange(5), 2))
    t = np.array([0.5, 2.0, 9.0])
    for one, two in zip(derived(rtd).items(), derived(split).items(), strict=True):
        label, whole, parts = one[0], one[1], two[1]
        assert parts.sf(t) == pytest.approx(whole.sf(t), rel=1e-9), label
        assert parts.pdf(t) == pytest.approx(whole.pdf(t), rel=1e-9), label
        assert parts.variance() == pytest.approx(whole.variance(), rel=1e-7), label
        if label in ("as it is", "alive", "shared minimum"):
            assert np.array(parts.band(q=0.3)) == pytest.approx(np.array(whole.band(q=0.3)), rel=1e-8), label
            assert np.array(parts.band(t=t)) == pytest.approx(np.array(whole.band(t=t)), rel=1e-8), label
            assert parts.epistemic() == pytest.approx(whole.epistemic(), rel=1e-7), label
            assert parts.aleatoric() == pytest.approx(whole.aleatoric(), rel=1e-7), label


def test_two_humps_on_which_all_draws_agree_are_luck():
    loc = np.array([[0.0, 3.0] * 4])
    rtd = RuntimeDistribution(LogNormal(loc, 0.5), [0.7, 0.3] * 4, draws=np.repeat(np.arange(4), 2))
    assert RuntimeDistribution(LogNormal(loc, 0.5), [0.7, 0.3] * 4).epistemic() > 50
    assert rtd.epistemic() == pytest.approx(0.0, abs=1e-12)
    assert rtd.aleatoric() == pytest.approx(rtd.variance())
    assert np.array(rtd.band(q=0.6)) == pytest.approx(np.tile(rtd.quantile(0.6), (2, 1)))
    assert np.array(rtd.band(t=2.0)) == pytest.approx(np.tile(rtd.cdf(2.0), (2, 1)))


@pytest.mark.parametrize("name", ["lognormal", "gamma"])
def test_draws_are_compared_as_mixtures_of_their_components(name):
    rtd = grouped(name)
    draws, weights = zip(*(by_hand(rtd, label) for label in range(3)), strict=True)
    means, variances, w = (np.stack(v, 1) for v in ([d.mean() for d in draws], [d.variance() for d in draws], weights))
    centre = (w * means).sum(1)
    assert rtd.epistemic() == pytest.approx((w * (means - centre[:, None]) ** 2).sum(1), rel=1e-12)
    assert rtd.aleatoric() == pytest.approx((w * variances).sum(1), rel=1e-12)
    assert rtd.variance() == pytest.approx(rtd.sample(400_000, random_state=1).var(axis=1), rel=0.03)
    medians, cdfs = (np.stack(v, 1) for v in ([d.median() for d in draws], [d.cdf(3.0) for d in draws]))
    # So wide a band reaches from the lowest draw to the highest one, so narrow a band is the middle draw by weight.
    assert np.array(rtd.band(0.999)) == pytest.approx(np.array([medians.min(1), medians.max(1)]), rel=1e-9)
    assert np.array(rtd.band(0.999, t=3.0)) == pytest.approx(np.array([cdfs.min(1), cdfs.max(1)]), rel=1e-9)
    order = np.argsort(medians, axis=1)
    middle = (np.cumsum(np.take_along_axis(w, order, 1), axis=1) < 0.5).sum(axis=1)
    expected = np.take_along_axis(np.take_along_axis(medians, order, 1), middle[:, None], 1)[:, 0]
    assert rtd.band(1e-9)[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", ["lognormal", "inverse-gaussian"])
def test_variance_is_epistemic_plus_aleatoric_with_draws(name):
    rtd = grouped(name)
    cases = {"as it is": rtd, "alive": rtd.given_alive(2.0), "shared": rtd.minimum_of(3)}
    cases["both"] = cases["shared"].given_alive(1.0)
    for label, case in cases.items():
        assert case.epistemic() + case.aleatoric() == pytest.approx(case.variance(), rel=1e-9), label
        for i in range(len(rtd)):
            mean, second = integral_of_sf(case[i]), integral_of_sf(case[i], power=1)
            assert case.mean()[i] == pytest.approx(mean, rel=1e-7), label
            assert case.variance()[i] == pytest.approx(second - mean**2, rel=1e-6), label


def test_copies_share_their_draw():
    rtd, t = grouped(), np.array([0.5, 2.0, 9.0])
    draws, weights = zip(*(by_hand(rtd, label) for label in range(3)), strict=True)
    expected = sum(w[:, None] * draw.sf(t) ** 4 for draw, w in zip(draws, weights, strict=True))
    fastest = rtd.minimum_of(4)
    assert fastest.sf(t) == pytest.approx(expected, rel=1e-11)
    assert rtd.minimum_of(2).minimum_of(2).sf(t) == pytest.approx(expected, rel=1e-11)
    h = 1e-4 * t
    assert fastest.pdf(t) == pytest.approx((fastest.cdf(t + h) - fastest.cdf(t - h)) / (2 * h), rel=1e-5)
    assert np.abs(fastest.cdf(fastest.quantile(LEVELS)) - LEVELS).max() < 1e-9
    left = fastest.given_alive(2.0)
    assert left.sf(t) == pytest.approx(fastest.sf(2.0 + t) / fastest.sf(2.0)[:, None], rel=1e-10)
    assert left.given_alive(1.0).sf(t) == pytest.approx(fastest.sf(3.0 + t) / fastest.sf(3.0)[:, None], rel=1e-10)
    for case in (fastest, left):
        assert scipy.stats.kstest(case.cdf(case.sample(3000, random_state=5))[0], "uniform").pvalue > 1e-4
    assert rtd.minimum_of(4, independent=True).sf(t) == pytest.approx(rtd.sf(t) ** 4, rel=1e-11)
    # With one draw there is nothing that copies could share.
    one = RuntimeDistribution(rtd.components, rtd.weights, draws=np.zeros(6))
    assert one.minimum_of(4).sf(t) == pytest.approx(one.minimum_of(4, independent=True).sf(t), rel=1e-11)


def test_draws_are_kept():
    rtd = grouped()
    assert rtd.draws.tolist() == [1, 0, 1, 2, 0, 0]
    for other in (rtd[1], rtd[[2, 0]], rtd.given_alive(1.0), rtd.minimum_of(2), rtd[[]]):
        assert other.draws.tolist() == rtd.draws.tolist()
    assert rtd[[2, 0]].epistemic() == pytest.approx(rtd.epistemic()[[2, 0]])
    assert rtd[[]].epistemic().shape == rtd[[]].band()[0].shape == (0,)
    for case in (rtd, rtd.given_alive(2.0), rtd.minimum_of(3).given_alive(1.0)):
        again = RuntimeDistribution.from_arrays(case.to_arrays())
        assert again.draws.tolist() == rtd.draws.tolist()
        assert np.all(again.quantile(LEVELS) == case.quantile(LEVELS))
        assert np.all(again.epistemic() == case.epistemic())
    assert "draws" not in tame("lognormal").to_arrays()
    assert RuntimeDistribution(rtd.components, rtd.weights, draws=[3, 1, 4, 6, 5, 9]).draws is None  # each its own


def test_a_draw_without_weight_counts_nothing():
    rtd = RuntimeDistribution(
        LogLogistic(scale=1.0, shape=[[3.0, 4.0, 0.5, 0.5]]), weights=[0.5, 0.5, 0.0, 0.0], draws=[0, 0, 1, 1]
    )
    assert rtd.epistemic() == pytest.approx([0.0], abs=1e-12)
    assert rtd.aleatoric() == pytest.approx(rtd.variance())
    assert rtd.band()[1] == pytest.approx(rtd.median())
    waited = rtd.minimum_of(2).given_alive(3.0)
    assert waited.weights[0, 2:].tolist() == [0.0, 0.0]
    assert np.isfinite(waited.mean()).all()


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([0, 1, 1], r"draws have shape \(3,\); for 3 rows of 2 components give \(2,\) or \(3, 2\)"),
        ([0.0, 0.5], "draws: expected a whole number for each component.*found 0.5"),
        ([0.0, np.nan], "found nan"),
        (["a", "b"], "draws: expected a number"),
    ],
)
def test_bad_draws(bad, message):
    with pytest.raises(SettingError, match=message):
        RuntimeDistribution(LogNormal(loc=np.zeros((3, 2)), scale=1.0), draws=bad)


def test_draws_of_all_hardness_average_to_the_mixture():
    rtd = tame("weibull")
    hardness = scipy.stats.norm.ppf((np.arange(2000) + 0.5) / 2000)
    average = np.exp(rtd.log_sf_given(hardness, [1.0, 3.0])).mean(axis=1)
    np.testing.assert_allclose(average, rtd.sf([1.0, 3.0]), atol=2e-3)


def test_a_harder_draw_has_a_longer_median():
    rtd = RuntimeDistribution(LogNormal(loc=[[2.0, 0.0, 1.0]], scale=1.0), [0.2, 0.5, 0.3])
    at = np.exp(rtd.log_sf_given([-1.0, 0.3, 1.0], 1.0))[0]
    np.testing.assert_allclose(at, scipy.stats.norm.sf([0.0, -1.0, -2.0]), rtol=1e-9)
    one = RuntimeDistribution(LogNormal(loc=[0.0], scale=1.0))
    assert np.ptp(one.log_sf_given([-3.0, 3.0], 2.0)) == 0.0
