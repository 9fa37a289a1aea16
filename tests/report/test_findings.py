import re

import numpy as np
from fake_results import MODELS, fake_results

from bayes_distnet.experiments.statistics import family_label
from bayes_distnet.report.findings import completeness, findings


def test_findings_count_cells_and_sure_differences(results):
    few, cut = findings(results)
    assert (few.name, few.title) == ("low-samples", "1 to 16 runs per instance")
    first, claim = few.sentences
    assert first.startswith(
        "HybridDistNet has the lowest NLLH at 4 of 5 levels, ahead of the second by "
        "more than two standard errors at 3 of them; BayesDistNet at 16."
    )
    lost = f"not in NLLH at 16, {family_label('inverse-gaussian')}"
    assert f"in 27 of 30 cells, in 24 of them by more than two standard errors; {lost}" in claim
    assert cut.title == "0 % to 80 % of the runs cut off"
    assert cut.sentences[0].startswith("HybridDistNet has the lowest NLLH at every level")
    assert "in all 30 cells, in all of them by more than two standard errors." in cut.sentences[1]


def test_findings_list_cells_in_which_a_claim_fails(tmp_path):
    models = {"BayesDistNet": (("lognormal",), 0.5, 0, 0), "DistNet": (("lognormal",), 0.3, 0.6, 0)}
    (found,) = findings(fake_results(tmp_path / "r", models=models, experiments=["low-samples"]))
    text = " ".join(found.sentences)
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
    (found,) = findings(results)
    rows = results.table[results.table["score"].isin(["nllh", "kld", "ks"]) & (results.table["family"] != "")]
    wide = rows.pivot_table(index=["runs", "family", "score", "fold"], columns="model", values="value")
    gaps = (wide["DistNet"] - wide["BayesDistNet"]).groupby(["runs", "family", "score"])
    sure = (gaps.mean() > 2 * gaps.std() / np.sqrt(4)).sum()
    assert 10 < sure < 30
    assert f"in all 30 cells, in {sure} of them by more than two standard errors" in found.sentences[1]


def test_a_published_preset_that_is_no_better_than_marginal_does_not_converge(tmp_path):
    models = {name: MODELS[name] for name in ("BayesDistNet (paper)", "DistNet (paper)", "Marginal")}
    (found,) = findings(fake_results(tmp_path / "r", models=models, experiments=["low-samples"]))
    notes = [text for text in found.sentences if "does not converge" in text]
    assert [text.split(" does")[0] for text in notes] == ["BayesDistNet (paper)", "DistNet (paper)"]
    assert "at 1, 2, 4, 8 and 16 runs" in notes[0]


def test_a_preset_ahead_of_marginal_has_no_note(tmp_path):
    models = {"BayesDistNet (paper)": (("lognormal",), -0.4, 0.1, 0.1), "Marginal": MODELS["Marginal"]}
    (found,) = findings(fake_results(tmp_path / "r", models=models, experiments=["low-samples"]))
    assert not any("converge" in text for text in found.sentences)


def test_completeness_counts_jobs_of_all_calls(tmp_path, few_models):
    settings = {"models": few_models, "folds": 2, "experiments": ["low-samples"]}
    slow = fake_results(tmp_path / "slow", seeds=3, slow=["DistNet"], **settings)
    one = fake_results(tmp_path / "one", seeds=1, **settings)
    part = fake_results(tmp_path / "part", seeds=1, keep=0.33, **settings)
    found = [completeness(results, "low-samples") for results in (slow, one, part)]
    assert found == [(200, 200), (80, 80), (26, 80)]
