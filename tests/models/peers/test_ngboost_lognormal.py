import numpy as np
import pytest


def test_gradients_of_the_lognormal_for_ngboost_are_those_of_its_score():
    pytest.importorskip("ngboost")
    from bayes_distnet.models.peers.ngboost_lognormal import RunsLogNormal, RunsLogScore, packed

    class Both(RunsLogScore, RunsLogNormal):
        pass

    rng = np.random.default_rng(0)
    z, finished = rng.normal(size=(5, 4)), rng.random((5, 4)) < 0.5
    z[0, 2:] = np.nan
    y, at, step = packed(z, finished), rng.normal(size=(2, 5)), 1e-6
    for j, shift in enumerate(np.eye(2)[:, :, None] * step):
        slope = (Both(at + shift).score(y) - Both(at - shift).score(y)) / (2 * step)
        np.testing.assert_allclose(Both(at).d_score(y)[:, j], slope, rtol=1e-5, atol=1e-7)
