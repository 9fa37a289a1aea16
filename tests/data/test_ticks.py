import numpy as np
import pytest

from bayes_distnet.data.observations import Observations, ZeroRuntimeWarning, check_seconds
from bayes_distnet.data.shipped.load import load_dataset
from bayes_distnet.data.shipped.registry import DATASETS
from bayes_distnet.data.synthetic import make_runs
from bayes_distnet.data.ticks import find_tick, resolve_tick, spread_over_ticks
from bayes_distnet.errors import SettingError


def lognormal(median, size=500, spread=1.0, seed=0):
    return median * np.random.default_rng(seed).lognormal(0.0, spread, size)


@pytest.mark.parametrize(
    ("tick", "median"), [(0.01, 0.1), (0.01, 5.0), (1.0, 30.0), (0.004, 0.05), (1 / 64, 0.2), (60.0, 900.0)]
)
def test_times_of_a_ticking_timer_show_its_tick(tick, median):
    times = np.rint(lognormal(median) / tick) * tick
    assert find_tick(times) == pytest.approx(tick)


def test_rounding_errors_of_the_numbers_do_not_hide_a_tick():
    times = lognormal(0.3).round(2)
    later = (1000.1 + times) - 1000.1  # a difference of two readings of a clock
    assert (later != times).any()
    assert find_tick(later) == 0.01
    assert find_tick(times.astype(np.float32)) == 0.01


def test_zeros_count_as_ticks_before_and_after_they_are_raised():
    times = lognormal(0.03).round(2)
    times = times[times != 0.01]  # half of the smallest positive time is not half a tick
    assert (times == 0).any()
    assert find_tick(times) == 0.01
    with pytest.warns(ZeroRuntimeWarning, match="they are taken as 0.005 s, half of the timer's tick"):
        raised, _ = check_seconds(times)
    assert raised.min() == 0.005
    assert find_tick(raised) == 0.01


def test_runs_that_were_cut_off_and_missing_runs_are_left_out():
    times = np.append(lognormal(0.3).round(2), [0.123456] * 5)
    assert find_tick(times) is None
    assert find_tick(times, times != 0.123456) == 0.01
    assert find_tick(np.where(times == 0.123456, np.nan, times).reshape(-1, 5)) == 0.01


def test_a_clock_that_is_fine_for_the_runs_has_no_tick():
    times = lognormal(0.01, 20_000, 0.3)
    assert find_tick(times) is None
    micro = times.round(6)
    assert len(np.unique(micro)) < 0.7 * len(micro)  # times repeat by chance
    assert find_tick(micro) is None
    assert find_tick(lognormal(5000.0, 20_000, 0.3).round(0)) is None
    assert find_tick(make_runs(n_instances=100, n_runs=8, random_state=0).seconds) is None


@pytest.mark.parametrize("name", DATASETS)
def test_shipped_data_sets_have_no_tick(name):
    data = load_dataset(name)
    for solver in data.solvers:
        runs = data.runs.of(solver).observed()
        assert find_tick(runs.seconds, runs.finished) is None
        assert find_tick(runs.seconds[::7], runs.finished[::7]) is None


def test_whole_numbers_that_do_not_repeat_are_no_ticks():
    assert find_tick(np.random.default_rng(0).permutation(400) + 1.0) is None


def test_repeats_without_neighbours_are_no_ticks():
    own = np.rint(lognormal(500.0, 40))  # 40 instances, each of which always takes the same time
    assert find_tick(np.repeat(own, 10)) is None
    assert find_tick(np.full(100, 2.0)) is None


def test_few_runs_show_no_tick():
    times = lognormal(0.1, 15, 0.3).round(2)
    assert find_tick(times) is None
    assert find_tick(np.tile(times, 10)) == 0.01
    assert find_tick([]) is None


def test_settings_of_ticks():
    times = lognormal(0.1).round(2)
    assert resolve_tick("auto", times) == 0.01
    assert resolve_tick(None, times) is None
    assert resolve_tick(2, times) == 2.0
    for bad in (0.0, -1.0, "no", True, np.nan):
        with pytest.raises(SettingError, match="tick="):
            resolve_tick(bad, times)


def test_times_are_spread_evenly_over_their_ticks():
    times = lognormal(0.05).round(2)
    times[times == 0] = 0.005
    spread = spread_over_ticks(times, 0.01, 0)
    centre = np.where(times == 0.005, 0.0, times)
    assert np.all(np.abs(spread - centre) < 0.005)
    assert spread.min() >= 0.001
    assert len(np.unique(spread)) == len(spread)
    assert find_tick(spread) is None
    for value in np.unique(centre)[1:]:
        own = np.sort(spread[centre == value])
        even = value - 0.005 + 0.01 * (np.arange(len(own)) + 0.5) / len(own)
        np.testing.assert_allclose(own, even, atol=1e-12)


def test_the_order_within_a_tick_is_fixed_by_the_seed_and_no_other():
    times = np.repeat([0.03, 0.04], 50)
    one, same, other = (spread_over_ticks(times, 0.01, seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()
    assert abs(np.corrcoef(np.arange(50), one[:50])[0, 1]) < 0.5  # rows in order must not become times in order


def test_only_finished_runs_are_spread():
    seconds, finished = np.full(20, 0.03), np.arange(20) % 2 == 0
    runs = Observations(np.arange(20), seconds, finished, 20).over_ticks(0.01, 0)
    assert np.all(runs.seconds[~finished] == 0.03)
    assert len(np.unique(runs.seconds[finished])) == 10
