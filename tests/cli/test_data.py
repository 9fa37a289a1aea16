import json

import pytest
from aslib_files import DESCRIPTION, scenario, table_arff

from bayes_distnet.cli import main


@pytest.fixture
def imported(tmp_path):
    costs = table_arff(["Static", "Probing"], "a.cnf,1,0.5,1", "b.cnf,1,2,3")
    folds = table_arff(["fold"], "a.cnf,1,1", "b.cnf,1,2", "a.cnf,2,2", "b.cnf,2,1")
    (tmp_path / "published").mkdir()
    scenario(tmp_path / "published", feature_costs=costs, cv=folds)
    assert main(["import", "aslib", str(tmp_path / "published"), "--out", str(tmp_path / "data")]) == 0
    return tmp_path / "data"


def test_info_names_the_folds_and_feature_groups_of_an_imported_scenario(imported, capsys):
    assert main(["info", str(imported)]) == 0
    shown = capsys.readouterr().out
    assert "3 features in 2 groups (Static, Probing) of 2 instances" in shown
    assert "published folds: 2, repeated 2 times" in shown
    assert main(["info", str(imported), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["folds"], facts["feature_groups"]) == ([2, 2], ["Static", "Probing"])


def test_a_scenario_of_solution_quality_is_refused_in_one_line(tmp_path, capsys):
    text = DESCRIPTION.replace("type:\n- runtime", "type:\n- solution_quality")
    scenario(tmp_path, description=text.replace("time: 100", "time: 0"))
    assert main(["import", "aslib", str(tmp_path), "--out", str(tmp_path / "data")]) != 0
    (line,) = capsys.readouterr().err.splitlines()
    assert "not a runtime" in line
    assert not (tmp_path / "data").exists()
