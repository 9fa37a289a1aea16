import os
import re

import pytest

from bayes_distnet.collect.collector import collect_runs
from bayes_distnet.collect.executor import execute
from bayes_distnet.collect.instances.registry import generate_instances
from bayes_distnet.collect.solvers.clasp import clasp, clasp_backtracking


def test_clasp_from_its_python_package_answers(tmp_path, monkeypatch):
    pytest.importorskip("clingo")
    monkeypatch.setattr("shutil.which", lambda name, **_: None if name == "clasp" else os.path.abspath(name))
    yes = tmp_path / "yes.cnf"
    yes.write_text("p cnf 2 2\n1 2 0\n-1 2 0\n")
    solver = clasp()
    assert solver.template[1:3] == ("-m", "clingo")
    frame = collect_runs([solver], [yes], 2, store=tmp_path / "r.sqlite", cutoff=10.0).frame
    assert frame["answer"].tolist() == ["SATISFIABLE"] * 2


def statistic(name, solver, file, seed):
    words = [*solver.command(file, seed=seed, cutoff=10.0), "--stats=1"]
    return int(re.search(rf"{name}\s*:\s*(\d+)", execute(words, cutoff=20.0).output)[1])


@pytest.mark.parametrize(("solver", "kind"), [(clasp, "factoring"), (clasp_backtracking, "quasigroup-small")])
def test_the_seed_changes_the_search_and_the_same_seed_repeats_it(solver, kind, tmp_path):
    """Choices, not seconds: the search itself must depend on the seed and on nothing else."""
    (file,) = generate_instances(kind, 1, random_state=1, folder=tmp_path)
    made = solver()
    assert statistic("Choices", made, file, 1) == statistic("Choices", made, file, 1)
    assert len({statistic("Choices", made, file, seed) for seed in range(1, 6)}) > 2


def test_backtracking_neither_restarts_nor_learns(tmp_path):
    (file,) = generate_instances("quasigroup-small", 1, random_state=1, folder=tmp_path)
    for seed in range(1, 6):
        words = [*clasp_backtracking().command(file, seed=seed, cutoff=10.0), "--stats=2"]
        output = execute(words, cutoff=20.0).output
        assert re.search(r"Restarts\s*:\s*0\b", output)
        assert not re.search(r"Lemmas\s*:\s*[1-9]", output)
