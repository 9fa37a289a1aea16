import json

import pytest
from heavy_tails import heavy_tails

from bayes_distnet.cli import main

SMALL = ["--models", "ridge", "--folds", "3", "--only-folds", "1", "--cores", "1", "--quiet"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("data") / "heavy"
    heavy_tails().save(place)
    return str(place)


def test_json_has_one_object_per_policy(folder, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["experiment", "restarts", "--data", folder, *SMALL, "--no-report", "--json", "--out", str(out)]) == 0
    shown = capsys.readouterr()
    printed = {row["policy"]: row for row in map(json.loads, shown.out.splitlines())}
    assert {"no restarts", "Luby", "geometric", "one cutoff for all", "oracle", "Ridge, one cutoff"} <= set(printed)
    assert printed["no restarts"]["speed_up"] == 1.0
    assert printed["oracle"]["role"] == "limit"
    assert set(printed["Luby"]) >= {"policy", "role", "speed_up", "of_oracle", "seconds", "seconds_error"}
    assert shown.err == f"results in {out}\n"


def test_the_report_has_a_table_and_figures(folder, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    out = tmp_path / "out"
    assert main(["experiment", "restarts", "--data", folder, *SMALL, "--out", str(out)]) == 0
    assert "restarts: policies on unseen instances" in capsys.readouterr().out
    page = (out / "report.html").read_text("utf-8")
    assert "expected time against cutoff" in page
    assert {path.name for path in (out / "figures").glob("*.png")} == {"restarts.png", "restarts-cutoffs.png"}
    assert (out / "tables" / "restarts.md").read_text("utf-8").startswith("| Policy | Role | speed-up |")


def test_json_is_for_decisions(tmp_path, capsys):
    assert main(["experiment", "low-samples", "--json", "--out", str(tmp_path / "out")]) != 0
    assert "low-samples has no policies" in capsys.readouterr().err
