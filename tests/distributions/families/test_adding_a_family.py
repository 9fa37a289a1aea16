"""A family is one class and one entry of the registry: everything else takes it by its name."""

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.stats

from bayes_distnet.arrays import Array
from bayes_distnet.distributions.censored import censored_maximum_likelihood
from bayes_distnet.distributions.families import FAMILIES, Family, get_family
from bayes_distnet.distributions.families.links import exp_time
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError


@dataclass(frozen=True, eq=False)
class Rayleigh(Family):
    """Rayleigh runtimes: a Weibull distribution of shape 2."""

    scale: Array

    name = "rayleigh"
    label = "Rayleigh"
    parameter_names = ("scale",)
    time_parameters = ("scale",)
    n_raw = 1

    def log_prob(self, t):
        xp, t, scale = self._arrays(t)
        return xp.log(t) - 2.0 * xp.log(scale) - 0.5 * (t / scale) ** 2

    def log_sf(self, t):
        _, t, scale = self._arrays(t)
        return -0.5 * (t / scale) ** 2

    def _log_quantile(self, log_p, log_q):
        return np.log(self._arrays()[1]) + 0.5 * np.log(-2.0 * log_q)

    def mean(self):
        return self._arrays()[1] * np.sqrt(0.5 * np.pi)

    def variance(self):
        return self._arrays()[1] ** 2 * (2.0 - 0.5 * np.pi)

    def log_mean_beyond(self, t):
        _, t, scale = self._arrays(t)
        t = np.maximum(t, 0.0)
        tail = np.sqrt(0.5 * np.pi) * scale * scipy.special.erfc(t / scale / np.sqrt(2.0))
        with np.errstate(divide="ignore"):
            return np.log(t * np.exp(-0.5 * (t / scale) ** 2) + tail)

    @classmethod
    def from_raw(cls, raw, center, spread):
        return cls(exp_time(center + spread * raw[..., 0]))

    @classmethod
    def from_samples(cls, y, axis=-1):
        return cls(np.sqrt(0.5 * (y**2).mean(axis)))


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setitem(FAMILIES, Rayleigh.name, Rayleigh)


def test_an_unregistered_family_has_no_name():
    with pytest.raises(SettingError, match="Unknown family 'rayleigh'"):
        get_family("rayleigh")


@pytest.mark.usefixtures("registered")
def test_a_registered_family_is_fitted_to_censored_runs():
    runs = scipy.stats.rayleigh.rvs(scale=3.0, size=4000, random_state=0)
    fitted = censored_maximum_likelihood("rayleigh", np.minimum(runs, 3.0), runs < 3.0)
    assert isinstance(fitted, Rayleigh)
    assert fitted.scale == pytest.approx(3.0, rel=0.03)  # counting cut-off runs as finished gives 2.1


@pytest.mark.usefixtures("registered")
def test_a_registered_family_predicts():
    one, two = (scipy.stats.rayleigh(scale=scale) for scale in (1.0, 4.0))
    rtd = RuntimeDistribution(get_family("rayleigh")([[1.0, 4.0]]), weights=[0.25, 0.75])
    t = np.array([0.1, 1.0, 5.0, 20.0])
    assert rtd.sf(t)[0] == pytest.approx(0.25 * one.sf(t) + 0.75 * two.sf(t), rel=1e-12)
    assert rtd.cdf(rtd.quantile([0.01, 0.5, 0.99])) == pytest.approx(np.array([[0.01, 0.5, 0.99]]), rel=1e-10)
    assert rtd.mean() == pytest.approx([0.25 * one.mean() + 0.75 * two.mean()])
    left = rtd.given_alive(2.0)
    assert left.mean() == pytest.approx([(rtd.mean()[0] - rtd.restricted_mean(2.0)[0]) / rtd.sf(2.0)[0]])
    assert rtd.minimum_of(2).mean() == pytest.approx(rtd.mean() / np.sqrt(2.0), rel=1e-7)
    assert np.array(rtd.band(0.9)) == pytest.approx(np.array([[one.median()], [two.median()]]))
    again = RuntimeDistribution.from_arrays(left.to_arrays())
    assert again.family == "rayleigh"
    assert again.median() == pytest.approx(left.median())


def test_every_family_has_a_label_for_tables():
    labels = {name: family.label for name, family in FAMILIES.items()}
    assert labels["inverse-gaussian"] == "inverse Gaussian"
    assert len(set(labels.values())) == len(labels)
