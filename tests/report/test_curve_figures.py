import numpy as np
import pandas as pd
import pytest
from figure_lines import lines_of, looks_of

from bayes_distnet.errors import SettingError
from bayes_distnet.experiments.results import EXAMPLE_LEVELS
from bayes_distnet.report.curve_figures import pick_examples, plot_calibration, plot_examples, plot_shifts
from bayes_distnet.report.names import main_labels
from bayes_distnet.report.styles import Styles


def test_calibration_adds_counts_up_to_a_curve():
    rows = pd.DataFrame({"model": "Ridge", "family": "", "pit": [[1, 2, 3, 4], [3, 2, 1, 0]]})
    (line,) = lines_of(plot_calibration(rows)).values()
    np.testing.assert_allclose(line.get_xdata(), [0, 0.25, 0.5, 0.75, 1])
    np.testing.assert_allclose(line.get_ydata(), [0, 0.25, 0.5, 0.75, 1])


def test_examples_are_the_best_median_and_worst(all_results):
    rows = all_results.examples.query("censored == 0.6 and model in ['HybridDistNet', 'Ridge']")
    chosen = pick_examples(rows, "HybridDistNet")
    own = rows[rows["model"] == "HybridDistNet"].set_index("instance")["nllh"]
    assert (chosen["best"], chosen["worst"]) == (own.idxmin(), own.idxmax())
    assert own[chosen["best"]] <= own[chosen["median"]] <= own[chosen["worst"]]
    with pytest.raises(SettingError, match="none of 'nobody'"):
        pick_examples(rows, "nobody")
    data = all_results.data
    place = data.features.index.get_loc(chosen["worst"])
    ax = plot_examples(rows, chosen["worst"], data.seconds[place], data.finished[place])
    lines = lines_of(ax)
    assert set(lines) == {"30 runs", "HybridDistNet", "Ridge"}
    np.testing.assert_allclose(lines["Ridge"].get_ydata(), EXAMPLE_LEVELS)
    ax.get_figure().canvas.draw()


def test_shifts_show_means_and_ranges_of_one_instance(all_results):
    rows = all_results.shifts[all_results.shifts["model"].isin(main_labels())]
    ax = plot_shifts(rows)
    first = rows[(rows["instance"] == rows["instance"].iloc[0]) & (rows["model"] == "HybridDistNet")]
    np.testing.assert_allclose(lines_of(ax)["HybridDistNet"].get_ydata(), first["mean"])
    plot_shifts(rows.assign(mean=np.inf)).get_figure().canvas.draw()
    with pytest.raises(SettingError, match="no shifts"):
        plot_shifts(rows, "nobody")


def test_infinite_quartiles_can_be_drawn(all_results):
    shifts = all_results.shifts[all_results.shifts["model"] == "DistNet"].assign(high=np.inf)
    plot_shifts(shifts).get_figure().canvas.draw()


def test_a_model_looks_the_same_in_every_panel(all_results):
    styles = Styles.of(all_results.calibration)
    every = all_results.calibration[all_results.calibration["runs"] == 8]
    some = every[~every["model"].isin(["RandomForest", "Ridge"])]
    whole, part = (looks_of(plot_calibration(rows, styles=styles)) for rows in (every, some))
    assert set(part) < set(whole)
    assert all(whole[label] == look for label, look in part.items())
