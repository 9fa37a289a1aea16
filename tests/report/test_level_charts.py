import numpy as np
import pandas as pd
import pytest
from fake_results import MODELS

from bayes_distnet.errors import SettingError
from bayes_distnet.report.charts.chart import DotChart
from bayes_distnet.report.charts.looks import Looks
from bayes_distnet.report.level_charts import level_chart


def chart_of(rows, score, axis="runs"):
    return level_chart(rows, score, axis, Looks.of(rows))


def by_name(chart):
    return {line.name: line for line in chart.lines}


def test_levels_are_means_with_one_line_per_model_and_family(all_results):
    rows = all_results.of("low-samples")
    chart = chart_of(rows, "ks")
    lines = by_name(chart)
    assert len(lines) == sum(len(families) for families, *_ in MODELS.values())
    ridge = rows.query("model == 'Ridge' and score == 'ks'").groupby("runs")["value"].agg(["mean", "std"])
    np.testing.assert_allclose(lines["Ridge"].x, ridge.index)
    np.testing.assert_allclose(lines["Ridge"].y, ridge["mean"])
    np.testing.assert_allclose(lines["Ridge"].high - lines["Ridge"].y, ridge["std"])
    assert [text for _, text in chart.x.ticks] == ["1", "2", "4", "8", "16"]


def test_fractions_cut_off_are_percentages_and_the_target_is_inside(all_results):
    chart = chart_of(all_results.of("censoring"), "coverage", "censored")
    assert [text for _, text in chart.x.ticks] == ["0 %", "20 %", "40 %", "60 %", "80 %"]
    assert chart.rule == 0.9
    assert chart.y.low < 0.9 < chart.y.high


def test_neither_marginals_nor_limits_nor_far_models_set_the_scale(all_results):
    chart = chart_of(all_results.of("low-samples"), "nllh")
    best = by_name(chart)["HybridDistNet"].y
    assert -0.75 < chart.y.low < best.min()
    assert best.max() < chart.y.high < 0.36  # the least of Marginal


def test_models_that_fail_at_some_levels_leave_the_axis_to_the_others(all_results):
    rows = all_results.of("censoring").copy()
    fails = rows["model"].isin(["DistNet", "RandomForest", "NGBoost", "QuantileForest"]) & (rows["censored"] > 0.1)
    rows.loc[fails, "value"] += 100 * rows.loc[fails, "censored"] ** 2
    chart = chart_of(rows, "nllh", "censored")
    assert chart.y.high < 1
    assert by_name(chart)["NGBoost"].y.max() > 60


def test_one_level_is_shown_as_dots_the_best_first(all_results):
    rows = all_results.of("low-samples").query("runs == 8")
    chart = chart_of(rows, "nllh")
    assert isinstance(chart, DotChart)
    values = [dot.value for dot in chart.dots]
    assert values == sorted(values)
    assert "8 runs" in chart.description
    far = [abs(dot.value - 0.9) for dot in chart_of(rows, "coverage").dots]
    assert far == sorted(far)


def test_levels_without_a_number_are_drawn_empty(all_results):
    rows = all_results.of("low-samples").assign(value=np.nan)
    assert list(chart_of(rows, "nllh").lines) == []
    with pytest.raises(SettingError, match="axis"):
        chart_of(rows, "nllh", "level")


def test_infinite_scores_do_not_set_the_scale(all_results):
    rows = all_results.of("low-samples").copy()
    rows.loc[rows["model"].isin(["DistNet", "Ridge"]), "value"] = np.inf
    chart = chart_of(rows, "crps")
    assert np.isfinite([chart.y.low, chart.y.high]).all()


def test_models_with_fewer_folds_are_not_drawn_next_to_the_others(all_results):
    rows = all_results.of("low-samples")
    some = rows[(rows["model"] != "Ridge") | ((rows["fold"] == 0) & (rows["runs"] < 4))]
    extra = pd.concat([some, rows[rows["model"] != "Ridge"].assign(fold=rows["fold"] + 2)])
    assert "Ridge" not in by_name(chart_of(extra, "ks"))
    assert "KNearest" in by_name(chart_of(extra, "ks"))
