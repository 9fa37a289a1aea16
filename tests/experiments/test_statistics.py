import re

import numpy as np
import pandas as pd
import pytest
from fake_results import MODELS, fake_results

from bayes_distnet import SettingError
from bayes_distnet.experiments.statistics import (
    LABELS,
    behind,
    level_name,
    model_order,
    most_complete,
    paired,
    slices,
    summarise,
    whole,
)
from bayes_distnet.report.grids import Listing, latex_text
from bayes_distnet.report.tables import appendix, overview


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return fake_results(tmp_path_factory.mktemp("results") / "one")


def made_up(values, score="nllh", axis="runs"):
    """A tidy table: values[model][level] is a list, one a fold."""
    rows = [
        {axis: level, "model": model, "family": "", "fold": fold, "seed": 0, "score": score, "value": value}
        for model, levels in values.items()
        for level, folds in levels.items()
        for fold, value in enumerate(folds)
    ]
    return pd.DataFrame(rows)


def test_means_and_deviations_are_over_folds_and_seeds(results):
    found = summarise(results.of("low-samples"), "runs")
    row = found.query("runs == 4 and model == 'DistNet' and family == 'lognormal' and score == 'ks'").iloc[0]
    table = results.table.query("runs == 4 and model == 'DistNet' and family == 'lognormal' and score == 'ks'")
    values = table[table["censored"] == 0]["value"]
    assert row["jobs"] == len(values) == 6
    assert row["mean"] == pytest.approx(values.mean())
    assert row["deviation"] == pytest.approx(values.std(ddof=1))


def test_printed_numbers_are_those_of_the_tidy_table(results):
    rows = results.of("censoring")
    grid = overview(rows, "censored", "nllh")
    mean = rows.query("model == 'Ridge' and score == 'nllh' and censored == 0.6")["value"].mean()
    line = next(line for line in grid.markdown().splitlines() if line.startswith("| Ridge |"))
    assert line.split("|")[5].split("±")[0].strip() == f"{mean:.3f}".replace("-", "−")
    assert grid.mean.loc["Ridge", "60 %"] == pytest.approx(mean)


def test_the_best_is_bold_and_limits_never_are():
    table = made_up({"a": {1: [0.3], 2: [0.1]}, "b": {1: [0.2], 2: [0.1002]}, "limit: empirical": {1: [0.0], 2: [0.0]}})
    lines = overview(table, "runs", "nllh").markdown().splitlines()
    assert lines == [
        "| Model | 1 run | 2 runs |",
        "| --- | ---: | ---: |",
        "| a | 0.300 | **0.100** |",  # what looks equal is equally good
        "| b | **0.200** | **0.100** |",
        "| limit: empirical | 0.000 | 0.000 |",
    ]


def test_coverage_is_best_near_its_level():
    table = made_up({"narrow": {1: [0.8]}, "right": {1: [0.88]}, "wide": {1: [0.99]}}, score="coverage")
    assert overview(table, "runs", "coverage").best["1 run"].to_dict() == {
        "narrow": False,
        "right": True,
        "wide": False,
    }


def test_appendix_has_a_row_a_level_model_and_family(results):
    grid = appendix(results.of("low-samples"), "runs", ["nllh", "kld", "ks", "mass"], "All.")
    assert list(grid.mean.columns) == [LABELS[score] for score in ("nllh", "kld", "ks", "mass")]
    assert len(grid.mean) == 5 * sum(len(families) for families, *_ in MODELS.values())
    best = grid.best.groupby(level=0, sort=False).sum()
    assert best.drop(columns="Mass").ge(1).all(axis=None)
    assert not best["Mass"].any()  # a right prediction has some


def test_latex_is_balanced_and_every_row_has_all_columns(results):
    rows = results.of("low-samples").replace({"model": {"Ridge": "50 % & my_{model} #1"}})
    for grid in (
        appendix(rows, "runs", ["nllh", "coverage"], "Mean ± deviation, 90 % & more."),
        overview(rows, "runs", "nllh"),
    ):
        text = grid.latex()
        bare = re.sub(r"\\[{}]", "", text)
        assert bare.count("{") == bare.count("}")
        assert bare.count("$") % 2 == 0 or r"\$" in text
        body = [line for line in text.splitlines() if line.endswith(r"\\")]
        assert len({len(re.findall(r"(?<!\\)&", line)) for line in body}) == 1
        spec = re.search(r"\\begin\{tabular\}\{(\w+)\}", text)[1]
        assert len(re.findall(r"(?<!\\)&", body[0])) == len(spec) - 1
        assert r"\mathbf{" in text
        assert "−" not in text
        assert not re.search(r"(?<!\\)[%#_]", text)


