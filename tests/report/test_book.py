from dataclasses import replace

from bayes_distnet.report.book import Book
from bayes_distnet.report.grids import Listing


def test_tables_and_figures_of_an_earlier_report_are_removed(tmp_path, results):
    book = Book(replace(results, folder=tmp_path))
    kept = {"tables/notes.md", "figures/cost.csv", "tables/my-low-samples.md"}
    old = {"tables/low-samples-nllh.md", "tables/low-samples.tex", "figures/examples-7.png", "tables/behind.md"}
    for name in kept | old:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("old")
    book.clear()
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.glob("*/*")} == kept


def test_a_table_is_written_in_two_markups_and_returned_as_a_block(tmp_path, results):
    table = Listing(["a", "b"], [["x", "1"]])
    block = Book(replace(results, folder=tmp_path)).table("one", table)
    assert (block.name, block.table) == ("one", table)
    assert (tmp_path / "tables" / "one.md").read_text() == table.markdown()
    assert (tmp_path / "tables" / "one.tex").read_text() == table.latex()


def test_every_table_and_figure_is_written_in_all_its_formats(results):
    names = {path.stem for path in (results.folder / "figures").iterdir()}
    assert names == {"low-samples", "censoring", "uncertainty", "calibration", "bands", "examples-1", "examples-2"}
    for folder, kinds in (("figures", (".png", ".pdf")), ("tables", (".md", ".tex"))):
        files = list((results.folder / folder).iterdir())
        for stem in {path.stem for path in files}:
            assert all((results.folder / folder / (stem + kind)).stat().st_size for kind in kinds)
