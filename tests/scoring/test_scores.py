"""Scores against closed forms, SciPy, dense grids and slow, literal versions of the published definitions."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.stats
from scipy.special import ndtr

from bayes_distnet.distributions.families import Exponential, Gamma, LogLogistic, LogNormal, Weibull
from bayes_distnet.distributions.kernel_estimate import KernelEstimate
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import RuntimeDataError, SettingError
from bayes_distnet.scoring import likelihood, scores
from bayes_distnet.scoring.scores import SCORES


def mixtures(n: int = 6, size: int = 4, seed: int = 0) -> RuntimeDistribution:
    rng = np.random.default_rng(seed)
    return RuntimeDistribution(
        LogNormal(rng.normal(1, 0.7, (n, size)), rng.uniform(0.2, 0.9, (n, size))), rng.uniform(0.1, 1, (n, size))
    )


def with_runs(
    k: int, n: int = 6, cutoff: float = np.inf, seed: int = 0
) -> tuple[RuntimeDistribution, np.ndarray, np.ndarray]:
    """Mixtures and k runs of a somewhat different law, some of them cut off."""
    rtd = mixtures(n=n, seed=seed)
    seconds = 1.3 * rtd.sample(k, random_state=seed + 1)
    return rtd, np.minimum(seconds, cutoff), seconds < cutoff


def grid_integral(function, upto, points=100_001):
    """Brute force over [0, upto] on a grid that is fine near 0."""
    x = upto * np.linspace(0, 1, points) ** 3
    y = function(x)
    return np.sum(0.5 * (y[1:] + y[:-1]) * np.diff(x))


# -- likelihood ----------------------------------------------------------------------------------------------------


def test_nllh_is_relative_to_the_longest_run():
    rtd, seconds, _ = with_runs(5)
    expected = -(rtd.log_pdf(seconds) + np.log(seconds.max(1))[:, None]).mean(1)
    assert scores.nllh(rtd, seconds) == pytest.approx(expected, rel=1e-12)
    minutes = RuntimeDistribution(LogNormal(rtd.components.loc - np.log(60), rtd.components.scale), rtd.weights)
    assert scores.nllh(minutes, seconds / 60) == pytest.approx(expected, rel=1e-9)  # the unit does not matter


def test_nllh_of_a_cut_off_run_is_its_survival():
    rtd, seconds, finished = with_runs(4, cutoff=3.0)
    assert 0 < finished.mean() < 1
    value = np.where(finished, rtd.log_pdf(seconds) + np.log(seconds.max(1))[:, None], rtd.log_sf(seconds))
    assert scores.nllh(rtd, seconds, finished) == pytest.approx(-value.mean(1))


def test_nllh_has_no_floor_but_the_published_one_has():
    rtd = RuntimeDistribution(LogNormal([0.0], [0.1]))
    seconds = [[1.0, 50.0]]
    assert scores.nllh(rtd, seconds)[0] > 300
    scaled = np.array([1.0, 50.0]) / 50.0
    total = 0.0
    for t in scaled:  # the published definition, literally, in time scaled by the largest runtime
        density = scipy.stats.lognorm.pdf(t, 0.1, scale=1 / 50.0)
        total += np.log(density if density > 1e-6 else 1e-4) + np.log(max(scaled))
    assert scores.nllh(rtd, seconds, published=True) == pytest.approx([-total / 2], rel=1e-12)
    # In other units of time the floor is another one.
    assert scores.nllh(rtd, seconds, published=True, scale=500.0) != pytest.approx([-total / 2])
    with pytest.raises(SettingError, match="scale"):
        scores.nllh(rtd, seconds, published=True, scale=-1.0)


# -- Kullback-Leibler ----------------------------------------------------------------------------------------------


def test_kld_of_one_run_is_that_of_its_kernel():
    # KL(N(y, b^2) || N(m, s^2)) = log(s/b) + (b^2 + (y - m)^2) / (2 s^2) - 1/2
    rtd = RuntimeDistribution(LogNormal([0.0, 2.0], [1.0, 0.5]))
    y, b, m, s = np.log([3.0, 3.0]), likelihood.KERNEL_FLOOR, np.array([0.0, 2.0]), np.array([1.0, 0.5])
    expected = np.log(s / b) + (b**2 + (y - m) ** 2) / (2 * s**2) - 0.5
    assert scores.kld(rtd, [3.0, 3.0]) == pytest.approx(expected, rel=1e-8)
    equal = scores.kld(rtd, np.full((2, 5), 3.0))
    assert equal == pytest.approx(expected + np.log(5) - (b**2 - (b / 5) ** 2) / (2 * s**2), rel=1e-8)


def test_kld_of_the_true_law_is_about_zero_and_of_another_is_not():
    rtd = mixtures(n=3)
    seconds = rtd.sample(3000, random_state=4)
    right = scores.kld(rtd, seconds)
    wrong = RuntimeDistribution(LogNormal(rtd.components.loc + 0.5, rtd.components.scale), rtd.weights)
    assert np.all(np.abs(right) < 0.02)
    assert np.all(scores.kld(wrong, seconds) > 0.1)


def test_kld_equals_brute_force():
    rtd, seconds, _ = with_runs(7, n=2)
    for i in range(2):
        y = np.log(seconds[i])
        x = np.linspace(y.min() - 8, y.max() + 8, 200_001)
        p, q = scipy.stats.gaussian_kde(y)(x), rtd[i].pdf(np.exp(x))[0] * np.exp(x)
        expected = np.sum(np.where(p > 0, p * np.log(np.maximum(p, 1e-300) / q), 0.0)) * (x[1] - x[0])
        assert scores.kld(rtd[i], seconds[[i]]) == pytest.approx([expected], rel=1e-6)


def test_kld_under_censoring_adds_the_lump_behind_the_horizon():
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
    assert scores.kld(rtd, seconds, finished) == pytest.approx([expected], rel=1e-6)
    all_cut = scores.kld(rtd, np.full((1, 3), 2.0), np.zeros((1, 3), bool))
    assert all_cut == pytest.approx(-rtd.log_sf(2.0))


def test_kld_of_the_true_law_under_censoring_is_about_zero():
    rtd = mixtures(n=3)
    seconds, cutoff = rtd.sample(3000, random_state=4), rtd.quantile(0.6)[:, None]
    right = scores.kld(rtd, np.minimum(seconds, cutoff), seconds < cutoff)
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
    assert scores.kld(rtd, seconds, published=True) == pytest.approx(expected, rel=1e-9)
    assert np.isnan(scores.kld(rtd, seconds[:, :1], published=True)).all()
    assert np.isnan(scores.kld(rtd, np.ones((3, 4)), published=True)).all()


# -- Kolmogorov-Smirnov and mass -----------------------------------------------------------------------------------


def test_ks_is_scipys():
    rtd, seconds, _ = with_runs(9)
    expected = [scipy.stats.kstest(seconds[i], lambda t, i=i: rtd[i].cdf(t)[0]).statistic for i in range(6)]
    assert scores.ks(rtd, seconds) == pytest.approx(expected, rel=1e-12)
    assert scores.ks(rtd, seconds, published=True) == pytest.approx(expected, rel=1e-12)
    ragged = seconds.copy()
    ragged[:, 5:] = np.nan
    expected = [scipy.stats.kstest(seconds[i, :5], lambda t, i=i: rtd[i].cdf(t)[0]).statistic for i in range(6)]
    assert scores.ks(rtd, ragged) == pytest.approx(expected, rel=1e-12)


def test_ks_stops_at_the_horizon():
    rtd = RuntimeDistribution(Exponential([1.0]))
    seconds, finished = [[0.2, 0.9, 1.5, 3.0]], [[True, True, False, True]]  # nothing is known past 1.5
    F = rtd.cdf([0.2, 0.9, 1.5])[0]
    expected = max(F[0], abs(F[0] - 0.25), abs(F[1] - 0.25), abs(F[1] - 0.5), abs(F[2] - 0.5))
    assert scores.ks(rtd, seconds, finished) == pytest.approx([expected])
    # A run that finishes exactly at the cutoff counts as finished there.
    assert scores.ks(rtd, [[1.0, 1.0]], [[True, False]]) == pytest.approx(
        [max(rtd.cdf(1.0)[0], abs(rtd.cdf(1.0)[0] - 0.5))]
    )
    assert scores.ks(rtd, [[1.0, 1.0]], [[False, False]]) == pytest.approx(rtd.cdf(1.0))


def test_published_ks_of_kernels_compares_their_centres():
    rng = np.random.default_rng(0)
    centres, seconds = rng.gamma(2, 1, (3, 16)), rng.gamma(2, 1.2, (3, 40))
    rtd = KernelEstimate(centres, 0.3)
    expected = [scipy.stats.ks_2samp(seconds[i], centres[i]).statistic for i in range(3)]
    assert scores.ks(rtd, seconds, published=True) == pytest.approx(expected, rel=1e-12)
    assert scores.ks(rtd, seconds) != pytest.approx(expected)


def test_mass_outside():
    rtd = KernelEstimate([[1.0, 3.0]], 2.0)
    seconds = [[1.0, 4.0]]
    kernel = [scipy.stats.norm(m, 2.0) for m in (1.0, 3.0)]
    inside = np.mean([k.cdf(6.0) - k.cdf(0.0) for k in kernel])
    assert scores.mass(rtd, seconds) == pytest.approx([1 - inside])
    assert scores.mass(rtd, seconds, [[True, False]]) == 0


# -- CRPS ----------------------------------------------------------------------------------------------------------


def lognormal_crps(m, s, t):
    """Baran and Lerch (2015), Log-normal distribution based EMOS, equation (6)."""
    z = (np.log(t) - m) / s
    return t * (2 * ndtr(z) - 1) - 2 * np.exp(m + s * s / 2) * (ndtr(z - s) + ndtr(s / np.sqrt(2)) - 1)


def test_crps_of_a_lognormal_is_the_closed_form():
    rng = np.random.default_rng(0)
    m, s, t = rng.normal(0, 3, 200), rng.uniform(0.01, 2.5, 200), np.exp(rng.normal(0, 3, 200))
    rtd = RuntimeDistribution(LogNormal(m, s))
    assert scores.crps(rtd, t) == pytest.approx(lognormal_crps(m, s, t), rel=1e-6)
    several = t[:, None] * [0.5, 1.0, 2.0]
    assert scores.crps(rtd, several) == pytest.approx(lognormal_crps(m[:, None], s[:, None], several).mean(1), rel=1e-6)


def test_crps_of_an_exponential_is_the_closed_form():
    mean, t = np.array([0.1, 2.0, 50.0]), np.array([1.0, 1.0, 30.0])
    expected = t - 1.5 * mean + 2 * mean * np.exp(-t / mean)
    assert scores.crps(RuntimeDistribution(Exponential(mean)), t) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("cutoff", [np.inf, 3.0])
def test_crps_of_mixtures_equals_brute_force(cutoff):
    rtd, seconds, finished = with_runs(3, n=4, cutoff=cutoff)
    value = scores.crps(rtd, seconds, finished)
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
def test_crps_does_not_mind_spikes(horizon):
    rtd = RuntimeDistribution(LogNormal([[0.0, 0.5, 1.5]], [[1e-3, 0.7, 1e-3]]), weights=[0.3, 0.4, 0.3])
    seconds, finished = np.array([[2.0, min(horizon, 6.0)]]), np.array([[True, horizon == np.inf]])
    top = min(horizon, 300.0)
    cuts = np.unique(np.minimum([0, 0.99, 0.995, 1.005, 1.01, 2, 4.4, 4.46, 4.5, 4.55, 6, 30, top], top))
    expected = 0.0
    for t in (2.0, 6.0):
        for a, b in pairwise(cuts):
            x = np.linspace(a, b, 40_001)
            expected += np.trapezoid((rtd.cdf(x)[0] - (t <= 0.5 * (a + b))) ** 2, x) / 2
    assert scores.crps(rtd, seconds, finished) == pytest.approx([expected], rel=1e-6)


def test_crps_of_heavy_tails():
    # sf = 1/(1 + t): no mean, but the integral of sf^2 from t on is 1/(1 + t), and that of F^2 below is closed.
    rtd = RuntimeDistribution(LogLogistic([1.0], [1.0]))
    t = 3.0
    below = t - 2 * np.log1p(t) + 1 - 1 / (1 + t)
    assert scores.crps(rtd, [t]) == pytest.approx([below + 1 / (1 + t)], rel=1e-8)
    # sf ~ t^-0.4: the integral diverges, and up to a horizon it does not.
    heavy = RuntimeDistribution(LogLogistic([1.0], [0.4]))
    assert scores.crps(heavy, [t]) == np.inf
    assert np.isfinite(scores.crps(heavy, [t], [False]))


def test_crps_of_what_is_left_and_of_minima():
    rtd = mixtures(n=2)
    for derived in (rtd.given_alive(2.0), rtd.minimum_of(3), rtd.minimum_of(2, shared=True)):
        value = scores.crps(derived, [1.0, 2.0])
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
        assert np.all(scores.crps(wider, seconds) > scores.crps(rtd, seconds))


# -- Wasserstein ---------------------------------------------------------------------------------------------------


def test_wasserstein_is_scipys_with_a_large_sample():
    rtd, seconds, _ = with_runs(20, n=3)
    draws = rtd.quantile((np.arange(100_000) + 0.5) / 100_000)
    expected = [scipy.stats.wasserstein_distance(seconds[i], draws[i]) for i in range(3)]
    assert scores.wasserstein(rtd, seconds) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("cutoff", [np.inf, 4.0])
def test_wasserstein_equals_brute_force(cutoff):
    rtd, seconds, finished = with_runs(6, n=3, cutoff=cutoff)
    value = scores.wasserstein(rtd, seconds, finished)
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
    assert scores.wasserstein(rtd, [3.0]) == pytest.approx([expected], rel=1e-10)


def test_wasserstein_is_infinite_with_the_mean():
    rtd = RuntimeDistribution(LogLogistic([1.0], [0.9]))
    assert scores.wasserstein(rtd, [[1.0, 2.0]]) == np.inf
    assert np.isfinite(scores.wasserstein(rtd, [[1.0, 2.0]], [[True, False]]))


# -- calibration ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [1.0, 0.6])
def test_pit_is_uniform_under_the_truth(share):
    rtd = mixtures(n=40)
    seconds, cutoff = rtd.sample(50, random_state=1), rtd.quantile(share)[:, None]
    values = scores.pit(rtd, np.minimum(seconds, cutoff), seconds < cutoff)
    assert values.shape == (40, 50)
    assert scipy.stats.kstest(values.ravel(), "uniform").pvalue > 0.01
    assert np.all(values == scores.pit(rtd, np.minimum(seconds, cutoff), seconds < cutoff))


def test_coverage_is_the_level_under_the_truth():
    rtd = mixtures(n=40)
    seconds = rtd.sample(500, random_state=2)
    for cutoff in (np.full((40, 1), np.inf), rtd.quantile(0.5)[:, None], rtd.quantile(0.97)[:, None]):
        for level in (0.5, 0.9):
            value = scores.coverage(rtd, np.minimum(seconds, cutoff), seconds < cutoff, level=level)
            assert value.mean() == pytest.approx(level, abs=0.01)


def test_coverage_of_cut_off_runs_counts_fractions():
    rtd = RuntimeDistribution(Exponential([1.0]))
    # Cut off at the median: of the half still to come, 0.45 lies below the 95 % quantile.
    assert scores.coverage(rtd, [np.log(2.0)], [False]) == pytest.approx([0.9])
    assert scores.coverage(rtd, [100.0], [False]) == 0
    low, high = rtd.interval(0.9)
    assert scores.coverage(rtd, [[low[0] * 0.9, low[0] * 1.1, high[0] * 0.9, high[0] * 1.1]]) == 0.5
    with pytest.raises(SettingError, match="level"):
        scores.coverage(rtd, [1.0], level=90)


# -- the form of runs, and edges -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCORES)
def test_vector_matrix_and_list_agree(name):
    score, rtd = SCORES[name], mixtures(n=3)
    one = np.array([1.0, 2.0, 30.0])
    assert score(rtd, one) == pytest.approx(score(rtd, one[:, None]))
    matrix = np.array([[1.0, 2.0, np.nan], [3.0, 3.0, 4.0], [np.nan, np.nan, 0.7]])
    flags = np.array([[True, False, False], [True, True, True], [False, False, True]])
    rows = [line[~np.isnan(line)] for line in matrix]
    flag_rows = [flag[~np.isnan(line)] for flag, line in zip(flags, matrix, strict=True)]
    assert score(rtd, matrix) == pytest.approx(score(rtd, rows))
    assert score(rtd, matrix, flags) == pytest.approx(score(rtd, rows, flag_rows))
    # Order and padding do not matter.
    assert score(rtd, matrix[:, ::-1], flags[:, ::-1]) == pytest.approx(score(rtd, matrix, flags))


@pytest.mark.parametrize("name", SCORES)
def test_only_an_instance_without_runs_has_no_score(name):
    rtd = mixtures(n=3)
    value = SCORES[name](rtd, [[1.0, 2.0], [np.nan, np.nan], [1.0, np.nan]])
    assert np.isnan(value).tolist() == [False, True, False]
    assert np.isnan(SCORES[name](rtd, [[1.0], [], [2.0, 3.0]])).tolist() == [False, True, False]


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize(
    ("seconds", "finished"),
    [
        ([5.0], [True]),
        ([5.0], [False]),
        ([5.0, 5.0, 5.0], [True, True, True]),
        ([5.0, 5.0, 5.0], [False, False, False]),
        ([2.0, 5.0, 5.0], [True, True, False]),  # a run that finished exactly at the cutoff of another
        ([1.0, 5.0, 7.0], [False, True, True]),  # finished runs past the smallest cutoff
        ([1.0, 2.0, 3.0], [False, False, False]),
        ([1e-12, 1e-12], [True, True]),
        ([1e-12, 1e12], [True, True]),
        ([1e-12, 1e12], [False, False]),
        ([1e12], [False]),
    ],
)
def test_edges_give_numbers(name, seconds, finished):
    for rtd in (
        mixtures(n=1),
        RuntimeDistribution(Weibull([[2.0, 3.0]], [[0.5, 4.0]])),
        RuntimeDistribution(Gamma([2.0], [1.0])),
    ):
        value = SCORES[name](rtd, [seconds], [finished])
        assert value.shape == (1,)
        assert np.isfinite(value).all()
        if name not in ("nllh", "kld"):
            assert value >= 0


def test_published_scores_look_at_finished_runs_only():
    rtd, seconds, _ = with_runs(8, n=2)
    more, flags = np.hstack([seconds, np.full((2, 1), 2.0)]), np.ones((2, 9), dtype=bool)
    flags[:, -1] = False
    for score in (scores.ks, scores.kld):
        assert score(rtd, more, flags, published=True) == pytest.approx(score(rtd, seconds, published=True))


def test_bad_runs_are_refused():
    rtd = mixtures(n=2)
    for runtimes, finished, text in (
        ([1.0, 2.0, 3.0], None, "2 rows"),
        ([[[1.0]], [[2.0]]], None, "one list or array"),
        (np.ones((2, 1, 1)), None, "shape"),
        ([-1.0, 2.0], None, "negative"),
        ([np.inf, 2.0], None, "infinite"),
        (["a", "b"], None, "numbers"),
        ([1.0, 2.0], [1, 0], "booleans"),
        ([1.0, 2.0], [True], "shape"),
        ([[1.0, 2.0], [1.0]], [[True], [True]], "as many flags"),
        ([[1.0, 2.0], [1.0]], [[1, 0], [1]], "booleans"),
        ([[1.0, 2.0], [1.0]], [["yes", "no"], ["yes"]], "booleans"),
        ([[1.0, 2.0], [1.0]], True, "finished: expected a list"),
        ([1.0, 2.0], True, "shape"),
        ([["a", "b"], [1.0]], None, "numbers"),
        ([[1.0, [2.0]], [1.0]], None, "one list or array"),
    ):
        with pytest.raises(RuntimeDataError, match=text):
            scores.crps(rtd, runtimes, finished)


def test_bad_settings_are_refused():
    rtd = mixtures(n=2)
    for bad in ("a", 0.0, -1.0, np.nan, np.inf, True):
        for score in (scores.nllh, scores.kld):
            with pytest.raises(SettingError, match=r"scale=.*positive"):
                score(rtd, [1.0, 2.0], published=True, scale=bad)
    for bad in ("a", None, 0, 1, np.nan):
        with pytest.raises(SettingError, match=r"level=.*between 0 and 1"):
            scores.coverage(rtd, [1.0, 2.0], level=bad)
    with pytest.raises(SettingError, match="seed"):
        scores.pit(rtd, [1.0, 2.0], random_state=-1)


@pytest.mark.parametrize("name", SCORES)
def test_only_distributions_are_scored(name):
    with pytest.raises(SettingError, match="expected a RuntimeDistribution, found list"):
        SCORES[name]([1.0, 2.0], [1.0, 2.0])


@pytest.mark.parametrize("name", SCORES)
def test_no_rows_score_nothing_and_no_columns_score_nan(name):
    rtd = mixtures(n=3)
    for nothing in ([], np.empty((0, 2)), np.empty((0, 0))):
        assert SCORES[name](rtd[[]], nothing).shape == (0,)
    assert np.isnan(SCORES[name](rtd, np.empty((3, 0)))).all()
    assert np.isnan(SCORES[name](rtd, [[], [], []])).all()
