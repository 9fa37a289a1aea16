import numpy as np
import pytest

from bayes_distnet.report.charts.scales import linear_axis, log_axis, number_text, robust_limits


@pytest.mark.parametrize(("low", "high"), [(-0.45, -0.3), (0.0, 1.0), (0.0005, 0.0175), (-3.0, 900.0)])
def test_ticks_are_few_round_and_inside(low, high):
    ticks = [value for value, _ in linear_axis("", low, high).ticks]
    assert 3 <= len(ticks) <= 8
    assert low <= ticks[0] < ticks[-1] <= high
    step = ticks[1] - ticks[0]
    np.testing.assert_allclose(np.diff(ticks), step)
    assert f"{step:.1e}"[:3] in {"1.0", "2.0", "2.5", "5.0"}


def test_log_ticks_are_powers_of_ten_or_finer_on_a_short_axis():
    assert [text for _, text in log_axis("", 0.002, 30).ticks] == ["0.01", "0.1", "1", "10"]
    assert [text for _, text in log_axis("", 0.15, 6).ticks] == ["0.2", "0.5", "1", "2", "5"]


def test_places_on_a_log_axis():
    np.testing.assert_allclose(log_axis("", 1, 100).place(np.array([1.0, 10.0, 100.0, 1000.0])), [0, 0.5, 1, 1.5])


def test_numbers_have_a_proper_minus_and_no_negative_zero():
    assert [number_text(v) for v in (-0.0, -0.5, 64.82, 12345.0, -np.inf)] == ["0", "−0.5", "64.8", "10⁴", "−∞"]


def test_far_values_do_not_stretch_the_axis():
    near = [0.1, 0.15, 0.2, 0.22, 0.25, 0.3, 0.31, 0.33]
    low, high = robust_limits([*near, 40.0, np.inf, np.nan])
    assert 0 < low < 0.1
    assert 0.33 < high < 0.5
    assert robust_limits([*near, 40.0], always=[0.9])[1] > 0.9
    assert robust_limits([]) == (0.0, 1.0)
    low, high = robust_limits([2.0])
    assert low < 2 < high
