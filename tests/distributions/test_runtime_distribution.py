"""RuntimeDistribution against SciPy, brute-force integration, Monte Carlo and the formulas written out by hand."""

import numpy as np
import pytest
import scipy.stats

import bayes_distnet.distributions.mixture as mixture_module
from bayes_distnet.distributions.families import (
    FAMILIES,
    Exponential,
    Family,
    Gamma,
    InverseGaussian,
    LogLogistic,
    LogNormal,
    Weibull,
)
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import RuntimeDataError, SettingError

LEVELS = np.array([1e-9, 1e-3, 0.05, 0.3, 0.5, 0.9, 0.999, 1 - 1e-9])


def components(name: str, log_time: np.ndarray, deviation: np.ndarray) -> Family:
    """Components with about this location and this standard deviation in log time."""
    seconds = np.exp(log_time)
    return {
        "lognormal": lambda: LogNormal(log_time, deviation),
        "inverse-gaussian": lambda: InverseGaussian(seconds, seconds / deviation**2),
        "exponential": lambda: Exponential(seconds),
        "weibull": lambda: Weibull(seconds, 1.28 / deviation),
        "gamma": lambda: Gamma(1 / deviation**2, seconds * deviation**2),
        "loglogistic": lambda: LogLogistic(seconds, 1.81 / deviation),
    }[name]()


def tame(name: str, n: int = 4, size: int = 5, seed: int = 0) -> RuntimeDistribution:
    """Mixtures as a model predicts them; deviations small enough for finite variances."""
    rng = np.random.default_rng(seed)
    log_time, deviation = rng.normal(1.0, 0.5, (n, size)), rng.uniform(0.2, 0.6, (n, size))
    return RuntimeDistribution(components(name, log_time, deviation), rng.uniform(0.1, 1.0, (n, size)))


def wild(name: str, n: int = 24, size: int = 7, seed: int = 0) -> RuntimeDistribution:
    """Mixtures no model should predict: spikes beside tails over ten decades, weights down to 1e-12."""
    rng = np.random.default_rng(seed)
    log_time = rng.normal(0.0, 4.0, (n, size))
    deviation = np.exp(rng.uniform(np.log(1e-3), np.log(5.0), (n, size)))
    return RuntimeDistribution(components(name, log_time, deviation), 10.0 ** rng.uniform(-12, 0, (n, size)))


def derived(rtd: RuntimeDistribution) -> dict[str, RuntimeDistribution]:
    return {
        "as it is": rtd,
        "alive": rtd.given_alive(rtd.quantile(0.7)),
        "alive at last": rtd.given_alive(rtd.quantile(1 - 1e-14)),
        "minimum": rtd.minimum_of(3),
        "shared minimum": rtd.minimum_of(3, shared=True),
        "all of it": rtd.minimum_of(2).given_alive(rtd.quantile(0.3)).minimum_of(3, shared=True).given_alive(0.5),
    }


def integral_of_sf(rtd: RuntimeDistribution, power: int = 0, upto: float = np.inf) -> float:
    """Brute force: int (power + 1) x^power SF(x) dx of a single row, by thousands of points in log time."""
    edges = np.concatenate([[-40.0, -20.0, -10.0], np.log(rtd.quantile(np.linspace(0.001, 0.999, 15))[0])])
    edges = np.concatenate([edges, edges[-1] + np.geomspace(0.1, 60.0, 25)])
    edges = np.minimum(np.sort(edges), np.log(upto))
    nodes, weights = np.polynomial.legendre.leggauss(64)
    half = 0.5 * np.diff(edges)[:, None]
    y = edges[:-1, None] + half * (1 + nodes)
    sf = rtd.sf(np.exp(y.ravel())).reshape(y.shape)
    return float(((power + 1) * sf * np.exp((power + 1) * y) * half * weights).sum())


# -- values ------------------------------------------------------------------------------------------------------


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


def test_shapes_follow_the_times():
    rtd = tame("lognormal", n=3)
    own = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert rtd.cdf(1.0).shape == (3,)
    assert rtd.cdf([1.0, 2.0]).shape == (3, 2)
    assert rtd.cdf(own).shape == (3, 2)
    assert rtd.cdf([1.0, 2.0, 3.0]).shape == (3, 3)  # as many times as rows is still a common grid
    assert rtd.cdf(own)[1, 0] == rtd.cdf(3.0)[1]
    assert rtd.cdf(own[:, :1]).shape == (3, 1)
    assert rtd.quantile([0.1, 0.9]).shape == (3, 2)
    assert rtd.quantile(np.full((3, 1), 0.5))[:, 0] == pytest.approx(rtd.median())
    with pytest.raises(SettingError, match=r"\(2, 2\).*\(3, m\)"):
        rtd.cdf(own[:2])


