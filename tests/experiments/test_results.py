import json
import shutil

import pandas as pd
import pytest
from fake_results import MODELS, fake_results

from bayes_distnet import Results, load_dataset
from bayes_distnet.errors import ResultsError, SettingError
from bayes_distnet.experiments.results import JOURNAL, KEY

POLICY = {"policy": "luby", "role": "peer", "measures": {"seconds": [1.0, 2.0]}}


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
        with pytest.raises(ResultsError, match=r"line 1: .*(has no|expected an object)"):
            Results.load(folder)
    (folder / "journal.jsonl").write_bytes(b"\xff\xfe\n")
    with pytest.raises(ResultsError, match=r"journal\.jsonl: not text"):
        Results.load(folder)
    (folder / "journal.jsonl").unlink()
    pd.DataFrame({"runs": [1]}).to_parquet(folder / "results.parquet")
    with pytest.raises(ResultsError, match=r"results\.parquet: no column 'data'"):
        Results.load(folder)


def damaged(tmp_path, change, tables=False):
    folder = tmp_path / "damaged"
    fake_results(
        folder, folds=1, seeds=1, models={"Ridge": MODELS["Ridge"]}, experiments=["low-samples"], tables=tables
    )
    change(folder)
    with pytest.raises(ResultsError) as raised:
        Results.load(folder)
    return str(raised.value)


def test_about_with_a_wrong_type_is_named_with_its_place(tmp_path):
    def change(folder):
        about = json.loads((folder / "about.json").read_text())
        about["experiments"]["low-samples"]["calls"][0]["seeds"] = "two"
        (folder / "about.json").write_text(json.dumps(about))

    assert "about.json: experiments.low-samples.calls[0].seeds is 'two'" in damaged(tmp_path, change)


def test_about_that_is_nested_too_deeply_is_an_error_like_others(tmp_path):
    text = '{"format": 1, "data": ' + "[" * 100_000 + "]" * 100_000 + "}"
    assert "about.json: not JSON" in damaged(tmp_path, lambda folder: (folder / "about.json").write_text(text))


@pytest.mark.parametrize(
    ("entry", "value", "found"),
    [
        ("scores", {"nllh": "low"}, "scores.nllh is 'low'; expected a number"),
        ("pit", [1, 2], "pit has 2 values; expected 20"),
        ("examples", [{"instance": "a", "nllh": 0.1, "quantiles": [1.0]}], "quantiles has 1 values; expected 23"),
        ("kind", "unheard", "kind is 'unheard'"),
        ("key", {}, "key has no 'runs'"),
        ("decisions", {"instances": ["a"], "policies": [POLICY]}, "measure 'seconds' of policy 'luby' has 2 values"),
    ],
)
def test_a_line_of_the_journal_with_a_wrong_type_is_named(tmp_path, entry, value, found):
    def change(folder):
        lines = (folder / "journal.jsonl").read_text().splitlines()
        lines[1] = json.dumps(json.loads(lines[1]) | {entry: value})
        (folder / "journal.jsonl").write_text("\n".join(lines) + "\n")

    message = damaged(tmp_path, change)
    assert "journal.jsonl, line 2: " in message
    assert found in message


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("results", "value", "low"),
        ("results", "runs", 1.5),
        ("results", "model", {"a": 1}),
        ("results", "fold", [1, 2]),
        ("calibration", "pit", 3),
        ("calibration", "pit", [1, 2]),
        ("examples", "quantiles", [0.5]),
        ("examples", "quantiles", ["a"] * 23),
    ],
)
def test_a_column_of_the_wrong_kind_is_named(tmp_path, table, column, value):
    def change(folder):
        frame = pd.read_parquet(folder / f"{table}.parquet")
        frame.assign(**{column: [value] * len(frame)}).to_parquet(folder / f"{table}.parquet")

    assert f"{table}.parquet: column {column!r}" in damaged(tmp_path, change, tables=True)


def test_examples_of_an_earlier_release_are_read_without_their_trust(tmp_path):
    results = fake_results(tmp_path / "r", folds=1, seeds=1, experiments=["low-samples"])
    old = results.examples[[*KEY, "instance", "nllh", "quantiles"]]
    old.to_parquet(results.folder / "examples.parquet")
    (results.folder / JOURNAL).unlink()
    again = Results.load(results.folder).examples
    assert len(again) == len(old) > 0
    assert (again["familiar"] == "").all()
    assert again[["ignorance", "luck"]].isna().all(axis=None)
