"""Choosing a family."""

import numpy as np
import pytest
from scipy import stats

from bayes_distnet.data.observations import ZeroRuntimeWarning
from bayes_distnet.distributions.families import FAMILIES
from bayes_distnet.errors import RuntimeDataError
from bayes_distnet.scoring.family_choice import best_family

TRUE = {
    "lognormal": FAMILIES["lognormal"](1.0, 1.5),
    "inverse-gaussian": FAMILIES["inverse-gaussian"](10.0, 2.0),
    "weibull": FAMILIES["weibull"](10.0, 3.0),
    "gamma": FAMILIES["gamma"](0.3, 10.0),
    "loglogistic": FAMILIES["loglogistic"](10.0, 1.2),
}


@pytest.mark.parametrize("name", TRUE)
def test_finds_the_family_the_runs_came_from(name):
    runtimes = TRUE[name].sample(np.random.default_rng(1), (40, 200))
    table = best_family(runtimes)
    assert list(table.columns) == ["family", "ks", "wins", "rejected"]
    assert sorted(table["family"]) == sorted(FAMILIES)
    assert table["ks"].is_monotonic_increasing
    assert table["family"][0] == name
    assert table["wins"].sum() == pytest.approx(1.0)
    assert table["rejected"][0] == 0.0


def test_agrees_with_scipy_on_one_instance():
    runs = np.random.default_rng(2).exponential(3.0, 50)
    table = best_family(runs[None]).set_index("family")
    expected = stats.kstest(runs, stats.expon(scale=runs.mean()).cdf)
    assert table.loc["exponential", "ks"] == pytest.approx(expected.statistic, rel=1e-12)
    assert table.loc["exponential", "rejected"] == float(expected.pvalue < 0.01)


def test_instances_may_have_different_numbers_of_runs():
    rng = np.random.default_rng(3)
    runtimes = rng.lognormal(sigma=2.0, size=(30, 60))
    runtimes[:10, 40:] = np.nan
    runtimes[10, :20] = np.nan
    runtimes[11, :] = np.nan  # no run
    runtimes[12, 1:] = np.nan  # a single run
    table = best_family(runtimes).set_index("family")
    rows = [r[~np.isnan(r)] for i, r in enumerate(runtimes) if i not in (11, 12)]
    distances = [stats.kstest(r, stats.lognorm(np.log(r).std(), scale=np.exp(np.log(r).mean())).cdf) for r in rows]
    assert table.loc["lognormal", "ks"] == pytest.approx(np.mean([d.statistic for d in distances]), rel=1e-9)


def test_masked_runs_are_no_runs():
    runtimes = np.random.default_rng(4).lognormal(size=(10, 30))
    masked = np.ma.array(np.c_[runtimes, np.full(10, 1e9)], mask=np.arange(31) == np.full((10, 1), 30))
    assert best_family(masked).equals(best_family(runtimes))


def test_zero_runtimes_are_raised_with_a_warning():
    runtimes = np.random.default_rng(5).lognormal(size=(5, 20))
    runtimes[0, 0] = 0.0
    with pytest.warns(ZeroRuntimeWarning, match="runtimes: 1 of 100 runs took 0 s"):
        assert np.isfinite(best_family(runtimes)["ks"]).all()


def test_equal_runs_do_not_crash():
    table = best_family(np.full((3, 5), 7.0))
    assert np.isfinite(table[["ks", "wins", "rejected"]].to_numpy()).all()


@pytest.mark.parametrize(
    ("runtimes", "message"),
    [
        ([1.0, 2.0], "1 dimension"),
        ([[1.0, 2.0], [-3.0, 1.0]], r"runtimes\[1, 0\]: a negative runtime"),
        ([[1.0, np.inf]], r"runtimes\[0, 1\]: an infinite runtime"),
        ([[1.0, np.nan]], "two runs or more"),
        (np.empty((0, 3)), "None of the 0 instances"),
        ([["fast", "slow"]], "must be numbers"),
        ([[1.0, 2.0], [3.0]], "Pad them with NaN"),
        (np.ones((2, 3)).astype("m8[s]"), "total_seconds"),
    ],
)
def test_bad_input_is_named(runtimes, message):
    with pytest.raises(RuntimeDataError, match=message):
        best_family(runtimes)
