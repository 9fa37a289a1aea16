"""Mixtures against SciPy, simulation and the formulas written out by hand: values, waiting, minima."""

import numpy as np
import pytest
import scipy.special
import scipy.stats
from example_mixtures import LEVELS, derived, tame

from bayes_distnet.distributions.families import FAMILIES, Exponential, LogNormal, Weibull
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution


def test_a_mixture_is_the_weighted_sum_of_its_components():
    rtd = RuntimeDistribution(LogNormal(loc=[[0.0, 1.0]], scale=[[0.5, 2.0]]), weights=[3.0, 1.0])
    a, b = scipy.stats.lognorm(0.5, scale=1.0), scipy.stats.lognorm(2.0, scale=np.e)
    t = np.geomspace(1e-3, 1e4, 50)
    assert rtd.pdf(t)[0] == pytest.approx(0.75 * a.pdf(t) + 0.25 * b.pdf(t), rel=1e-12)
    assert rtd.cdf(t)[0] == pytest.approx(0.75 * a.cdf(t) + 0.25 * b.cdf(t), rel=1e-12)
    assert rtd.sf(t)[0] == pytest.approx(0.75 * a.sf(t) + 0.25 * b.sf(t), rel=1e-12)
    assert rtd.log_sf(t)[0] == pytest.approx(np.log(0.75 * a.sf(t) + 0.25 * b.sf(t)), rel=1e-10)
    assert rtd.mean() == pytest.approx([0.75 * a.mean() + 0.25 * b.mean()])


@pytest.mark.parametrize("name", FAMILIES)
def test_density_is_the_slope_of_the_cdf(name):
    for label, rtd in derived(tame(name)).items():
        t = rtd.quantile([0.1, 0.5, 0.9])
        h = 1e-4 * t
        slope = (rtd.cdf(t + h) - rtd.cdf(t - h)) / (2 * h)
        assert rtd.pdf(t) == pytest.approx(slope, rel=1e-5), label
        assert np.exp(rtd.log_pdf(t)) == pytest.approx(rtd.pdf(t), rel=1e-12)


def test_small_probabilities_keep_their_digits():
    rtd = RuntimeDistribution(LogNormal(loc=[[0.0, 0.1]], scale=1.0))
    t = np.exp(-12.0)
    exact = 0.5 * scipy.special.ndtr(-12.0) + 0.5 * scipy.special.ndtr(-12.1)
    assert rtd.cdf(t) == pytest.approx([exact], rel=1e-12)  # about 1e-33: 1 - sf would be 0
    t = np.exp(60.0)
    exact = np.logaddexp(scipy.special.log_ndtr(-60.0), scipy.special.log_ndtr(-59.9)) - np.log(2)
    assert rtd.log_sf(t) == pytest.approx([exact], rel=1e-12)  # about -1800: sf underflows
    assert rtd.sf(t) == 0


@pytest.mark.parametrize("name", FAMILIES)
def test_given_alive_is_the_conditional_distribution(name):
    rtd = tame(name)
    waited, x = rtd.quantile(0.8), np.array([0.01, 0.5, 3.0])
    left = rtd.given_alive(waited)
    assert left.sf(x) == pytest.approx(rtd.sf(waited[:, None] + x) / rtd.sf(waited[:, None]), rel=1e-10)
    assert left.pdf(x) == pytest.approx(rtd.pdf(waited[:, None] + x) / rtd.sf(waited[:, None]), rel=1e-10)
    draws = rtd.sample(200_000, random_state=2)
    alive = [row[row > t] - t for row, t in zip(draws, waited, strict=True)]
    for i in range(len(rtd)):
        assert scipy.stats.kstest(left[i].cdf(alive[i][:5000])[0], "uniform").pvalue > 1e-4


@pytest.mark.parametrize("name", FAMILIES)
def test_waiting_twice_is_waiting_once(name):
    rtd = tame(name)
    a, b = rtd.given_alive(1.0).given_alive(2.5), rtd.given_alive(3.5)
    assert a.quantile(LEVELS) == pytest.approx(b.quantile(LEVELS), rel=1e-8)
    assert a.weights == pytest.approx(b.weights, rel=1e-9)
    assert rtd.given_alive(0.0).median() == pytest.approx(rtd.median())


def test_waiting_moves_weight_to_the_slow_components():
    rtd = RuntimeDistribution(Exponential(scale=[[1.0, 100.0]]))
    assert rtd.given_alive(10.0).weights[0] == pytest.approx(
        np.array([np.exp(-10), np.exp(-0.1)]) / (np.exp(-10) + np.exp(-0.1))
    )
    assert RuntimeDistribution(Exponential(scale=[3.0])).given_alive(7.0).mean() == pytest.approx(3.0)  # no memory