def test_edges_of_time():
    rtd = tame("weibull")
    assert np.all(rtd.cdf([-1.0, 0.0]) == 0)
    assert np.all(rtd.sf([-np.inf, 0.0]) == 1)
    assert np.all(rtd.pdf([-1.0, 0.0, np.inf]) == 0)
    assert np.all(rtd.cdf(np.inf) == 1)
    assert np.all(rtd.log_sf([0.0, np.inf]) == [0.0, -np.inf])
    own = np.array([[1.0], [0.0], [np.inf], [2.0]])
    assert rtd.sf(own)[:, 0] == pytest.approx([rtd.sf(1.0)[0], 1.0, 0.0, rtd.sf(2.0)[3]])
    with pytest.raises(RuntimeDataError, match="NaN"):
        rtd.cdf([1.0, np.nan])


def test_small_probabilities_keep_their_digits():
    rtd = RuntimeDistribution(LogNormal(loc=[[0.0, 0.1]], scale=1.0))
    t = np.exp(-12.0)
    exact = 0.5 * scipy.special.ndtr(-12.0) + 0.5 * scipy.special.ndtr(-12.1)
    assert rtd.cdf(t) == pytest.approx([exact], rel=1e-12)  # about 1e-33: 1 - sf would be 0
    t = np.exp(60.0)
    exact = np.logaddexp(scipy.special.log_ndtr(-60.0), scipy.special.log_ndtr(-59.9)) - np.log(2)
    assert rtd.log_sf(t) == pytest.approx([exact], rel=1e-12)  # about -1800: sf underflows
    assert rtd.sf(t) == 0


def test_blocks_do_not_change_the_values(monkeypatch):
    rtd = tame("weibull", n=6, size=7)
    t = np.geomspace(0.1, 100, 13)
    own = np.tile(t, (6, 1)) * np.arange(1, 7)[:, None]
    alive = rtd.given_alive(2.0).minimum_of(2)
    calls = [
        lambda: rtd.cdf(t),
        lambda: rtd.pdf(own),
        lambda: rtd.quantile([0.2, 0.7]),
        lambda: alive.log_sf(own),
        lambda: alive.mean(),
        lambda: rtd.restricted_mean(own),
        lambda: np.array(rtd.band(t=t)),
        lambda: rtd.given_alive(3.0).weights,
    ]
    whole = [call() for call in calls]
    for block in (5, 100, 1000):
        monkeypatch.setattr(mixture_module, "BLOCK", block)
        for call, expected in zip(calls, whole, strict=True):
            assert call() == pytest.approx(expected, rel=1e-12)


# -- quantiles ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [tame, wild])
@pytest.mark.parametrize("name", FAMILIES)
def test_quantile_inverts_cdf(name, make):
    for label, rtd in derived(make(name)).items():
        q = rtd.quantile(LEVELS)
        assert np.all(np.isfinite(q) & (q >= 0)), label
        assert np.all(np.diff(q, axis=1) >= 0), label
        assert np.abs(rtd.cdf(q) - LEVELS).max() < 1e-9, label
        if label in ("as it is", "minimum", "shared minimum"):
            assert rtd.cdf(q)[:, 0] == pytest.approx(np.full(len(rtd), 1e-9), rel=1e-9), label


def test_quantile_of_one_component_is_the_familys():
    rtd = RuntimeDistribution(Gamma(shape=[0.5, 3.0], scale=[2.0, 1.0]))
    exact = scipy.stats.gamma.ppf([[0.01, 0.5]], [[0.5], [3.0]], scale=[[2.0], [1.0]])
    assert rtd.quantile([0.01, 0.5]) == pytest.approx(exact, rel=1e-10)


def test_quantile_in_a_gap_between_components_lies_in_the_gap():
    rtd = RuntimeDistribution(LogNormal(loc=[[-10.0, 10.0]], scale=1e-3))
    assert np.exp(-9.9) < rtd.median()[0] < np.exp(9.9)
    assert np.log(rtd.quantile([0.25, 0.75])[0]) == pytest.approx([-10.0, 10.0], abs=1e-12)


def test_quantile_with_many_components_and_uneven_weights():
    rng = np.random.default_rng(3)
    weights = rng.dirichlet(np.full(300, 0.05), size=20)  # most of the weight on a few of 300
    rtd = RuntimeDistribution(LogNormal(rng.normal(0, 3, (20, 300)), rng.uniform(0.01, 2, (20, 300))), weights)
    assert np.abs(rtd.cdf(rtd.quantile(LEVELS)) - LEVELS).max() < 1e-12


def test_quantile_ends_and_bad_levels():
    rtd = tame("exponential")
    assert np.all(rtd.quantile([0.0, 1.0]) == [0.0, np.inf])
    for bad in (-0.1, 1.1, np.nan):
        with pytest.raises(SettingError, match=r"\[0, 1\]"):
            rtd.quantile(bad)


