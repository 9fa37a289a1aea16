import numpy as np
import pytest

from bayes_distnet.models.scaling import CLIP, RankGauss, Standard


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


@pytest.mark.parametrize("scaler", [RankGauss, Standard])
@pytest.mark.parametrize("unit", [1e-200, 1e-12, 1e154, 1e200, 1e300])
def test_scaling_does_not_depend_on_the_unit_however_large(scaler, unit, x):
    x = x / abs(x).max(axis=0)
    np.testing.assert_allclose(scaler.fit(x * unit).transform(x * unit), scaler.fit(x).transform(x), atol=1e-9)


@pytest.mark.parametrize("scaler", [RankGauss, Standard])
def test_rows_far_from_tiny_columns_stay_finite(scaler):
    fitted = scaler.fit(np.array([[0.0], [5e-324], [1e-320]]))
    assert np.isfinite(fitted.transform(np.array([[1e300], [-1e300], [np.nan]]))).all()


@pytest.mark.parametrize("scaler", [RankGauss, Standard])
def test_the_largest_floats_scale_without_warnings(scaler):
    x = np.array([[-1.7e308], [1.7e308], [1.7e308], [1.7e308]])
    np.testing.assert_allclose(scaler.fit(x).transform(x), scaler.fit(np.sign(x)).transform(np.sign(x)), rtol=1e-12)


def test_standard_drops_a_column_whose_range_is_rounding():
    x = np.column_stack([1e6 + 1e-5 * np.arange(5), 1e-12 * np.arange(5)])
    assert Standard.fit(x).keep.tolist() == [1]


@pytest.mark.parametrize(
    ("scaler", "name", "bad", "message"),
    [
        (Standard, "keep", [0.0, 1.0, 2.0, 4.0], "keep is float64"),
        (Standard, "keep", [-1, 0, 1, 2], "negative column"),
        (Standard, "mean", [0.0], r"mean is float64 of shape \(1,\)"),
        (Standard, "scale", [1.0, 1.0, 0.0, 1.0], "scale is not positive"),
        (Standard, "median", [1.0, 1.0, np.nan, 1.0], "median is not finite"),
        (RankGauss, "spread", [1.0, -1.0, 1.0], "spread is not positive"),
        (RankGauss, "scores", [0.0], "scores is float64"),
        (RankGauss, "offsets", [0, 400, 800], "offsets is int64"),
        (RankGauss, "offsets", [0, 800, 400, 1200], "do not divide the knots"),
        (RankGauss, "offsets", [0, 400, 800, 1300], "do not divide the knots"),
    ],
)
def test_arrays_that_form_no_scaler_are_refused(scaler, name, bad, message, x):
    good = vars(scaler.fit(x))
    scaler(**good)
    with pytest.raises(ValueError, match=message):
        scaler(**(good | {name: np.array(bad)}))
