import dataclasses

import pytest
from fake_results import fake_results
from report_files import cells_of

from bayes_distnet.report.book import Book
from bayes_distnet.report.sections.familiarity import familiarity


@pytest.fixture
def results(tmp_path, few_models):
    return fake_results(tmp_path / "r", models=few_models, folds=2, seeds=1, experiments=["low-samples"])


def test_instances_that_are_not_familiar_are_counted_and_scored_apart(results):
    (section,) = familiarity(Book(results))
    assert section.blocks[0].text.startswith(
        "Of 16 test instances (over folds and seeds), 2 were unusual and 0 outside"
    )
    for row in cells_of(results, "familiarity").values():
        assert float(row["NLLH, others"]) - float(row["NLLH, familiar"]) == pytest.approx(1.0, abs=0.0011)
        assert (row["coverage, familiar"], row["coverage, others"]) == ("0.900", "0.800")


def test_where_all_are_familiar_a_sentence_is_enough(results):
    rows = results.familiarity
    near = dataclasses.replace(results, familiarity=rows[rows["verdict"] == "familiar"])
    (section,) = familiarity(Book(near))
    assert len(section.blocks) == 1
    assert "0 were unusual and 0 outside" in section.blocks[0].text


def test_results_without_verdicts_have_no_section(results):
    assert list(familiarity(Book(dataclasses.replace(results, familiarity=results.familiarity[:0])))) == []
