import sys

import matplotlib as mpl
import numpy as np
import pytest

from bayes_distnet import KNearest, Ridge, RuntimeDistribution, make_runs, plot_band, runtimes
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.instance_effect import InstanceEffect
from bayes_distnet.distributions.instance_runtimes import InstanceRuntimes
from bayes_distnet.errors import SettingError

mpl.use("Agg")

PLAIN = RuntimeDistribution(LogNormal(np.log([1.0, 10.0, 2000.0]), 1.0))
SPLIT = InstanceRuntimes(PLAIN, InstanceEffect.of(0.5, 3))


@pytest.fixture(autouse=True)
def closed():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def test_a_table_shows_medians_quantiles_and_bands():
    html = SPLIT._repr_html_()
    assert all(text in html for text in ("InstanceRuntimes: 3 rows", "1 s", "10 s", "2,000 s", "90% band"))
    assert html.count("<svg") == 3
    low, high = SPLIT[[0]].band(0.9)
    assert f"{low[0]:.3g} s to {high[0]:.3g} s" in html
    assert "band" not in PLAIN._repr_html_()
    assert "familiarity" not in html


def test_at_most_ten_rows_are_shown_and_the_rest_counted():
    many = RuntimeDistribution(LogNormal(np.zeros(1250), 1.0))
    html = many._repr_html_()
    assert html.count("<svg") == 10
    assert "… 1,240 more" in html
    assert "0 rows" in many[:0]._repr_html_()


def test_familiarity_is_shown_where_a_model_predicted_and_follows_the_rows():
    data = make_runs(n_instances=30, n_runs=1, n_features=3, random_state=0)
    far = data.features.iloc[:4].copy()
    far.iloc[2] += 1e6
    rtd = Ridge().fit(data.features, data.seconds[:, 0]).predict_distribution(far)
    assert rtd.familiarity.verdicts()[2] == "outside"
    assert rtd[[2]].familiarity.verdicts() == ["outside"]
    assert "outside" in rtd[1:3].given_alive(0.1)._repr_html_()
    assert "outside" not in rtd[:2]._repr_html_()


def test_a_plot_draws_the_distribution_function():
    ax = PLAIN.plot([1, 0], labels=["hard", "easy"])
    assert [line.get_label() for line in ax.lines] == ["hard", "easy"]
    times, heights = ax.lines[0].get_data()
    np.testing.assert_allclose(heights, PLAIN[[1]].cdf(times)[0])
    assert ax.get_xscale() == "log"
    assert len(SPLIT.plot(0).collections) == 1
    assert SPLIT.plot(ax=ax) is ax


def test_a_plot_refuses_what_cannot_be_drawn():
    with pytest.raises(SettingError, match="expected 1 to 8 rows"):
        RuntimeDistribution(LogNormal(np.zeros(20), 1.0)).plot(np.arange(9))
    with pytest.raises(SettingError, match="labels: expected 3"):
        PLAIN.plot(labels=["a"])


def test_bands_are_sorted_by_median_with_runs_that_were_cut_off_hollow():
    order = [2, 0, 1]
    y = runtimes([[1.0, 2.0], [9.0, np.nan], [500.0, 500.0]], [[True, True], [True, False], [False, False]])
    ax = plot_band(SPLIT[order], y[order])
    assert ax.lines[0].get_ydata() == pytest.approx([1.0, 10.0, 2000.0])
    done, cut = ax.collections[-2:]
    assert done.get_offsets().tolist() == [[0, 1], [0, 2], [1, 9]]
    assert cut.get_offsets().tolist() == [[2, 500], [2, 500]]
    assert len(cut.get_facecolor()) == 0


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(SettingError, match=r"run pip install '\.\[plots\]'"):
        PLAIN.plot()


def test_a_model_shows_its_training_runs_below_the_diagram():
    data = make_runs(n_instances=30, n_runs=2, n_features=3, random_state=0).cut_off(0.5)
    model = KNearest()
    assert "fitted to" not in model._repr_html_()
    html = model.fit(data.features, runtimes(data.seconds, data.finished))._repr_mimebundle_()["text/html"]
    assert all(text in html for text in ("KNearest", "fitted to", ">30<", ">60<", ">50%<"))
