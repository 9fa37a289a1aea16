import pytest

from bayes_distnet.errors import FeatureError, SettingError
from bayes_distnet.features.table import extract_features

TINY = "p cnf 3 4\n1 2 0\n-1 3 0\n-2 -3 0\n1 -2 3 0\n"


def test_a_table_has_the_union_of_features_and_keeps_costs_apart(write):
    write("(define (domain d) (:predicates (p)) (:action a :parameters () :effect (p)))", "domain.pddl")
    problem = "(define (problem one) (:domain d) (:objects x) (:init) (:goal (p)))"
    table = extract_features([write(TINY), write(problem, "one.pddl")], n_jobs=2)
    assert table.features.index.tolist() == ["one.cnf", "one.pddl"]
    assert table.features.index.name == "instance"
    assert table.features["objects"].isna().tolist() == [True, False]
    assert {str(kind) for kind in table.features.dtypes} == {"float64"}
    assert (table.cost > 0).all()
    assert not any("cost" in name for name in table.features)


def test_a_bad_file_ends_the_extraction_or_becomes_a_row_of_nan(write):
    files = [write(TINY), write("p cnf", "bad.cnf")]
    with pytest.raises(FeatureError, match=r"bad\.cnf, line 1"):
        extract_features(files)
    table = extract_features(files, on_error="nan")
    assert table.features.isna().all(axis=1).tolist() == [False, True]
    assert list(table.failures) == ["bad.cnf"]


def test_names_and_settings_are_checked_first(write, tmp_path):
    with pytest.raises(FeatureError, match=r"one\.txt: expected a file named \*\.cnf"):
        extract_features([write(TINY, "one.txt")])
    (tmp_path / "other").mkdir()
    with pytest.raises(FeatureError, match="has the same name"):
        extract_features([write(TINY), write(TINY, "other/one.cnf")])
    with pytest.raises(FeatureError, match=r"none\.cnf: no such file"):
        extract_features([tmp_path / "none.cnf"])
    for setting in ({"time_limit": 0.0}, {"random_state": -1}, {"n_jobs": 0}, {"on_error": "skip"}):
        with pytest.raises(SettingError, match=next(iter(setting))):
            extract_features([write(TINY)], **setting)
    with pytest.raises(FeatureError, match="no files"):
        extract_features([])
