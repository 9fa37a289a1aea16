import numpy as np
import pytest
from scipy.special import ndtr

from bayes_distnet.models.network.default_recipe import stratified_normals


def test_stratified_normals_fall_one_into_each_slice():
    normals = stratified_normals((3, 16, 1000), np.random.default_rng(0))
    np.testing.assert_array_equal(np.sort(np.floor(ndtr(normals) * 16), axis=1)[0, :, 0], np.arange(16))
    assert np.abs(normals.mean(axis=1)).max() < 0.15  # plain draws: 0.25 in the mean
    assert normals.var() == pytest.approx(1.0, abs=0.01)
    assert abs(np.corrcoef(normals[0, :, :100], rowvar=False)[0, 1:].mean()) < 0.1  # weights are independent