def test_text_for_latex_is_escaped():
    assert latex_text(r"a_b & 5 % {x} \ ~^") == (
        r"a\_b \& 5 \% \{x\} \textbackslash{} \textasciitilde{}\textasciicircum{}"
    )


def test_html_escapes_names():
    markup = overview(made_up({"<b>a</b> & co": {1: [1.0]}}), "runs", "nllh").html()
    assert "&lt;b&gt;a&lt;/b&gt; &amp; co" in markup
    assert "<b>" not in markup


def test_missing_cells_are_dashes():
    grid = overview(made_up({"a": {1: [0.5, 0.7], 2: [1.0, 1.0]}, "b": {1: [np.nan, np.nan]}}), "runs", "nllh")
    assert grid.markdown().splitlines()[2:] == ["| a | **0.600** ± 0.141 | **1.000** ± 0.000 |", "| b | – | – |"]
    assert "--" in grid.latex()
    assert "–" in grid.html()


def test_infinite_scores_are_shown_and_not_best():
    grid = overview(made_up({"a": {1: [np.inf]}, "b": {1: [2.0]}}, score="crps"), "runs", "crps")
    assert grid.markdown().splitlines()[2:] == ["| a | inf |", "| b | **2.000** |"]
    assert r"$\infty$" in grid.latex()


def test_huge_scores_stay_short():
    grid = overview(made_up({"a": {1: [-4.7e103, -4.7e103]}, "b": {1: [2.0, 2.0]}}), "runs", "nllh")
    assert "**−4.7e+103** ± 0.000" in grid.markdown()
    assert r"$\mathbf{{-}4.7 \cdot 10^{103}} \pm 0.000$" in grid.latex()


def test_pairs_share_folds_and_seeds():
    table = made_up({"a": {1: [1.0, 2.0, 4.0]}, "b": {1: [2.0, 2.5]}})
    found = paired(table, "runs", "nllh", ("a", ""), ("b", "")).iloc[0]
    assert found["difference"] == pytest.approx(-0.75)  # the third fold has no partner
    assert found["standard_error"] == pytest.approx(np.std([-1.0, -0.5], ddof=1) / np.sqrt(2))
    assert (found["wins"], found["jobs"]) == (2, 2)
    with pytest.raises(SettingError, match="'c'"):
        paired(table, "runs", "nllh", ("a", ""), ("c", ""))


def test_lists_where_a_model_is_not_ahead_widest_gap_first():
    table = made_up(
        {
            "HybridDistNet": {1: [0.5, 0.5], 2: [0.4, 0.5], 4: [0.1, 0.1]},
            "Ridge": {1: [0.4, 0.5], 2: [0.3, 0.2], 4: [0.3, 0.3]},
            "limit: empirical": {1: [0.0, 0.0], 2: [0.0, 0.0], 4: [0.0, 0.0]},
        }
    )
    found = behind(table, "runs")
    assert found["runs"].tolist() == [2, 1]
    assert found["ahead"].tolist() == ["Ridge", "Ridge"]
    np.testing.assert_allclose(found["gap"], [0.2, 0.05])
    assert behind(table[table["runs"] == 4], "runs").empty
    assert behind(table, "runs", model="not there").empty


def test_slices_keep_kinds_of_cutoffs_apart(results):
    rows = results.of("censoring")
    assert list(slices(rows, "censored")) == [""]
    both = pd.concat([rows, rows[rows["cutoffs"] == "global"].assign(cutoffs="random")])
    parts = slices(both, "censored")
    assert list(parts) == ["one cutoff for all", "a cutoff a run"]
    assert all(len(part) == len(rows) for part in parts.values())  # the uncensored cells belong to both
    cut = results.of("low-samples").assign(cutoffs="global", censored=0.4)
    assert list(slices(pd.concat([results.of("low-samples"), cut]), "runs")) == ["40 % cut off, one cutoff for all", ""]