def test_interval_and_iqr_are_quantiles():
    rtd = tame("lognormal")
    low, high = rtd.interval(0.8)
    assert np.stack([low, high], 1) == pytest.approx(rtd.quantile([0.1, 0.9]))
    assert rtd.iqr() == pytest.approx(np.diff(rtd.quantile([0.25, 0.75]))[:, 0])
    for bad in (0.0, 1.0, -1.0, 90):
        with pytest.raises(SettingError, match="level"):
            rtd.interval(bad)


# -- moments -----------------------------------------------------------------------------------------------------


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


def test_law_of_total_variance():
    rtd = tame("gamma")
    draws = rtd.sample(400_000, random_state=1)
    assert rtd.epistemic() + rtd.aleatoric() == pytest.approx(rtd.variance(), rel=1e-12)
    assert rtd.variance() == pytest.approx(draws.var(axis=1), rel=0.02)
    assert rtd.std() ** 2 == pytest.approx(rtd.variance())
    means, variances = rtd.components.mean(), rtd.components.variance()
    w = rtd.weights
    assert rtd.aleatoric() == pytest.approx((w * variances).sum(1))
    assert rtd.epistemic() == pytest.approx((w * means**2).sum(1) - (w * means).sum(1) ** 2)
    alive = rtd.given_alive(2.0).minimum_of(2, shared=True)
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
        assert np.isfinite(rtd.minimum_of(2, shared=shared).mean()).all()
        assert np.isinf(rtd.minimum_of(2, shared=shared).variance()).tolist() == [True, False, False]
    # sf = 1/(1 + t), so E[min of k] = 1 / (k - 1).
    plain = RuntimeDistribution(LogLogistic(scale=[1.0], shape=[1.0]))
    assert plain.mean() == np.inf
    assert plain.minimum_of(2).mean() == pytest.approx(1.0, rel=1e-9)
    assert plain.minimum_of(5).mean() == pytest.approx(0.25, rel=1e-9)
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
    assert rtd.minimum_of(2).mean() == pytest.approx(expected, rel=1e-9)
    second = (2 * pair / (rate[:, :, None] + rate[:, None, :]) ** 2).sum((1, 2))
    assert rtd.minimum_of(2).variance() == pytest.approx(second - expected**2, rel=1e-7)


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
    assert rtd.minimum_of(2).mean() == pytest.approx([expected], rel=1e-6)


@pytest.mark.parametrize("name", FAMILIES)
def test_moments_of_wild_minima_equal_brute_force(name):
    rtd = wild(name, n=4)
    two = rtd.minimum_of(3)
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


# -- samples -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FAMILIES)
def test_samples_follow_the_distribution(name):
    for label, rtd in derived(tame(name, n=2)).items():
        draws = rtd.sample(3000, random_state=5)
        assert draws.shape == (2, 3000)
        for i in range(2):
            assert scipy.stats.kstest(rtd.cdf(draws)[i], "uniform").pvalue > 1e-4, label


def test_a_seed_fixes_the_sample():
    rtd = tame("weibull")
    assert np.all(rtd.sample(10, random_state=3) == rtd.sample(10, random_state=3))
    assert np.all(rtd.sample(10, random_state=3) != rtd.sample(10, random_state=4))


# -- bands -------------------------------------------------------------------------------------------------------


def test_band_holds_the_share_of_components_asked_for():
    rng = np.random.default_rng(0)
    rtd = RuntimeDistribution(LogNormal(rng.normal(0, 1, (3, 1001)), 0.3))
    low, high = rtd.band(0.8)
    medians = np.exp(rtd.components.loc)
    assert ((medians >= low[:, None]) & (medians <= high[:, None])).mean(axis=1) == pytest.approx(0.8, abs=0.002)
    low, high = rtd.band(0.8, q=0.9)
    assert low == pytest.approx(np.quantile(medians, 0.1, axis=1) * np.exp(0.3 * scipy.special.ndtri(0.9)), rel=0.01)
    low, high = rtd.band(0.9, t=[0.5, 1.0])
    cdf = rtd.components.take(np.s_[:, :, None]).cdf(np.array([0.5, 1.0]))
    assert low == pytest.approx(np.quantile(cdf, 0.05, axis=1, method="inverted_cdf"))
    assert high == pytest.approx(np.quantile(cdf, 0.95, axis=1, method="inverted_cdf"))
    assert rtd.band(t=1.0)[0] == pytest.approx(low[:, 1])
    assert rtd.band(t=np.full((3, 1), 1.0))[0] == pytest.approx(low[:, 1:])


def test_band_counts_components_by_weight():
    rtd = RuntimeDistribution(Exponential(scale=[[1.0, 2.0, 3.0, 100.0]]), weights=[0.02, 0.9, 0.08, 0.0])
    low, high = rtd.band(0.9)
    assert [low[0], high[0]] == pytest.approx([2 * np.log(2), 3 * np.log(2)])


