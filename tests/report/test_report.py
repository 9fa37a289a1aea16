import dataclasses
import json
import re
import shutil
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from fake_results import MODELS, fake_results

from bayes_distnet import SettingError
from bayes_distnet.experiments.published import DATA_DIFFER
from bayes_distnet.report import result_figures as result_plots
from bayes_distnet.report.book import Book
from bayes_distnet.report.distributions import calibration, uncertainty
from bayes_distnet.report.findings import completeness, findings
from bayes_distnet.report.page import legend
from bayes_distnet.report.write import write_report

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
    folder = tmp_path_factory.mktemp("report") / "whole"
    results = fake_results(folder, models=FEW, folds=2, seeds=1, tables=True)
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
    assert {"published", "published-cells", "cost", "low-samples-paired", "uncertainty"} <= tables


def cells_of(results, name):
    """A table's cells by row and column, as its Markdown has them."""
    lines = (results.folder / "tables" / f"{name}.md").read_text("utf-8").splitlines()
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rows}


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


def test_data_that_are_not_the_paper_s_are_said_to_differ(page):
    assert DATA_DIFFER in "".join(Page(page).texts)


def test_findings_count_cells_and_say_how_sure_they_are(results):
    few, cut, moved = findings(results)
    assert few.startswith(
        "With 1 to 16 runs an instance: HybridDistNet has the lowest NLLH at 4 of 5 levels, ahead of the second by "
        "more than two standard errors at 3 of them; BayesDistNet at 16."
    )
    assert "in 27 of 30 cells, in 24 of them by more than two standard errors; not in NLLH at 16, inverse G" in few
    assert "No model is worse than Marginal" in few
    assert cut.startswith("With 0 % to 80 % of the runs cut off: HybridDistNet has the lowest NLLH at every level")
    assert "in all 30 cells, in all of them by more than two standard errors." in cut
    assert "28.5 for HybridDistNet" in moved
    assert "1.95 for DistNet" in moved


def test_findings_say_where_a_claim_fails(tmp_path):
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


def test_a_sure_claim_is_one_of_more_than_two_standard_errors(tmp_path):
    results = fake_results(tmp_path / "r", models=FEW, experiments=["low-samples"], folds=4, seeds=1)
    (text,) = findings(results)
    rows = results.table[results.table["score"].isin(["nllh", "kld", "ks"]) & (results.table["family"] != "")]
    wide = rows.pivot_table(index=["runs", "family", "score", "fold"], columns="model", values="value")
    gaps = (wide["DistNet"] - wide["BayesDistNet"]).groupby(["runs", "family", "score"])
    sure = (gaps.mean() > 2 * gaps.std() / np.sqrt(4)).sum()
    assert 10 < sure < 30
    assert f"in all 30 cells, in {sure} of them by more than two standard errors" in text


def test_a_model_without_families_meets_both_of_marginal(tmp_path):
    models = {"Ridge": (("",), 0.9, 0, 0), "Marginal": MODELS["Marginal"]}
    (text,) = findings(fake_results(tmp_path / "r", models=models, experiments=["low-samples"]))
    assert "Ridge in 30 of 30 cells" in text


def test_a_killed_experiment_is_reported_as_far_as_it_is(tmp_path):
    results = fake_results(tmp_path / "part", models=FEW, folds=2, seeds=1, experiments=["low-samples"], keep=0.33)
    done, planned = completeness(results, "low-samples")
    assert (done, planned) == (26, 80)
    text = "".join(Page(write_report(results.folder).read_text("utf-8")).texts)
    assert f"{done} of {planned} jobs are done" in text
    # 3 levels of the first fold, and 2 of the 8 models of the next.
    table = cells_of(results, "low-samples-nllh")
    assert [cell == "–" for cell in table["HybridDistNet"].values()] == [False] * 4
    assert [cell == "–" for cell in table["DistNet, lognormal"].values()] == [False] * 3 + [True]
    assert "Runs cut off" not in text


def test_a_model_of_one_seed_is_set_beside_others_on_its_splits(tmp_path):
    settings = {"models": FEW, "folds": 2, "experiments": ["low-samples"]}
    slow = fake_results(tmp_path / "slow", seeds=3, slow=["DistNet"], **settings)
    one = fake_results(tmp_path / "one", seeds=1, **settings)
    page = write_report(slow.folder).read_text("utf-8")
    rows = slow.of("low-samples").query("model == 'HybridDistNet' and score == 'nllh' and runs == 4 and seed == 0")
    assert len(rows) == 2
    shown = cells_of(slow, "low-samples-nllh")["HybridDistNet"]["4 runs"].replace("*", "").split(" ")[0]
    assert shown == f"{rows['value'].mean():.3f}".replace("-", "−")
    assert page.count("over the 2 folds and seeds that all models have") >= 4  # scores, calibration and cost
    jobs = {model: cells["Jobs"] for model, cells in cells_of(slow, "cost").items()}
    assert jobs["HybridDistNet"] == "2"
    assert jobs["DistNet"] == jobs["Marginal"] == "4"  # two families
    assert completeness(slow, "low-samples") == (200, 200)
    assert completeness(one, "low-samples") == (80, 80)
    assert "3 seeds" in page
    assert "1 seed (DistNet" in page


