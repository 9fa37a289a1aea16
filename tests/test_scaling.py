import numpy as np
import pytest

from bayes_distnet.scaling import CLIP, RankGauss, Standard


@pytest.fixture
def x():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(400, 3))
    return np.column_stack([np.exp(3 * z[:, 0]), z[:, 1] * 1e9, z[:, 2], np.ones(400), np.exp(3 * z[:, 0]) * 2])


def test_rank_gauss_makes_long_tails_normal_and_drops_constants_and_twins(x):
    scaled = RankGauss.fit(x).transform(x)
    assert scaled.shape == (400, 3)
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(scaled.std(axis=0), 1, rtol=1e-9)
    assert abs(scaled).max() < 4


def test_rank_gauss_does_not_depend_on_the_unit(x):
    np.testing.assert_allclose(RankGauss.fit(x * 1e-6).transform(x * 1e-6), RankGauss.fit(x).transform(x), atol=1e-9)


def test_far_outside_stays_far_but_bounded(x):
    scaler = RankGauss.fit(x)
    edge = x.max(axis=0)
    steps = np.array([scaler.transform((edge + k * x.std(axis=0))[None])[0, 1] for k in (0, 1, 4, 16)])
    assert (np.diff(steps) > 0.5).all()
    assert scaler.transform(np.full((1, 5), 1e300)).max() == CLIP


def test_missing_values_get_the_training_median(x):
    holey = x.copy()
    holey[0, 0] = np.nan
    scaler = RankGauss.fit(x)
    filled = holey.copy()
    filled[0, 0] = np.median(x[:, 0])
    np.testing.assert_allclose(scaler.transform(holey), scaler.transform(filled))


@pytest.mark.parametrize("scaler", [RankGauss, Standard])
def test_columns_without_information_leave_nothing(scaler):
    nothing = np.column_stack([np.full(5, np.nan), np.full(5, 3.0)])
    assert scaler.fit(nothing).transform(nothing).shape == (5, 0)


@pytest.mark.parametrize("scaler", [RankGauss, Standard])
def test_huge_and_tiny_columns_scale_without_warnings(scaler):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(50, 2)) * np.array([1e150, 1e-7])
    assert np.isfinite(scaler.fit(x).transform(x)).all()
