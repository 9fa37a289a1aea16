"""Blocks of work."""

import numpy as np
import pytest
from example_mixtures import tame

import bayes_distnet.distributions.blocks as blocks_module


def test_blocks_do_not_change_the_values(monkeypatch):
    rtd = tame("weibull", n=6, size=7)
    t = np.geomspace(0.1, 100, 13)
    own = np.tile(t, (6, 1)) * np.arange(1, 7)[:, None]
    alive = rtd.given_alive(2.0).minimum_of(2, independent=True)
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
        monkeypatch.setattr(blocks_module, "BLOCK", block)
        for call, expected in zip(calls, whole, strict=True):
            assert call() == pytest.approx(expected, rel=1e-12)
