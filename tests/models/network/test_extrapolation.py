import numpy as np
import pytest

from bayes_distnet import BayesDistNet, RuntimeDistribution, make_runs
from bayes_distnet.distributions.families import InverseGaussian, LogNormal
from bayes_distnet.models.familiarity import OUTSIDE
from bayes_distnet.models.network.extrapolation import Extrapolation
from bayes_distnet.models.network.open_tail import OpenTail

TAIL = OpenTail(np.array([0.7, 0.0, 0.0, 0.0, 0.3]))


def open_ended(rtd, horizon, spread, family):
    return Extrapolation(family, center=0.0, spread=spread, reach=1.0, horizon=horizon, tail=TAIL).open_ended(rtd)


def test_past_the_horizon_only_the_probability_of_getting_there_is_held():
    # A cutoff of 1 s that half, a tenth, nine tenths of the runs pass, on a narrow law.
    narrow = RuntimeDistribution(LogNormal(np.array([[0.0], [-0.128], [0.128]]), np.full((3, 1), 0.1)))
    wider = open_ended(narrow, 1.0, 0.1, "lognormal")
    np.testing.assert_allclose(wider.sf(1.0), narrow.sf(1.0), atol=1e-9)
    assert (narrow.sf(2.0) < 1e-6).all()
    # A tenth of 0.3 goes to N(-1.28, 1) in the row that seldom passes: 0.024 of that lies past 2 s.
    assert wider.sf(2.0)[1] == pytest.approx(0.3 * 0.1 * 0.0244, rel=0.05)
    assert (wider.sf(2.0)[[0, 2]] > 0.03).all()
    assert open_ended(narrow, np.inf, 0.1, "lognormal") is narrow


def test_the_open_tail_is_of_the_prediction_s_own_family():
    narrow = RuntimeDistribution(InverseGaussian(np.array([[1.0]]), np.array([[50.0]])))
    wider = open_ended(narrow, 1.0, 0.1, "inverse-gaussian")
    assert wider.sf(1.0)[0] == pytest.approx(narrow.sf(1.0)[0], abs=1e-9)
    assert wider.sf(3.0)[0] > 100 * narrow.sf(3.0)[0]


def test_far_away_a_prediction_gives_way_and_near_by_it_is_unchanged():
    law = Extrapolation("lognormal", center=0.0, spread=1.0, reach=4.0, horizon=np.inf, tail=TAIL)
    sure = RuntimeDistribution(LogNormal(np.full((5, 1), 3.0), np.full((5, 1), 0.1)))
    distance = np.array([0.5, 1.0, OUTSIDE, 2 * OUTSIDE, 1e6])
    far = law.far(np.zeros((5, 3)), distance)
    rtd = law.gated(sure, far)
    np.testing.assert_allclose(rtd.median()[:3], sure.median()[:3], rtol=1e-9)
    np.testing.assert_allclose(law.untested(sure, far), [0.0, 0.0, 0.0, 0.75, 1 - 1 / 256])
    # Log time 0 is the middle of all runs.
    assert np.log(rtd.median()[4]) == pytest.approx(0.0, abs=0.05)
    width = np.log(rtd.quantile(0.75) / rtd.quantile(0.25))
    assert width[0] < width[3] < width[4]


def test_rows_are_far_by_many_features_or_by_one():
    law = Extrapolation("lognormal", center=0.0, spread=1.0, reach=4.0, horizon=np.inf, tail=TAIL)
    all_out, one_out = np.full((1, 100), 6.0), np.zeros((1, 100))
    one_out[0, 0] = 8.0  # scaled features go no farther
    np.testing.assert_allclose(law.far(all_out, np.array([1.0])), 36 / 6)
    np.testing.assert_allclose(law.far(one_out, np.array([1.0])), 1.0)
    np.testing.assert_allclose(law.far(one_out, np.array([5 * OUTSIDE])), 5.0)
    # No feature varies, or one is past all numbers.
    still = Extrapolation("lognormal", center=0.0, spread=1.0, reach=0.0, horizon=np.inf, tail=TAIL)
    np.testing.assert_allclose(still.far(np.zeros((2, 0)), np.array([0.5, 1e6])), [1.0, 16.0])


@pytest.mark.parametrize("output", ["parameters", "runtimes"])
def test_behind_a_cutoff_that_hides_most_a_network_stays_open(output):
    data = make_runs(n_instances=60, n_runs=4, random_state=0).cut_off(0.8)
    model = BayesDistNet(output=output, max_iter=100).fit(data.features, data.seconds, data.finished)
    rtd = model.predict_distribution(data.features)
    cutoff = data.seconds.max()
    # A share of at least 0.05 is wide, of which much lies past three times the cutoff.
    assert (rtd.sf(3 * cutoff) > 0.01 * rtd.sf(cutoff)).all()