def test_a_kind_of_cutoffs_has_only_models_that_met_it(results):
    table = results.of("censoring")
    cut = table[table["cutoffs"] != "none"]
    some = cut[cut["model"].isin(["HybridDistNet", "Ridge"])].assign(cutoffs="random")
    found = slices(pd.concat([table, some]), "censored")
    assert [len(set(part["model"])) for part in found.values()] == [len(MODELS), 2]
    assert {part["censored"].min() for part in found.values()} == {0.0}


def test_networks_come_first_and_limits_last():
    names = ["limit: empirical", "Mine", "DistNet", "HybridDistNet", "Mine"]
    assert model_order(names) == ["HybridDistNet", "DistNet", "Mine", "limit: empirical"]
    assert [level_name("runs", 8), level_name("censored", 0.2)] == ["8", "20 %"]
    with pytest.raises(SettingError, match="axis"):
        summarise(made_up({"a": {1: [1.0]}}), "level")


def test_models_are_compared_on_the_folds_they_share():
    rows = [("A", fold, seed, 1.0) for fold in (0, 1) for seed in (0, 1)]
    rows += [("B", fold, 0, 2.0) for fold in (0, 1)]
    table = pd.DataFrame(rows, columns=["model", "fold", "seed", "value"])
    table.loc[table["seed"] == 1, "value"] = 99.0  # a hard seed that only A was given
    table = table.assign(runs=4, family="", score="nllh", censored=0.0, cutoffs="none")
    found = summarise(table, "runs").set_index("model")
    assert found["mean"].to_dict() == {"A": 1.0, "B": 2.0}
    assert found["jobs"].to_dict() == {"A": 2, "B": 2}


def test_levels_are_compared_on_the_folds_they_share():
    table = made_up({"A": {1: [1.0, 1.0, 9.0], 2: [1.0, 1.0]}, "B": {1: [1.0, 1.0, 9.0], 2: [1.0, 1.0]}})
    found = summarise(table, "runs")
    assert set(found["mean"]) == {1.0}  # the hard third fold is not done with 2 runs
    assert set(found["jobs"]) == {2}


def test_a_model_that_has_hardly_begun_decides_nothing_and_is_never_the_best():
    table = made_up({"A": {1: [1.0, 3.0, 3.0, 3.0]}, "B": {1: [2.0, 4.0, 4.0, 4.0]}, "new": {1: [0.5]}})
    found = summarise(table, "runs").set_index("model")
    assert found["jobs"].to_dict() == {"A": 4, "B": 4, "new": 1}
    assert found["full"].to_dict() == {"A": True, "B": True, "new": False}
    grid = overview(table, "runs", "nllh", "NLLH.")
    lines = grid.markdown().splitlines()
    assert lines[2].startswith("| A | **2.500** ±")
    assert lines[4:] == [
        "| new | 0.500† |",
        "",
        "*NLLH. † fewer folds than others of the same level, so never the best.*",
    ]
    assert r"$0.500^\dagger$" in grid.latex()
    assert "0.500†" in grid.html()
    assert behind(table, "runs", model="A").empty


def test_a_model_that_failed_on_a_fold_is_not_the_best():
    table = made_up({"A": {1: [1.0, 3.0]}, "B": {1: [0.5, np.nan]}})
    assert overview(table, "runs", "nllh").best["1 run"].to_dict() == {"A": True, "B": False}
    assert behind(table, "runs", model="A").empty


def test_models_without_a_fold_in_common_are_still_shown():
    table = pd.DataFrame({"model": ["A", "B"], "fold": [0, 1], "seed": 0, "value": [1.0, 2.0], "runs": 4, "family": ""})
    found = summarise(table.assign(score="nllh"), "runs").set_index("model")
    assert found["mean"].to_dict() == {"A": 1.0, "B": 2.0}
    assert not found["full"].any()  # so neither is the best


def three_seeds_and_one(values):
    """A tidy table; models have three seeds, but for HybridDistNet, which has the first only."""
    rows = [
        (model, fold, seed, value + 50 * seed)  # later seeds are hard
        for model, value in values.items()
        for fold in range(4)
        for seed in range(1 if model == "HybridDistNet" else 3)
    ]
    table = pd.DataFrame(rows, columns=["model", "fold", "seed", "value"])
    return table.assign(runs=4, family="", score="nllh", censored=0.0, cutoffs="none")


