import errno
import json
import re
import shutil

import pytest
from fake_results import fake_results
from report_files import Page, cells_of, sections_of

from bayes_distnet.errors import SettingError
from bayes_distnet.models.registry import MODELS, ModelEntry, Role
from bayes_distnet.report.book import Book
from bayes_distnet.report.page import Region
from bayes_distnet.report.write import write_report
from bayes_distnet.scoring.registry import SCORES, Score

SECTIONS = ["run", "low-samples", "censoring", "behind", "uncertainty", "examples", "calibration", "bands"]
SECTIONS += ["familiarity", "published", "cost"]


def test_a_report_has_every_section(page):
    assert sections_of(page) == [*SECTIONS, "definitions"]


def test_numbers_on_the_page_are_those_of_the_tidy_table(results, page):
    rows = results.of("low-samples").query("model == 'HybridDistNet' and score == 'nllh'")
    means = rows.groupby("runs")["value"].mean()
    table = cells_of(results, "low-samples-nllh")["HybridDistNet"]
    assert len(means) == len(table) == 5
    line = next(line for line in page.splitlines() if line.startswith('<tr><th scope="row">HybridDistNet</th>'))
    on_page = re.findall(r"<td>(?:<strong>)?([−.\d]+)", line)
    for mean, written, shown in zip(means, table.values(), on_page, strict=True):
        text = f"{mean:.3f}".replace("-", "−")
        assert written.strip("*").split("*")[0].split(" ")[0] == text
        assert shown == text


def test_a_killed_experiment_is_reported_as_far_as_it_is_done(tmp_path, few_models):
    results = fake_results(
        tmp_path / "part", models=few_models, folds=2, seeds=1, experiments=["low-samples"], keep=0.33
    )
    text = "".join(Page(write_report(results.folder).read_text("utf-8")).texts)
    assert "26 of 80 jobs are done" in text
    # 3 levels of the first fold, and 2 of the 8 models of the next.
    table = cells_of(results, "low-samples-nllh")
    assert [cell == "–" for cell in table["HybridDistNet"].values()] == [False] * 4
    assert [cell == "–" for cell in table["DistNet, lognormal"].values()] == [False] * 3 + [True]
    assert "Runs cut off" not in text


def test_an_earlier_report_leaves_no_files(tmp_path, few_models):
    results = fake_results(tmp_path / "r", models=few_models, folds=1, seeds=1, experiments=["uncertainty"])
    for name in ("tables/low-samples-nllh.md", "tables/notes.md", "figures/examples-7.png", "figures/cost.csv"):
        path = results.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("old")
    page = write_report(results.folder).read_text("utf-8")
    assert sections_of(page) == ["run", "uncertainty", "definitions"]
    assert {path.name for path in (results.folder / "tables").iterdir()} == {
        "notes.md",
        "uncertainty.md",
        "uncertainty.tex",
    }
    assert {path.name for path in (results.folder / "figures").iterdir()} == {
        "cost.csv",
        "uncertainty.png",
        "uncertainty.pdf",
    }


def test_a_folder_without_its_data_still_makes_a_report(tmp_path, few_models):
    results = fake_results(tmp_path / "r", models=few_models, folds=2, seeds=1, experiments=["low-samples"])
    shutil.rmtree(results.folder / "data")
    sections = sections_of(write_report(results.folder).read_text("utf-8"))
    assert sections == [
        "run",
        "low-samples",
        "behind",
        "calibration",
        "bands",
        "familiarity",
        "published",
        "cost",
        "definitions",
    ]


def test_names_are_escaped_and_data_of_another_name_have_no_published_numbers(tmp_path):
    models = {"<i>mine</i> & $co_$": (("",), 0.0, 0.1, 0.1), "other": (("",), 0.1, 0.1, 0.1)}
    results = fake_results(
        tmp_path / "mine", models=models, data="<b>my</b> data", folds=1, seeds=1, experiments=["low-samples"]
    )
    page = write_report(results.folder).read_text("utf-8")
    assert Page(page).open == []
    assert "<i>" not in page
    assert "<b>" not in page
    assert "&lt;i&gt;mine&lt;/i&gt; &amp; $co_$" in page
    assert 'id="published"' not in page


def test_the_page_is_renamed_into_place(tmp_path, few_models, monkeypatch):
    results = fake_results(tmp_path / "r", models=few_models, folds=1, seeds=1, experiments=["uncertainty"])
    page = write_report(results.folder)
    before = page.read_text("utf-8")

    def full_disk(draft, path):
        assert (draft.stat().st_size, path) == (page.stat().st_size, page)
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(Book, "table", lambda self, name, table: Region(name, table))
    monkeypatch.setattr(Book, "csv", lambda *_: None)
    monkeypatch.setattr(Book, "figure", lambda self, name, charts: charts)
    monkeypatch.setattr("bayes_distnet.files.os.replace", full_disk)
    with pytest.raises(OSError, match=r"no space .*report\.html"):
        write_report(results.folder)
    assert page.read_text("utf-8") == before
    assert [path.name for path in results.folder.glob(".*")] == []


def test_a_folder_without_a_finished_job_is_refused(tmp_path, few_models):
    results = fake_results(tmp_path / "empty", models=few_models, keep=0.0)
    with pytest.raises(SettingError, match="no job is done"):
        write_report(results.folder)


@pytest.mark.slow
def test_an_added_score_and_an_added_model_appear_in_tables_and_on_the_page(tmp_path, few_models):
    models = few_models | {"Toy model": (("",), -0.6, 0.1, 0.1)}
    with (
        SCORES.extended(Score("toy", "Toy score", "Distance to a toy. Less is better.", "math:hypot", compared=True)),
        MODELS.extended(ModelEntry("toy", "Toy model", Role.MODEL, "math:hypot", main=True)),
    ):
        results = fake_results(tmp_path / "r", models=models, folds=2, seeds=1, experiments=["low-samples"])
        journal = results.folder / "journal.jsonl"
        records = [json.loads(line) for line in journal.read_text().splitlines()]
        for record in records:
            record["scores"]["toy"] = 2 * record["scores"]["ks"]
        journal.write_text("".join(json.dumps(record) + "\n" for record in records))
        page = write_report(results.folder).read_text("utf-8")
    table = cells_of(results, "low-samples-toy")
    means = results.table.query("model == 'Toy model' and score == 'ks'").groupby("runs")["value"].mean()
    shown = [cell.replace("*", "").split(" ")[0] for cell in table["Toy model"].values()]
    assert shown == [f"{2 * mean:.3f}" for mean in means]
    assert "Toy score" in (results.folder / "tables" / "low-samples.md").read_text().splitlines()[0]
    assert "<summary>Toy score per model and level</summary>" in page
    assert "<dt>Toy score</dt><dd>Distance to a toy. Less is better.</dd>" in page
    assert re.search(r'aria-label="Toy score against numbers of runs', page)
    assert re.search(r'<g class="series c\d on" data-name="Toy model"', page)  # in colour, as a main model
