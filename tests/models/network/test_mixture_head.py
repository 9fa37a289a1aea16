import numpy as np
import pytest
from scipy.special import softmax

from bayes_distnet import BayesDistNet, load_model, make_runs
from bayes_distnet.models.network.mixture_head import LOG_WIDTH, N_OUTPUTS, PARTS, PLACES, parts_of

HUMPS = np.array([-1.5, 1.5])


def two_humps(rows, seed):
    """One run per instance, short or long by a coin; the first feature moves both."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 3))
    return x, np.exp(x[:, 0] + rng.choice(HUMPS, rows) + 0.2 * rng.normal(size=rows))


def test_raw_outputs_of_zero_are_nearly_a_bell():
    log_weights, location, log_spread = (np.stack(each)[:, 0] for each in parts_of(np.zeros((4, N_OUTPUTS))))
    np.testing.assert_allclose(np.exp(log_weights), 1 / PARTS)
    spread = np.exp(log_spread)
    assert location.mean() == pytest.approx(0.0, abs=1e-7)
    assert np.mean(location**2 + spread**2) == pytest.approx(0.92**2, rel=0.01)


def test_outputs_shared_by_all_parts_move_and_stretch_them():
    raw = np.random.default_rng(0).normal(size=(2, 5, N_OUTPUTS))
    found = parts_of(raw)
    assert [part.shape for part in found[0]] == [(2, 5)] * PARTS
    log_weights, location, log_spread = (np.stack(each, axis=-1)[1, 3] for each in found)
    logits, shift, width = np.split(raw[1, 3, 2:], 3)
    np.testing.assert_allclose(np.exp(log_weights), softmax(logits))
    unit = np.exp(np.clip(raw[1, 3, 1], -4.0, 0.5))
    np.testing.assert_allclose(location, raw[1, 3, 0] + unit * (PLACES + shift))
    np.testing.assert_allclose(log_spread, raw[1, 3, 1] + LOG_WIDTH + width)


def test_the_network_itself_finds_two_humps(tmp_path):
    x, seconds = two_humps(400, seed=0)
    new, unseen = two_humps(400, seed=1)
    loss = {}
    for output in ("mixture", "parameters"):
        model = BayesDistNet(output=output, n_members=2, max_iter=400, kl_weights=(0.3,)).fit(x, seconds)
        loss[output] = -model.score(new, unseen)
    # Knowing the humps is worth log 2 + 1/2 log(2 pi e 0.04) against one bell, 1/2 log(2 pi e 2.29).
    assert loss["parameters"] - loss["mixture"] > 0.7
    model = BayesDistNet(n_members=2, max_iter=50, kl_weights=(0.3,)).fit(x, seconds)
    rtd = model.predict_distribution(new[:5])
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(load_model(tmp_path / "model").predict_distribution(new[:5]).median(), rtd.median())


@pytest.mark.parametrize("family", ["lognormal", "weibull", "exponential", "inverse-gaussian"])
def test_any_family_and_censored_runs(family):
    data = make_runs(n_instances=40, n_runs=2, n_features=3, random_state=0).cut_off(0.4)
    model = BayesDistNet(family, n_members=2, max_iter=50).fit(data.features, data.seconds, data.finished)
    rtd = model.predict_distribution(data.features)
    cdf = rtd.cdf(np.geomspace(1e-3, 1e3, 50))
    assert np.isfinite(cdf).all()
    assert (np.diff(cdf, axis=1) >= -1e-12).all()
    assert ((rtd.cdf(rtd.quantile([0.1, 0.5, 0.9])) - [0.1, 0.5, 0.9]) < 1e-6).all()