def test_gap_and_means_of_a_model_behind_are_over_the_same_folds():
    table = three_seeds_and_one({"HybridDistNet": 1.0, "A": 0.75, "B": 2.0})
    (row,) = behind(table, "runs").to_dict("records")
    assert (row["ahead"], row["mean"], row["its_mean"]) == ("A", 1.0, 0.75)
    assert row["gap"] == pytest.approx(row["mean"] - row["its_mean"])
    assert row["jobs"] == 4


def test_pairs_refuse_two_values_of_one_job():
    table = made_up({"a": {1: [1.0, 2.0]}, "b": {1: [2.0, 2.5]}})
    with pytest.raises(SettingError, match="two values of nllh of 'a' at runs=1, fold 0, seed 0"):
        paired(pd.concat([table, table]), "runs", "nllh", ("a", ""), ("b", ""))


def test_pairs_of_infinite_scores():
    table = made_up({"a": {1: [np.inf, np.inf, 1.0]}, "b": {1: [np.inf, 1.0, 2.0]}}, score="crps")
    (row,) = paired(table, "runs", "crps", ("a", ""), ("b", "")).to_dict("records")
    assert row["difference"] == np.inf
    assert np.isnan(row["standard_error"])
    assert (row["wins"], row["jobs"]) == (1, 3)
    assert summarise(table, "runs")["mean"].tolist() == [np.inf, np.inf]


def test_one_condition_is_a_usual_one_of_the_most_jobs():
    rows = [(8, "none", 0.0, fold) for fold in range(3)] + [(8, "global", 0.4, fold) for fold in range(3)]
    rows += [(1, "none", 0.0, fold) for fold in range(3)] + [(16, "none", 0.0, 0)]
    table = pd.DataFrame(rows, columns=["runs", "cutoffs", "censored", "fold"]).assign(model="A", family="", seed=0)
    assert most_complete(table)[["runs", "censored"]].drop_duplicates().to_numpy().tolist() == [[8, 0.0]]
    more = pd.concat([table, table[table["censored"] > 0].assign(seed=1)])
    assert set(most_complete(more)["censored"]) == {0.4}


def test_whole_leaves_out_who_has_hardly_begun():
    table = made_up({"A": {1: [1.0, 3.0, 3.0, 3.0]}, "B": {1: [2.0, 4.0, 4.0, 4.0]}, "new": {1: [0.5]}})
    assert set(whole(table, "runs")["model"]) == {"A", "B"}


def test_repeated_labels_are_hidden_from_the_eye_only(results):
    markup = appendix(results.of("low-samples"), "runs", ["nllh"], "All & more.").html()
    assert "<caption>All &amp; more.</caption>" in markup
    assert '<th scope="row"></th>' not in markup
    assert markup.count('<span class="unseen">16</span>') == sum(len(families) for families, *_ in MODELS.values()) - 1
    assert markup.count('<th scope="row">16</th>') == 1


def test_listings_are_escaped_everywhere():
    table = Listing(["Name", "Share"], [["a_b | <c>", "5 %"]], caption="All of it.")
    assert table.markdown().splitlines()[2:] == [r"| a\_b \| \<c> | 5 % |", "", "*All of it.*"]
    assert r"a\_b | <c> & 5 \% \\" in table.latex()
    assert '<th scope="row">a_b | &lt;c&gt;</th><td>5 %</td>' in table.html()


def test_levels_close_to_each_other_keep_their_columns():
    table = made_up({"A": {0.0: [1.0], 0.004: [2.0], 0.12: [3.0], 0.125: [4.0]}}, axis="censored")
    assert overview(table, "censored", "nllh").mean.columns.tolist() == ["0 %", "0.4 %", "12 %", "12.5 %"]


def test_what_is_shared_is_chosen_once():
    table = pd.concat(
        made_up({name: {1: [1.0] * folds}}) for name, folds in (("HybridDistNet", 10), ("B", 6), ("C", 4))
    )
    table.loc[table["model"] == "B", "value"] = 0.5
    found = behind(table, "runs")
    assert found[["ahead", "jobs"]].to_numpy().tolist() == [["B", 6]]
