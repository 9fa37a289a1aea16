"""RuntimeDistribution: construction and the disagreement of its draws."""

import numpy as np
import pytest
import scipy.special
from example_mixtures import tame

from bayes_distnet.distributions.families import Exponential, LogLogistic, LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError


def test_parameters_may_be_scalars_or_one_component_per_row():
    assert len(RuntimeDistribution(LogNormal(0.0, 1.0))) == 1
    rtd = RuntimeDistribution(LogNormal(np.zeros(3), 1.0))
    assert (len(rtd), rtd.n_components) == (3, 1)


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


def test_band_holds_the_given_fraction_of_components():
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


def test_band_of_means_compares_the_means_of_draws():
    rng = np.random.default_rng(1)
    rtd = RuntimeDistribution(LogNormal(rng.normal(0, 1, (3, 101)), 0.3), draws=np.arange(101) // 2)
    parts = rtd.components.take(np.s_[:, :100])
    own = np.append(parts.mean().reshape(3, 50, 2).mean(axis=2), rtd.components.take(np.s_[:, 100:]).mean(), axis=1)
    low, high = rtd.band(0.8, mean=True)
    weights = np.append(np.full(50, 2), 1)
    for row in range(3):
        values = np.repeat(own[row], weights)
        assert low[row] == pytest.approx(np.quantile(values, 0.1, method="inverted_cdf"))
        assert high[row] == pytest.approx(np.quantile(values, 0.9, method="inverted_cdf"))


def test_band_of_means_of_stopped_runs():
    rtd = RuntimeDistribution(Exponential(scale=[np.linspace(1.0, 2.0, 11), np.linspace(3.0, 4.0, 11)]))
    low, high = rtd.band(0.9, mean=True, t=[0.5, 2.0])
    for end, scale in ((low, [1.0, 3.0]), (high, [2.0, 4.0])):
        expected = np.array(scale)[:, None] * -np.expm1(-np.array([0.5, 2.0]) / np.array(scale)[:, None])
        assert end == pytest.approx(expected)
    assert rtd.band(0.9, mean=True, t=np.inf)[1] == pytest.approx([2.0, 4.0])


def test_band_of_infinite_means_is_infinite():
    rtd = RuntimeDistribution(LogLogistic(scale=1.0, shape=[np.linspace(0.5, 2.5, 21)]))
    low, high = rtd.band(0.8, mean=True)
    assert np.isfinite(low[0])
    assert np.isinf(high[0])


def test_band_counts_components_by_weight():
    rtd = RuntimeDistribution(Exponential(scale=[[1.0, 2.0, 3.0, 100.0]]), weights=[0.02, 0.9, 0.08, 0.0])
    low, high = rtd.band(0.9)
    assert [low[0], high[0]] == pytest.approx([2 * np.log(2), 3 * np.log(2)])


def test_one_component_has_a_band_of_no_width():
    rtd = RuntimeDistribution(LogNormal([0.0, 1.0], 1.0))
    assert rtd.band()[0] == pytest.approx(rtd.median())
    assert rtd.band()[1] == pytest.approx(rtd.median())


def test_bands_need_components():
    rtd = tame("lognormal").minimum_of(2, independent=True)
    for ask in (rtd.band, rtd.epistemic, rtd.aleatoric, rtd.unsure_share):
        with pytest.raises(SettingError, match=r"use minimum_of\(k\)"):
            ask()
    with pytest.raises(SettingError, match="not both"):
        tame("lognormal").band(q=0.5, t=1.0)
    with pytest.raises(SettingError, match="not both"):
        tame("lognormal").band(q=0.5, mean=True)
