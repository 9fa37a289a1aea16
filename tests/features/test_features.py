import gzip
import lzma
import time

import numpy as np
import pytest

from bayes_distnet.collect.instances.factoring import factoring
from bayes_distnet.collect.instances.zenotravel import DOMAIN, zenotravel
from bayes_distnet.errors import FeatureError, SettingError
from bayes_distnet.features.cnf import cnf_features
from bayes_distnet.features.pddl import pddl_features
from bayes_distnet.features.table import extract

TINY = "p cnf 3 4\n1 2 0\n-1 3 0\n-2 -3 0\n1 -2 3 0\n"

LORRY = """(define (domain lorry) (:requirements :strips :typing :equality)
  (:types place thing - object lorry parcel - thing)
  (:predicates (at ?t - thing ?p - place) (in ?x - parcel ?l - lorry) (road ?a ?b - place))
  (:functions (distance ?a ?b - place))
  (:action drive :parameters (?l - lorry ?a ?b - place)
    :precondition (and (at ?l ?a) (road ?a ?b) (not (= ?a ?b)))
    :effect (and (at ?l ?b) (not (at ?l ?a)) (increase (total-cost) (distance ?a ?b))))
  (:durative-action load :parameters (?x - parcel ?l - lorry ?p - place) :duration (= ?duration 1)
    :condition (and (at start (at ?x ?p)) (over all (at ?l ?p)))
    :effect (and (at start (not (at ?x ?p))) (at end (in ?x ?l))))
  (:action unload :parameters (?x - parcel ?l - lorry ?p - place)
    :precondition (and (in ?x ?l) (at ?l ?p)) :effect (and (at ?x ?p) (not (in ?x ?l)))))"""

# The lorry drives a-b and b-c (2), loads at a (1), unloads at c (1): 4 actions. In the relaxation the parcel is in the
# lorry from layer 1 and the lorry at c from layer 2, so the goal holds from layer 3; h_add = 1 + 1 + 2 = 4.
DELIVERY = """(define (problem one) (:domain lorry)
  (:objects a b c - place t - lorry x y - parcel)
  (:init (at t a) (at x a) (at y b) (road a b) (road b c) (road c c) (= (distance a b) 3) (= (distance b c) 5))
  (:goal (and (at x c) (at y b))))"""


@pytest.fixture
def write(tmp_path):
    def write(text, name="one.cnf"):
        file = tmp_path / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    return write


@pytest.fixture
def multiplier(write):
    return write(factoring(np.random.default_rng(0), 14, 14), "multiplier.cnf")


def test_structure_of_a_tiny_cnf_is_known(write):
    values = cnf_features(write(TINY)).values
    expected = {"variables": 3, "clauses": 4, "cls2": 3, "cls3": 1, "positive": 1, "negative": 1}
    assert {name: values[f"structure.{name}"] for name in expected} == expected
    assert values["structure.clauses_per_variable"] == 4 / 3


def test_an_instance_solved_by_a_probe_has_every_feature(write, multiplier):
    easy, hard = cnf_features(write(TINY)).values, cnf_features(multiplier).values
    assert easy["probe100.solved.mean"] == 1.0
    assert hard["probe100.solved.mean"] == 0.0
    assert list(easy) == list(hard)
    assert np.isfinite([*easy.values(), *hard.values()]).all()


def test_a_probe_stops_at_its_conflicts_and_seeds_differ(multiplier):
    values = cnf_features(multiplier).values
    assert values["probe100.conflicts.mean"] == pytest.approx(100, abs=2)
    assert values["probe100.learnt_length.std"] > 0


def test_file_and_seed_determine_all_features(multiplier):
    first, again, other = (cnf_features(multiplier, random_state=seed).values for seed in (0, 0, 1))
    assert first == again
    changed = {name.split(".")[0] for name in first if first[name] != other[name]}
    assert "probe100" in changed
    assert "structure" not in changed


