"""KernelEstimate against SciPy, simulation and brute-force integration."""

import numpy as np
import pytest
import scipy.special
import scipy.stats
from example_mixtures import LEVELS

from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.kernel_estimate import KernelEstimate
from bayes_distnet.distributions.predicted_runtimes import check_distribution
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError

CENTRES = np.array([[-0.5, 1.0, 3.0], [2.0, 2.0, 2.0], [0.01, 5.0, 900.0]])
WIDTH = np.array([0.7, 0.1, 0.2])


def estimates() -> KernelEstimate:
    """Kernels below 0 s, kernels on top of each other, and kernels far apart."""
    return KernelEstimate(CENTRES, WIDTH)


def derived(rtd: KernelEstimate) -> dict[str, KernelEstimate]:
    return {
        "as it is": rtd,
        "alive": rtd.given_alive(1.0),
        "alive after all": rtd.given_alive(CENTRES.max(axis=1) + 4 * WIDTH),
        "minimum": rtd.minimum_of(3, independent=True),
        "both": rtd.minimum_of(2, independent=True).given_alive(0.5).minimum_of(3, independent=True),
    }


def moments_by_hand(rtd: KernelEstimate, upto: float = np.inf) -> tuple[float, float]:
    """Mean of min(T, upto) and its second moment, for one row, from the density at thousands of points."""
    wide = np.linspace(-12.0, 12.0, 97)
    edges = np.sort((rtd.samples[0][:, None] + rtd.width[0] * wide).ravel())
    edges = np.concatenate([edges - rtd._offset[0, 0], rtd.quantile(np.linspace(0.0005, 0.9995, 25))[0]])
    low = rtd.quantile(1e-15)[0]
    edges = np.unique(np.clip(edges, low, min(upto, rtd.quantile(1 - 1e-14)[0] + rtd.width[0])))
    nodes, weights = np.polynomial.legendre.leggauss(20)
    half = 0.5 * np.diff(edges)[:, None]
    x = edges[:-1, None] + half * (1 + nodes)
    density = rtd.pdf(x.ravel()).reshape(x.shape) * half * weights
    beyond = rtd.sf(upto)[0]
    top = upto if np.isfinite(upto) else 0.0
    return float((density * x).sum() + top * beyond), float((density * x * x).sum() + top**2 * beyond)


def test_values_are_means_over_normal_kernels():
    rtd, t = estimates(), np.linspace(-3, 6, 30)
    normal = scipy.stats.norm(CENTRES[:, None, :], WIDTH[:, None, None])
    assert rtd.cdf(t) == pytest.approx(normal.cdf(t[:, None]).mean(axis=2), rel=1e-11)
    assert rtd.pdf(t) == pytest.approx(normal.pdf(t[:, None]).mean(axis=2), rel=1e-11)
    assert rtd.sf(t) == pytest.approx(normal.sf(t[:, None]).mean(axis=2), rel=1e-11)
    assert rtd.cdf(0.0)[0] > 0.2  # probability below 0 s is real
    assert np.all(rtd.cdf([-np.inf, np.inf]) == [0.0, 1.0])
    assert np.all(rtd.pdf([-np.inf, np.inf]) == 0.0)


def test_tails_keep_their_digits():
    rtd = KernelEstimate([[0.0, 0.1]], 1.0)
    upper = np.logaddexp(scipy.special.log_ndtr(-60.0), scipy.special.log_ndtr(-59.9)) - np.log(2)
    assert rtd.log_sf(60.0) == pytest.approx([upper], rel=1e-13)  # sf underflows
    assert rtd.sf(60.0) == 0
    lower = 0.5 * scipy.special.ndtr(-12.0) + 0.5 * scipy.special.ndtr(-12.1)
    assert rtd.cdf(-12.0) == pytest.approx([lower], rel=1e-12)  # 1 - sf would be 0
    density = np.logaddexp(-0.5 * 60.0**2, -0.5 * 59.9**2) - np.log(2) - 0.5 * np.log(2 * np.pi)
    assert rtd.log_pdf(60.0) == pytest.approx([density], rel=1e-13)


