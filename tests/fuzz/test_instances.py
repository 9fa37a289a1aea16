"""Damaged instance files: only the package's own errors come out, with the file's name."""

import bz2
import gzip
import lzma

import pytest
from fuzzing import damaged_bytes, damaged_text, only_own_errors
from hypothesis import given
from hypothesis import strategies as st

from bayes_distnet.data.compressed import plain_file
from bayes_distnet.features.cnf_size import size_features
from bayes_distnet.features.dimacs import clean_dimacs
from bayes_distnet.features.pddl import pddl_features


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("instances")


CNF = "c a comment\np cnf 4 5\n1 2 0\n-1 3 0\n2 -3 4 0\n-4 0\n1 -2 3 0\n"


@given(st.data())
def test_cnf_files(place, data):
    path = place / "damaged.cnf"
    path.write_bytes(data.draw(damaged_text(CNF)))
    with only_own_errors(path):
        cnf = clean_dimacs(path, lambda: None)
        size_features(cnf)


COMPRESSED = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}


@given(st.data())
def test_compressed_cnf_files(place, data):
    ending = data.draw(st.sampled_from(sorted(COMPRESSED)))
    path = place / f"damaged.cnf{ending}"
    path.write_bytes(data.draw(damaged_bytes(COMPRESSED[ending](CNF.encode()))))
    with only_own_errors(path):
        size_features(clean_dimacs(path, lambda: None))
    with only_own_errors(path), plain_file(path) as copy:
        copy.read_bytes()


DOMAIN = """(define (domain d) (:requirements :typing)
 (:types truck - vehicle vehicle place - object) (:constants home - place)
 (:predicates (at ?v - vehicle ?p - place) (linked ?a ?b - place))
 (:functions (fuel ?v))
 (:action go :parameters (?v - vehicle ?a ?b - place)
  :precondition (and (at ?v ?a) (linked ?a ?b) (not (= ?a ?b))) :effect (and (not (at ?v ?a)) (at ?v ?b))))
"""
PROBLEM = """(define (problem p) (:domain d) (:objects t - truck b c - place)
 (:init (at t home) (linked home b) (linked b c) (= (fuel t) 3)) (:goal (and (at t c))))
"""


@given(st.data())
def test_pddl_files(place, data):
    problem, domain = place / "p.pddl", place / "domain.pddl"
    texts = {problem: PROBLEM, domain: DOMAIN}
    for file, text in texts.items():
        file.write_text(text)
    file = data.draw(st.sampled_from([problem, domain]))
    file.write_bytes(data.draw(damaged_text(texts[file])))
    with only_own_errors(problem, domain):
        pddl_features(problem, time_limit=5.0)
