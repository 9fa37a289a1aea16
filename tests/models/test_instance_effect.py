import numpy as np
import pytest

from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.bayes import BayesDistNet
from bayes_distnet.models.hybrid import HybridDistNet
from bayes_distnet.models.instance_effect import ASSUMED, EffectSize


def simulated(share, n=1000, k=4, seed=0.0, cutoff=np.inf):
    """Standard lognormal predictions, and runs of which instances share a part and seeds another."""
    rng = np.random.default_rng(1)
    scores = np.sqrt(share) * rng.normal(size=(n, 1)) + np.sqrt(seed) * rng.normal(size=(1, k))
    seconds = np.exp(scores + np.sqrt(1 - share - seed) * rng.normal(size=(n, k)))
    instance = np.repeat(np.arange(n), k)
    observations = Observations(instance, np.minimum(seconds, cutoff).ravel(), (seconds <= cutoff).ravel(), n)
    return RuntimeDistribution(LogNormal(np.zeros(n), np.ones(n))), observations


@pytest.mark.parametrize("share", [0.05, 0.3, 0.7])
@pytest.mark.parametrize("cutoff", [np.inf, 1.3])
def test_the_size_is_found(share, cutoff):
    assert EffectSize.fit(*simulated(share, cutoff=cutoff)).fraction == pytest.approx(share, abs=0.05)


def test_predictions_that_are_off_or_too_wide_do_not_matter():
    _, observations = simulated(0.3)
    off = RuntimeDistribution(LogNormal(np.full(1000, 0.5), np.full(1000, 1.5)))
    assert EffectSize.fit(off, observations).fraction == pytest.approx(0.3, abs=0.05)


@pytest.mark.parametrize("cutoff", [np.inf, 1.3])
def test_luck_that_seeds_share_hides_a_part_and_adds_another(cutoff):
    rng = np.random.default_rng(1)
    rng.normal(size=(500, 1))
    seeds = 0.4 * rng.normal(size=8).var(ddof=1)  # of the same draws as in `simulated`
    variance = 0.2 + 0.4 + seeds
    found = EffectSize.fit(*simulated(0.2, n=500, k=8, seed=0.4, cutoff=cutoff)).fraction
    assert found == pytest.approx((0.2 + seeds / 8) / variance, abs=0.04)
    assert found > 0.2 / variance + 0.03


def test_one_run_per_instance_leaves_an_assumption():
    effect = EffectSize.fit(*simulated(0.5, k=1))
    assert effect == EffectSize(ASSUMED, assumed=True)
    rtd, _ = simulated(0.5, k=1)
    assert "assumed" in repr(effect.of(rtd, np.zeros(1000)))


def test_instances_with_one_run_are_left_out():
    rtd, every = simulated(0.5, n=200, k=3)
    keep = (every.instance < 100) | (np.arange(600) % 3 == 0)
    mixed = Observations(every.instance[keep], every.seconds[keep], every.finished[keep], 200)
    first = np.arange(300)
    half = Observations(every.instance[first], every.seconds[first], every.finished[first], 100)
    assert EffectSize.fit(rtd, mixed).fraction == pytest.approx(EffectSize.fit(rtd[:100], half).fraction, abs=1e-6)


def test_what_no_run_supports_is_ignorance():
    rtd, _ = simulated(0.5, n=3)
    sizes = EffectSize(0.2, assumed=False).of(rtd, np.array([0.0, 0.5, 1.0])).effect.size
    np.testing.assert_allclose(sizes, [0.2, 0.6, 0.95])


def test_saved_and_restored():
    effect = EffectSize(0.21, assumed=True)
    assert EffectSize.from_arrays(effect.to_arrays()) == effect


@pytest.mark.slow
@pytest.mark.parametrize("model", [HybridDistNet(), BayesDistNet()])
@pytest.mark.parametrize("runs", [2, 8])
def test_bands_hold_what_they_promise(model, runs):
    # A third of the variance of log time within instances of equal features is the instance's own.
    rng = np.random.default_rng(0)
    features = rng.normal(size=(600, 3))
    own = features @ [1.0, 0.5, 0.0] + 0.6 * rng.normal(size=600)
    seconds = np.exp(own[:300, None] + 0.8 * rng.normal(size=(300, runs)))
    rtd = model.fit(features[:300], seconds).predict_distribution(features[300:])
    for level in (0.5, 0.9):
        low, high = rtd.band(level)
        inside = np.mean((np.log(low) <= own[300:]) & (own[300:] <= np.log(high)))
        assert inside == pytest.approx(level, abs=0.08)
    # Runs of the instance replace what the features do not tell.
    tried = np.exp(own[300:, None] + 0.8 * rng.normal(size=(300, 8)))
    errors = [np.abs(np.log(rtd.given_runs(tried[:, :k]).median()) - own[300:]).mean() for k in (1, 2, 4, 8)]
    assert np.all(np.diff([np.abs(np.log(rtd.median()) - own[300:]).mean(), *errors]) < 0)
    assert errors[-1] < np.abs(np.log(np.median(tried, axis=1)) - own[300:]).mean()
