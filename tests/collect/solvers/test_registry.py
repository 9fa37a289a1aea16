import subprocess
import sys

import pytest

from bayes_distnet.collect.collector import collect_runs
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.collect.solvers.registry import SOLVERS, SolverEntry, find_solver
from bayes_distnet.errors import SettingError


def toy():
    return Solver("toy", ("echo", "answer {seed}", "{instance}"), r"^answer (\d+)")


def test_a_new_solver_takes_one_function_and_one_registry_line(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("")
    with SOLVERS.extended(SolverEntry("toy", "a toy that answers with its seed", f"{__name__}:toy")):
        assert list(SOLVERS) == ["clasp", "clasp-backtracking", "kissat", "glucose", "lpg", "toy"]
        runs = collect_runs([find_solver("toy")], [file], 2, store=tmp_path / "r.sqlite", cutoff=5.0)
    assert sorted(runs.frame["answer"]) == ["1", "2"]
    assert "toy" not in SOLVERS


def test_an_unknown_solver_is_named_with_those_that_exist():
    own = r"or give a command of your own \(collect --command LINE, run --solver NAME=COMMAND\)\."
    with pytest.raises(SettingError, match=rf"solver 'x': expected one of clasp, .*lpg, {own}"):
        find_solver("x")


@pytest.mark.parametrize("key", list(SOLVERS))
def test_every_entry_has_a_summary_and_a_solver_of_its_name(key):
    assert SOLVERS[key].summary
    assert find_solver(key).name == key


@pytest.mark.parametrize("key", ["clasp", "clasp-backtracking", "kissat", "glucose"])
def test_sat_solvers_answer(key, tmp_path):
    yes, no = tmp_path / "yes.cnf", tmp_path / "no.cnf"
    yes.write_text("p cnf 2 2\n1 2 0\n-1 2 0\n")
    no.write_text("p cnf 1 2\n1 0\n-1 0\n")
    frame = collect_runs([find_solver(key)], [yes, no], 2, store=tmp_path / "r.sqlite", cutoff=10.0).frame
    answers = dict(zip(frame["instance"], frame["answer"], strict=True))
    assert answers == {"yes.cnf": "SATISFIABLE", "no.cnf": "UNSATISFIABLE"}
    assert set(frame["status"]) == {"solved"}


def test_the_registries_are_light():
    code = """
import sys
import bayes_distnet.collect.instances.registry, bayes_distnet.collect.solvers.registry
print([name for name in ("numpy", "pandas", "scipy", "sklearn", "jax") if name in sys.modules])
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
