import numpy as np
import pytest
from fake_results import MODELS
from tidy_tables import made_up

from bayes_distnet.report.names import score_label
from bayes_distnet.report.tables import appendix, overview


def test_printed_numbers_are_those_of_the_tidy_table(all_results):
    rows = all_results.of("censoring")
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
        "| a | 0.300 | **0.100** |",  # means that look equal are equally good
        "| b | **0.200** | **0.100** |",
        "| limit: empirical | 0.000 | 0.000 |",
    ]


def test_a_role_in_the_table_counts_whatever_the_name():
    table = made_up({"a": {1: [0.3]}, "mine": {1: [0.1]}})
    roles = table["model"].map({"a": "peer", "mine": "limit"})
    assert overview(table.assign(role=roles), "runs", "nllh").best["1 run"].to_dict() == {"a": True, "mine": False}


def test_coverage_is_best_near_its_level():
    table = made_up({"narrow": {1: [0.8]}, "right": {1: [0.88]}, "wide": {1: [0.99]}}, score="coverage")
    assert overview(table, "runs", "coverage").best["1 run"].to_dict() == {
        "narrow": False,
        "right": True,
        "wide": False,
    }


def test_appendix_has_one_row_per_level_model_and_family(all_results):
    scores = ["nllh", "kld", "ks", "mass"]
    grid = appendix(all_results.of("low-samples"), "runs", scores, "All.")
    assert list(grid.mean.columns) == [score_label(score) for score in scores]
    assert len(grid.mean) == 5 * sum(len(families) for families, *_ in MODELS.values())
    best = grid.best.groupby(level=0, sort=False).sum()
    assert best.drop(columns="Mass").ge(1).all(axis=None)
    assert not best["Mass"].any()  # neither less nor more is better


def test_a_model_that_failed_on_a_fold_is_not_the_best():
    table = made_up({"A": {1: [1.0, 3.0]}, "B": {1: [0.5, np.nan]}})
    assert overview(table, "runs", "nllh").best["1 run"].to_dict() == {"A": True, "B": False}


def test_levels_close_to_each_other_keep_their_columns():
    table = made_up({"A": {0.0: [1.0], 0.004: [2.0], 0.12: [3.0], 0.125: [4.0]}}, axis="censored")
    assert overview(table, "censored", "nllh").mean.columns.tolist() == ["0 %", "0.4 %", "12 %", "12.5 %"]
