"""Accuracy against textbook formulas in 45 digits.

Times from 1e-12 to 1e12 s; out to log sf = -450 above and to 1 - sf = exp(-450) below, which is 30 deviations of a
normal distribution on either side.
"""

import functools

import numpy as np
import pytest
from example_families import every_family, values_and_slopes
from oracles import values_and_gradients

from bayes_distnet.distributions.families import FAMILIES, InverseGaussian

DEPTHS = -np.array([450.0, 150.0, 50.0, 12.0, 4.0, 1.5, 0.8, 0.6, 0.3, 0.05, 1e-3, 1e-6, 1e-15, 1e-32, 1e-90, 1e-195])


PARAMETERS = {
    "lognormal": [(m, s) for m in (-25.0, 0.0, 2.0, 25.0) for s in (0.02, 0.3, 1.0, 3.0)],
    "inverse-gaussian": [(m, m / cv**2) for m in (1e-9, 1.0, 1e9) for cv in (0.01, 0.3, 1.0, 13.0)],
    "exponential": [(s,) for s in (1e-10, 1.0, 1e10)],
    "weibull": [(s, k) for s in (1e-9, 1.0, 1e9) for k in (0.1, 1.0, 3.0, 60.0)],
    "gamma": [(k, m / k) for m, k in ((1, 0.006), (1e-9, 0.3), (1e9, 0.3), (1e9, 1), (1e-9, 9), (1, 9), (1e9, 3000))],
    "loglogistic": [(s, k) for s in (1e-9, 1.0, 1e9) for k in (0.3, 1.0, 3.0, 90.0)],
}


@functools.cache
def accuracy_case(name):
    """Points (n, arguments), all of them float32 numbers, and the oracle's values and gradients at them."""
    kind, points = FAMILIES[name], []
    for theta in PARAMETERS[name]:
        family = kind(*theta)
        u = family.log_isf(DEPTHS)
        times = [*np.exp(u[(u > np.log(1e-12)) & (u < np.log(1e12))]), 1e-12, 1e12]
        points += [(t, *theta) for t in times if abs(family.log_prob(t)) < 600 and family.log_sf(t) > -600]
    points = np.array(points, dtype=np.float32).astype(float)
    return points, *values_and_gradients(name, points)


def worst(error):
    return np.max(np.where(np.isnan(error), np.inf, error))


@every_family
@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-9), ("float32", 1e-4)])
def test_values_and_gradients_are_accurate(name, dtype, tolerance):
    points, values, gradients = accuracy_case(name)
    ours, slopes = values_and_slopes(name, points, dtype)
    # Below that, float32 has no numbers: exp(-450) is 0 in it.
    tiny = np.finfo(dtype).tiny * 100
    # log_sf is relatively accurate everywhere, also next to 0. log_prob, and its gradient (per relative change of
    # an argument; per scale, of a location), pass through 0 as sums of terms of order 1: relative to those.
    floor = np.array([1.0, tiny])
    assert worst(np.abs(ours - values) / np.maximum(np.abs(values), floor)) < tolerance

    units = np.abs(points)[..., None]
    if name == "lognormal":
        units[:, 1] = units[:, 2]
    allowed = np.maximum(np.abs(gradients * units), floor)
    if name == "gamma" and dtype == "float32":
        # Near its mean the gradient of a narrow gamma density is the difference of t / scale and the shape: the
        # rounding of t / scale alone moves it by shape * 6e-8, which no way of computing it in float32 avoids.
        allowed[..., 0] = np.maximum(allowed[..., 0], points[:, [1]] * 4 * 6e-8 / tolerance)
    error = np.where(np.abs(gradients) > tiny, np.abs(slopes - gradients) * units / allowed, 0.0)
    assert worst(error) < tolerance


@every_family
def test_numpy_values_are_accurate(name):
    points, values, _ = accuracy_case(name)
    t, *theta = points.T
    family = FAMILIES[name](*theta)
    ours = np.stack([family.log_prob(t), family.log_sf(t)], -1)
    assert worst(np.abs(ours - values) / np.maximum(np.abs(values), [1.0, 1e-300])) < 1e-9


@every_family
def test_accuracy_case_reaches_the_tails(name):
    points, values, _ = accuracy_case(name)
    assert points[:, 0].min() < 1e-11
    assert points[:, 0].max() > 1e11
    assert values[:, 1].min() < -440
    assert values[:, 1].max() > (-1e-21 if name == "exponential" else -1e-90)


def test_inverse_gaussian_survival_far_beyond_a_float():
    family = InverseGaussian(1.0, 9.0)
    assert family.log_sf(1e6) == pytest.approx(
        values_and_gradients("inverse-gaussian", [(1e6, 1.0, 9.0)])[0][0, 1], rel=1e-12
    )
