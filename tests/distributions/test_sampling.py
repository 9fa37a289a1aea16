"""Random runtimes."""

import numpy as np
import pytest
import scipy.stats
from example_mixtures import derived, tame

from bayes_distnet.distributions.families import FAMILIES


@pytest.mark.parametrize("name", FAMILIES)
def test_samples_follow_the_distribution(name):
    for label, rtd in derived(tame(name, n=2)).items():
        draws = rtd.sample(3000, random_state=5)
        assert draws.shape == (2, 3000)
        for i in range(2):
            assert scipy.stats.kstest(rtd.cdf(draws)[i], "uniform").pvalue > 1e-4, label


def test_a_seed_fixes_the_sample():
    rtd = tame("weibull")
    assert np.all(rtd.sample(10, random_state=3) == rtd.sample(10, random_state=3))
    assert np.all(rtd.sample(10, random_state=3) != rtd.sample(10, random_state=4))
