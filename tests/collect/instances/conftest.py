import re
import subprocess

import pytest

from bayes_distnet.collect.solvers.clasp import clasp_program


@pytest.fixture
def read_dimacs():
    """A function that returns clauses and number of variables of DIMACS text, and checks its header."""

    def read(text):
        lines = [line for line in text.splitlines() if not line.startswith("c ")]
        _, form, variables, count = lines[0].split()
        clauses = [tuple(map(int, line.split())) for line in lines[1:]]
        assert form == "cnf"
        assert len(clauses) == int(count)
        assert all(clause[-1] == 0 and 0 not in clause[:-1] for clause in clauses)
        assert max(abs(literal) for clause in clauses for literal in clause) <= int(variables)
        return [clause[:-1] for clause in clauses], int(variables)

    return read


@pytest.fixture
def solve(tmp_path):
    """A function that returns the literals of a satisfying assignment from clasp, or None if there is none."""

    def solve_text(text):
        file = tmp_path / "instance.cnf"
        file.write_text(text)
        run = subprocess.run([*clasp_program(), str(file)], capture_output=True, text=True, timeout=60)
        assert re.search("^s (UN)?SATISFIABLE", run.stdout, re.MULTILINE), run.stdout
        if "s SATISFIABLE" not in run.stdout:
            return None
        return {int(word) for line in run.stdout.splitlines() if line.startswith("v ") for word in line.split()[1:]}

    return solve_text
