import numpy as np
import pytest

from bayes_distnet import Dataset, make_runs
from bayes_distnet.errors import SettingError


def test_runs_are_a_data_set_of_one_solver_without_a_cutoff():
    data = make_runs(n_instances=3, n_runs=2, n_features=1, random_state=0)
    assert isinstance(data, Dataset)
    assert data.solvers == ["synthetic"]
    frame = data.runs.frame
    assert frame["seed"].tolist() == [1, 2] * 3
    assert set(frame["status"]) == {"solved"}
    assert np.isinf(frame["cutoff"]).all()
    np.testing.assert_array_equal(data.seconds.ravel(), frame["seconds"])
    assert data.finished.all()


def test_numbers_are_those_of_earlier_versions():
    data = make_runs(n_instances=2, n_runs=2, n_features=3, random_state=3)
    expected = [[22.80431088751918, 6.015581108247901], [0.3207203747817732, 0.5263113511136398]]
    np.testing.assert_allclose(data.seconds, expected, rtol=1e-12)


def test_runs_follow_the_truth():
    data = make_runs(n_instances=4, n_runs=20_000, humps=True, random_state=0)
    below = (data.seconds < data.truth.quantile(0.3)[:, None]).mean(axis=1)
    np.testing.assert_allclose(below, 0.3, atol=0.015)


def test_the_random_state_determines_the_runs():
    first, second, other = (make_runs(5, 2, 3, random_state=s) for s in (0, 0, 1))
    np.testing.assert_array_equal(first.seconds, second.seconds)
    assert not np.array_equal(first.seconds, other.seconds)


def test_cut_off_cuts_the_given_fraction():
    data = make_runs(n_instances=100, n_runs=10, random_state=0)
    cut = data.cut_off(0.4)
    assert (~cut.finished).mean() == pytest.approx(0.4, abs=0.01)
    assert cut.seconds.max() == cut.seconds[~cut.finished].min()
    assert data.cut_off(0.0) is data


def test_cutting_off_twice_leaves_the_larger_fraction_unfinished():
    data = make_runs(n_instances=100, n_runs=10, random_state=0)
    for fractions in ((0.2, 0.5), (0.5, 0.2)):
        cut = data.cut_off(fractions[0]).cut_off(fractions[1])
        assert (~cut.finished).mean() == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("name", ["n_instances", "n_runs", "n_features"])
@pytest.mark.parametrize("bad", [0, -1, 2.5, True, "a", None])
def test_bad_counts_are_reported(name, bad):
    with pytest.raises(SettingError, match=f"{name}=.*whole number of at least 1"):
        make_runs(**{name: bad})


def test_bad_arguments_are_reported():
    for bad in (1.0, -0.1, np.nan, "a", None):
        with pytest.raises(SettingError, match="fraction"):
            make_runs(2, 2, 2).cut_off(bad)
    for bad in (-0.1, np.nan, np.inf, "a"):
        with pytest.raises(SettingError, match="unexplained"):
            make_runs(2, 2, 2, unexplained=bad)
    with pytest.raises(SettingError, match="random_state=-1"):
        make_runs(2, 2, 2, random_state=-1)
