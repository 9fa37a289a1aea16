import numpy as np
import pytest

from bayes_distnet import BayesDistNet, DistNet, make_runs
from bayes_distnet.data.observations import Observations
from bayes_distnet.models.network import fitting
from bayes_distnet.models.network.architecture import Architecture, prior_scales
from bayes_distnet.models.network.screening import importances, screened_prior


@pytest.fixture(scope="module", params=["tanh", "raised-tanh", "softplus"])
def shape(request):
    return Architecture(n_inputs=5, n_outputs=2, hidden=(4, 3), activation=request.param)


def test_features_that_matter_get_more_of_the_same_prior_variance(shape):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(60, 4))
    runs = Observations(np.arange(60), np.exp(x[:, 2]), np.ones(60, bool), 60)
    prior, _ = prior_scales(shape, n_features=4)
    members = np.array([0, 1, 0, 1])
    screened = screened_prior(prior, shape, importances(x, runs, np.arange(60) % 2, 2, rng), members)
    before, after = shape.unflatten(prior), shape.unflatten(screened)
    assert (after["w0"][:, 2] > 1.2 * before["w0"][2]).all()
    assert (after["w0"][:, [0, 1, 3]] < before["w0"][0]).all()
    variance = (after["w0"][:, :4] ** 2).sum(axis=1)
    np.testing.assert_allclose(variance, np.tile((before["w0"][:4] ** 2).sum(axis=0), (4, 1)))
    np.testing.assert_array_equal(after["w1"][0], before["w1"])
    np.testing.assert_array_equal(screened[0], screened[2])  # the same fold left out, the same prior


@pytest.mark.slow
def test_plain_networks_are_not_screened(monkeypatch):
    monkeypatch.setattr(fitting, "importances", None)
    data = make_runs(n_instances=30, n_runs=2, n_features=5, random_state=0)
    DistNet(max_iter=50).fit(data.features, data.seconds)
    BayesDistNet(preset="paper").fit(data.features, data.seconds)
