"""Distributions as plain arrays."""

import numpy as np
import pytest
from example_mixtures import LEVELS, derived, tame

from bayes_distnet.distributions.families import FAMILIES
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError


@pytest.mark.parametrize("name", FAMILIES)
def test_arrays_and_back(name):
    for label, rtd in derived(tame(name)).items():
        again = RuntimeDistribution.from_arrays(rtd.to_arrays())
        assert again.family == name
        assert np.all(again.quantile(LEVELS) == rtd.quantile(LEVELS)), label
    arrays = rtd.to_arrays()
    assert all(isinstance(value, np.ndarray) for key, value in arrays.items() if key != "family")


@pytest.mark.parametrize("name", ["family", "loc", "log_weights", "start", "copies", "power"])
def test_a_missing_array_is_named(name):
    arrays = tame("lognormal").to_arrays()
    del arrays[name]
    with pytest.raises(SettingError, match=f"no \\['{name}'\\]"):
        RuntimeDistribution.from_arrays(arrays)


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("log_weights", np.full((2, 3), np.nan)),
        ("log_weights", np.full((2, 3), -np.inf)),
        ("log_weights", np.full((2, 3), 800.0)),
        ("log_weights", np.zeros((2, 3))),
        ("log_weights", np.full((1, 3), -np.log(3))),
        ("start", [0.0, np.nan]),
        ("start", [0.0, -1.0]),
        ("start", [0.0, -np.inf]),
        ("start", [0.0]),
        ("start", "a"),
        ("copies", [1.0, np.nan]),
        ("copies", [1.0, 0.0]),
        ("power", [np.inf, 1.0]),
        ("power", 1.0),
    ],
)
def test_bad_arrays_are_named(name, bad):
    arrays = tame("lognormal", n=2, size=3).to_arrays()
    with pytest.raises(SettingError, match=f"'{name}'"):
        RuntimeDistribution.from_arrays({**arrays, name: bad})


def test_arrays_of_no_rows_make_a_distribution_of_no_rows():
    assert len(RuntimeDistribution.from_arrays(tame("lognormal")[[]].to_arrays())) == 0
    with pytest.raises(SettingError, match="to_arrays"):
        RuntimeDistribution.from_arrays("model.npz")