def test_density_is_the_slope_of_the_cdf():
    for label, rtd in derived(estimates()).items():
        t = rtd.quantile([0.1, 0.45, 0.9])
        h = 1e-4 * rtd.width[:, None]
        slope = (rtd.cdf(t + h) - rtd.cdf(t - h)) / (2 * h)
        assert rtd.pdf(t) == pytest.approx(slope, rel=1e-5, abs=1e-9), label


def test_quantile_inverts_cdf():
    for label, rtd in derived(estimates()).items():
        q = rtd.quantile(LEVELS)
        assert np.all(np.isfinite(q)), label
        assert np.all(np.diff(q, axis=1) >= 0), label
        assert np.abs(rtd.cdf(q) - LEVELS).max() < 1e-9, label
    rtd = estimates()
    assert rtd.cdf(rtd.quantile(LEVELS)) == pytest.approx(np.tile(LEVELS, (3, 1)), rel=1e-9)
    assert np.all(rtd.quantile([0.0, 1.0]) == [-np.inf, np.inf])
    assert np.all(rtd.given_alive(0.0).quantile([0.0, 1.0]) == [0.0, np.inf])
    assert rtd.quantile(0.3)[1] == pytest.approx(2.0 + 0.1 * scipy.special.ndtri(0.3), rel=1e-14)


def test_quantile_of_kernels_without_visible_width():
    rtd = KernelEstimate([[7.0, 7.0], [1e-9, 1e9]], [7e-12, 1e-3])
    assert rtd.quantile([0.001, 0.5, 0.999])[0] == pytest.approx([7.0] * 3, rel=1e-10)
    assert rtd.quantile([0.25, 0.75])[1] == pytest.approx([1e-9, 1e9], abs=1e-6)
    assert rtd.given_alive(6.0).mean()[0] == pytest.approx(1.0, rel=1e-9)
    assert rtd.minimum_of(2, independent=True).mean()[0] == pytest.approx(7.0, rel=1e-9)


def test_moments_in_closed_form():
    rtd = estimates()
    assert rtd.mean() == pytest.approx(CENTRES.mean(axis=1), rel=1e-14)
    assert rtd.variance() == pytest.approx(CENTRES.var(axis=1) + WIDTH**2, rel=1e-14)
    assert rtd.std() ** 2 == pytest.approx(rtd.variance())
    # E[min] of two normals at distance d, with theta = width * sqrt 2: half the difference below their mean.
    a, b, theta = 1.0, 1.6, 0.5 * np.sqrt(2)
    z = (b - a) / theta
    gap = (b - a) * (2 * scipy.special.ndtr(z) - 1) + 2 * theta * np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
    apart, same = 0.5 * (a + b) - 0.5 * gap, 0.5 * (a + b) - theta / np.sqrt(2 * np.pi)
    fastest = KernelEstimate([[a, b]], 0.5).minimum_of(2, independent=True)
    assert fastest.mean() == pytest.approx([0.5 * apart + 0.5 * same], rel=1e-12)


def test_moments_equal_brute_force_integrals():
    for label, rtd in derived(estimates()).items():
        for i in range(3):
            mean, second = moments_by_hand(rtd[i])
            assert rtd.mean()[i] == pytest.approx(mean, rel=1e-9), label
            assert rtd.variance()[i] == pytest.approx(second - mean**2, rel=1e-6), label
            stops = rtd[i].quantile([0.01, 0.6, 0.99])[0]
            exact = [moments_by_hand(rtd[i], upto=stop)[0] for stop in stops]
            assert rtd[i].restricted_mean(stops)[0] == pytest.approx(exact, rel=1e-9, abs=1e-11), label


def test_restricted_mean_at_its_ends():
    for label, rtd in derived(estimates()).items():
        assert rtd.restricted_mean(np.inf) == pytest.approx(rtd.mean(), rel=1e-11), label
        assert rtd.restricted_mean(1e9) == pytest.approx(rtd.mean(), rel=1e-11), label
        assert rtd.restricted_mean(-50.0) == pytest.approx(np.full(3, -50.0)), label
    assert np.all(estimates().given_alive(1.0).restricted_mean([-1.0, 0.0]) == [-1.0, 0.0])


