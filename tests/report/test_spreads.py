import numpy as np
import pandas as pd
from fake_results import fake_results

from bayes_distnet.report.spreads import comparable_shifts, spreads, widening


def test_shifts_without_numbers_and_of_other_conditions_are_left_out(tmp_path, few_models):
    results = fake_results(tmp_path / "r", models=few_models, folds=2, seeds=1, experiments=["uncertainty"])
    lost = results.shifts.copy()
    lost.loc[lost["model"] == "DistNet", ["low", "high"]] = np.nan
    lost = pd.concat([lost, lost[lost["fold"] == 0].assign(runs=2, high=1e9)])
    found = spreads(comparable_shifts(lost))
    assert found.loc["DistNet"].isna().all(axis=None)
    assert round(found.loc[("HybridDistNet", ""), 0.0], 6) == round(np.exp(2 * 0.67 * 0.5), 6)
    (text,) = widening(lost)
    assert "for BayesDistNet" in text
    assert "for DistNet" not in text


def test_no_shifts_have_no_sentence(results):
    assert widening(results.shifts.iloc[:0]) == []