def test_one_component_has_a_band_of_no_width():
    rtd = RuntimeDistribution(LogNormal([0.0, 1.0], 1.0))
    assert rtd.band()[0] == pytest.approx(rtd.median())
    assert rtd.band()[1] == pytest.approx(rtd.median())


def test_bands_need_components():
    rtd = tame("lognormal").minimum_of(2)
    for ask in (rtd.band, rtd.epistemic, rtd.aleatoric):
        with pytest.raises(SettingError, match="shared=True"):
            ask()
    with pytest.raises(SettingError, match="not both"):
        tame("lognormal").band(q=0.5, t=1.0)


# -- draws of several components -----------------------------------------------------------------------------------


def grouped(name: str = "lognormal", n: int = 3, seed: int = 0) -> RuntimeDistribution:
    """Three draws a row, of two, three and one components that are far apart and not side by side."""
    rng = np.random.default_rng(seed)
    parts = components(name, rng.normal(1.0, 1.0, (n, 6)), rng.uniform(0.2, 0.4, (n, 6)))
    return RuntimeDistribution(parts, rng.uniform(0.1, 1.0, (n, 6)), draws=[7, -2, 7, 30, -2, -2])


def by_hand(rtd: RuntimeDistribution, label: int) -> tuple[RuntimeDistribution, np.ndarray]:
    """One draw as a distribution of its own, and its weight (n,)."""
    mine = np.flatnonzero(rtd.draws == label)
    weights = rtd.weights[:, mine]
    return RuntimeDistribution(rtd.components.take(np.s_[:, mine]), weights), weights.sum(axis=1)


def test_halves_of_a_component_are_that_component():
    rtd = tame("weibull")
    halves = type(rtd.components)(**{k: np.repeat(v, 2, axis=1) for k, v in rtd.components.parameters().items()})
    share = np.tile([0.3, 0.7], rtd.n_components)
    split = RuntimeDistribution(halves, np.repeat(rtd.weights, 2, axis=1) * share, np.repeat(np.arange(5), 2))
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
def test_law_of_total_variance_with_draws(name):
    rtd = grouped(name)
    cases = {"as it is": rtd, "alive": rtd.given_alive(2.0), "shared": rtd.minimum_of(3, shared=True)}
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
    fastest = rtd.minimum_of(4, shared=True)
    assert fastest.sf(t) == pytest.approx(expected, rel=1e-11)
    assert rtd.minimum_of(2, shared=True).minimum_of(2, shared=True).sf(t) == pytest.approx(expected, rel=1e-11)
    h = 1e-4 * t
    assert fastest.pdf(t) == pytest.approx((fastest.cdf(t + h) - fastest.cdf(t - h)) / (2 * h), rel=1e-5)
    assert np.abs(fastest.cdf(fastest.quantile(LEVELS)) - LEVELS).max() < 1e-9
    left = fastest.given_alive(2.0)
    assert left.sf(t) == pytest.approx(fastest.sf(2.0 + t) / fastest.sf(2.0)[:, None], rel=1e-10)
    assert left.given_alive(1.0).sf(t) == pytest.approx(fastest.sf(3.0 + t) / fastest.sf(3.0)[:, None], rel=1e-10)
    for case in (fastest, left):
        assert scipy.stats.kstest(case.cdf(case.sample(3000, random_state=5))[0], "uniform").pvalue > 1e-4
    assert rtd.minimum_of(4).sf(t) == pytest.approx(rtd.sf(t) ** 4, rel=1e-11)
    # With one draw there is nothing that copies could share.
    one = RuntimeDistribution(rtd.components, rtd.weights, draws=np.zeros(6))
    assert one.minimum_of(4, shared=True).sf(t) == pytest.approx(one.minimum_of(4).sf(t), rel=1e-11)


def test_draws_are_kept():
    rtd = grouped()
    assert rtd.draws.tolist() == [1, 0, 1, 2, 0, 0]
    for other in (rtd[1], rtd[[2, 0]], rtd.given_alive(1.0), rtd.minimum_of(2, shared=True), rtd[[]]):
        assert other.draws.tolist() == rtd.draws.tolist()
    assert rtd[[2, 0]].epistemic() == pytest.approx(rtd.epistemic()[[2, 0]])
    assert rtd[[]].epistemic().shape == rtd[[]].band()[0].shape == (0,)
    for case in (rtd, rtd.given_alive(2.0), rtd.minimum_of(3, shared=True).given_alive(1.0)):
        again = RuntimeDistribution.from_arrays(case.to_arrays())
        assert again.draws.tolist() == rtd.draws.tolist()
        assert np.all(again.quantile(LEVELS) == case.quantile(LEVELS))
        assert np.all(again.epistemic() == case.epistemic())
    assert "draws" not in tame("lognormal").to_arrays()
    assert RuntimeDistribution(rtd.components, rtd.weights, draws=[3, 1, 4, 6, 5, 9]).draws is None  # each its own


