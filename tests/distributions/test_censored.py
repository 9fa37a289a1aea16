"""Censored maximum likelihood for each family: parameters are recovered from runs of which many were cut off."""

import numpy as np
import pytest
from example_families import every_family, example

from bayes_distnet.distributions.censored import LEAST_SPREAD, censored_maximum_likelihood, log_location_and_spread


@every_family
def test_recovers_the_distribution_behind_the_cutoff(name):
    truth = example(name)[0].take(0)
    runs = truth.sample(np.random.default_rng(0), 4000)
    cutoff = truth.quantile(0.6)
    fitted = censored_maximum_likelihood(name, np.minimum(runs, cutoff), runs < cutoff)
    levels = np.array([0.1, 0.5, 0.9])  # the last one lies behind the cutoff
    assert np.log(fitted.quantile(levels)) == pytest.approx(np.log(truth.quantile(levels)), abs=0.15)


def test_equal_runtimes_keep_a_spread():
    center, spread = log_location_and_spread(np.full(5, 2.0), np.ones(5, dtype=bool))
    assert center == pytest.approx(np.log(2.0))
    assert spread == LEAST_SPREAD


def test_one_finished_run_among_many_still_gives_a_distribution():
    seconds, finished = np.r_[1.0, np.full(99, 2.0)], np.r_[True, np.zeros(99, bool)]
    fitted = censored_maximum_likelihood("lognormal", seconds, finished)
    assert np.isfinite(float(fitted.loc))
    assert float(fitted.quantile(0.5)) > 2.0
