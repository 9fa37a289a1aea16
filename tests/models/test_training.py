import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import ndtr

from bayes_distnet import BayesDistNet, DistNet, make_runs
from bayes_distnet.data.observations import Observations
from bayes_distnet.models.network import fitting
from bayes_distnet.models.network import training as tr
from bayes_distnet.models.network.architecture import (
    Architecture,
    Norm,
    forward,
    forward_local,
    gaussian_kl,
    noise_size,
    prior_scales,
    scale_mixture_kl,
)


@pytest.fixture(scope="module", params=["tanh", "raised-tanh", "softplus"])
def shape(request):
    return Architecture(n_inputs=5, n_outputs=2, hidden=(4, 3), activation=request.param)


ACTIVATIONS = {"tanh": np.tanh, "raised-tanh": lambda x: 1 + np.tanh(x), "softplus": lambda x: np.log(1 + np.exp(x))}


def plain_network(shape, flat, x):
    """The slow, obvious network: one row and one weight vector at a time."""
    w = shape.unflatten(flat)
    activate = ACTIVATIONS[shape.activation]
    h = activate(x @ w["w0"] + w["b0"])
    h = activate(h @ w["w1"] + w["b1"])
    return h @ w["w_out"] + w["b_out"] + x @ w["w_skip"]


def test_batched_draws_are_the_loop_over_draws(shape):
    rng = np.random.default_rng(0)
    weights, x = rng.normal(size=(6, shape.n_weights)), rng.normal(size=(7, 5))
    out, _ = forward(shape, weights, x)
    np.testing.assert_allclose(out, [[plain_network(shape, w, row) for row in x] for w in weights], rtol=1e-12)


def test_numpy_and_jax_run_the_same_network(shape):
    rng = np.random.default_rng(1)
    weights, x = rng.normal(size=(3, shape.n_weights)), rng.normal(size=(4, 5))
    np.testing.assert_allclose(
        forward(shape, jnp.asarray(weights, jnp.float32), jnp.asarray(x, jnp.float32))[0],
        forward(shape, weights, x)[0],
        rtol=1e-3,
        atol=1e-5,
    )


def test_local_noise_has_the_law_of_noisy_weights():
    # One hidden layer: the law of the outputs is the same, not only close.
    shape = Architecture(n_inputs=3, n_outputs=1, hidden=(4,))
    rng = np.random.default_rng(2)
    mu, sigma = rng.normal(size=shape.n_weights), rng.uniform(0.1, 0.5, size=shape.n_weights)
    x = rng.normal(size=(1, 3))
    draws = 200_000
    by_weights, _ = forward(shape, mu + sigma * rng.normal(size=(draws, shape.n_weights)), x)
    by_units = forward_local(shape, mu, sigma, x, rng.normal(size=(draws, 1, noise_size(shape))))
    levels = [0.05, 0.25, 0.5, 0.75, 0.95]
    np.testing.assert_allclose(np.quantile(by_units, levels), np.quantile(by_weights, levels), atol=0.02)


def test_batch_norm_uses_the_batch_in_training_and_the_running_averages_after(shape):
    normed = Architecture(n_inputs=5, n_outputs=2, hidden=(4, 3), skip=False, batch_norm=True)
    rng = np.random.default_rng(3)
    weights, x = rng.normal(size=(1, normed.n_weights)), rng.normal(size=(50, 5))
    _, moments = forward(normed, weights, x, Norm(np.ones(7), np.zeros(7)))
    first = x @ normed.unflatten(weights)["w0"][0] + normed.unflatten(weights)["b0"][0]
    np.testing.assert_allclose(moments[:, 0, :4], [first.mean(axis=0), first.var(axis=0)])
    batch, _ = forward(normed, weights, x, Norm(np.ones(7), np.zeros(7)))
    running, _ = forward(normed, weights, x, Norm(np.ones(7), np.zeros(7), moments[0, 0], moments[1, 0]))
    np.testing.assert_allclose(running, batch)


def test_gaussian_kl_is_the_mean_of_its_draws():
    rng = np.random.default_rng(4)
    mu, sigma, prior = rng.normal(size=3), rng.uniform(0.2, 1, size=3), np.array([0.5, 1.0, 2.0])
    w = mu + sigma * rng.normal(size=(400_000, 3))
    log_q = -0.5 * ((w - mu) / sigma) ** 2 - np.log(sigma)
    log_p = -0.5 * (w / prior) ** 2 - np.log(prior)
    mask = np.array([1.0, 1.0, 0.0])
    expected = (mask * (log_q - log_p)).sum(axis=1).mean()
    assert gaussian_kl(mu, sigma, prior, mask) == pytest.approx(expected, rel=0.01)


def test_the_scale_mixture_prior_is_the_papers():
    w = np.array([[0.0, 0.2, -1.0]])
    mu, sigma = np.array([0.1, 0.1, 0.1]), np.array([0.5, 0.5, 0.5])

    def normal(x, mean, sd):
        return np.exp(-0.5 * ((x - mean) / sd) ** 2) / (sd * np.sqrt(2 * np.pi))

    expected = np.log(normal(w, mu, sigma) / (0.5 * normal(w, 0, 0.3) + 0.5 * normal(w, 0, 0.01))).sum()
    assert scale_mixture_kl(w, mu, sigma, np.ones(3))[0] == pytest.approx(expected)


