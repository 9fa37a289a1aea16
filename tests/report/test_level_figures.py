import numpy as np
import pandas as pd
import pytest
from fake_results import MODELS
from figure_lines import lines_of, looks_of

from bayes_distnet.errors import SettingError
from bayes_distnet.report.level_figures import plot_levels


def test_levels_are_means_with_one_line_per_model_and_family(all_results):
    rows = all_results.of("low-samples")
    ax = plot_levels(rows, "ks", "runs")
    lines = lines_of(ax)
    assert len(lines) == sum(len(families) for families, *_ in MODELS.values())
    ridge = rows.query("model == 'Ridge' and score == 'ks'").groupby("runs")["value"].mean()
    np.testing.assert_allclose(lines["Ridge"].get_xdata(), ridge.index)
    np.testing.assert_allclose(lines["Ridge"].get_ydata(), ridge)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["1", "2", "4", "8", "16"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(lines)
    ax.get_figure().canvas.draw()


def test_fractions_cut_off_are_percentages(all_results):
    ax = plot_levels(all_results.of("censoring"), "coverage", "censored", legend=False)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["0 %", "20 %", "40 %", "60 %", "80 %"]
    assert ax.get_legend() is None
    low, high = ax.get_ylim()
    assert low < 0.9 < high


def test_models_far_off_do_not_squash_the_picture_but_are_named(all_results):
    ax = plot_levels(all_results.of("low-samples"), "nllh")
    low, high = ax.get_ylim()
    assert -1 < low < -0.5
    assert 0.3 < high < 1  # Marginal is inside
    (note,) = [text.get_text() for text in ax.texts]
    assert note.startswith("outside: BayesDistNet (paper) 2.")
    assert "DistNet (paper) 3." in note


def test_levels_without_a_number_are_drawn_empty(all_results):
    rows = all_results.of("low-samples").assign(value=np.nan)
    plot_levels(rows, "nllh").get_figure().canvas.draw()
    plot_levels(rows.iloc[:0], "nllh").get_figure().canvas.draw()
    with pytest.raises(SettingError, match="axis"):
        plot_levels(rows, "nllh", "level")


def test_dollars_in_names_are_no_mathematics(all_results):
    rows = all_results.of("low-samples").replace({"model": {"Ridge": "$x_$ and $y"}})
    ax = plot_levels(rows, "ks")
    assert "$x_$ and $y" in {label.replace(r"\$", "$") for label in lines_of(ax)}
    ax.get_figure().canvas.draw()  # as mathematics it would not even parse


def test_infinite_scores_are_drawn_at_the_edge(all_results):
    rows = all_results.of("low-samples").copy()
    rows.loc[rows["model"].isin(["DistNet", "Ridge"]), "value"] = np.inf
    ax = plot_levels(rows, "crps")
    assert np.isfinite(ax.get_ylim()).all()
    assert "inf" in ax.texts[0].get_text()
    ax.get_figure().canvas.draw()


def test_models_with_fewer_folds_are_not_drawn_next_to_the_others(all_results):
    rows = all_results.of("low-samples")
    some = rows[(rows["model"] != "Ridge") | ((rows["fold"] == 0) & (rows["runs"] < 4))]
    extra = pd.concat([some, rows[rows["model"] != "Ridge"].assign(fold=rows["fold"] + 2)])
    assert "Ridge" not in lines_of(plot_levels(extra, "ks"))
    assert "KNearest" in lines_of(plot_levels(extra, "ks"))


def test_a_model_looks_the_same_if_another_is_left_out(all_results):
    table = all_results.of("low-samples")
    slow = (table["model"] == "RandomForest") & (table["fold"] > 0)
    tables = (table, table.assign(value=table["value"].mask(slow)))
    whole, part = (looks_of(plot_levels(rows, "nllh")) for rows in tables)
    assert "RandomForest" in whole
    assert "RandomForest" not in part
    assert all(whole[label] == look for label, look in part.items())
