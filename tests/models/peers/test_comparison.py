import numpy as np
import pytest

from bayes_distnet.models.peers.comparison import StandardLogTime, best_scale, held_out_loss


def test_the_best_scale_is_the_maximum_of_the_censored_likelihood():
    z = np.random.default_rng(0).normal(size=4000) * 0.5
    finished = z < 0.3
    scale = best_scale(np.minimum(z, 0.3), finished, np.zeros(4000))
    assert scale == pytest.approx(0.5, rel=0.05)
    losses = [held_out_loss(np.minimum(z, 0.3), finished, np.zeros(4000), scale * factor) for factor in (0.9, 1.0, 1.1)]
    assert np.argmin(losses) == 1


def test_standard_log_time_is_undone():
    rtd = StandardLogTime(center=2.0, spread=0.5).lognormal(np.array([0.0, 2.0]), np.array([1.0, 2.0]))
    np.testing.assert_allclose(np.log(rtd.median()), [2.0, 3.0])
    np.testing.assert_allclose(rtd.components.scale[:, 0], [0.5, 1.0])