def test_pools_keep_draws_apart():
    a, b, plain = grouped(seed=1), grouped(seed=2), tame("lognormal", n=3, size=2)
    share = np.array([0.2, 0.5, 0.8])
    pool = RuntimeDistribution.mixture([(a, share), (plain, 0.5), (b, 1 - share)])
    assert pool.draws.tolist() == [1, 0, 1, 2, 0, 0, 3, 4, 6, 5, 6, 7, 5, 5]
    w = np.stack([share, np.full(3, 0.5), 1 - share], 1) / 1.5
    parts = (a, plain, b)
    assert pool.aleatoric() == pytest.approx((w * np.stack([part.aleatoric() for part in parts], 1)).sum(1))
    assert pool.epistemic() + pool.aleatoric() == pytest.approx(pool.variance())
    assert RuntimeDistribution.mixture([(plain, 1.0), (plain, 1.0)]).draws is None


def test_concat_keeps_the_draws_of_each_row():
    a, plain = grouped(), tame("lognormal", n=2, size=8)
    other = RuntimeDistribution(a.components, a.weights, draws=[0, 0, 0, 1, 1, 1])
    parts = [a, plain, other.minimum_of(2, shared=True), a.given_alive(1.0)]
    both = RuntimeDistribution.concat(parts)
    for again in (both, RuntimeDistribution.from_arrays(both.to_arrays())):
        for ask in (RuntimeDistribution.epistemic, RuntimeDistribution.aleatoric, RuntimeDistribution.median):
            assert ask(again) == pytest.approx(np.concatenate([ask(part) for part in parts]), rel=1e-8)
        for end in (0, 1):
            expected = np.concatenate([part.band(0.8)[end] for part in parts])
            assert again.band(0.8)[end] == pytest.approx(expected, rel=1e-8)
    assert both[4:6].epistemic() == pytest.approx(both.epistemic()[4:6])
    pool = RuntimeDistribution.mixture([(RuntimeDistribution.concat([a, other]), 1.0), (grouped(n=6), 0.0)])
    assert pool.epistemic() == pytest.approx(np.concatenate([a.epistemic(), other.epistemic()]))
    assert RuntimeDistribution.concat([a, a]).draws.tolist() == a.draws.tolist()


def test_a_draw_without_weight_counts_nothing():
    rtd = RuntimeDistribution(
        LogLogistic(scale=1.0, shape=[[3.0, 4.0, 0.5, 0.5]]), weights=[0.5, 0.5, 0.0, 0.0], draws=[0, 0, 1, 1]
    )
    assert rtd.epistemic() == pytest.approx([0.0], abs=1e-12)
    assert rtd.aleatoric() == pytest.approx(rtd.variance())
    assert rtd.band()[1] == pytest.approx(rtd.median())
    waited = rtd.minimum_of(2, shared=True).given_alive(3.0)
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


# -- what is left, and the fastest of k ----------------------------------------------------------------------------


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
    assert rtd.minimum_of(4).sf(t) == pytest.approx(rtd.sf(t) ** 4, rel=1e-11)
    sf = rtd.components.take(np.s_[:, None, :]).sf(t[:, None])
    assert rtd.minimum_of(4, shared=True).sf(t) == pytest.approx((rtd.weights[:, None] * sf**4).sum(-1), rel=1e-11)
    assert np.all(rtd.minimum_of(4, shared=True).sf(t) >= rtd.minimum_of(4).sf(t))  # Jensen
    assert rtd.minimum_of(2).minimum_of(3).cdf(t) == pytest.approx(rtd.minimum_of(6).cdf(t), rel=1e-11)
    assert rtd.minimum_of(1).cdf(t) == pytest.approx(rtd.cdf(t))
    assert rtd.minimum_of(np.int64(2)).cdf(t) == pytest.approx(rtd.minimum_of(2).cdf(t))
    one = RuntimeDistribution(Weibull([2.0], [1.5]))
    assert one.minimum_of(3).quantile(0.3) == pytest.approx(one.minimum_of(3, shared=True).quantile(0.3))


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
        "wait, minimum": (rtd.given_alive(1.5).minimum_of(2), loose[(loose > 1.5).all(1)].min(1) - 1.5),
        "minimum, wait": (rtd.minimum_of(2).given_alive(1.5), (lambda m: m[m > 1.5] - 1.5)(loose.min(1))),
        "shared minimum, wait": (
            rtd.minimum_of(2, shared=True).given_alive(1.5),
            (lambda m: m[m > 1.5] - 1.5)(pairs.min(1)),
        ),
        # Knowing that *one* run is alive, then starting its twin from there on the same instance.
        "wait, shared minimum": (rtd.given_alive(1.5).minimum_of(2, shared=True), None),
    }
    first = pairs[:, 0] > 1.5
    twins = [draw(0, 2), draw(1, 2)]
    kept = []
    for component in (0, 1):
        both = twins[component][(twins[component] > 1.5).all(1)].min(1) - 1.5
        share = np.mean(which[first, 0] == component)
        kept.append((share, both))
    for label, (rtd_case, sample) in cases.items():
        x = np.array([0.1, 0.4, 1.0, 3.0])
        if sample is None:
            empirical = sum(share * (both[:, None] > x).mean(0) for share, both in kept)
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
    for value in (left.mean(), left.minimum_of(3).mean(), left.restricted_mean(1.0), left.sample(3), left.log_pdf(1.0)):
        assert not np.isnan(value).any()
    assert left.weights.sum(axis=1) == pytest.approx(1.0)
    far = rtd.given_alive(1e12)
    assert not np.isnan(far.quantile(p)).any()
    assert not np.isnan(far.mean()).any()


