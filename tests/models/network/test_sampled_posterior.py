import importlib.util
import sys

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from bayes_distnet import BayesDistNet, load_model, make_runs
from bayes_distnet.data.observations import observe
from bayes_distnet.errors import SettingError

pytest.importorskip("blackjax")

from bayes_distnet.models.network import nuts
from bayes_distnet.models.network.architecture import Architecture, forward
from bayes_distnet.models.network.convergence import effective_draws, r_hat
from bayes_distnet.models.network.instance_likelihood import InstanceRuns
from bayes_distnet.models.network.links import StandardisedLink
from bayes_distnet.models.network.sampled_posterior import WeightPosterior, effect_size

QUICK = {"posterior": "nuts", "n_members": 2, "n_draws": 4, "hidden_layer_sizes": (4,), "max_iter": 50}


@pytest.fixture(scope="module")
def data():
    return make_runs(n_instances=30, n_runs=3, n_features=3, random_state=3).cut_off(0.2)


@pytest.fixture(scope="module")
def model(data):
    return fitted(data)


def fitted(data, **settings):
    with pytest.warns(ConvergenceWarning, match="R-hat"):  # after twenty steps
        return BayesDistNet(**(QUICK | settings)).fit(data.features, data.seconds, finished=data.finished)


def linear_problem(n=40, k=3, scale=0.5, size=0.0):
    """A network without hidden layers whose spread is known: its posterior is that of a linear regression."""
    rng = np.random.default_rng(0)
    architecture = Architecture(2, 2, hidden=(), skip=False)
    prior = architecture.flatten({"w_out": np.array([[1.0, 0.0], [0.5, 0.0]]), "b_out": np.array([1.0, 0.0])})
    x = rng.normal(size=(n, 2))
    scores = np.sqrt(size) * rng.normal(size=(n, 1)) + np.sqrt(1 - size) * rng.normal(size=(n, k))
    y = (x @ [0.8, -0.3] + 0.2)[:, None] + scale * scores
    data = {
        "features": x,
        "runs": InstanceRuns.of(observe(x, np.exp(y))[1], 0.0),
        "prior": prior,
        "spread": np.asarray(scale),
        "power": np.asarray(1.0),
    }
    return architecture, data, y, np.c_[x, np.ones(n)], scale**2 * np.diag([1.0, 0.25, 1.0])


def sampled(architecture, data, dimensions, **settings):
    import jax
    import jax.numpy as jnp

    given = {"warm_up": 300, "draws": 500, "thinning": 1, "seed": 0} | settings
    tree = jax.tree.map(lambda values: jnp.asarray(values, jnp.float32), data)
    shared = given.pop("shared", False)
    return nuts.draw_chains(
        WeightPosterior(architecture, StandardisedLink(), shared), tree, np.zeros((4, dimensions)), **given
    )


@pytest.mark.slow
def test_a_known_posterior_is_recovered():
    architecture, data, y, design, prior = linear_problem()
    positions, divergent = sampled(architecture, data, architecture.n_weights + 1)
    # log T = location + 0.5 e: the posterior of the location at new rows is normal.
    precision = np.linalg.inv(prior) + y.shape[1] * design.T @ design / 0.25
    covariance = np.linalg.inv(precision)
    mean = covariance @ (design.T @ y.sum(axis=1)) / 0.25
    new = np.array([[0.0, 0.0], [2.0, -1.0], [-3.0, 3.0]])
    asked = np.c_[new, np.ones(3)]
    found = 0.5 * forward(architecture, positions[..., :-1] * data["prior"], new)[0][..., 0]
    expected, deviation = asked @ mean, np.sqrt(np.einsum("ij,jk,ik->i", asked, covariance, asked))
    number = effective_draws(found)
    assert r_hat(found).max() < 1.02
    assert not divergent.any()
    # Four standard errors of a mean and of a deviation.
    np.testing.assert_array_less(np.abs(found.mean(axis=(0, 1)) - expected) / deviation, 4 / np.sqrt(number))
    np.testing.assert_array_less(np.abs(found.std(axis=(0, 1)) / deviation - 1.0), 4 / np.sqrt(2 * number))


