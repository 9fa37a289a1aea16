import re

import numpy as np
import pytest

from bayes_distnet.collect.executor import execute
from bayes_distnet.collect.instances.registry import generate_instances
from bayes_distnet.collect.instances.zenotravel import DOMAIN, zenotravel
from bayes_distnet.collect.solvers.lpg import lpg
from bayes_distnet.errors import SettingError


@pytest.fixture
def problem(tmp_path):
    (file,) = generate_instances("zenotravel", 1, random_state=0, folder=tmp_path)
    return file


def test_lpg_solves_a_problem(problem):
    solver = lpg()
    run = execute(solver.command(problem, seed=1, cutoff=60.0), cutoff=60.0, read_answer=solver.read_answer)
    assert run.status == "solved", run.output


def test_the_domain_is_written_beside_the_problems(problem):
    assert (problem.parent / "domain.pddl").read_text() == DOMAIN


def test_every_person_moves_and_brackets_match(problem):
    text = zenotravel(np.random.default_rng(0), 3, 2, 8)
    start, goal = (dict(re.findall(r"\(at (\w+) (\w+)\)", part)) for part in text.split("(:goal"))
    assert {f"person{i}" for i in range(8)} <= set(goal) <= set(start)
    assert all(start[name] != goal[name] for name in goal)
    for pddl in (text, DOMAIN, problem.read_text()):
        assert pddl.count("(") == pddl.count(")")


def test_unusable_sizes_are_named():
    with pytest.raises(SettingError, match="cities=1"):
        zenotravel(np.random.default_rng(0), 1, 1, 1)
