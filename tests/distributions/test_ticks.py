import mpmath
import numpy as np
import pytest
from scipy import stats

from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.instance_effect import InstanceEffect
from bayes_distnet.distributions.instance_runtimes import InstanceRuntimes
from bayes_distnet.distributions.kernel_estimate import KernelEstimate
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.distributions.ticks import log_tick_density, tick_ends

LOC, SCALE = 0.3, 0.8
RTD = RuntimeDistribution(LogNormal([[LOC]], [[SCALE]]))


def exact(low, high):
    """Log of the mean density of the lognormal over an interval, with many digits."""
    with mpmath.workdps(400):
        scores = [(mpmath.log(mpmath.mpf(t)) - LOC) / SCALE if t else -mpmath.inf for t in (low, high)]
        tail = 1 if scores[0] > 0 else -1  # differences of the smaller tail
        ends = [mpmath.erfc(tail * z / mpmath.sqrt(2)) / 2 for z in scores]
        return float(mpmath.log(tail * (ends[0] - ends[1]) / (mpmath.mpf(high) - mpmath.mpf(low))))


def test_intervals_lie_around_the_times_and_above_zero():
    low, high = tick_ends(np.array([0.005, 0.01, 0.02, 5.0]), 0.01)
    np.testing.assert_allclose(low, [0.0, 0.005, 0.015, 4.995])
    np.testing.assert_allclose(high, [0.005, 0.015, 0.025, 5.005])


@pytest.mark.parametrize("tick", [1.0, 0.01, 1e-4])
@pytest.mark.parametrize("at", [0.5, 1.0, 3.0, 100.0, 1e4, 1e6])
def test_mean_densities_are_exact_far_into_both_tails(at, tick):
    # At half a tick stands the time of 0 s.
    seconds = at * tick
    low, high = (float(end) for end in tick_ends(np.array(seconds), tick))
    found = log_tick_density(RTD, np.array([[seconds]]), tick)
    assert found == pytest.approx(exact(low, high), rel=1e-7, abs=1e-7)


def test_the_mean_density_tends_to_the_density():
    times = np.geomspace(1e-3, 1e3, 25)[None]
    gaps = [np.abs(log_tick_density(RTD, times, tick) - RTD.log_pdf(times)).max() for tick in (1e-4, 1e-5, 1e-9, 1e-14)]
    assert gaps[0] > 10 * gaps[1]
    assert max(gaps[2:]) < 1e-8


@pytest.mark.parametrize("tick", [0.01, 1e-200])
def test_times_that_nobody_expects_have_finite_densities(tick):
    narrow = RuntimeDistribution(LogNormal([[0.0]], [[0.02]]))
    times = np.array([[1e-250, 1e-80, 1e-3, 0.1, 10.0, 1e4, 1e12, 1e60]])
    found = log_tick_density(narrow, times, tick)
    assert np.all(np.isfinite(found))
    assert np.all(found[0, [2, 3, 4, 5]] < -1000.0)
    assert found[0, -1] == pytest.approx(narrow.log_pdf(times)[0, -1], rel=1e-6)


def test_a_spike_gains_no_more_than_its_probability():
    for weight in (0.5, 1e-3, 1e-9):
        rtd = RuntimeDistribution(LogNormal([[0.0, 0.0]], [[1.0, 1e-9]]), [1.0 - weight, weight])
        smooth = np.diff(stats.lognorm(1.0).cdf([0.995, 1.005]))[0]
        expected = np.log(((1.0 - weight) * smooth + weight) / 0.01)
        assert log_tick_density(rtd, np.array([[1.0]]), 0.01) == pytest.approx(expected, abs=1e-6)
    assert rtd.log_pdf(1.0) > expected + 0.5  # the density itself is deceived
    # A spike whose probability is lost in the rounding of the rest, in a tick that is as narrow.
    rtd = RuntimeDistribution(LogNormal([[3.0, 0.0]], [[0.4, 1e-15]]), [1.0 - 1e-15, 1e-15])
    assert log_tick_density(rtd, np.array([[1.0]]), 0.01) < rtd.log_pdf(1.0) - 10.0


def test_all_runs_together_are_independent_given_the_draw():
    rtd = RuntimeDistribution(LogNormal([[0.0, 2.0]], [[1.0, 0.5]]), [[0.3, 0.7]])
    runs, finished = np.array([[0.25, 1.0, 5.0, 1.0]]), np.array([[True, True, False, False]])
    present = np.array([[True, True, True, False]])
    laws = [stats.lognorm(1.0), stats.lognorm(0.5, scale=np.exp(2.0))]
    each = [law.cdf(0.25) / 0.25 * (law.cdf(1.25) - law.cdf(0.75)) / 0.5 * law.sf(5.0) for law in laws]
    assert rtd.log_joint(runs, finished, present, 0.5) == pytest.approx(np.log(0.3 * each[0] + 0.7 * each[1]))


def test_all_runs_of_an_instance_together_are_a_box_of_correlated_normals():
    rho = 0.6
    rtd = InstanceRuntimes(RTD, InstanceEffect.of(rho, 1))
    runs, every = np.array([[1.0, 2.0, 0.25]]), np.ones((1, 3), dtype=bool)
    low, high = tick_ends(runs[0], 0.5)
    law = stats.multivariate_normal(np.full(3, LOC), SCALE**2 * (rho + (1 - rho) * np.eye(3)), abseps=1e-9)
    with np.errstate(divide="ignore"):
        box = law.cdf(np.log(high), lower_limit=np.maximum(np.log(low), -50.0), rng=0)
    assert rtd.log_joint(runs, every, every, 0.5) == pytest.approx(np.log(box / np.prod(high - low)), abs=1e-4)
    assert rtd.log_joint(runs, every, every, 1e-8) == pytest.approx(rtd.log_joint(runs, every, every), abs=1e-6)
    one = every[:, :1]
    for seconds in (0.05, 0.3, 1.0, 50.0):
        alone = np.array([[seconds]])
        for tick in (0.5 * seconds, 1e-8 * seconds):
            expected = log_tick_density(RTD, alone, tick)[0]
            assert rtd.log_joint(alone, one, one, tick) == pytest.approx(expected, rel=1e-5)
    assert -1e5 < rtd.log_joint(np.array([[1e-90]]), one, one, 1e-92)[0] < -1e4  # finite where probabilities underflow


def test_runs_of_a_kernel_estimate_count_as_independent():
    rtd = KernelEstimate([[1.0, 2.0, 4.0]], 0.5)
    runs, every = np.array([[1.0, 3.0]]), np.ones((1, 2), dtype=bool)
    each = [rtd.cdf(t + 0.1) - rtd.cdf(t - 0.1) for t in (1.0, 3.0)]
    assert rtd.log_joint(runs, every, every, 0.2) == pytest.approx(np.log(each[0] * each[1] / 0.04))