def test_mean_of_what_is_left_deep_in_the_tail():
    # Normal tail: E[Z - a | Z > a] ~ 1/a - 2/a^3 + 10/a^5; for log time this is a check on E[e^(sZ)] with tiny s.
    s, a = 1e-6, 30.0
    left = RuntimeDistribution(LogNormal([0.0], [s])).given_alive(np.exp(s * a))
    hazard = np.exp(-0.5 * a * a - 0.5 * np.log(2 * np.pi) - scipy.special.log_ndtr(-a))
    assert left.mean()[0] == pytest.approx(s * (hazard - a), rel=1e-4)


def test_bad_waits_and_copies():
    rtd = tame("lognormal")
    for bad in (-1.0, np.nan, np.inf, [1.0, 2.0]):
        with pytest.raises(RuntimeDataError, match="given_alive"):
            rtd.given_alive(bad)
    for bad in (0, -1, 1.5, True, "2"):
        with pytest.raises(SettingError, match="whole number"):
            rtd.minimum_of(bad)


# -- rows, pools, arrays -------------------------------------------------------------------------------------------


def test_indexing():
    rtd = tame("gamma", n=5).given_alive(np.arange(5.0))
    median = rtd.median()
    assert len(rtd[2]) == 1
    assert rtd[2].median() == pytest.approx(median[2:3])
    assert rtd[-1].median() == pytest.approx(median[-1:])
    assert rtd[1:4].median() == pytest.approx(median[1:4])
    assert rtd[[3, 0, 3]].median() == pytest.approx(median[[3, 0, 3]])
    assert rtd[median > np.median(median)].median() == pytest.approx(median[median > np.median(median)])
    assert len(rtd[[]]) == 0
    assert rtd[[]].cdf([1.0, 2.0]).shape == (0, 2)
    assert len(list(rtd)) == 5
    for bad in (5, -6, [0, 5], np.array([True, False]), [0.5], np.zeros((2, 2), dtype=int)):
        with pytest.raises(IndexError):
            rtd[bad]


def test_concat_keeps_rows_and_their_history():
    a, b = tame("lognormal", n=2, size=3), tame("lognormal", n=3, size=5, seed=1)
    parts = [a, b.given_alive(2.0), a.minimum_of(2), b.minimum_of(3, shared=True)]
    both = RuntimeDistribution.concat(parts)
    assert len(both) == 10
    assert both.quantile(LEVELS) == pytest.approx(np.concatenate([part.quantile(LEVELS) for part in parts]), rel=1e-10)
    assert both.mean() == pytest.approx(np.concatenate([part.mean() for part in parts]), rel=1e-9)
    assert both.variance() == pytest.approx(np.concatenate([part.variance() for part in parts]), rel=1e-9)
    with pytest.raises(SettingError, match="families"):
        RuntimeDistribution.concat([a, tame("gamma")])
    with pytest.raises(SettingError, match="empty"):
        RuntimeDistribution.concat([])