def test_comments_and_compression_change_nothing(write):
    expected = cnf_features(write(TINY)).values
    commented = "c one\n" + TINY.replace("-1 3", "c 9 9 0\n-1 3") + "c end\n%\n0\n"
    assert cnf_features(write(commented)).values == expected
    assert cnf_features(write(gzip.compress(commented.encode()), "one.cnf.gz")).values == expected
    assert cnf_features(write(lzma.compress(commented.encode()), "one.cnf.xz")).values == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no line 'p cnf VARIABLES CLAUSES'"),
        ("hello\n", "line 1: found 'hello' before the header"),
        (b"\x00\xff\x13", r"line 1: found '\\x00\\xff\\x13' before the header"),
        ("p cnf x 1\n1 0\n", "line 1: found 'p cnf x 1'"),
        ("p cnf 999999999999 1\n1 0\n", "less than 2\\^28 variables"),
        ("c\np cnf 2 1\n1 a 0\n", "line 3: found '1 a 0'; expected literals"),
        ("p cnf 20 1\n1_0 0\n", "line 2: found '1_0 0'; expected literals"),
        ("p cnf 2 1\n99999999999999999999 0\n", "line 2: found '9999"),
        ("p cnf 2 2\n1 2 0\nc\n1 5 0\n", "line 4: literal 5; expected variables 1 to 2"),
        ("p cnf 2 2\n1 2 0\n1 -2\n", "line 3: the last clause has no end"),
        ("p cnf 2 3\n1 2 0\n", "the header says 3 clauses, and there are 1"),
        ("p cnf 2 2\n1 0\n0\n", "line 3: an empty clause"),
        ("p cnf 0 0\n", "no clauses"),
    ],
)
def test_a_malformed_cnf_is_told_by_line(write, text, message):
    file = write(text)
    with pytest.raises(FeatureError, match=message) as raised:
        cnf_features(file)
    assert str(raised.value).startswith(str(file))


def test_a_compressed_file_cut_short_is_an_error(write):
    with pytest.raises(FeatureError, match="cannot be read"):
        cnf_features(write(gzip.compress(TINY.encode())[:-9], "one.cnf.gz"))


def test_a_huge_file_ends_at_the_time_limit(write):
    file = write("p cnf 9 2000000\n" + "1 -2 3 -4 5 6 0\n" * 2_000_000)
    began = time.monotonic()
    with pytest.raises(FeatureError, match=r"not computed within time_limit=0\.2 s"):
        cnf_features(file, time_limit=0.2)
    assert time.monotonic() - began < 1.0


def test_relaxed_plan_of_a_delivery_is_known_by_hand(write):
    write(LORRY, "domain.pddl")
    values = pddl_features(write(DELIVERY, "one.pddl")).values
    expected = {
        "objects": 6, "objects.thing": 3, "objects.parcel": 2, "init": 6, "init.road": 3, "goals": 2,
        "goals.true_at_first": 1, "numbers.distance.mean": 4, "numbers.distance.std": 1, "relaxed.h_max": 3,
        "relaxed.h_add": 4, "relaxed.plan": 4, "relaxed.plan.drive": 2, "relaxed.plan.load": 1,
        "relaxed.plan.unload": 1, "relaxed.goals_at_0": 1, "relaxed.goals_at_3": 1, "relaxed.unreachable_goals": 0,
        # drive a-b and b-c (c-c is ruled out by the inequality), load and unload: 2 parcels x 3 places each
        "relaxed.actions": 14,
    }  # fmt: skip
    assert {name: values[name] for name in expected} == expected


