import numpy as np
import pytest

from bayes_distnet.distributions.censored import censored_maximum_likelihood
from bayes_distnet.distributions.families import FAMILIES


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_censored_maximum_likelihood_recovers_the_law(family):
    rng = np.random.default_rng(0)
    true = FAMILIES[family].from_raw(np.array([0.3, -0.5]), 1.0, 0.8)
    t = np.asarray(true.sample(rng, 20_000))
    cutoff = np.quantile(t, 0.6)
    fitted = censored_maximum_likelihood(family, np.minimum(t, cutoff), t < cutoff)
    levels = np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(fitted.quantile(levels), true.quantile(levels), rtol=0.06)


def test_one_finished_run_among_many_still_gives_a_distribution():
    seconds, finished = np.r_[1.0, np.full(99, 2.0)], np.r_[True, np.zeros(99, bool)]
    fitted = censored_maximum_likelihood("lognormal", seconds, finished)
    assert np.isfinite(float(fitted.loc))
    assert float(fitted.quantile(0.5)) > 2.0