@pytest.mark.slow
def test_the_size_of_the_effect_is_learnt_from_runs_that_share_it():
    architecture, data, *_ = linear_problem(n=150, k=4, size=0.4)
    positions, _ = sampled(architecture, data, architecture.n_weights + 1, shared=True, warm_up=200, draws=100)
    found = np.asarray(effect_size(positions[..., -1]))
    assert found.mean() == pytest.approx(0.4, abs=0.1)
    assert 0.02 < found.std() < 0.1  # the prior's deviation is 0.12, and its mean 0.15


def test_a_power_of_the_likelihood_narrows_the_posterior():
    architecture, data, *_ = linear_problem()
    settings = {"warm_up": 100, "draws": 200}
    one, cold = (
        sampled(architecture, data | {"power": np.asarray(power)}, architecture.n_weights + 1, **settings)[0]
        for power in (1.0, 4.0)
    )
    # Where data outweigh the prior, four times the log likelihood halves the deviation.
    assert cold[..., 0].std() == pytest.approx(0.5 * one[..., 0].std(), rel=0.2)


def test_weights_of_padding_inputs_stay_out(model):
    first_layer = model.ensemble_.architecture.unflatten(model.ensemble_.weights)["w0"]
    assert np.any(first_layer[..., :3, :])
    assert not np.any(first_layer[..., 3:, :])


def test_draws_of_all_chains_predict(data, model):
    rtd = model.predict_distribution(data.features)
    assert model.ensemble_.weights.shape[:2] == (2, 4)
    low, high = rtd.band(0.9)
    assert (low < rtd.median()).all()
    assert (rtd.median() < high).all()
    assert np.isfinite(rtd.given_runs(data.seconds, data.finished).median()).all()
    assert "assumed" not in repr(rtd)


def test_the_seed_fixes_the_result(data, model):
    again, other = fitted(data), fitted(data, random_state=1)
    np.testing.assert_array_equal(again.predict(data.features), model.predict(data.features))
    assert np.any(other.predict(data.features) != model.predict(data.features))


def test_a_saved_model_predicts_the_same_without_the_sampler(data, model, tmp_path, monkeypatch):
    model.save(tmp_path)
    monkeypatch.setitem(sys.modules, "blackjax", None)
    loaded = load_model(tmp_path)
    before, after = (m.predict_distribution(data.features) for m in (model, loaded))
    np.testing.assert_array_equal(after.quantile([0.1, 0.9]), before.quantile([0.1, 0.9]))
    np.testing.assert_array_equal(after.band(0.9), before.band(0.9))
    assert loaded.r_hat_ == model.r_hat_


@pytest.mark.slow
def test_with_one_run_per_instance_the_split_is_assumed(data):
    with pytest.warns(ConvergenceWarning, match="R-hat"):
        one = BayesDistNet(**QUICK).fit(data.features, data.seconds[:, 0], finished=data.finished[:, 0])
    assert "assumed" in repr(one.predict_distribution(data.features))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"posterior": "laplace"}, "posterior='laplace': expected one of 'variational', 'nuts'"),
        ({"posterior": "nuts", "preset": "paper"}, "would ignore posterior='nuts'"),
        ({"posterior": "nuts", "output": "runtimes"}, "output='runtimes': posterior='nuts' needs"),
        ({"posterior": "nuts", "family": "weibull"}, "family='weibull': posterior='nuts' needs"),
        ({"posterior": "nuts", "kl_weights": (1.0, 0.1)}, "needs a single weight"),
        ({"posterior": "nuts", "kl_weights": (0.0,)}, "expected a positive number"),
        ({"posterior": "nuts", "n_draws": 2}, "n_draws=2: expected a whole number of at least 4"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(data, settings, message):
    with pytest.raises(SettingError, match=message) as caught:
        BayesDistNet(**settings).fit(data.features, data.seconds)
    assert "\n" not in str(caught.value)


def test_a_missing_sampler_is_named_before_anything_is_trained(data, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "blackjax" else find(name))
    with pytest.raises(SettingError, match=r"blackjax is not installed; run pip install '\.\[reference\]'"):
        BayesDistNet(posterior="nuts").fit(data.features, data.seconds)


def test_a_long_time_is_announced(monkeypatch):
    architecture, data, *_ = linear_problem()
    monkeypatch.setattr(nuts, "LONG", 0.0)
    with pytest.warns(UserWarning, match="takes about 0.0 hours"):
        sampled(architecture, data, architecture.n_weights + 1, warm_up=20, draws=10)