def test_the_calibration_figure_is_of_the_same_jobs_for_all(tmp_path, monkeypatch):
    results = fake_results(tmp_path / "r", models=FEW, folds=2, seeds=3, slow=["DistNet"], experiments=["low-samples"])
    drawn = []
    monkeypatch.setattr(result_plots, "plot_calibration", lambda rows, ax, **_: drawn.append(rows))
    list(calibration(Book(results)))
    assert drawn
    for rows in drawn:
        assert set(zip(rows["fold"], rows["seed"], strict=True)) == {(0, 0), (1, 0)}
        assert rows.groupby("model").size().to_dict() == dict.fromkeys(FEW, 2)


def test_what_an_earlier_report_left_behind_is_removed(tmp_path):
    results = fake_results(tmp_path / "r", models=FEW, folds=1, seeds=1, experiments=["uncertainty"])
    for name in ("tables/low-samples-nllh.md", "tables/notes.md", "figures/examples-7.png", "figures/cost.csv"):
        path = results.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("old")
    write_report(results.folder)
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


def test_a_folder_without_its_data_still_makes_a_report(tmp_path):
    results = fake_results(tmp_path / "r", models=FEW, folds=2, seeds=1, experiments=["low-samples"])
    shutil.rmtree(results.folder / "data")
    sections = re.findall(r'<section id="([^"]+)"', write_report(results.folder).read_text("utf-8"))
    assert sections == ["run", "low-samples", "behind", "calibration", "published", "cost", "definitions"]


def test_shifts_without_a_number_and_of_other_conditions_are_no_harm(tmp_path):
    results = fake_results(tmp_path / "r", models=FEW, folds=2, seeds=1, experiments=["uncertainty"])
    lost = results.shifts.copy()
    lost.loc[lost["model"] == "DistNet", ["low", "high"]] = np.nan
    lost = pd.concat([lost, lost[lost["fold"] == 0].assign(runs=2, high=1e9)])
    texts = [section.body for section in uncertainty(Book(dataclasses.replace(results, shifts=lost)))]
    assert "8 runs an instance to learn from" in texts[0]
    table = cells_of(results, "uncertainty")
    assert set(table["DistNet, lognormal"].values()) == {"–"}
    assert table["HybridDistNet"]["0"] == f"{np.exp(2 * 0.67 * 0.5):.3g}"
    (text,) = findings(dataclasses.replace(results, shifts=lost))
    assert "for BayesDistNet" in text
    assert "for DistNet" not in text


def test_a_legend_draws_lines_as_the_figure_does():
    dotted, dashed, solid = (
        legend([("a", {"color": "#000000", "lw": 1.0, "ls": ls, "marker": ""})]) for ls in (":", (0, (4, 2)), "-")
    )
    assert 'stroke-dasharray="1.0 1.6"' in dotted or 'stroke-dasharray="1.0 1.7"' in dotted
    assert 'stroke-dasharray="4.0 2.0"' in dashed
    assert 'stroke-dasharray="none"' in solid


def test_tables_that_scroll_are_named_regions(page):
    regions = re.findall(r'<div class="scroll"([^>]*)>', page)
    labels = [re.search(r'role="region" aria-label="([^"]+)"', attributes)[1] for attributes in regions]
    assert len(labels) == len(set(labels)) > 10
    assert page.count("<caption>") == len(labels)


def test_only_shifts_make_a_report_too(tmp_path):
    results = fake_results(tmp_path / "shifts", models=FEW, folds=1, seeds=1, experiments=["uncertainty"])
    page = write_report(results.folder).read_text("utf-8")
    assert re.findall(r'<section id="([^"]+)"', page) == ["run", "uncertainty", "definitions"]


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


def test_failed_jobs_are_named(tmp_path):
    results = fake_results(tmp_path / "failed", models=FEW, folds=1, seeds=1, experiments=["uncertainty"])
    key = {"runs": 1, "cutoffs": "none", "censored": 0.0, "model": "KNearest", "family": "", "fold": 0, "seed": 0}
    with (results.folder / "journal.jsonl").open("a") as journal:
        journal.write(json.dumps({"kind": "scores", "key": key, "error": "no neighbours"}) + "\n")
    page = write_report(results.folder).read_text("utf-8")
    assert "1 job of KNearest ended in an error: no neighbours" in page


def test_a_folder_without_a_finished_job_is_refused(tmp_path):
    results = fake_results(tmp_path / "empty", models=FEW, keep=0.0)
    with pytest.raises(SettingError, match="no job is done"):
        write_report(results.folder)