def test_waiting_and_minima_by_the_formula():
    rtd, x = estimates(), np.array([0.01, 0.5, 3.0])
    left = rtd.given_alive([0.0, 2.1, 4.0])
    waited = np.array([[0.0], [2.1], [4.0]])
    assert left.sf(x) == pytest.approx(rtd.sf(waited + x) / rtd.sf(waited), rel=1e-11)
    assert left.pdf(x) == pytest.approx(rtd.pdf(waited + x) / rtd.sf(waited), rel=1e-11)
    assert left.cdf([-1.0, 0.0]).max() == 0.0
    assert rtd.given_alive(1.0).given_alive(2.5).sf(x) == pytest.approx(rtd.given_alive(3.5).sf(x), rel=1e-11)
    assert rtd.minimum_of(4, independent=True).sf(x) == pytest.approx(rtd.sf(x) ** 4, rel=1e-11)
    assert rtd.minimum_of(2, independent=True).minimum_of(3, independent=True).cdf(x) == pytest.approx(
        rtd.minimum_of(6, independent=True).cdf(x), rel=1e-12
    )
    alive = scipy.special.ndtr((CENTRES - waited) / WIDTH[:, None])
    assert left.weights == pytest.approx(alive / alive.sum(axis=1, keepdims=True), rel=1e-11)
    assert np.all(rtd.weights == 1 / 3)


def test_samples_follow_the_distribution():
    for label, rtd in derived(estimates()).items():
        drawn = rtd.sample(3000, random_state=5)
        assert drawn.shape == (3, 3000)
        assert np.all(drawn == rtd.sample(3000, random_state=5))
        for row in rtd.cdf(drawn):
            assert scipy.stats.kstest(row, "uniform").pvalue > 1e-4, label


def test_it_has_the_face_of_a_runtime_distribution():
    rtd = estimates()
    check_distribution(rtd)
    assert (len(rtd), rtd.n_components, rtd.family) == (3, 3, "kernel")
    assert np.all(rtd.samples == CENTRES)
    assert np.all(rtd.width == WIDTH)
    assert RuntimeDistribution(LogNormal([0.0], [1.0])).samples is None
    assert repr(rtd[0]) == "KernelEstimate(1 rows x 3 kernel components, median 1.02 to 1.02 s)"
    for part in (rtd, rtd.given_alive(0.5).minimum_of(2, independent=True)):
        assert part[[2, 0]].median() == pytest.approx(part.median()[[2, 0]])
        assert part[part.mean() > 100].samples.tolist() == [CENTRES[2].tolist()]
        low, high = part.interval(0.8)
        assert np.stack([low, high], 1) == pytest.approx(part.quantile([0.1, 0.9]))
    assert rtd[[]].cdf([1.0, 2.0]).shape == (0, 2)
    assert rtd[[]].minimum_of(2, independent=True).mean().shape == (0,)
    assert KernelEstimate(CENTRES, WIDTH[:, None]).cdf(1.0) == pytest.approx(rtd.cdf(1.0))
    assert KernelEstimate(CENTRES, 0.7).cdf(1.0)[0] == pytest.approx(rtd.cdf(1.0)[0])


def test_draws_of_runtimes_are_not_compared():
    rtd = estimates()
    for ask in (rtd.band, rtd.epistemic, rtd.aleatoric, lambda: rtd.minimum_of(2)):
        with pytest.raises(SettingError, match="draws of a kernel estimate are runtimes"):
            ask()
    with pytest.raises(SettingError, match="found KernelEstimate"):
        RuntimeDistribution.concat([rtd])


@pytest.mark.parametrize(
    ("centres", "width", "message"),
    [
        ([1.0, 2.0], 1.0, r"centres have shape \(2,\)"),
        (np.zeros((3, 0)), 1.0, "at least one kernel per row"),
        ([["a"]], 1.0, "centres: expected a number"),
        ([[1.0, np.nan]], 1.0, "row 0: centres hold nan; they must be finite"),
        ([[1.0], [2.0]], [1.0, 0.0], "row 1: width is 0.0; it must be finite and positive"),
        ([[1.0], [2.0]], [1.0, 2.0, 3.0], r"width has shape \(3,\); for 2 rows"),
    ],
)
def test_bad_kernels(centres, width, message):
    with pytest.raises(SettingError, match=message):
        KernelEstimate(centres, width)
