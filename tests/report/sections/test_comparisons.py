import dataclasses

from report_files import Page

from bayes_distnet.experiments.published import DATA_DIFFER
from bayes_distnet.report.book import Book
from bayes_distnet.report.sections.comparisons import cost, not_ahead, published_numbers


def test_data_that_are_not_the_paper_s_have_a_note(page):
    assert DATA_DIFFER in "".join(Page(page).texts)


def test_published_numbers_have_margins_and_cells(results):
    (section,) = published_numbers(Book(results))
    note, margins, cells = section.blocks
    assert (note.text, note.kind) == (DATA_DIFFER, "note")
    assert {row[2] for row in margins.table.rows} == {"NLLH", "KLD", "KS", "Mass"}
    # two experiments of five levels, one pair of models, two families, four scores
    assert len(cells.inside.table.rows) == 2 * 5 * 2 * 4


def test_a_model_that_is_never_behind_has_a_sentence(results):
    table = results.table.copy()
    table.loc[table["model"] == "HybridDistNet", "value"] = -9.0
    (section,) = not_ahead(Book(dataclasses.replace(results, table=table)))
    (block,) = section.blocks
    assert block.text.startswith("None: it has the lowest NLLH, KLD, KS, CRPS and Joint NLLH in every cell")
    others = table[table["model"] != "HybridDistNet"]
    assert list(not_ahead(Book(dataclasses.replace(results, table=others)))) == []


def test_cells_behind_name_the_model_ahead(results):
    (section,) = not_ahead(Book(results))
    rows = [row for row in section.blocks[0].table.rows if row[:2] == ["NLLH", "16 runs"]]
    assert [row[2].split(",")[0] for row in rows] == ["BayesDistNet"]
    assert rows[0][5].startswith("+")


def test_cost_is_of_all_models_on_the_same_jobs(results):
    (section,) = cost(Book(results))
    rows = {row[0]: row[1:] for row in section.blocks[0].table.rows}
    assert rows["BayesDistNet"] == ["3.2", "3.2", "0.010", "0.010", "4"]
    assert rows["HybridDistNet"] == ["0.200", "0.200", "0.010", "0.010", "2"]
