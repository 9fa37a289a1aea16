import json
import re

import clusters
import pytest

from bayes_distnet.cli import main
from bayes_distnet.experiments.selection import ORACLE, SINGLE_BEST

SMALL = ["--models", "clusters:RIDGES,argosmart", "--folds", "2", "--cores", "1", "--quiet"]
PRINTED = {"policy", "role", "mean_of_ratios", "ratio_of_means", "solved"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("data") / "clusters"
    clusters.two_clusters(24).save(place)
    return str(place)


def test_json_has_one_object_per_policy(folder, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["experiment", "selection", "--data", folder, *SMALL, "--no-report", "--json", "--out", str(out)]) == 0
    shown = capsys.readouterr()
    printed = [json.loads(line) for line in shown.out.splitlines()]
    assert all(set(one) >= PRINTED for one in printed)
    assert {one["role"] for one in printed} == {"model", "peer", "limit"}
    by_name = {one["policy"]: one for one in printed}
    assert len(by_name) == len(printed)
    assert by_name[SINGLE_BEST]["mean_of_ratios"] == 1.0
    assert by_name[ORACLE]["ratio_of_means"] == 0.0
    assert 0.0 <= by_name["ArgoSmArT"]["ratio_of_means"] < 0.5
    assert shown.err == f"results in {out}\n"


def test_the_report_shows_policies_and_schedules(folder, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    out = tmp_path / "out"
    assert main(["experiment", "selection", "--data", folder, *SMALL, "--out", str(out)]) == 0
    title, names, *rows = capsys.readouterr().out.splitlines()
    assert title == "selection: policies on unseen instances, ± standard errors over instances"
    assert names.split() == ["policy", "role", "mean_of_ratios", "ratio_of_means", "solved", "gap_closed"]
    assert any(re.search(r"single best solver limit +1\.000 ± 0\.000 ", row) for row in rows)
    page = (out / "report.html").read_text("utf-8")
    assert "Selection of solvers" in page
    assert "Schedules for some unseen instances" in page
    assert {path.name for path in (out / "figures").glob("*.png")} == {"selection.png", "selection-schedules.png"}
    assert (out / "tables" / "selection.csv").read_text("utf-8").startswith("policy,role,mean_of_ratios")


def test_one_solver_and_several_do_not_go_together(folder, tmp_path, capsys):
    assert main(["experiment", "selection", "low-samples", "--data", folder, "--out", str(tmp_path / "out")]) != 0
    assert "do not go together" in capsys.readouterr().err


def test_a_solver_cannot_be_chosen(folder, tmp_path, capsys):
    command = ["experiment", "selection", "--data", folder, "--solver", "left", "--no-report"]
    assert main([*command, "--out", str(tmp_path / "out")]) != 0
    assert "runs of all solvers are needed" in capsys.readouterr().err
