import numpy as np
import pytest

from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.instance_effect import with_effect
from bayes_distnet.models.sampled_effect import SampledEffect


def predictions(deviation, draws=4000):
    """Two rows of draws; in the second their locations have a deviation."""
    locations = np.stack([np.zeros(draws), deviation * np.random.default_rng(0).normal(size=draws)])
    return RuntimeDistribution(LogNormal(locations, np.full((2, draws), 0.5)))


def test_locations_of_the_draws_and_the_effect_add_up():
    rtd, effect = predictions(0.3), SampledEffect(np.full(4000, 0.2), assumed=False)
    np.testing.assert_allclose(effect.shared(rtd), [0.2, (0.09 + 0.05) / (0.09 + 0.25)], rtol=0.03)


def test_bands_are_those_of_the_draws_with_their_effects():
    rng = np.random.default_rng(1)
    rtd, effect = predictions(0.3), SampledEffect(rng.uniform(0.1, 0.3, size=4000), assumed=False)
    medians = rtd.components.loc + np.sqrt(effect.fractions) * 0.5 * rng.normal(size=(2, 4000))
    band = with_effect(rtd, effect.shared(rtd), np.zeros(2), assumed=False).band(0.9)
    np.testing.assert_allclose(np.log(band), np.quantile(medians, [0.05, 0.95], axis=1), atol=0.04)


def test_a_file_with_another_number_of_draws_is_refused():
    stored = SampledEffect(np.full(6, 0.1), assumed=True).to_arrays()
    assert SampledEffect.from_arrays(stored, draws=6).assumed
    with pytest.raises(ValueError, match="length 5"):
        SampledEffect.from_arrays(stored, draws=5)
