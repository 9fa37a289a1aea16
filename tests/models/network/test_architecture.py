import jax.numpy as jnp
import numpy as np
import pytest

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


def test_local_noise_has_the_distribution_of_noisy_weights():
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
