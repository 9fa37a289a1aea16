import numpy as np
import pytest

from bayes_distnet import BayesDistNet, RuntimeDistribution, load_model, make_runs
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.families import LogNormal, Weibull
from bayes_distnet.models.network.open_tail import STRETCHES, UNTESTED, OpenTail

ROWS = 400


def bell(rows=ROWS):
    """A lognormal (0, 1) per row: half of the runs pass a horizon of 1 s."""
    return RuntimeDistribution(LogNormal(np.zeros((rows, 1)), np.ones((rows, 1))))


def runs_past_one_second(stretch):
    """Runs that are as predicted up to 1 s, and past it compressed or stretched in log time."""
    log_time = np.random.default_rng(0).normal(size=ROWS)
    log_time[log_time > 0] *= stretch
    return Observations(np.arange(ROWS), np.exp(log_time), np.ones(ROWS, bool), ROWS)


def learnt(stretch):
    return OpenTail.fit(bell(), runs_past_one_second(stretch), "lognormal", 1.0, 1.0)


def past(tail):
    return float(tail.of(bell(1), "lognormal", 1.0, 1.0).sf(3.0)[0])


def test_runs_past_an_earlier_horizon_show_how_far_they_go():
    short, plain, long = (past(learnt(stretch)) for stretch in (0.25, 1.0, 3.0))
    true = float(bell(1).sf(3.0)[0])
    assert short < 0.8 * true
    assert plain == pytest.approx(true, rel=0.12)
    assert long > 1.3 * true


def test_a_part_is_kept_for_what_the_earlier_horizon_cannot_show():
    assert (learnt(0.25).weights >= 0.15 * UNTESTED).all()


def test_the_probability_of_passing_the_horizon_stays():
    loc = np.random.default_rng(1).normal(size=(5, 30))
    rtd = RuntimeDistribution(LogNormal(loc, np.full((5, 30), 0.3)))
    for at in range(1, len(UNTESTED)):
        weights = np.zeros(len(UNTESTED))
        weights[at] = 1.0
        opened = OpenTail(weights).of(rtd, "lognormal", 1.2, 1.0)
        np.testing.assert_allclose(opened.sf(1.2), rtd.sf(1.2), atol=0.02)
    assert opened.n_components <= rtd.n_components + 1


def test_other_families_keep_their_own_tail_and_the_widest():
    rtd = RuntimeDistribution(Weibull(np.ones((3, 1)), np.full((3, 1), 2.0)))
    tail = OpenTail.untested("weibull")
    assert not tail.weights[1 : 1 + len(STRETCHES)].any()
    opened = tail.of(rtd, "weibull", 1.0, 0.5)
    np.testing.assert_allclose(opened.sf(1.0), rtd.sf(1.0), atol=1e-9)
    assert (opened.sf(5.0) > rtd.sf(5.0)).all()


@pytest.mark.parametrize("weights", [[0.5, 0.0, 0.0, 0.0, 0.6], [1.1, 0.0, 0.0, 0.0, -0.1], [1.0], [np.nan] * 5])
def test_weights_that_are_no_fractions_are_refused(weights):
    with pytest.raises(ValueError, match="tail"):
        OpenTail(np.array(weights))


def test_a_fitted_tail_is_saved(tmp_path):
    data = make_runs(n_instances=60, n_runs=2, random_state=0).cut_off(0.5)
    model = BayesDistNet(max_iter=50).fit(data.features, data.seconds, data.finished)
    assert not np.allclose(model.ensemble_.tail.weights, UNTESTED)
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(load_model(tmp_path / "model").ensemble_.tail.weights, model.ensemble_.tail.weights)


def test_with_few_runs_past_the_earlier_horizon_nothing_is_learnt():
    data = make_runs(n_instances=15, n_runs=2, random_state=0).cut_off(0.5)
    model = BayesDistNet(max_iter=50).fit(data.features, data.seconds, data.finished)
    np.testing.assert_allclose(model.ensemble_.tail.weights, UNTESTED)


@pytest.mark.parametrize("seconds", [1e-300, 1e300])
def test_runs_that_no_tail_allows_do_no_harm(seconds):
    narrow = RuntimeDistribution(LogNormal(np.full((3, 1), -3.0), np.full((3, 1), 0.01)))
    runs = Observations(np.arange(3), np.array([0.05, 0.05, seconds]), np.ones(3, bool), 3)
    weights = OpenTail.fit(narrow, runs, "lognormal", 1.0, 0.01).weights
    assert np.isfinite(weights).all()
