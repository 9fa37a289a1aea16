import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fake_results import MODELS, fake_results

from bayes_distnet import SettingError
from bayes_distnet.distributions.families import FAMILIES
from bayes_distnet.experiments.results import EXAMPLE_LEVELS
from bayes_distnet.experiments.statistics import model_order
from bayes_distnet.report.result_figures import (
    MAIN_COLORS,
    curve_style,
    model_style,
    pick_examples,
    plot_calibration,
    plot_examples,
    plot_levels,
    plot_shifts,
)

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return fake_results(tmp_path_factory.mktemp("plots") / "results", folds=2, seeds=1)


def lines_of(ax):
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


def test_levels_are_means_with_a_line_each(results):
    rows = results.of("low-samples")
    ax = plot_levels(rows, "ks", "runs")
    lines = lines_of(ax)
    assert len(lines) == sum(len(families) for families, *_ in MODELS.values())
    ridge = rows.query("model == 'Ridge' and score == 'ks'").groupby("runs")["value"].mean()
    np.testing.assert_allclose(lines["Ridge"].get_xdata(), ridge.index)
    np.testing.assert_allclose(lines["Ridge"].get_ydata(), ridge)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["1", "2", "4", "8", "16"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(lines)
    ax.get_figure().canvas.draw()


def test_shares_cut_off_are_percentages(results):
    ax = plot_levels(results.of("censoring"), "coverage", "censored", legend=False)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["0 %", "20 %", "40 %", "60 %", "80 %"]
    assert ax.get_legend() is None
    low, high = ax.get_ylim()
    assert low < 0.9 < high


def test_models_far_off_do_not_squash_the_picture_but_are_named(results):
    ax = plot_levels(results.of("low-samples"), "nllh")
    low, high = ax.get_ylim()
    assert -1 < low < -0.5
    assert 0.3 < high < 1  # Marginal is inside
    (note,) = [text.get_text() for text in ax.texts]
    assert note.startswith("outside: BayesDistNet (paper) 2.")
    assert "DistNet (paper) 3." in note


def test_levels_without_a_number_are_drawn_empty(results):
    rows = results.of("low-samples").assign(value=np.nan)
    plot_levels(rows, "nllh").get_figure().canvas.draw()
    plot_levels(rows.iloc[:0], "nllh").get_figure().canvas.draw()
    with pytest.raises(SettingError, match="axis"):
        plot_levels(rows, "nllh", "level")


def test_no_two_models_look_the_same():
    names = [*MODELS, *(f"peer {i}" for i in range(30))]
    for style in (model_style, curve_style):
        looks = [(s["color"], str(s["ls"]), s["marker"], s["lw"]) for s in (style(name, "", names) for name in names)]
        assert len(set(looks)) == len(names)
    assert model_style("DistNet", "lognormal")["ls"] != model_style("DistNet", "inverse-gaussian")["ls"]


def test_calibration_adds_counts_up_to_a_curve():
    rows = pd.DataFrame({"model": "Ridge", "family": "", "pit": [[1, 2, 3, 4], [3, 2, 1, 0]]})
    (line,) = lines_of(plot_calibration(rows)).values()
    np.testing.assert_allclose(line.get_xdata(), [0, 0.25, 0.5, 0.75, 1])
    np.testing.assert_allclose(line.get_ydata(), [0, 0.25, 0.5, 0.75, 1])


def test_examples_are_the_best_median_and_worst(results):
    rows = results.examples.query("censored == 0.6 and model in ['HybridDistNet', 'Ridge']")
    chosen = pick_examples(rows, "HybridDistNet")
    own = rows[rows["model"] == "HybridDistNet"].set_index("instance")["nllh"]
    assert (chosen["best"], chosen["worst"]) == (own.idxmin(), own.idxmax())
    assert own[chosen["best"]] <= own[chosen["median"]] <= own[chosen["worst"]]
    with pytest.raises(SettingError, match="none of 'nobody'"):
        pick_examples(rows, "nobody")
    place = results.data.features.index.get_loc(chosen["worst"])
    ax = plot_examples(rows, chosen["worst"], results.data.seconds[place], results.data.finished[place])
    lines = lines_of(ax)
    assert set(lines) == {"30 runs", "HybridDistNet", "Ridge"}
    np.testing.assert_allclose(lines["Ridge"].get_ydata(), EXAMPLE_LEVELS)
    ax.get_figure().canvas.draw()


def test_shifts_show_means_and_ranges_of_one_instance(results):
    rows = results.shifts[results.shifts["model"].isin(list(MAIN_COLORS))]
    ax = plot_shifts(rows)
    first = rows[(rows["instance"] == rows["instance"].iloc[0]) & (rows["model"] == "HybridDistNet")]
    np.testing.assert_allclose(lines_of(ax)["HybridDistNet"].get_ydata(), first["mean"])
    plot_shifts(rows.assign(mean=np.inf)).get_figure().canvas.draw()
    with pytest.raises(SettingError, match="no shifts"):
        plot_shifts(rows, "nobody")


def test_every_family_has_dashes_of_its_own():
    assert len({str(model_style("DistNet", family)["ls"]) for family in [*FAMILIES, "mine"]}) == len(FAMILIES) + 1


def contrast(color, paper):
    """Contrast of two colours as the Web Content Accessibility Guidelines define it."""
    light = []
    for rgb in map(matplotlib.colors.to_rgb, (color, paper)):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
        light.append(np.dot([0.2126, 0.7152, 0.0722], linear) + 0.05)
    return max(light) / min(light)


def test_lines_can_be_seen_on_a_light_and_on_a_dark_page():
    names = [*MODELS, *(f"peer {i}" for i in range(10))]
    colors = {model_style(name, "", names)["color"] for name in names}
    assert all(contrast(color, paper) >= 3 for color in colors for paper in ("#fcfcfb", "#14171c"))


def test_dollars_in_names_are_no_mathematics(results):
    rows = results.of("low-samples").replace({"model": {"Ridge": "$x_$ and $y"}})
    ax = plot_levels(rows, "ks")
    assert "$x_$ and $y" in {label.replace(r"\$", "$") for label in lines_of(ax)}
    ax.get_figure().canvas.draw()  # as mathematics it would not even parse


def test_infinite_numbers_are_drawn_at_the_edge_or_not_at_all(results):
    rows = results.of("low-samples").copy()
    rows.loc[rows["model"].isin(["DistNet", "Ridge"]), "value"] = np.inf
    ax = plot_levels(rows, "crps")
    assert np.isfinite(ax.get_ylim()).all()
    assert "inf" in ax.texts[0].get_text()
    ax.get_figure().canvas.draw()
    shifts = results.shifts[results.shifts["model"] == "DistNet"].assign(high=np.inf)
    plot_shifts(shifts).get_figure().canvas.draw()


def test_models_with_fewer_folds_are_not_drawn_beside_the_others(results):
    rows = results.of("low-samples")
    some = rows[(rows["model"] != "Ridge") | ((rows["fold"] == 0) & (rows["runs"] < 4))]
    extra = pd.concat([some, rows[rows["model"] != "Ridge"].assign(fold=rows["fold"] + 2)])
    assert "Ridge" not in lines_of(plot_levels(extra, "ks"))
    assert "KNearest" in lines_of(plot_levels(extra, "ks"))


def test_a_model_looks_the_same_in_every_panel_and_in_the_legend(results):
    def colors(ax):
        return {line.get_label(): (line.get_color(), line.get_marker()) for line in ax.lines}

    models = model_order(results.calibration["model"])
    every = results.calibration[results.calibration["runs"] == 8]
    some = every[~every["model"].isin(["RandomForest", "Ridge"])]
    whole, part = (colors(plot_calibration(rows, peers=models)) for rows in (every, some))
    assert set(part) < set(whole)
    assert all(whole[label] == look for label, look in part.items())

    table = results.of("low-samples")
    slow = (table["model"] == "RandomForest") & (table["fold"] > 0)
    whole, part = (colors(plot_levels(rows, "nllh")) for rows in (table, table.assign(value=table["value"].mask(slow))))
    assert "RandomForest" in whole
    assert "RandomForest" not in part
    assert all(whole[label] == look for label, look in part.items() if not label.startswith("_"))
