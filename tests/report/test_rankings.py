import numpy as np
import pandas as pd
import pytest

from bayes_distnet.report.rankings import ranking

FIRST = {"HybridDistNet": 0.0, "Ridge": 0.2, "Marginal": 0.5, "limit: empirical": -1.0}


def table(offsets, folds=4):
    rows = [
        {"runs": runs, "model": model, "family": "", "fold": fold, "seed": 0, "score": "nllh"}
        | {"value": offset + 0.1 * fold + (0.4 if runs == 1 and model == "Ridge" else 0.0) + 0.01 * (fold % 2)}
        for model, offset in offsets.items()
        for runs in (1, 8)
        for fold in range(folds)
    ]
    return pd.DataFrame(rows)


def test_models_are_ranked_by_their_mean_over_levels_and_limits_have_no_rank():
    listing = ranking(table(FIRST), "runs")
    assert [row[:2] for row in listing.rows] == [["1", "HybridDistNet"], ["2", "Ridge"], ["3", "Marginal"]]
    assert [float(row[2].mean) for row in listing.rows] == pytest.approx([0.155, 0.555, 0.655])
    assert [row[3].mean for row in listing.rows] == ["", "0.400", "0.500"]
    assert [row[4] for row in listing.rows] == ["2 of 2", "0 of 2", "0 of 2"]
    assert [row[5] for row in listing.rows] == ["0 of 2", "1 of 2", "–"]


def test_models_that_another_split_may_put_first_are_in_bold():
    rows = table({"HybridDistNet": 0.0, "Ridge": 0.3, "NGBoost": 0.01})
    noisy = (rows["model"] == "NGBoost") & (rows["fold"] % 2 == 0)
    rows["value"] += np.where(noisy, 0.2, 0.0) - np.where((rows["model"] == "NGBoost") & ~noisy, 0.18, 0.0)
    bold = {row[1]: row[2].best for row in ranking(rows, "runs").rows}
    assert bold == {"HybridDistNet": True, "NGBoost": True, "Ridge": False}


def test_the_best_family_of_a_model_counts():
    rows = table({"DistNet": 0.3, "Ridge": 0.2})
    better = rows[rows["model"] == "DistNet"].assign(family="lognormal", value=lambda t: t["value"] - 0.4)
    both = pd.concat([rows.assign(family=rows["family"].mask(rows["model"] == "DistNet", "weibull")), better])
    assert [row[1] for row in ranking(both, "runs").rows] == ["DistNet, lognormal", "Ridge"]


def test_a_single_model_has_no_ranking():
    assert ranking(table({"Ridge": 0.0, "limit: empirical": -1.0}), "runs") is None
