from fractions import Fraction

import numpy as np
import pytest

from bayes_distnet.data.kaplan_meier import kaplan_meier, median_runtime


def exact_survival(times, finished):
    """The estimate by its definition, in fractions: probability to run longer, by time."""
    alive, survival = Fraction(1), {}
    for time in sorted(set(times)):
        at_risk = sum(t >= time for t in times)
        ended = sum(t == time and done for t, done in zip(times, finished, strict=True))
        alive *= Fraction(at_risk - ended, at_risk)
        survival[time] = alive
    return survival


def random_runs(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 30))
    return rng.integers(1, 10, size=count).astype(float), rng.random(count) < 0.7


@pytest.mark.parametrize("seed", range(50))
def test_the_estimate_agrees_with_its_definition(seed):
    times, finished = random_runs(seed)
    mass = kaplan_meier(times, finished)
    for time, alive in exact_survival(times, finished).items():
        assert mass[times > time].sum() + 1 - mass.sum() == pytest.approx(float(alive), abs=1e-12)
    assert (mass[~finished] == 0).all()
    if not finished.all():
        expected = [time for time, alive in exact_survival(times, finished).items() if alive <= Fraction(1, 2)]
        np.testing.assert_equal(median_runtime(times, finished), expected[0] if expected else np.nan)


def test_without_cut_off_runs_all_count_the_same():
    assert kaplan_meier(np.array([3.0, 1.0, 2.0, 5.0]), np.ones(4, bool)) == pytest.approx([0.25] * 4)
    assert median_runtime(np.array([3.0, 1.0, 2.0, 5.0]), np.ones(4, bool)) == 2.5


def test_a_run_cut_off_at_the_time_of_a_finished_one_was_still_running():
    assert kaplan_meier(np.array([1.0, 1.0]), np.array([False, True])).tolist() == [0.0, 0.5]