def test_mixture_pools_with_weights_of_its_own():
    a, b = tame("lognormal", n=4, size=3), tame("lognormal", n=4, size=6, seed=1)
    share, t = np.array([0.0, 0.25, 0.5, 1.0]), np.array([1.0, 3.0])
    pool = RuntimeDistribution.mixture([(a, share), (b, 1 - share)])
    assert pool.cdf(t) == pytest.approx(share[:, None] * a.cdf(t) + (1 - share[:, None]) * b.cdf(t), rel=1e-12)
    assert RuntimeDistribution.mixture([(a, 2.0), (b, 6.0)]).cdf(t) == pytest.approx(0.25 * a.cdf(t) + 0.75 * b.cdf(t))
    waited = RuntimeDistribution.mixture([(a.given_alive(1.0), 1.0), (b.given_alive(1.0), 1.0)])
    assert waited.sf(t) == pytest.approx(0.5 * a.given_alive(1.0).sf(t) + 0.5 * b.given_alive(1.0).sf(t))
    with pytest.raises(SettingError, match="same rows"):
        RuntimeDistribution.mixture([(a, 1.0), (b[:2], 1.0)])
    with pytest.raises(SettingError, match="same way"):
        RuntimeDistribution.mixture([(a, 1.0), (b.given_alive(1.0), 1.0)])
    with pytest.raises(SettingError, match="before taking the minimum"):
        RuntimeDistribution.mixture([(a, 1.0), (b.minimum_of(2), 1.0)])
    with pytest.raises(SettingError, match="not negative"):
        RuntimeDistribution.mixture([(a, 1.0), (b, -1.0)])
    with pytest.raises(SettingError, match="row 0: weights"):
        RuntimeDistribution.mixture([(a, 0.0), (b, 0.0)])


@pytest.mark.parametrize("name", FAMILIES)
def test_arrays_and_back(name):
    for label, rtd in derived(tame(name)).items():
        again = RuntimeDistribution.from_arrays(rtd.to_arrays())
        assert again.family == name
        assert np.all(again.quantile(LEVELS) == rtd.quantile(LEVELS)), label
    arrays = rtd.to_arrays()
    assert all(isinstance(value, np.ndarray) for key, value in arrays.items() if key != "family")


def test_repr_is_short():
    assert repr(RuntimeDistribution(Exponential([1.0, 2.0]))) == (
        "RuntimeDistribution(2 rows x 1 exponential components, median 0.693 to 1.39 s)"
    )
    assert "median" not in repr(tame("lognormal", n=300, size=100))


# -- bad input -----------------------------------------------------------------------------------------------------


def test_bad_parameters_are_named_with_their_row():
    with pytest.raises(SettingError, match=r"row 1, component 0.*'scale' is -1.0.*positive"):
        RuntimeDistribution(LogNormal(loc=np.zeros((3, 2)), scale=[[1.0], [-1.0], [1.0]]))
    with pytest.raises(SettingError, match=r"row 0, component 2.*'loc' is nan.*finite"):
        RuntimeDistribution(LogNormal(loc=[[0.0, 0.0, np.nan]], scale=1.0))
    with pytest.raises(SettingError, match="'lam' is inf"):
        RuntimeDistribution(InverseGaussian(mu=[1.0], lam=[np.inf]))
    with pytest.raises(SettingError, match="shapes"):
        RuntimeDistribution(LogNormal(loc=np.zeros((3, 2)), scale=np.ones((2, 3))))
    with pytest.raises(SettingError, match="shapes"):
        RuntimeDistribution(LogNormal(loc=np.zeros((3, 2, 1)), scale=1.0))


@pytest.mark.parametrize("bad", [[-1.0, 2.0], [np.nan, 1.0], [0.0, 0.0], [np.inf, 1.0], [1.0], [[1.0, 1.0]] * 2])
def test_bad_weights(bad):
    with pytest.raises(SettingError, match="weights"):
        RuntimeDistribution(LogNormal(loc=np.zeros((3, 2)), scale=1.0), bad)


def test_parameters_may_be_scalars_or_one_component_a_row():
    assert len(RuntimeDistribution(LogNormal(0.0, 1.0))) == 1
    rtd = RuntimeDistribution(LogNormal(np.zeros(3), 1.0))
    assert (len(rtd), rtd.n_components) == (3, 1)


# -- kernels on the whole line -------------------------------------------------------------------------------------


def test_normal_kernels_live_on_the_whole_line():
    loc, scale, w = np.array([[-0.5, 1.0, 3.0]]), 0.7, np.array([0.2, 0.5, 0.3])
    rtd = RuntimeDistribution(Normal(loc, scale), w)
    t = np.linspace(-3, 6, 30)
    assert rtd.cdf(t)[0] == pytest.approx(scipy.stats.norm.cdf(t[:, None], loc, scale) @ w, rel=1e-12)
    assert rtd.pdf(t)[0] == pytest.approx(scipy.stats.norm.pdf(t[:, None], loc, scale) @ w, rel=1e-12)
    assert np.abs(rtd.cdf(rtd.quantile(LEVELS)) - LEVELS).max() < 1e-12
    assert np.all(rtd.quantile([0.0, 1.0]) == [-np.inf, np.inf])
    assert rtd.mean() == pytest.approx(loc @ w)
    draws = rtd.sample(400_000, random_state=0)
    assert rtd.variance() == pytest.approx(draws.var(), rel=0.01)
    assert rtd.restricted_mean([-1.0, 0.5])[0] == pytest.approx(
        np.minimum(draws[0][:, None], [-1.0, 0.5]).mean(0), abs=0.01
    )
    two = rtd.minimum_of(2)
    assert two.mean() == pytest.approx(np.minimum(draws[0, ::2], draws[0, 1::2]).mean(), abs=0.01)
    left = rtd.given_alive(1.0)
    assert left.cdf([-1.0, 0.0])[0].tolist() == [0.0, 0.0]
    assert left.mean() == pytest.approx((draws[draws > 1.0] - 1.0).mean(), rel=0.01)
    assert np.abs(left.cdf(left.quantile(LEVELS)) - LEVELS).max() < 1e-10
    again = RuntimeDistribution.from_arrays(left.to_arrays())
    assert again.median() == pytest.approx(left.median())


