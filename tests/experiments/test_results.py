import json
import shutil

import pandas as pd
import pytest
from fake_results import fake_results

from bayes_distnet import Results, load_dataset
from bayes_distnet.errors import ResultsError, SettingError


def test_planned_jobs_are_those_asked_for(low_samples):
    assert low_samples.planned("low-samples") == low_samples.done()
    assert low_samples.planned("censoring") == set()
    with pytest.raises(SettingError, match="experiment 'low'"):
        low_samples.planned("low")
    with pytest.raises(SettingError, match="experiment 'low'"):
        low_samples.of("low")


def test_results_may_be_copied_without_the_data_that_come_with_the_package(run, tmp_path):
    shipped = load_dataset("lpg-zenotravel")
    run(data=shipped, name="lpg-zenotravel", models=["marginal"], runs=1)
    shutil.rmtree(tmp_path / "r" / "data")
    assert len(Results.load(tmp_path / "r").data) == 300


def test_every_table_has_roles(low_samples):
    tables = (low_samples.table, low_samples.calibration, low_samples.examples)
    for table in tables:
        assert table.groupby("model")["role"].unique().map(list).to_dict() == {
            "Marginal": ["model"],
            "Ridge": ["model"],
            "limit: empirical": ["limit"],
            "limit: lognormal": ["limit"],
        }
    assert low_samples.shifts["role"].empty


def test_a_folder_without_stored_roles_gets_those_of_the_registry(tmp_path):
    results = fake_results(tmp_path / "r", folds=1, seeds=1)
    assert "models" not in results.about
    roles = results.table.groupby("model")["role"].first()
    assert roles[["NGBoost", "BayesDistNet (paper)", "limit: empirical"]].tolist() == ["peer", "model", "limit"]
    about = results.about | {"models": {"Ridge": {"role": "limit"}}}
    (tmp_path / "r" / "about.json").write_text(json.dumps(about))
    table = Results.load(tmp_path / "r").table
    assert set(table.query("model == 'Ridge'")["role"]) == {"limit"}


def test_damaged_folders_are_refused(tmp_path):
    folder = tmp_path / "r"
    folder.mkdir()
    with pytest.raises(ResultsError, match="no results here"):
        Results.load(folder)
    (folder / "about.json").write_text("{")
    with pytest.raises(ResultsError, match="not JSON"):
        Results.load(folder)
    (folder / "about.json").write_text(json.dumps({"format": 99, "data": "x", "experiments": {}}))
    with pytest.raises(ResultsError, match="format 99"):
        Results.load(folder)
    (folder / "about.json").write_text(json.dumps({"format": 1, "data": "x", "experiments": {}}))
    (folder / "journal.jsonl").write_text("{broken\n{}\n")
    with pytest.raises(ResultsError, match="line 1"):
        Results.load(folder)
    for line in ('{"kind": "scores", "key": {"runs": 1}}', '{"kind": "scores", "key": 5}', "[]"):
        (folder / "journal.jsonl").write_text(f"{line}\n")
        with pytest.raises(ResultsError, match="line 1: not written by an experiment"):
            Results.load(folder)
    (folder / "journal.jsonl").write_bytes(b"\xff\xfe\n")
    with pytest.raises(ResultsError, match=r"journal\.jsonl: not text"):
        Results.load(folder)
    (folder / "journal.jsonl").unlink()
    pd.DataFrame({"runs": [1]}).to_parquet(folder / "results.parquet")
    with pytest.raises(ResultsError, match=r"results\.parquet: no column 'data'"):
        Results.load(folder)
