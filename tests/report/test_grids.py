import re

import numpy as np
from fake_results import MODELS
from tidy_tables import made_up

from bayes_distnet.report.grids import Listing
from bayes_distnet.report.tables import appendix, overview


def test_latex_is_balanced_and_every_row_has_all_columns(all_results):
    rows = all_results.of("low-samples").replace({"model": {"Ridge": "50 % & my_{model} #1"}})
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


def test_html_escapes_names():
    markup = overview(made_up({"<b>a</b> & co": {1: [1.0]}}), "runs", "nllh").html()
    assert "&lt;b&gt;a&lt;/b&gt; &amp; co" in markup
    assert "<b>" not in markup


def test_missing_cells_are_dashes():
    grid = overview(made_up({"a": {1: [0.5, 0.7], 2: [1.0, 1.0]}, "b": {1: [np.nan, np.nan]}}), "runs", "nllh")
    assert grid.markdown().splitlines()[2:] == ["| a | **0.600** ± 0.141 | **1.000** ± 0.000 |", "| b | – | – |"]
    assert "--" in grid.latex()
    assert "<td>–</td>" in grid.html()


def test_infinite_scores_are_shown_and_not_best():
    grid = overview(made_up({"a": {1: [np.inf]}, "b": {1: [2.0]}}, score="crps"), "runs", "crps")
    assert grid.markdown().splitlines()[2:] == ["| a | inf |", "| b | **2.000** |"]
    assert r"$\infty$" in grid.latex()


def test_huge_scores_stay_short():
    grid = overview(made_up({"a": {1: [-4.7e103, -4.7e103]}, "b": {1: [2.0, 2.0]}}), "runs", "nllh")
    assert "**−4.7e+103** ± 0.000" in grid.markdown()
    assert r"$\mathbf{{-}4.7 \cdot 10^{103}} \pm 0.000$" in grid.latex()


def test_a_mean_over_fewer_folds_has_a_dagger_in_every_markup():
    table = made_up({"A": {1: [1.0, 3.0, 3.0, 3.0]}, "B": {1: [2.0, 4.0, 4.0, 4.0]}, "new": {1: [0.5]}})
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


def test_repeated_labels_are_hidden_from_the_eye_only(all_results):
    markup = appendix(all_results.of("low-samples"), "runs", ["nllh"], "All & more.").html()
    assert "<caption>All &amp; more.</caption>" in markup
    assert '<th scope="row"></th>' not in markup
    assert markup.count('<span class="unseen">16</span>') == sum(len(families) for families, *_ in MODELS.values()) - 1
    assert markup.count('<th scope="row">16</th>') == 1


def test_listings_are_escaped_in_every_markup():
    table = Listing(["Name", "Share"], [["a_b | <c>", "5 %"]], caption="All of it.")
    assert table.markdown().splitlines()[2:] == [r"| a\_b \| \<c> | 5 % |", "", "*All of it.*"]
    assert r"a\_b | <c> & 5 \% \\" in table.latex()
    assert '<th scope="row">a_b | &lt;c&gt;</th><td>5 %</td>' in table.html()


def test_some_rows_keep_the_best_of_the_whole_table():
    grid = overview(made_up({"a": {1: [0.3]}, "b": {1: [0.2]}}), "runs", "nllh").take(["a"])
    assert grid.markdown().splitlines()[2:] == ["| a | 0.300 |"]
