"""Features in a process that is ended from outside."""

import sys
import time

import pytest

from bayes_distnet.errors import FeatureError, SettingError
from bayes_distnet.features.extractor import Extractor
from bayes_distnet.features.table import extract_features

FUNCTIONS = """
import os, time
from bayes_distnet.errors import SettingError
from bayes_distnet.features.base import Features
def good(path, time_limit, **settings):
    print("noise")
    return Features({"size": float(path.stat().st_size)}, 0.5)
def hangs(path, time_limit, **settings):
    while True: pass
def dies(path, time_limit, **settings): os._exit(3)
def deep(path, time_limit, **settings): return deep(path, time_limit)
def missing(path, time_limit, **settings): raise SettingError("install it")
"""


@pytest.fixture
def extractor(tmp_path, monkeypatch):
    (tmp_path / "functions_of_this_test.py").write_text(FUNCTIONS)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr("bayes_distnet.features.extractor.GRACE_SECONDS", 0.2)
    one = Extractor()
    yield lambda name, limit=60.0: one.compute(f"functions_of_this_test:{name}", tmp_path / "functions.py", limit, {})
    one.close()


def test_features_come_from_another_process(extractor, tmp_path):
    (tmp_path / "functions.py").write_text("four")
    found = extractor("good")
    assert (found.values, found.cost) == ({"size": 4.0}, 0.5)


def test_a_file_that_hangs_its_parser_is_given_up_and_the_next_one_is_read(extractor, tmp_path):
    (tmp_path / "functions.py").write_text("four")
    extractor("good")
    began = time.monotonic()
    assert "not computed within time_limit=0.3 s" in str(extractor("hangs", 0.3))
    assert time.monotonic() - began < 10
    assert extractor("good").values == {"size": 4.0}


@pytest.mark.parametrize(("name", "message"), [("dies", "exit code 3"), ("deep", "RecursionError")])
def test_a_file_that_brings_its_parser_down_is_an_error_of_that_file(extractor, name, message):
    error = extractor(name)
    assert isinstance(error, FeatureError)
    assert "functions.py: " in str(error)
    assert message in str(error)


def test_a_missing_program_is_an_error_of_the_call(extractor):
    with pytest.raises(SettingError, match="install it"):
        extractor("missing")


def test_types_in_a_circle_do_not_hang(tmp_path):
    (tmp_path / "domain.pddl").write_text(
        "(define (domain d) (:requirements :typing) (:types a - b b - a) (:predicates (p ?x - a))"
        " (:action act :parameters (?x - a) :precondition (p ?x) :effect (not (p ?x))))"
    )
    (tmp_path / "one.pddl").write_text("(define (problem o) (:domain d) (:objects x - a) (:init (p x)) (:goal (p x)))")
    began = time.monotonic()
    table = extract_features([tmp_path / "one.pddl"], time_limit=0.5, on_error="nan")
    assert time.monotonic() - began < 30
    assert set(table.failures) <= {"one.pddl"}
