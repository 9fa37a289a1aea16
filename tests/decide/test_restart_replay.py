import numpy as np
import pytest

from bayes_distnet.decide.restarts.policies.fixed import Fixed, never
from bayes_distnet.decide.restarts.policies.geometric import Geometric
from bayes_distnet.decide.restarts.policies.luby import Luby
from bayes_distnet.decide.restarts.replay import RecordedRuns, fixed_time, policy_time, simulate
from bayes_distnet.errors import RuntimeDataError


def recorded(seconds, finished=None):
    seconds = np.array(seconds, dtype=float)
    return RecordedRuns.of(seconds, np.ones(len(seconds), bool) if finished is None else np.array(finished))


@pytest.fixture
def heavy():
    rng = np.random.default_rng(0)
    seconds = np.exp(1.5 * rng.normal(size=60))
    return RecordedRuns.of(np.minimum(seconds, 8.0), seconds <= 8.0)


def test_a_fixed_cutoff_is_time_over_successes():
    runs = recorded([1.0, 2.0, 3.0, 50.0])
    np.testing.assert_allclose(fixed_time(runs, np.array([2.5, 50.0, np.inf])), [8.0 / 2, 56.0 / 4, 56.0 / 4])
    assert fixed_time(runs, np.array([2.5]), overhead=1.0)[0] == pytest.approx((2.0 + 0.5) / 0.5)


def test_runs_that_were_cut_off_are_never_finished():
    runs = recorded([1.0, 5.0, 5.0], [True, False, False])
    assert runs.limit == 5.0
    # No attempt is longer than the limit: (1 + 5 + 5) seconds for one success.
    np.testing.assert_allclose(fixed_time(runs, np.array([5.0, 100.0, np.inf])), 11.0)
    assert policy_time(runs, never()) == pytest.approx(11.0)


def test_a_cutoff_below_all_runs_is_not_cheap():
    runs = recorded([1.0, 2.0, 3.0, 4.0])
    times = fixed_time(runs, np.array([1e-9, 0.5, 1.0]))
    assert times[0] == times[1] == pytest.approx(8.0)  # stopped at 1 s, half a run in four finishing
    assert times[2] == pytest.approx(4.0)


@pytest.mark.parametrize("cutoff", [0.3, 1.0, 5.0, np.inf])
@pytest.mark.parametrize("overhead", [0.0, 0.7])
def test_a_policy_of_one_cutoff_has_the_time_of_that_cutoff(heavy, cutoff, overhead):
    found = policy_time(heavy, Fixed(cutoff), overhead)
    assert found == pytest.approx(fixed_time(heavy, np.array([cutoff]), overhead)[0], rel=1e-6)


@pytest.mark.parametrize("policy", [Luby(0.2), Geometric(0.1, 1.3), Fixed(0.8)])
def test_replay_is_the_mean_of_simulation(heavy, policy):
    rng, overhead = np.random.default_rng(1), 0.1
    totals = []
    for _ in range(4000):
        failed, last = simulate(heavy, policy.next_cutoff, rng)
        totals.append(sum(failed) + last + overhead * len(failed))
    error = np.std(totals) / np.sqrt(len(totals))
    assert policy_time(heavy, policy, overhead) == pytest.approx(np.mean(totals), abs=4 * error)


def test_halves_share_no_run_and_hold_all(heavy):
    first, second = heavy.halves(3)
    assert len(first) == len(second) == 30
    np.testing.assert_allclose(np.sort(np.concatenate([first.seconds, second.seconds])), heavy.seconds)
    assert (np.diff(first.seconds) >= 0).all()
    np.testing.assert_array_equal(heavy.halves(3)[0].seconds, first.seconds)


def test_missing_runs_are_left_out_and_none_is_an_error():
    assert len(recorded([1.0, np.nan, 2.0])) == 2
    with pytest.raises(RuntimeDataError, match="without any run"):
        recorded([np.nan])


def test_smoothed_runs_have_almost_unbiased_logs_of_chances():
    rng, chance = np.random.default_rng(0), 0.3
    plain, smooth = [], []
    for _ in range(4000):
        runs = recorded(np.where(rng.random(8) < chance, 1.0, 3.0))
        if runs.seconds[0] < 2:
            plain.append(np.log(runs.attempt(np.array([2.0]))[1][0]))
            smooth.append(np.log(runs.smoothed().attempt(np.array([2.0]))[1][0]))
    given_one = chance / (1 - (1 - chance) ** 8)
    assert abs(np.mean(smooth) - np.log(given_one)) < 0.5 * abs(np.mean(plain) - np.log(given_one))
    assert recorded([1.0, 2.0]).smoothed().attempt(np.array([0.5, 5.0]))[1].tolist() == [0.0, 1.0]
