"""The common face: shapes, edges, rows and arguments."""

import numpy as np
import pytest
from example_mixtures import tame

from bayes_distnet.distributions.families import Exponential
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import RuntimeDataError, SettingError


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


def test_time_at_log_sf_is_the_quantile_and_exact_where_a_level_is_one():
    rtd = tame("weibull")
    np.testing.assert_allclose(rtd.time_at_log_sf(np.log([0.9, 0.5, 1e-6])), rtd.quantile([0.1, 0.5, 1 - 1e-6]), 1e-8)
    far = RuntimeDistribution(Exponential(scale=np.array([2.0])))
    assert far.time_at_log_sf([0.0, -700.0, -np.inf])[0].tolist() == [0.0, pytest.approx(1400.0), np.inf]
    with pytest.raises(SettingError, match="at most 0"):
        rtd.time_at_log_sf(0.1)


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


def test_repr_is_short():
    assert repr(RuntimeDistribution(Exponential([1.0, 2.0]))) == (
        "RuntimeDistribution(2 rows x 1 exponential components, median 0.693 to 1.39 s)"
    )
    assert "median" not in repr(tame("lognormal", n=300, size=100))


def test_bad_waits_and_copies():
    rtd = tame("lognormal")
    for bad in (-1.0, np.nan, np.inf, [1.0, 2.0]):
        with pytest.raises(RuntimeDataError, match="given_alive"):
            rtd.given_alive(bad)
    for bad in (0, -1, 1.5, True, "2"):
        with pytest.raises(SettingError, match="whole number"):
            rtd.minimum_of(bad, independent=True)


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
        with pytest.raises(SettingError, match=r"random_state=.*whole number of at least 0"):
            rtd.sample(1, random_state=bad)
    assert (
        rtd.sample(0).shape
        == rtd.given_alive(1.0).sample(0).shape
        == rtd.minimum_of(2, independent=True).sample(0).shape
        == (2, 0)
    )
