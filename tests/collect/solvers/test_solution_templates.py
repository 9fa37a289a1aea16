"""The command line with a solution prints one, and it is right."""

import pytest

from bayes_distnet.collect.executor import execute
from bayes_distnet.collect.solvers.registry import find_solver

CLAUSES = ((1, 2), (-1, 3), (-2, -3))


@pytest.mark.parametrize("name", ["clasp", "clasp-backtracking", "kissat", "glucose"])
def test_the_solution_satisfies_all_clauses(name, tmp_path):
    path = tmp_path / "a.cnf"
    path.write_text("p cnf 3 3\n" + "".join(f"{a} {b} 0\n" for a, b in CLAUSES))
    solver = find_solver(name)
    outcome = execute(
        solver.command(path, seed=1, cutoff=9.0, solution=True), cutoff=9.0, read_answer=solver.read_answer
    )
    assert outcome.answer == "SATISFIABLE"
    assert outcome.exit_code in ((0, 10) if name.startswith("clasp") else (10,))  # clingo 5.8.2 ends with 0
    lines = [line for line in outcome.output.splitlines() if line.startswith("v")]
    literals = {int(word) for line in lines for word in line[1:].split()}
    assert all(literals & set(clause) for clause in CLAUSES)


def test_collected_runs_print_no_solution(tmp_path):
    solver = find_solver("clasp")
    assert "--quiet=2,2" in solver.command(tmp_path / "a.cnf", seed=1, cutoff=9.0)
    assert "--quiet=2,2" not in solver.command(tmp_path / "a.cnf", seed=1, cutoff=9.0, solution=True)
