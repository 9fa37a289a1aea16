"""Calibration under predictions that are correct."""

import numpy as np
import pytest
import scipy.stats
from predictions import mixtures

from bayes_distnet.distributions.families import Exponential, LogNormal
from bayes_distnet.distributions.instance_effect import InstanceEffect
from bayes_distnet.distributions.instance_runtimes import InstanceRuntimes
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError
from bayes_distnet.scoring.calibration import band_coverage, calibration, calibration_error, coverage, pit


@pytest.mark.parametrize("share", [1.0, 0.6])
def test_pit_is_uniform_under_the_truth(share):
    rtd = mixtures(n=40)
    seconds, cutoff = rtd.sample(50, random_state=1), rtd.quantile(share)[:, None]
    values = pit(rtd, np.minimum(seconds, cutoff), seconds < cutoff)
    assert values.shape == (40, 50)
    assert scipy.stats.kstest(values.ravel(), "uniform").pvalue > 0.01
    assert np.all(values == pit(rtd, np.minimum(seconds, cutoff), seconds < cutoff))


def test_coverage_is_the_level_under_the_truth():
    rtd = mixtures(n=40)
    seconds = rtd.sample(500, random_state=2)
    for cutoff in (np.full((40, 1), np.inf), rtd.quantile(0.5)[:, None], rtd.quantile(0.97)[:, None]):
        for level in (0.5, 0.9):
            value = coverage(rtd, np.minimum(seconds, cutoff), seconds < cutoff, level=level)
            assert value.mean() == pytest.approx(level, abs=0.01)


def test_coverage_of_censored_runs_counts_fractions():
    rtd = RuntimeDistribution(Exponential([1.0]))
    # Cut off at the median: of the half still to come, 0.45 lies below the 95 % quantile.
    assert coverage(rtd, [np.log(2.0)], [False]) == pytest.approx([0.9])
    assert coverage(rtd, [100.0], [False]) == 0
    low, high = rtd.interval(0.9)
    assert coverage(rtd, [[low[0] * 0.9, low[0] * 1.1, high[0] * 0.9, high[0] * 1.1]]) == 0.5
    with pytest.raises(SettingError, match="level"):
        coverage(rtd, [1.0], level=90)


def test_calibration_error_is_over_the_runs_of_all_instances():
    rtd = mixtures(n=40)
    seconds = rtd.sample(50, random_state=1)
    assert calibration_error(rtd, seconds) < 0.02
    assert calibration_error(rtd, 2 * seconds) == calibration(pit(rtd, 2 * seconds)) > 0.1
    assert calibration_error(rtd, 1e9 * seconds) == pytest.approx(0.5)
    assert np.isnan(calibration_error(rtd, np.empty((40, 0))))


def test_bad_settings_are_refused():
    rtd = mixtures(n=2)
    for bad in ("a", None, 0, 1, np.nan):
        with pytest.raises(SettingError, match=r"level=.*between 0 and 1"):
            coverage(rtd, [1.0, 2.0], level=bad)
    with pytest.raises(SettingError, match="random_state=-1"):
        pit(rtd, [1.0, 2.0], random_state=-1)


def test_bands_hold_the_median_of_the_runs_or_not():
    # The band of the median: exp(-+0.6 * 1.645), that is 0.373 to 2.683.
    rtd = InstanceRuntimes(RuntimeDistribution(LogNormal(np.zeros(4), np.ones(4))), InstanceEffect.of(0.36, 4))
    runs = [[0.1, 0.4, 9.0], [0.1, 0.3, 9.0], [2.0, 3.0, 3.0], [1.0, 1.9, np.nan]]
    assert band_coverage(rtd, runs).tolist() == [1.0, 0.0, 0.0, 1.0]
    assert band_coverage(rtd, runs, level=0.5).tolist() == [0.0, 0.0, 0.0, 1.0]
    cut = [[True, True, False], [True, False, False], [True, True, True], [True, True, False]]
    np.testing.assert_array_equal(band_coverage(rtd, runs, cut), [1.0, np.nan, 0.0, 1.0])
    assert np.isnan(band_coverage(rtd.marginal, runs)).all()  # one component: nothing is known of its ignorance