def test_padding_features_has_no_prior_and_the_spread_a_narrow_one(shape):
    prior, mask = (shape.unflatten(a) for a in prior_scales(shape, n_features=4))
    assert mask["w0"][4].tolist() == [0.0] * 4
    assert mask["w_skip"][4].tolist() == [0.0, 0.0]
    assert mask["w1"].all()
    np.testing.assert_allclose(prior["w_out"][:, 1] / prior["w_out"][:, 0], 0.3)


def test_features_that_matter_get_more_of_the_same_prior_variance(shape):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(60, 4))
    runs = Observations(np.arange(60), np.exp(x[:, 2]), np.ones(60, bool), 60)
    prior, _ = prior_scales(shape, n_features=4)
    members = np.array([0, 1, 0, 1])
    screened = fitting._screened(prior, shape, x, runs, np.arange(60) % 2, members, rng)
    before, after = shape.unflatten(prior), shape.unflatten(screened)
    assert (after["w0"][:, 2] > 1.2 * before["w0"][2]).all()
    assert (after["w0"][:, [0, 1, 3]] < before["w0"][0]).all()
    variance = (after["w0"][:, :4] ** 2).sum(axis=1)
    np.testing.assert_allclose(variance, np.tile((before["w0"][:4] ** 2).sum(axis=0), (4, 1)))
    np.testing.assert_array_equal(after["w1"][0], before["w1"])
    np.testing.assert_array_equal(screened[0], screened[2])  # the same fold left out, the same prior


def test_plain_networks_are_not_screened(monkeypatch):
    monkeypatch.setattr(fitting, "_screened", None)
    data = make_runs(n_instances=30, n_runs=2, n_features=5, random_state=0)
    DistNet(max_iter=50).fit(data.features, data.seconds)
    BayesDistNet(preset="paper").fit(data.features, data.seconds)


def test_a_second_fit_of_the_same_shape_compiles_nothing():
    data = make_runs(n_instances=50, n_runs=3, n_features=12, random_state=0)
    BayesDistNet(max_iter=50, n_members=2, random_state=0).fit(data.features, data.seconds)
    programs = tr._run_chunk._cache_size(), tr._held_out_loss._cache_size()
    other = make_runs(n_instances=55, n_runs=3, n_features=13, random_state=1).cut_off(0.3)
    BayesDistNet(max_iter=100, n_members=2, learning_rate=0.01, kl_weights=(0.3, 0.1, 0.03, 0.01), random_state=3).fit(
        other.features, other.seconds, finished=other.finished
    )
    assert (tr._run_chunk._cache_size(), tr._held_out_loss._cache_size()) == programs


def test_learning_lowers_the_loss_and_keeps_what_it_says_of_unseen_instances():
    data = make_runs(n_instances=200, n_runs=4, n_features=5, random_state=0)
    history = BayesDistNet(max_iter=300, n_members=2, kl_weights=(0.5,)).fit(data.features, data.seconds).history_
    first, last = history.iloc[0], history.iloc[-1]
    assert last["training_loss"] < first["training_loss"] - 0.1
    assert last["held_out_loss"] < first["held_out_loss"] + 0.1  # overfitting networks lose whole units here


def test_early_stopping_keeps_the_best_network():
    data = make_runs(n_instances=60, n_runs=2, n_features=40, random_state=0)
    patient = DistNet(max_iter=2000, n_iter_no_change=3, learning_rate=0.05).fit(data.features, data.seconds)
    losses = patient.history_["held_out_loss"].to_numpy()
    assert len(losses) < 40
    assert len(losses) == np.argmin(losses) + 1 + 3


def test_instances_with_very_many_runs_are_spread_over_rows():
    rng = np.random.default_rng(0)
    groups = np.concatenate([np.zeros(500, int), np.arange(1, 40)])
    x = groups[:, None] / 40.0
    model = BayesDistNet(max_iter=50, n_members=2).fit(x, rng.lognormal(x[:, 0], 0.3), groups=groups)
    assert np.isfinite(model.predict([[0.5]])).all()


def test_the_cache_can_be_moved_and_turned_off(monkeypatch, tmp_path):
    before = jax.config.jax_compilation_cache_dir
    try:
        jax.config.update("jax_compilation_cache_dir", None)
        monkeypatch.setenv(tr.CACHE_VARIABLE, "")
        tr.use_compilation_cache()
        assert jax.config.jax_compilation_cache_dir is None
        monkeypatch.setenv(tr.CACHE_VARIABLE, str(tmp_path))
        tr.use_compilation_cache()
        assert jax.config.jax_compilation_cache_dir == str(tmp_path)
    finally:
        jax.config.update("jax_compilation_cache_dir", before)


def test_stratified_normals_fall_one_into_each_slice():
    normals = fitting._stratified_normals((3, 16, 1000), np.random.default_rng(0))
    np.testing.assert_array_equal(np.sort(np.floor(ndtr(normals) * 16), axis=1)[0, :, 0], np.arange(16))
    assert np.abs(normals.mean(axis=1)).max() < 0.15  # plain draws: 0.25 in the mean
    assert normals.var() == pytest.approx(1.0, abs=0.01)
    assert abs(np.corrcoef(normals[0, :, :100], rowvar=False)[0, 1:].mean()) < 0.1  # weights are independent


def test_cosine_rates_warm_up_and_come_down():
    rates = tr.cosine_rates(500, 0.02)
    assert rates.max() == pytest.approx(0.02, rel=1e-3)
    assert rates.argmax() == pytest.approx(25, abs=1)
    assert rates[-1] == pytest.approx(0.0002, rel=0.1)
