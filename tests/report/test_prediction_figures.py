import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from bayes_distnet import Ridge, RuntimeDistribution, make_runs
from bayes_distnet.data.observations import ZeroRuntimeWarning
from bayes_distnet.data.splits import shifted
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.kernel_estimate import KernelEstimate
from bayes_distnet.errors import RuntimeDataError, SettingError
from bayes_distnet.report.prediction_figures import COLORS, plot_distribution, plot_history, plot_shift, save


@pytest.fixture(scope="module")
def data():
    return make_runs(n_instances=40, n_runs=3, n_features=4, random_state=0)


def test_distribution_figure_shows_prediction_band_and_runs(data, tmp_path):
    rtd = Ridge().fit(data.features, data.seconds).predict_distribution(data.features)
    ax = plot_distribution(rtd, row=3, runs=data.seconds[3])
    assert {text.get_text() for text in ax.get_legend().get_texts()} == {
        "90% of the weight draws",
        "predicted",
        "3 runs",
    }
    save(ax, tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5000


def test_shift_figure_has_one_line_per_model(data, tmp_path):
    moved = shifted(data.features, 0)
    np.testing.assert_allclose(moved.iloc[16], data.features.iloc[0])
    model = Ridge().fit(data.features, data.seconds)
    ax = plot_shift({"a": model.predict_distribution(moved), "b": model.predict_distribution(moved)})
    assert len(ax.lines) == 2
    save(ax, tmp_path / "figure.png")


def test_history_figure_has_two_lines_per_kl_weight(tmp_path):
    history = pd.DataFrame({"kl_weight": [0.5, 0.5, 0.1, 0.1], "step": [1, 2, 1, 2]})
    history = history.assign(training_loss=[1.0, 0.5, 1.1, 0.4], held_out_loss=[1.2, 0.7, 1.3, 9.9])
    ax = plot_history(history)
    assert len(ax.lines) == 4
    np.testing.assert_allclose(ax.lines[1].get_ydata(), [1.2, 0.7])
    assert ax.get_ylim()[1] < 9  # the loss that grows without bound does not stretch the axis
    save(ax, tmp_path / "figure.png")


def steps_of(ax):
    """Return the drawn steps without their start at the left end."""
    x, y = ax.lines[-1].get_data()
    assert y[0] == 0
    return list(x[1:]), list(y[1:])


def test_finished_runs_are_steps_up_to_one():
    ax = plot_distribution(RuntimeDistribution(LogNormal([0.0], 1.0)), runs=[2.0, np.nan, 1.0])
    assert steps_of(ax) == ([1.0, 2.0], [0.5, 1.0])


def test_steps_stop_at_the_smallest_cutoff():
    rtd = RuntimeDistribution(LogNormal([0.0], 1.0))
    # Of four runs, one finished before the first cutoff; the fraction finished after 5 s is unknown.
    ax = plot_distribution(rtd, runs=[1.0, 5.0, 3.0, 4.0], finished=[True, True, False, False])
    assert steps_of(ax) == ([1.0, 3.0], [0.25, 0.25])
    assert "4 runs, 2 cut off" in {text.get_text() for text in ax.get_legend().get_texts()}
    ax = plot_distribution(rtd, runs=[3.0, 4.0], finished=[False, False])
    assert steps_of(ax) == ([3.0], [0.0])


def test_kernels_below_zero_start_at_the_smallest_positive_time():
    for loc in ([[0.1, 1.0, 3.0]], [[-9.0, -8.0, -7.0]]):
        ax = plot_distribution(KernelEstimate(loc, 0.5))
        times, cdf = ax.lines[0].get_data()
        assert np.all(times > 0)
        assert np.all(np.isfinite(times) & (cdf >= 0) & (cdf <= 1))
        ax.figure.canvas.draw()


def test_short_runtimes_fill_the_axis():
    times, cdf = plot_distribution(RuntimeDistribution(LogNormal([np.log(1e-6)], 0.1))).lines[0].get_data()
    assert times[-1] < 2e-6
    assert cdf[0] < 0.01 < 0.99 < cdf[-1]


def test_bad_runs_and_rows_are_refused_before_a_figure_is_made():
    rtd = RuntimeDistribution(LogNormal([0.0, 1.0], 1.0))
    for bad in ([0.0], [-1.0], [np.inf], ["a"], [[1.0, 2.0]], 1.0):
        with pytest.raises(RuntimeDataError, match="run"):
            plot_distribution(rtd, runs=bad)
    for bad in ([True, False], [1]):
        with pytest.raises(RuntimeDataError, match="finished"):
            plot_distribution(rtd, runs=[1.0], finished=bad)
    for bad in (2, -3, 0.5, "a", [0], slice(2), None, True):
        with pytest.raises(SettingError, match="row="):
            plot_distribution(rtd, row=bad)
    with pytest.raises(SettingError, match="level"):
        plot_distribution(rtd, level="a")
    with pytest.raises(SettingError, match="RuntimeDistribution"):
        plot_distribution("a")
    assert plt.get_fignums() == []
    with pytest.warns(ZeroRuntimeWarning):
        plot_distribution(rtd, row=-1, runs=[0.0, 1.0])


def test_every_model_and_kl_weight_has_its_own_line():
    number = len(COLORS) + 2
    rtd = RuntimeDistribution(LogNormal(np.zeros(33), 1.0))
    history = pd.DataFrame(
        {"kl_weight": np.repeat(np.arange(number), 2), "step": 1, "training_loss": 1.0, "held_out_loss": 1.0}
    )
    for lines in (plot_shift({f"model {i}": rtd for i in range(number)}).lines, plot_history(history).lines[1::2]):
        assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == number


def test_every_shift_needs_a_prediction():
    with pytest.raises(SettingError, match="1 rows for 33 shifts"):
        plot_shift({"one": RuntimeDistribution(LogNormal([0.0], 1.0))})
