import re
from pathlib import Path

import bayes_distnet
from bayes_distnet.collect.jobs import Job
from bayes_distnet.collect.session import now, session_facts
from bayes_distnet.collect.solvers.base import Solver


def test_a_session_has_the_numbers_and_limits_of_all_runs():
    solvers = [Solver(name, ("true", "{instance}"), "") for name in ("b", "a")]
    paths = [Path("x"), Path("y"), Path("z")]
    jobs = [Job(solver, path, seed, 2.0, None, 1000) for solver in solvers for path in paths for seed in range(4)]
    facts = session_facts(solvers, jobs, 5.0, "local cores")
    expected = {"solvers": ["b", "a"], "instances": 3, "seeds": 4, "cutoff": 5.0, "wall_limit": None}
    expected |= {"memory_limit": 1000, "place": "local cores", "version": bayes_distnet.__version__}
    assert facts.items() >= expected.items()
    assert facts["cores"] >= 1


def test_times_are_in_utc():
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", now())
