import dataclasses

from fake_results import fake_results
from report_files import cells_of

from bayes_distnet.report.book import Book
from bayes_distnet.report.sections.bands import bands


def test_bands_are_shown_against_every_axis_for_models_that_have_them(tmp_path, few_models):
    results = fake_results(tmp_path / "r", models=few_models, folds=2, seeds=1)
    (section,) = bands(Book(results))
    panels = section.blocks[0]
    assert [chart.name for chart in panels.charts] == ["1 to 16 runs per instance", "0 % to 80 % of the runs cut off"]
    assert {key.name.split(",")[0] for key in panels.legend} == {"HybridDistNet", "BayesDistNet", "DistNet"}
    cells = cells_of(results, "bands")
    rows = results.table.query("runs == 8 and censored == 0 and model == 'HybridDistNet'")
    means = rows.groupby("score")["value"].mean()
    assert cells["HybridDistNet"]["Band coverage"] == f"{means['band_coverage']:.3f}"
    assert cells["HybridDistNet"]["Joint NLLH"] == f"{means['joint_nllh']:.3f}".replace("-", "−")


def test_a_verdict_names_bands_that_are_too_narrow_or_too_wide(tmp_path, few_models):
    results = fake_results(tmp_path / "r", models=few_models, folds=2, seeds=1, experiments=["low-samples"])
    table = results.table.copy()
    own = table["score"] == "band_coverage"
    for model, value in (("HybridDistNet", 0.91), ("BayesDistNet", 0.98), ("DistNet", 0.4)):
        table.loc[own & (table["model"] == model), "value"] = value
    list(bands(Book(dataclasses.replace(results, table=table))))
    verdicts = {model.split(",")[0]: row["Bands are"] for model, row in cells_of(results, "bands").items()}
    assert verdicts == {"HybridDistNet": "correct", "BayesDistNet": "too wide", "DistNet": "too narrow"}


def test_results_without_bands_have_no_section(tmp_path, few_models):
    results = fake_results(tmp_path / "r", models=few_models, folds=1, seeds=1, experiments=["low-samples"])
    table = results.table[results.table["score"] != "band_coverage"]
    assert list(bands(Book(dataclasses.replace(results, table=table)))) == []
