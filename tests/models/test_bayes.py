import numpy as np
import pytest
from scenarios import log_linear

from bayes_distnet import BayesDistNet, make_runs
from bayes_distnet.distributions.instance_runtimes import InstanceRuntimes


@pytest.fixture(scope="module")
def data():
    return make_runs(n_instances=40, n_runs=3, n_features=5, random_state=3).cut_off(0.2)


@pytest.mark.slow
@pytest.mark.parametrize("cutoff", [np.inf, 9.0], ids=["all finished", "40 % cut off"])
@pytest.mark.parametrize("output", ["parameters", "runtimes"])
def test_recovers_a_known_distribution_also_behind_the_cutoff(cutoff, output):
    x, t, finished = log_linear(n=2000, cutoff=cutoff)
    asked = np.array([[0.2], [0.4], [0.6]])
    model = BayesDistNet(output=output, random_state=0).fit(x, t, finished=finished)
    rtd = model.predict_distribution(asked)
    true = np.exp(3.662 * asked + 0.5 * np.array([-1.2816, 0.0, 1.2816]))
    # In the last row half of the runs are cut off: counting them as finished misses its 0.9 quantile by 40 %.
    learnt = model.ensemble_.network(model.ensemble_.inputs(asked))
    np.testing.assert_allclose(learnt.quantile([0.1, 0.5, 0.9]), true, rtol=0.1)
    # The open tail is an insurance whose price is paid where the tail is a lognormal's after all.
    np.testing.assert_allclose(rtd.quantile([0.1, 0.5, 0.9]), true, rtol=0.1 if np.isinf(cutoff) else 0.25)


@pytest.mark.slow
@pytest.mark.parametrize("output", ["parameters", "runtimes"])
def test_learns_a_spread_that_grows_with_a_feature(output):
    rng = np.random.default_rng(0)
    x = rng.uniform(size=(400, 1))
    t = np.exp((0.1 + 0.9 * x) * rng.normal(size=(400, 4)))
    rtd = BayesDistNet(output=output, random_state=0).fit(x, t).predict_distribution([[0.1], [0.5], [0.9]])
    spread = np.log(rtd.quantile(0.8413) / rtd.quantile(0.1587)) / 2
    np.testing.assert_allclose(spread, [0.19, 0.55, 0.91], rtol=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["inverse-gaussian", "exponential", "weibull", "gamma", "loglogistic"])
def test_every_family_learns_from_cut_off_runs(family):
    x, t, finished = log_linear(n=600, cutoff=9.0)
    rtd = (
        BayesDistNet(family=family, max_iter=300, random_state=0)
        .fit(x, t, finished=finished)
        .predict_distribution([[0.6]])
    )
    assert rtd.family == family
    assert np.log(rtd.median()) == pytest.approx(np.log(9.0), abs=0.4)


def test_history_shows_the_training(data):
    history = BayesDistNet(max_iter=100, n_members=2, kl_weights=(0.5, 0.1)).fit(data.features, data.seconds).history_
    assert list(history.columns) == ["step", "kl_weight", "training_loss", "held_out_loss"]
    assert history["step"].tolist() == [50, 50, 100, 100]
    assert np.isfinite(history.to_numpy()).all()


def test_ignorance_is_told_from_luck_where_it_can_be(data):
    quick = {"max_iter": 50, "random_state": 0}
    assert isinstance(fitted(data, **quick).predict_distribution(data.features), InstanceRuntimes)
    for cannot in ({"output": "runtimes"}, {"n_members": 1, "kl_weights": (0.3,)}):
        rtd = fitted(data, **quick, **cannot).predict_distribution(data.features)
        assert not isinstance(rtd, InstanceRuntimes)


def test_settings_changed_after_fitting_leave_the_split_alone(data):
    model = fitted(data, max_iter=50, random_state=0)
    before = model.predict_distribution(data.features).band(0.9)
    model.set_params(output="runtimes", n_members=1)
    np.testing.assert_array_equal(model.predict_distribution(data.features).band(0.9), before)


def test_threads_go_with_the_published_preset():
    assert BayesDistNet(preset="paper", n_jobs=-1)._recipe() == BayesDistNet(preset="paper")._recipe()


def fitted(data, **settings):
    return BayesDistNet(**settings).fit(data.features, data.seconds, finished=data.finished)
