"""Solutions of SAT solvers are checked against the formula."""

import gzip
import io
import lzma

import pytest

from bayes_distnet.collect.attempts import Attempt, Tried
from bayes_distnet.collect.executor import Outcome
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.decide.running.solutions import SolutionCheck, first_unsatisfied

FORMULA = "c comment\np cnf 3 3\n1 2\n0 -1 3 0\n-2 -3 0\n%\n0\n"
SOLVER = Solver("s", ("true", "{instance}"), r"^s (\w+)")


@pytest.fixture
def formula(tmp_path):
    path = tmp_path / "a.cnf"
    path.write_text(FORMULA)
    return path


def check(path, output, answer="SATISFIABLE"):
    outcome = Outcome("solved", 1.0, 1.0, 9.0, 10, 0, "", "", answer)
    checker = SolutionCheck(path)
    return checker(Tried(Attempt(SOLVER, 1), 0, outcome, ""), io.BytesIO(output)), checker.proven


@pytest.mark.parametrize(
    ("literals", "number"), [({1, -2, 3}, None), ({-1, 2, -3}, None), ({-1, -2, 3}, 1), ({1, -3}, 2), ({1, 2, 3}, 3)]
)
def test_the_first_clause_without_a_true_literal_is_found(formula, literals, number):
    assert first_unsatisfied(formula, literals) == number


@pytest.mark.parametrize(("opened", "suffix"), [(gzip.open, ".cnf.gz"), (lzma.open, ".cnf.xz")])
def test_compressed_files_are_read(tmp_path, opened, suffix):
    path = tmp_path / f"a{suffix}"
    with opened(path, "wb") as file:
        file.write(FORMULA.encode())
    assert (first_unsatisfied(path, {1, -2, 3}), first_unsatisfied(path, {-1, -2})) == (None, 1)


def test_a_right_solution_is_a_proof(formula):
    assert check(formula, b"s SATISFIABLE\nv 1 -2\nv 3 0\n") == ("", True)


@pytest.mark.parametrize(
    ("output", "error"),
    [
        (b"v -1 -2 3 0\n", "its solution does not satisfy clause 1"),
        (b"v 1 -1 0\n", "its solution has both 1 and -1"),
        (b"v yes 0\n", "its lines v have other words than numbers"),
    ],
)
def test_a_wrong_solution_is_named(formula, output, error):
    assert check(formula, output) == (error, False)


def test_answers_without_a_solution_are_taken_as_they_are(formula):
    assert check(formula, b"s SATISFIABLE\n") == ("", False)
    assert check(formula, b"v -1 -2 0\n", answer="UNSATISFIABLE") == ("", False)


def test_other_files_are_not_checked(tmp_path):
    path = tmp_path / "a.pddl"
    path.write_text("(define)")
    assert check(path, b"v 1 0\n") == ("", False)


def test_a_file_that_cannot_be_read_is_not_held_against_the_solver(tmp_path):
    path = tmp_path / "a.cnf.gz"
    path.write_bytes(b"not gzip")
    assert check(path, b"v 1 0\n") == ("", False)
