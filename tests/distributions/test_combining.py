"""Rows below each other, and pools."""

import numpy as np
import pytest
from example_mixtures import LEVELS, grouped, tame

from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError


def test_concat_keeps_rows_and_their_history():
    a, b = tame("lognormal", n=2, size=3), tame("lognormal", n=3, size=5, seed=1)
    parts = [a, b.given_alive(2.0), a.minimum_of(2, independent=True), b.minimum_of(3)]
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
    fraction, t = np.array([0.0, 0.25, 0.5, 1.0]), np.array([1.0, 3.0])
    pool = RuntimeDistribution.mixture([(a, fraction), (b, 1 - fraction)])
    assert pool.cdf(t) == pytest.approx(fraction[:, None] * a.cdf(t) + (1 - fraction[:, None]) * b.cdf(t), rel=1e-12)
    assert RuntimeDistribution.mixture([(a, 2.0), (b, 6.0)]).cdf(t) == pytest.approx(0.25 * a.cdf(t) + 0.75 * b.cdf(t))
    waited = RuntimeDistribution.mixture([(a.given_alive(1.0), 1.0), (b.given_alive(1.0), 1.0)])
    assert waited.sf(t) == pytest.approx(0.5 * a.given_alive(1.0).sf(t) + 0.5 * b.given_alive(1.0).sf(t))
    with pytest.raises(SettingError, match="same rows"):
        RuntimeDistribution.mixture([(a, 1.0), (b[:2], 1.0)])
    with pytest.raises(SettingError, match="same way"):
        RuntimeDistribution.mixture([(a, 1.0), (b.given_alive(1.0), 1.0)])
    with pytest.raises(SettingError, match="before taking the minimum"):
        RuntimeDistribution.mixture([(a, 1.0), (b.minimum_of(2, independent=True), 1.0)])
    with pytest.raises(SettingError, match="not negative"):
        RuntimeDistribution.mixture([(a, 1.0), (b, -1.0)])
    with pytest.raises(SettingError, match="row 0: weights"):
        RuntimeDistribution.mixture([(a, 0.0), (b, 0.0)])


def test_pools_keep_draws_apart():
    a, b, plain = grouped(seed=1), grouped(seed=2), tame("lognormal", n=3, size=2)
    fraction = np.array([0.2, 0.5, 0.8])
    pool = RuntimeDistribution.mixture([(a, fraction), (plain, 0.5), (b, 1 - fraction)])
    assert pool.draws.tolist() == [1, 0, 1, 2, 0, 0, 3, 4, 6, 5, 6, 7, 5, 5]
    w = np.stack([fraction, np.full(3, 0.5), 1 - fraction], 1) / 1.5
    parts = (a, plain, b)
    assert pool.aleatoric() == pytest.approx((w * np.stack([part.aleatoric() for part in parts], 1)).sum(1))
    assert pool.epistemic() + pool.aleatoric() == pytest.approx(pool.variance())
    assert RuntimeDistribution.mixture([(plain, 1.0), (plain, 1.0)]).draws is None


def test_concat_keeps_the_draws_of_each_row():
    a, plain = grouped(), tame("lognormal", n=2, size=8)
    other = RuntimeDistribution(a.components, a.weights, draws=[0, 0, 0, 1, 1, 1])
    parts = [a, plain, other.minimum_of(2), a.given_alive(1.0)]
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
