import matplotlib
import numpy as np
import pytest

from bayes_distnet import BayesDistNet, Ridge, make_runs
from bayes_distnet.plots import plot_distribution, plot_history, plot_shift, save, shifted

matplotlib.use("agg")


@pytest.fixture(scope="module")
def data():
    return make_runs(n_instances=40, n_runs=3, n_features=4, seed=0)


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


def test_shift_figure_has_a_line_for_each_model(data, tmp_path):
    moved = shifted(data.features, 0)
    np.testing.assert_allclose(moved.iloc[16], data.features.iloc[0])
    model = Ridge().fit(data.features, data.seconds)
    ax = plot_shift({"a": model.predict_distribution(moved), "b": model.predict_distribution(moved)})
    assert len(ax.lines) == 2
    save(ax, tmp_path / "figure.png")


def test_history_figure_has_two_lines_for_each_kl_weight(data, tmp_path):
    history = BayesDistNet(steps=50, members=2, kl_weights=(0.5, 0.1)).fit(data.features, data.seconds).history_
    ax = plot_history(history)
    assert len(ax.lines) == 4
    save(ax, tmp_path / "figure.png")