def test_minima_by_the_formula():
    rtd, t = tame("weibull"), np.array([0.5, 2.0, 5.0])
    assert rtd.minimum_of(4, independent=True).sf(t) == pytest.approx(rtd.sf(t) ** 4, rel=1e-11)
    sf = rtd.components.take(np.s_[:, None, :]).sf(t[:, None])
    assert rtd.minimum_of(4).sf(t) == pytest.approx((rtd.weights[:, None] * sf**4).sum(-1), rel=1e-11)
    assert np.all(rtd.minimum_of(4).sf(t) >= rtd.minimum_of(4, independent=True).sf(t))  # Jensen
    assert rtd.minimum_of(2, independent=True).minimum_of(3, independent=True).cdf(t) == pytest.approx(
        rtd.minimum_of(6, independent=True).cdf(t), rel=1e-11
    )
    assert rtd.minimum_of(1, independent=True).cdf(t) == pytest.approx(rtd.cdf(t))
    assert rtd.minimum_of(np.int64(2), independent=True).cdf(t) == pytest.approx(
        rtd.minimum_of(2, independent=True).cdf(t)
    )
    one = RuntimeDistribution(Weibull([2.0], [1.5]))
    assert one.minimum_of(3, independent=True).quantile(0.3) == pytest.approx(one.minimum_of(3).quantile(0.3))


def test_orders_of_waiting_and_minimum_against_simulation():
    rng = np.random.default_rng(8)
    rtd = RuntimeDistribution(LogNormal([[0.0, 1.0]], [[0.5, 0.8]]), weights=[0.6, 0.4])
    n = 400_000

    def draw(component, k):
        return np.exp(rtd.components.loc[0, component] + rtd.components.scale[0, component] * rng.normal(size=(n, k)))

    which = (rng.random((n, 2)) > 0.6).astype(int)
    pairs = np.where(which[:, :1] == 0, draw(0, 2), draw(1, 2))  # two copies, one component: shared
    loose = np.where(which == 0, draw(0, 2), draw(1, 2))  # two copies, a component each
    cases = {
        "wait, minimum": (
            rtd.given_alive(1.5).minimum_of(2, independent=True),
            loose[(loose > 1.5).all(1)].min(1) - 1.5,
        ),
        "minimum, wait": (
            rtd.minimum_of(2, independent=True).given_alive(1.5),
            (lambda m: m[m > 1.5] - 1.5)(loose.min(1)),
        ),
        "shared minimum, wait": (
            rtd.minimum_of(2).given_alive(1.5),
            (lambda m: m[m > 1.5] - 1.5)(pairs.min(1)),
        ),
        # *One* run is alive; its twin on the same instance starts from the same time.
        "wait, shared minimum": (rtd.given_alive(1.5).minimum_of(2), None),
    }
    first = pairs[:, 0] > 1.5
    twins = [draw(0, 2), draw(1, 2)]
    kept = []
    for component in (0, 1):
        both = twins[component][(twins[component] > 1.5).all(1)].min(1) - 1.5
        fraction = np.mean(which[first, 0] == component)
        kept.append((fraction, both))
    for label, (rtd_case, sample) in cases.items():
        x = np.array([0.1, 0.4, 1.0, 3.0])
        if sample is None:
            empirical = sum(fraction * (both[:, None] > x).mean(0) for fraction, both in kept)
        else:
            empirical = (sample[:, None] > x).mean(0)
        assert rtd_case.sf(x)[0] == pytest.approx(empirical, abs=0.005), label


@pytest.mark.parametrize("name", FAMILIES)
def test_deep_tails_stay_numbers(name):
    rtd = tame(name, n=3)
    target = np.log(1e-150)
    waited = np.exp(rtd.components.log_isf(target)).max(axis=1)
    left = rtd.given_alive(waited)
    p = np.array([0.1, 0.5, 0.9])
    q = left.quantile(p)
    assert np.all(np.isfinite(q) & (q > 0))
    assert np.abs(left.cdf(q) - p).max() < 1e-9
    for value in (
        left.mean(),
        left.minimum_of(3, independent=True).mean(),
        left.restricted_mean(1.0),
        left.sample(3),
        left.log_pdf(1.0),
    ):
        assert not np.isnan(value).any()
    assert left.weights.sum(axis=1) == pytest.approx(1.0)
    far = rtd.given_alive(1e12)
    assert not np.isnan(far.quantile(p)).any()
    assert not np.isnan(far.mean()).any()
