import numpy as np
import pytest
from scipy import stats

from bayes_distnet.distributions.instance_effect import GRID, LARGEST, InstanceEffect, normal_scores
from bayes_distnet.errors import SettingError


def test_normal_scores_are_accurate_in_both_tails():
    scores = np.array([-12.0, -3.0, -1e-3, 0.0, 1e-3, 3.0, 12.0, 30.0])
    np.testing.assert_allclose(normal_scores(stats.norm.logsf(scores)), scores, rtol=1e-9, atol=1e-12)


def test_the_belief_starts_as_a_standard_normal():
    effect = InstanceEffect.of(0.3, 4)
    assert effect.is_prior
    belief = np.exp(effect.log_belief)
    assert belief.sum() == pytest.approx(1.0)
    assert (belief * GRID**2).sum() == pytest.approx(1.0, abs=1e-6)
    low, high = effect.quantiles((0.05, 0.95))
    np.testing.assert_allclose([low, high], [[-1.6448536] * 4, [1.6448536] * 4])


def test_evidence_moves_the_belief():
    # A likelihood N(2, 0.5²) of the effect: the posterior is N(1.6, 0.2).
    effect = InstanceEffect.of(0.3, 1).reweighted(-0.5 * ((GRID - 2.0) / 0.5)[None] ** 2)
    assert not effect.is_prior
    low, high = effect.quantiles((0.05, 0.95))
    np.testing.assert_allclose([low[0], high[0]], stats.norm.ppf([0.05, 0.95], 1.6, np.sqrt(0.2)), atol=4e-3)


def test_averaged_over_the_belief_the_effect_changes_nothing():
    effect, scores = InstanceEffect.of([0.1, 0.9], 2), np.array([[-4.0, 0.0, 1.5], [-2.0, 0.5, 4.0]])
    belief = np.exp(effect.log_belief)[:, None]
    np.testing.assert_allclose((belief * np.exp(effect.log_sf(scores))).sum(-1), stats.norm.sf(scores), rtol=1e-4)
    np.testing.assert_allclose((belief * np.exp(effect.log_density(scores))).sum(-1), 1.0, rtol=1e-3)


def test_rows():
    effect = InstanceEffect.of([0.1, 0.2, 0.3], 3, assumed=True)
    part = effect.take(np.array([2, 0]))
    assert part.size.tolist() == [0.3, 0.1]
    assert part.assumed
    assert effect.reweighted(np.zeros((3, GRID.size))).take(slice(1, 2)).log_weights.shape == (1, GRID.size)


def test_sizes():
    assert InstanceEffect.of(1.0, 2).size.tolist() == [LARGEST, LARGEST]
    for bad in (-0.1, 1.1, [0.1, 0.2], np.nan):
        with pytest.raises(SettingError, match="fraction of the variance"):
            InstanceEffect.of(bad, 3)
