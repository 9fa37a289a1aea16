"""Checks of parameters, weights and times."""

import numpy as np
import pytest
from example_mixtures import tame

from bayes_distnet.distributions.families import InverseGaussian, LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import RuntimeDataError, SettingError


def test_bad_parameters_are_named_with_their_row():
    with pytest.raises(SettingError, match=r"row 1, component 0.*'scale' is -1.0.*positive"):
        RuntimeDistribution(LogNormal(loc=np.zeros((3, 2)), scale=[[1.0], [-1.0], [1.0]]))
    with pytest.raises(SettingError, match=r"row 0, component 2.*'loc' is nan.*finite"):
        RuntimeDistribution(LogNormal(loc=[[0.0, 0.0, np.nan]], scale=1.0))
    with pytest.raises(SettingError, match="'lam' is inf"):
        RuntimeDistribution(InverseGaussian(mu=[1.0], lam=[np.inf]))
    with pytest.raises(SettingError, match="shapes"):
        RuntimeDistribution(LogNormal(loc=np.zeros((3, 2)), scale=np.ones((2, 3))))
    with pytest.raises(SettingError, match="shapes"):
        RuntimeDistribution(LogNormal(loc=np.zeros((3, 2, 1)), scale=1.0))


@pytest.mark.parametrize("bad", [[-1.0, 2.0], [np.nan, 1.0], [0.0, 0.0], [np.inf, 1.0], [1.0], [[1.0, 1.0]] * 2])
def test_bad_weights(bad):
    with pytest.raises(SettingError, match="weights"):
        RuntimeDistribution(LogNormal(loc=np.zeros((3, 2)), scale=1.0), bad)


def test_times_that_are_not_numbers_are_refused():
    rtd = tame("lognormal", n=2)
    for ask in (rtd.cdf, rtd.log_pdf, rtd.restricted_mean, rtd.given_alive, lambda t: rtd.band(t=t)):
        for bad in ("a", "1", [1.0, "b"], [[1.0], [2.0, 3.0]], 1j, np.datetime64("2020-01-01")):
            with pytest.raises(RuntimeDataError, match="expected a number or an array of numbers"):
                ask(bad)