# -- arguments that are not what they should be --------------------------------------------------------------------


def test_times_that_are_no_numbers_are_refused():
    rtd = tame("lognormal", n=2)
    for ask in (rtd.cdf, rtd.log_pdf, rtd.restricted_mean, rtd.given_alive, lambda t: rtd.band(t=t)):
        for bad in ("a", "1", [1.0, "b"], [[1.0], [2.0, 3.0]], 1j, np.datetime64("2020-01-01")):
            with pytest.raises(RuntimeDataError, match="expected a number or an array of numbers"):
                ask(bad)


def test_levels_sizes_and_seeds_are_checked():
    rtd = tame("lognormal", n=2)
    with pytest.raises(SettingError, match="p: expected a number"):
        rtd.quantile("a")
    for ask in (rtd.interval, rtd.band, lambda q: rtd.band(q=q)):
        for bad in ("a", [0.5], True):
            with pytest.raises(SettingError, match="between 0 and 1"):
                ask(bad)
    with pytest.raises(SettingError, match="level=None"):
        rtd.interval(None)
    for bad in (-1, 1.5, "a", True):
        with pytest.raises(SettingError, match=r"size=.*whole number of at least 0"):
            rtd.sample(bad)
        with pytest.raises(SettingError, match=r"seed=.*whole number of at least 0"):
            rtd.sample(1, random_state=bad)
    assert rtd.sample(0).shape == rtd.given_alive(1.0).sample(0).shape == rtd.minimum_of(2).sample(0).shape == (2, 0)


def test_components_must_be_a_family_with_numbers():
    for bad in ("lognormal", LogNormal, None, {"loc": 0.0}):
        with pytest.raises(SettingError, match="expected a family with its parameters"):
            RuntimeDistribution(bad)
    for bad in (["a"], [[0.0], [0.0, 1.0]]):
        with pytest.raises(SettingError, match="parameter 'loc': expected a number"):
            RuntimeDistribution(LogNormal(bad, 1.0))
    with pytest.raises(SettingError, match="weights: expected a number"):
        RuntimeDistribution(LogNormal([[0.0, 1.0]], 1.0), ["a", "b"])
    with pytest.raises(SettingError, match="at least one component"):
        RuntimeDistribution(LogNormal(np.zeros((3, 0)), 1.0))
    assert len(RuntimeDistribution(LogNormal([], 1.0))) == 0  # no rows is fine, no components is not
    with pytest.raises(SettingError, match="found str"):
        RuntimeDistribution.concat(["a"])


@pytest.mark.parametrize("name", ["family", "loc", "log_weights", "start", "copies", "power"])
def test_arrays_that_lack_one_name_it(name):
    arrays = tame("lognormal").to_arrays()
    del arrays[name]
    with pytest.raises(SettingError, match=f"no \\['{name}'\\]"):
        RuntimeDistribution.from_arrays(arrays)


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("log_weights", np.full((2, 3), np.nan)),
        ("log_weights", np.full((2, 3), -np.inf)),
        ("log_weights", np.full((2, 3), 800.0)),
        ("log_weights", np.zeros((2, 3))),
        ("log_weights", np.full((1, 3), -np.log(3))),
        ("start", [0.0, np.nan]),
        ("start", [0.0, -1.0]),
        ("start", [0.0, -np.inf]),
        ("start", [0.0]),
        ("start", "a"),
        ("copies", [1.0, np.nan]),
        ("copies", [1.0, 0.0]),
        ("power", [np.inf, 1.0]),
        ("power", 1.0),
    ],
)
def test_bad_arrays_are_named(name, bad):
    arrays = tame("lognormal", n=2, size=3).to_arrays()
    with pytest.raises(SettingError, match=f"'{name}'"):
        RuntimeDistribution.from_arrays({**arrays, name: bad})


def test_arrays_of_no_rows_make_a_distribution_of_no_rows():
    assert len(RuntimeDistribution.from_arrays(tame("lognormal")[[]].to_arrays())) == 0
    with pytest.raises(SettingError, match="to_arrays"):
        RuntimeDistribution.from_arrays("model.npz")
