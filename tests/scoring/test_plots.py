import matplotlib as mpl
import numpy as np
import pytest

from bayes_distnet import RuntimeDistribution, plot_calibration
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.errors import RuntimeDataError, SettingError

mpl.use("Agg")

RTD = RuntimeDistribution(LogNormal(np.zeros(400), 1.0))
RUNS = RTD.sample(5, random_state=0)


def test_a_correct_prediction_lies_on_the_diagonal_and_a_wrong_one_below():
    ax = plot_calibration({"right": RTD, "short": RuntimeDistribution(LogNormal(np.full(400, -1.0), 1.0))}, RUNS)
    _, right, short = ax.lines
    levels, share = right.get_data()
    np.testing.assert_allclose(share, levels, atol=0.05)
    assert short.get_ydata()[160] < 0.55
    assert right.get_label().startswith("right error 0.0")


def test_one_model_has_its_error_in_the_title():
    assert plot_calibration(RTD, RUNS).get_title(loc="left").startswith("calibration error 0.0")


def test_what_cannot_be_drawn_is_named():
    with pytest.raises(SettingError, match="expected 1 to 8 models"):
        plot_calibration({}, RUNS)
    with pytest.raises(RuntimeDataError, match="no run"):
        plot_calibration(RTD, np.full((400, 2), np.nan))
