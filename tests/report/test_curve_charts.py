import numpy as np
import pandas as pd
import pytest

from bayes_distnet.errors import SettingError
from bayes_distnet.experiments.forms import EXAMPLE_LEVELS
from bayes_distnet.report.charts.looks import Looks
from bayes_distnet.report.curve_charts import calibration_chart, example_chart, finite_ends, pick_examples, shift_chart
from bayes_distnet.report.names import main_labels


def test_calibration_adds_counts_up_to_a_curve():
    rows = pd.DataFrame({"model": "Ridge", "family": "", "pit": [[1, 2, 3, 4], [3, 2, 1, 0]]})
    (line,) = calibration_chart(rows, "8 runs", Looks.of(rows)).lines
    np.testing.assert_allclose(line.x, [0, 0.25, 0.5, 0.75, 1])
    np.testing.assert_allclose(line.y, [0, 0.25, 0.5, 0.75, 1])


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
    chart = example_chart(rows, chosen["worst"], data.seconds[place], data.finished[place], "worst", Looks.of(rows))
    lines = {line.name: line for line in chart.lines}
    assert set(lines) == {"30 runs", "HybridDistNet", "Ridge"}
    np.testing.assert_allclose(lines["Ridge"].y, EXAMPLE_LEVELS)
    assert chart.x.low < data.seconds[place].min() < data.seconds[place].max() < chart.x.high


def test_more_examples_are_named_by_their_ranks_and_none_comes_twice(all_results):
    rows = all_results.examples.query("censored == 0.6")
    chosen = pick_examples(rows, "HybridDistNet", most=6)
    assert list(chosen)[:3] == ["best", "median", "worst"]
    assert len(set(chosen.values())) == len(chosen) == 6
    assert all(word.startswith("rank ") and word.endswith(" of 8") for word in list(chosen)[3:])
    assert len(pick_examples(rows, "HybridDistNet", most=50)) == 8


def test_shifts_show_means_and_ranges_of_one_instance(all_results):
    rows = all_results.shifts[all_results.shifts["model"].isin(main_labels())]
    rows = rows[rows["instance"] == rows["instance"].iloc[0]]
    chart = shift_chart(rows, "all", Looks.of(rows), finite_ends(rows))
    first = rows[rows["model"] == "HybridDistNet"]
    line = next(line for line in chart.lines if line.name == "HybridDistNet")
    np.testing.assert_allclose(line.y, first["mean"])
    np.testing.assert_allclose(line.low, first["low"])
    lost = rows.assign(mean=np.inf, high=np.inf)
    assert np.isnan(shift_chart(lost, "all", Looks.of(rows), finite_ends(lost)).lines[0].y).all()
