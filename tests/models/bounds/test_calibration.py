"""Bounds hold exactly, for any model: checked by simulation against the probability that theory gives."""

import numpy as np
import pytest

from bayes_distnet.distributions.families import Exponential
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError
from bayes_distnet.models.bounds.calibration import Calibration

RNG = np.random.default_rng


def predicted(n, scale=1.0):
    return RuntimeDistribution(Exponential(scale=np.full(n, float(scale))))


def held(n, level, *, cutoff=np.inf, repeats=4000, seed=0):
    """Fractions of new log-normal runs that bounds by an exponential model, a hundred times too fast, hold for."""
    rng = RNG(seed)
    times = np.exp(rng.normal(size=(repeats, n + 1)))
    rtd = predicted(repeats, 0.01)
    hazards = np.minimum(times, cutoff) / 0.01
    below, above = np.empty(repeats), np.empty(repeats)
    for k in range(repeats):
        calibration = Calibration(hazards[k, :n], np.arange(n), cutoff)
        below[k], above[k] = calibration.lower(rtd[k], level)[0], calibration.upper(rtd[k], level)[0]
    return (times[:, n] >= below).mean(), (times[:, n] <= above).mean(), below, above


@pytest.mark.parametrize(("n", "level"), [(9, 0.9), (19, 0.9), (30, 0.75)])
def test_a_bad_model_is_covered_with_exactly_the_probability_of_the_rank(n, level):
    lower, upper, _, _ = held(n, level)
    exact = np.ceil(round(level * (n + 1), 9)) / (n + 1)  # without ties, a new run has any rank with one probability
    error = 4 * np.sqrt(exact * (1 - exact) / 4000)
    assert lower == pytest.approx(exact, abs=error)
    assert upper == pytest.approx(exact, abs=error)


def test_with_runs_cut_off_bounds_still_hold_and_stop_at_the_cutoff():
    lower, upper, below, above = held(30, 0.9, cutoff=1.0)  # the median: half of the runs are cut off
    assert lower >= 0.9 - 0.015
    assert upper == 1.0  # no calibration can exclude times past the cutoff
    assert below.max() <= 1.0
    assert np.isinf(above).all()
    lower, upper, below, above = held(30, 0.3, cutoff=1.0)
    assert lower >= 0.3
    assert upper == pytest.approx(10 / 31, abs=0.03)  # the tenth of 31 ranks: below the cutoff, as without one
    assert np.isfinite(above).mean() > 0.95


def test_ranks_are_those_of_the_formula():
    hazards = RNG(0).permutation(np.arange(1.0, 20.0))
    calibration = Calibration(hazards, np.arange(19), np.inf)
    lower, upper = calibration.lower(predicted(1)), calibration.upper(predicted(1))
    assert lower[0] == pytest.approx(2.0)  # k = floor(0.1 * 20)
    assert upper[0] == pytest.approx(18.0)  # m = ceil(0.9 * 20)


@pytest.mark.parametrize(("n", "finite"), [(8, False), (9, True)])
def test_too_few_instances_give_the_bounds_zero_and_infinity(n, finite):
    calibration = Calibration(np.arange(1.0, n + 1), np.arange(n), np.inf)
    assert calibration.too_few_for(0.9) is not finite
    assert (calibration.lower(predicted(2), 0.9) > 0).all() == finite
    assert np.isfinite(calibration.upper(predicted(2), 0.9)).all() == finite


def test_runs_of_an_instance_share_its_weight():
    many = Calibration(np.r_[np.full(100, 1.0), np.arange(2.0, 10.0)], np.r_[np.zeros(100, int), np.arange(1, 9)], 99.0)
    one = Calibration(np.arange(1.0, 10.0), np.arange(9), 99.0)
    for level in (0.5, 0.9):
        assert many.lower(predicted(1), level) == pytest.approx(one.lower(predicted(1), level))
        assert many.upper(predicted(1), level) == pytest.approx(one.upper(predicted(1), level))


def test_several_runs_per_instance_hold_for_a_new_instance():
    rng, repeats, n, runs = RNG(1), 3000, 15, 8
    effect = rng.normal(size=(repeats, n + 1, 1))
    times = np.exp(3 * effect + 0.1 * rng.normal(size=(repeats, n + 1, runs)))  # runs of an instance are nearly equal
    rtd, instance = predicted(repeats), np.repeat(np.arange(n), runs)
    ends = [
        (c.lower(rtd[k], 0.8)[0], c.upper(rtd[k], 0.8)[0])
        for k, c in ((k, Calibration(times[k, :n].ravel(), instance, np.inf)) for k in range(repeats))
    ]
    lower, upper = np.array(ends).T
    new = times[:, n, 0]
    assert (new >= lower).mean() >= 0.8 - 0.02
    assert (new <= upper).mean() >= 0.8 - 0.02
    assert (new <= upper).mean() < 0.9  # and hardly more


def test_far_tails_stay_exact():
    calibration = Calibration(np.full(20, 500.0), np.arange(20), np.inf)  # 1 - F is 1e-217: F itself is 1
    assert calibration.upper(predicted(1), 0.9)[0] == pytest.approx(500.0)
    assert calibration.lower(predicted(1), 0.9)[0] == pytest.approx(500.0)


def test_a_cutoff_by_features_is_needed_of_every_row():
    calibration = Calibration(np.arange(1.0, 20.0), np.arange(19), None)
    with pytest.raises(SettingError, match="function of the features; give that of each row"):
        calibration.lower(predicted(2))
    with pytest.raises(SettingError, match="one number per row"):
        calibration.lower(predicted(2), cutoff=[1.0, 2.0, 3.0])
    assert calibration.upper(predicted(2), cutoff=[5.0, 50.0]).tolist() == [np.inf, pytest.approx(18.0)]
    assert calibration.lower(predicted(2), cutoff=[0.5, 50.0]).tolist() == [0.5, pytest.approx(2.0)]


def test_another_cutoff_than_that_of_the_calibration_is_refused():
    calibration = Calibration(np.arange(1.0, 20.0), np.arange(19), 30.0)
    with pytest.raises(SettingError, match="cutoff of 30 s, and bounds hold for that one"):
        calibration.upper(predicted(2), cutoff=60.0)
