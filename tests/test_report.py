import json
import re
from html.parser import HTMLParser

import pytest
from fake_results import MODELS, fake_results

from bayes_distnet import SettingError
from bayes_distnet.published import DATA_DIFFER
from bayes_distnet.report import write_report
from bayes_distnet.report.findings import completeness, findings

SECTIONS = ["run", "low-samples", "censoring", "behind", "uncertainty", "examples", "calibration", "published", "cost"]
VOID = {"meta", "br", "line", "path", "circle", "use"}
FEW = {name: MODELS[name] for name in ("HybridDistNet", "BayesDistNet", "DistNet", "Marginal", "limit: lognormal")}


class Page(HTMLParser):
    """Checks that tags are balanced, and collects texts, ids and what is referred to."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.texts = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name in ("src", "href", "xlink:href", "action", "srcset"):
                self.links.append(value)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    results = fake_results(tmp_path_factory.mktemp("report") / "whole", models=FEW, folds=2, seeds=1)
    write_report(results.folder)
    return results


@pytest.fixture(scope="module")
def page(results):
    return (results.folder / "report.html").read_text("utf-8")


def test_the_page_is_well_formed_and_has_every_section(page):
    parsed = Page(page)
    assert parsed.open == []
    assert len(parsed.ids) == len(set(parsed.ids))
    sections = re.findall(r'<section id="([^"]+)"', page)
    assert sections == [*SECTIONS, "definitions"]
    assert {f"#{section}" for section in sections} <= set(parsed.links)


def test_nothing_is_fetched(page):
    parsed = Page(page)
    assert parsed.links
    assert all(link.startswith("#") and link[1:] in parsed.ids for link in parsed.links)
    assert "<script" not in page
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)
    outside = re.findall(r'\S*https?://[^\s"]*', page)
    assert all(text.startswith("xmlns") for text in outside)


def test_tables_and_figures_are_written(results):
    names = {path.stem for path in (results.folder / "figures").iterdir()}
    assert names == {"low-samples", "censoring", "uncertainty", "calibration", "examples-1", "examples-2"}
    for folder, kinds in (("figures", (".png", ".pdf")), ("tables", (".md", ".tex"))):
        files = list((results.folder / folder).iterdir())
        for stem in {path.stem for path in files}:
            assert all((results.folder / folder / (stem + kind)).stat().st_size for kind in kinds)
    tables = {path.stem for path in (results.folder / "tables").iterdir()}
    assert {"low-samples", "low-samples-published", "low-samples-nllh", "censoring-coverage"} <= tables


def test_numbers_on_the_page_are_those_of_the_tidy_table(results, page):
    rows = results.of("low-samples").query("model == 'HybridDistNet' and score == 'nllh' and runs == 4")
    assert f"{rows['value'].mean():.3f}".replace("-", "−") in page


def test_data_that_are_not_the_paper_s_are_said_to_differ(page):
    assert DATA_DIFFER in "".join(Page(page).texts)


def test_findings_count_cells(results):
    few, cut, moved = findings(results)
    assert few.startswith("With 1 to 16 runs an instance: HybridDistNet has the lowest NLLH at every level.")
    assert "BayesDistNet is ahead of DistNet in NLLH, KLD and KS in all 30 cells." in few
    assert "No model is worse than Marginal" in few
    assert cut.startswith("With 0 % to 80 % of the runs cut off")
    assert "28.5 for HybridDistNet" in moved
    assert "1.95 for DistNet" in moved


def test_findings_say_where_a_claim_fails(tmp_path):
    models = {"BayesDistNet": (("lognormal",), 0.5, 0, 0), "DistNet": (("lognormal",), 0.3, 0.6, 0)}
    (text,) = findings(fake_results(tmp_path / "r", models=models, experiments=["low-samples"]))
    assert "BayesDistNet has the lowest NLLH at 3 of 5 levels; DistNet at 8 and 16." in text
    assert (
        "BayesDistNet is ahead of DistNet in NLLH, KLD and KS in 9 of 15 cells; not in NLLH at 16, lognormal (" in text
    )
    assert "and 2 more." in text


def test_a_killed_experiment_is_reported_as_far_as_it_is(tmp_path):
    results = fake_results(tmp_path / "part", models=FEW, folds=2, seeds=1, experiments=["low-samples"], keep=0.33)
    done, planned = completeness(results, "low-samples")
    assert 0 < done < planned
    text = "".join(Page(write_report(results.folder).read_text("utf-8")).texts)
    assert f"{done} of {planned} jobs are done" in text
    assert "–" in text
    assert "Runs cut off" not in text


def test_only_shifts_make_a_report_too(tmp_path):
    results = fake_results(tmp_path / "shifts", models=FEW, folds=1, seeds=1, experiments=["uncertainty"])
    page = write_report(results.folder).read_text("utf-8")
    assert re.findall(r'<section id="([^"]+)"', page) == ["run", "uncertainty", "definitions"]


def test_names_are_escaped_and_data_of_another_name_have_no_published_numbers(tmp_path):
    models = {"<i>mine</i> & co": (("",), 0.0, 0.1, 0.1), "other": (("",), 0.1, 0.1, 0.1)}
    results = fake_results(
        tmp_path / "mine", models=models, data="<b>my</b> data", folds=1, seeds=1, experiments=["low-samples"]
    )
    page = write_report(results.folder).read_text("utf-8")
    assert Page(page).open == []
    assert "<i>" not in page
    assert "<b>" not in page
    assert "&lt;i&gt;mine&lt;/i&gt; &amp; co" in page
    assert 'id="published"' not in page


def test_failed_jobs_are_named(tmp_path):
    results = fake_results(tmp_path / "failed", models=FEW, folds=1, seeds=1, experiments=["uncertainty"])
    key = {"runs": 1, "cutoffs": "none", "censored": 0.0, "model": "KNearest", "family": "", "fold": 0, "seed": 0}
    with (results.folder / "journal.jsonl").open("a") as journal:
        journal.write(json.dumps({"key": key, "error": "no neighbours"}) + "\n")
    page = write_report(results.folder).read_text("utf-8")
    assert "1 job of KNearest ended in an error: no neighbours" in page


def test_a_folder_without_a_finished_job_is_refused(tmp_path):
    results = fake_results(tmp_path / "empty", models=FEW, keep=0.0)
    with pytest.raises(SettingError, match="no job is done"):
        write_report(results.folder)
