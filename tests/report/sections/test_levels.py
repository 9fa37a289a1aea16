import dataclasses

import pandas as pd
from fake_results import fake_results
from report_files import cells_of

from bayes_distnet.experiments.statistics import CUTOFFS
from bayes_distnet.report.book import Book
from bayes_distnet.report.page import Folded, Heading
from bayes_distnet.report.sections.levels import levels
from bayes_distnet.report.write import write_report

_SCORES = ("nllh", "kld", "ks", "mass", "crps", "coverage", "band_coverage", "joint_nllh")


def test_every_score_has_a_table_and_the_first_one_is_open(results):
    (section,) = levels(Book(results), "low-samples")
    names = [block.inside.name if isinstance(block, Folded) else getattr(block, "name", "") for block in section.blocks]
    shown = [f"low-samples-{score}" for score in _SCORES]
    assert names == ["", "", *shown, "low-samples-paired", "low-samples", "low-samples-published"]
    assert [isinstance(block, Folded) for block in section.blocks] == [False] * 3 + [True] * 10
    files = {path.stem for path in (results.folder / "tables").iterdir()}
    assert set(names[2:]) < files


def test_files_are_named_after_the_kind_of_cutoffs(tmp_path, few_models):
    results = fake_results(tmp_path / "r", models=few_models, folds=2, seeds=1, experiments=["censoring"])
    cut = results.table[results.table["cutoffs"] == "global"]
    about = results.about
    about["experiments"]["censoring"]["cutoffs"] = ["global", "random"]
    both = dataclasses.replace(results, table=pd.concat([results.table, cut.assign(cutoffs="random")]), about=about)
    (section,) = levels(Book(both), "censoring")
    kinds = [CUTOFFS["global"], CUTOFFS["random"]]
    heads = [block.text for block in section.blocks if isinstance(block, Heading)]
    assert [head.lower() for head in heads if "cutoff" in head] == kinds
    files = {path.name for path in (both.folder / "tables").iterdir()}
    assert {f"censoring-{kind.replace(' ', '-')}-nllh.md" for kind in kinds} < files


def test_a_model_of_one_seed_is_compared_with_others_on_its_splits(tmp_path, few_models):
    settings = {"models": few_models, "folds": 2, "experiments": ["low-samples"]}
    slow = fake_results(tmp_path / "slow", seeds=3, slow=["DistNet"], **settings)
    page = write_report(slow.folder).read_text("utf-8")
    rows = slow.of("low-samples").query("model == 'HybridDistNet' and score == 'nllh' and runs == 4 and seed == 0")
    assert len(rows) == 2
    shown = cells_of(slow, "low-samples-nllh")["HybridDistNet"]["4 runs"].replace("*", "").split(" ")[0]
    assert shown == f"{rows['value'].mean():.3f}".replace("-", "−")
    assert page.count("over the 2 folds and seeds that all models have") >= 4  # scores, calibration and cost
    jobs = {model: cells["Jobs"] for model, cells in cells_of(slow, "cost").items()}
    assert jobs["HybridDistNet"] == "2"
    assert jobs["DistNet"] == jobs["Marginal"] == "4"  # two families
    assert "3 seeds" in page
    assert "1 seed (DistNet" in page