def test_a_goal_out_of_reach_is_counted_and_leaves_no_infinity(write):
    write(LORRY, "domain.pddl")
    values = pddl_features(write(DELIVERY.replace("(road b c)", ""), "one.pddl")).values
    assert values["relaxed.unreachable_goals"] == 1
    assert np.isfinite(list(values.values())).all()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (DELIVERY, "", "found 0 expressions"),
        (DELIVERY, "\x00\x01 binary", "line 1: found "),
        ("(at y b))))", "(at y b)", "line 4: '\\(' is never closed. Is the file cut short"),
        ("(at y b))))", "(at y b)))))", "line 4: a '\\)' that closes nothing"),
        ("(problem one)", "(domain one)", r"expected \(define \(problem NAME\)"),
        ("(:domain lorry)", "(:domain ferry)", "a problem of the domain 'ferry'"),
        ("(at x c)", "(on x c)", r"found \(on x c\); the domain's predicates are at, in, road"),
        ("(at x c)", "(at x)", "gives 'at' 2 arguments"),
        ("(at x c)", "(at x d)", "names 'd', which is no object"),
        ("(at x c)", "(or (at x c) (at x b))", "only conjunctions of literals"),
        ("(distance a b) 3", "(distance a b) far", "expected a number, not 'far'"),
        ("(:goal", "(:aim", r"no \(:goal"),
        ("x y - parcel)", "x y -)", "'x y -' names no type"),
    ],
)
def test_a_malformed_problem_is_told(write, old, new, message):
    write(LORRY, "domain.pddl")
    assert old in DELIVERY
    file = write(DELIVERY.replace(old, new), "one.pddl")
    with pytest.raises(FeatureError, match=message) as raised:
        pddl_features(file)
    assert str(raised.value).startswith(str(file))


def test_a_problem_without_its_domain_is_an_error(write):
    with pytest.raises(FeatureError, match=r"domain\.pddl: cannot be read"):
        pddl_features(write(DELIVERY, "one.pddl"))


def test_a_huge_problem_ends_at_the_time_limit(write):
    write(DOMAIN, "domain.pddl")
    file = write(zenotravel(np.random.default_rng(0), 200, 20, 200), "huge.pddl")
    began = time.monotonic()
    with pytest.raises(FeatureError, match=r"not computed within time_limit=0\.3 s"):
        pddl_features(file, time_limit=0.3)
    assert time.monotonic() - began < 1.5


def test_a_table_has_the_union_of_features_and_keeps_costs_apart(write):
    write(LORRY, "domain.pddl")
    table = extract([write(TINY), write(DELIVERY, "one.pddl")], n_jobs=2)
    assert table.features.index.tolist() == ["one.cnf", "one.pddl"]
    assert table.features.index.name == "instance"
    assert table.features["objects"].isna().tolist() == [True, False]
    assert {str(kind) for kind in table.features.dtypes} == {"float64"}
    assert (table.cost > 0).all()
    assert not any("cost" in name for name in table.features)


def test_a_bad_file_ends_the_extraction_or_becomes_a_row_of_nan(write):
    files = [write(TINY), write("p cnf", "bad.cnf")]
    with pytest.raises(FeatureError, match=r"bad\.cnf, line 1"):
        extract(files)
    table = extract(files, on_error="nan")
    assert table.features.isna().all(axis=1).tolist() == [False, True]
    assert list(table.failures) == ["bad.cnf"]


def test_names_and_settings_are_checked_first(write, tmp_path):
    with pytest.raises(FeatureError, match=r"one\.txt: expected a file named \*\.cnf"):
        extract([write(TINY, "one.txt")])
    (tmp_path / "other").mkdir()
    with pytest.raises(FeatureError, match="has the same name"):
        extract([write(TINY), write(TINY, "other/one.cnf")])
    with pytest.raises(FeatureError, match=r"none\.cnf: no such file"):
        extract([tmp_path / "none.cnf"])
    with pytest.raises(SettingError, match="time_limit"):
        cnf_features(write(TINY), time_limit=0.0)
    with pytest.raises(SettingError, match="seed"):
        cnf_features(write(TINY), random_state=-1)


def test_a_decision_that_implies_everything_is_seen(write):
    # x1 = x2 = ... = x20: one decision settles all, several contradict each other unless their signs agree.
    links = [f"-{i} {i % 20 + 1} 0" for i in range(1, 21)]
    values = cnf_features(write("p cnf 20 20\n" + "\n".join(links) + "\n")).values
    assert values["propagate1.implied.mean"] == 1.0
    assert (values["propagate1.implied.std"], values["propagate1.refuted"]) == (0.0, 0.0)
    assert values["propagate16.refuted"] > 0.9  # by chance all 16 signs agree once in 32768 times
