import re

import numpy as np
from fake_results import MODELS, fake_results

from bayes_distnet.experiments.statistics import family_label
from bayes_distnet.report.findings import completeness, findings


def test_findings_count_cells_and_sure_differences(results):
    few, cut, moved = findings(results)
    assert few.startswith(
        "With 1 to 16 runs per instance: HybridDistNet has the lowest NLLH at 4 of 5 levels, ahead of the second by "
        "more than two standard errors at 3 of them; BayesDistNet at 16."
    )
    lost = f"not in NLLH at 16, {family_label('inverse-gaussian')}"
    assert f"in 27 of 30 cells, in 24 of them by more than two standard errors; {lost}" in few
    assert "No model is worse than Marginal" in few
    assert cut.startswith("With 0 % to 80 % of the runs cut off: HybridDistNet has the lowest NLLH at every level")
    assert "in all 30 cells, in all of them by more than two standard errors." in cut
    assert "28.5 for HybridDistNet" in moved
    assert "1.95 for DistNet" in moved


def test_findings_list_cells_in_which_a_claim_fails(tmp_path):
    models = {"BayesDistNet": (("lognormal",), 0.5, 0, 0), "DistNet": (("lognormal",), 0.3, 0.6, 0)}
    (text,) = findings(fake_results(tmp_path / "r", models=models, experiments=["low-samples"]))
    assert re.search(
        r"BayesDistNet has the lowest NLLH at 3 of 5 levels, ahead of the second by more than two standard errors at "
        r"(all|\d) of them; DistNet at 8 and 16\.",
        text,
    )
    assert re.search(
        r"in NLLH, KLD and KS in 9 of 15 cells, in (all|\d) of them by more than two standard errors; not in NLLH at "
        r"16, lognormal \(\+0\.\d+\).* and 2 more, in (all|\d) of them by more than two standard errors\.",
        text,
    )


def test_a_sure_difference_is_more_than_two_standard_errors(tmp_path, few_models):
    results = fake_results(tmp_path / "r", models=few_models, experiments=["low-samples"], folds=4, seeds=1)
    (text,) = findings(results)
    rows = results.table[results.table["score"].isin(["nllh", "kld", "ks"]) & (results.table["family"] != "")]
    wide = rows.pivot_table(index=["runs", "family", "score", "fold"], columns="model", values="value")
    gaps = (wide["DistNet"] - wide["BayesDistNet"]).groupby(["runs", "family", "score"])
    sure = (gaps.mean() > 2 * gaps.std() / np.sqrt(4)).sum()
    assert 10 < sure < 30
    assert f"in all 30 cells, in {sure} of them by more than two standard errors" in text


def test_a_model_without_families_is_compared_with_both_of_marginal(tmp_path):
    models = {"Ridge": (("",), 0.9, 0, 0), "Marginal": MODELS["Marginal"]}
    (text,) = findings(fake_results(tmp_path / "r", models=models, experiments=["low-samples"]))
    assert "Ridge in 30 of 30 cells" in text


def test_completeness_counts_jobs_of_all_calls(tmp_path, few_models):
    settings = {"models": few_models, "folds": 2, "experiments": ["low-samples"]}
    slow = fake_results(tmp_path / "slow", seeds=3, slow=["DistNet"], **settings)
    one = fake_results(tmp_path / "one", seeds=1, **settings)
    part = fake_results(tmp_path / "part", seeds=1, keep=0.33, **settings)
    found = [completeness(results, "low-samples") for results in (slow, one, part)]
    assert found == [(200, 200), (80, 80), (26, 80)]
