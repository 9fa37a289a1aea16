import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
from fake_results import fake_results
from report_files import Page

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.report.book import Book
from bayes_distnet.report.sections.setup import data_facts, definitions, setup
from bayes_distnet.report.write import write_report
from bayes_distnet.scoring.registry import SCORES


def facts_of(section):
    return dict(section.blocks[0].pairs)


def test_the_setup_lists_data_models_plans_and_machine(results):
    (section,) = setup(Book(results))
    facts = facts_of(section)
    assert facts["Instances"] == "24, with 5 features"
    assert facts["Runs"] == "30 per instance, of clasp; 0 of 720 cut off"
    assert facts["Models"] == "HybridDistNet, BayesDistNet, DistNet, Marginal, limit: lognormal"
    assert facts["low-samples"].startswith("1, 2, 4, 8, 16 runs per instance to learn from; 2 folds over instances, ")
    assert facts["low-samples"].endswith("80 of 80 jobs done.")
    assert facts["Time"] == "14 min of wall-clock time, first started 2026-11-16T01:39:25+00:00"
    assert len(section.blocks) == 1  # no job is missing


def test_folds_that_were_published_with_the_data_are_named(results):
    published = replace(results, about=results.about | {"own_folds": True})
    (section,) = setup(Book(published))
    assert "2 folds over instances published with the data, " in facts_of(section)["low-samples"]


def test_failed_jobs_are_named(tmp_path, few_models):
    results = fake_results(tmp_path / "failed", models=few_models, folds=1, seeds=1, experiments=["uncertainty"])
    key = {"runs": 1, "cutoffs": "none", "censored": 0.0, "model": "KNearest", "family": "", "fold": 0, "seed": 0}
    with (results.folder / "journal.jsonl").open("a") as journal:
        journal.write(json.dumps({"kind": "scores", "key": key, "error": "no neighbours"}) + "\n")
    texts = "".join(Page(write_report(results.folder).read_text("utf-8")).texts)
    assert "1 job of KNearest ended in an error: no neighbours" in texts


def test_every_score_of_the_table_is_defined_once(results):
    (section,) = definitions(Book(results))
    facts = facts_of(section)
    assert len(facts) == len(section.blocks[0].pairs)
    assert {SCORES[key].label for key in set(results.table["score"]) & set(SCORES)} < set(facts)
    assert {"Calibration", "±", "Limits"} < set(facts)
    assert "Wasserstein [s]" not in facts


def test_a_timer_that_ticks_is_named(results):
    frame = results.data.runs.frame
    seconds = np.maximum((0.05 / frame["seconds"].median() * frame["seconds"]).round(2), 0.01)
    ticking = Dataset(RunTable.from_frame(frame.assign(seconds=seconds)), results.data.features)
    assert not any(name.startswith("Timer") for name, _ in data_facts(results))
    assert "ticks every 0.01 s" in dict(data_facts(SimpleNamespace(data=ticking)))["Timer of clasp"]
