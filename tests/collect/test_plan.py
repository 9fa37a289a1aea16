import hashlib

import pytest

from bayes_distnet.collect.plan import digest, plan_runs
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.errors import SettingError

SOLVER = Solver("sleeper", ("sleep", "{seed}", "{instance}"), "^answer")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"solvers": []}, "solvers: none given"),
        ({"solvers": [SOLVER, SOLVER]}, "have the same name"),
        ({"seeds": 0}, "seeds=0"),
        ({"seeds": []}, "seeds: none"),
        ({"seeds": [-1]}, "seed=-1"),
        ({"seeds": range(10**6 + 1)}, "seeds: found 1000001, expected at most 1000000"),
        ({"seeds": [2**40]}, "sleeper takes seeds from 0 to"),
        ({"cutoff": 0.0}, "cutoff=0.0"),
        ({"cutoffs": {"nobody.cnf": 1.0}}, "'nobody.cnf' is not among the instances"),
        ({"cutoffs": {"i0.txt": -1.0}}, "cutoffs"),
        ({"solvers": [Solver("fixed", ("x", "{instance}"), "y")]}, "has no {seed}, so its 2 runs would be the same"),
    ],
)
def test_unusable_settings_are_named(instances, change, message):
    settings = {"solvers": [SOLVER], "seeds": 2, "cutoff": 1.0, "cutoffs": {}} | change
    with pytest.raises(SettingError, match=message):
        plan_runs(settings["solvers"], instances, settings["seeds"], settings["cutoff"], settings["cutoffs"])


def test_missing_files_and_equal_names_are_named(instances, tmp_path):
    with pytest.raises(SettingError, match="no such file"):
        plan_runs([SOLVER], [tmp_path / "none"], 1, 1.0, {})
    with pytest.raises(SettingError, match="instances: none"):
        plan_runs([SOLVER], [], 1, 1.0, {})
    twin = tmp_path / "i0.txt"
    twin.write_text("")
    with pytest.raises(SettingError, match="have the same name"):
        plan_runs([SOLVER], [instances[0], twin], 1, 1.0, {})


def test_names_that_cannot_be_printed_are_refused(tmp_path):
    file = tmp_path / "a\nb.txt"
    file.write_text("")
    with pytest.raises(SettingError, match="cannot be printed"):
        plan_runs([SOLVER], [file], 1, 1.0, {})


def test_runs_are_ordered_by_seed_with_instances_in_a_new_order_per_seed(instances):
    jobs = plan_runs([SOLVER], instances, 3, 1.0, {})
    assert [job.seed for job in jobs] == sorted(job.seed for job in jobs)
    orders = {tuple(job.path.name for job in jobs if job.seed == seed) for seed in (1, 2, 3)}
    assert len(orders) == 3


def test_single_instances_can_have_another_cutoff(instances):
    jobs = plan_runs([SOLVER], instances, 1, 1.0, {"i1.txt": 2.0})
    assert {job.path.name for job in jobs if job.cutoff == 2.0} == {"i1.txt"}
    assert {job.cutoff for job in jobs} == {1.0, 2.0}


def test_the_digest_is_that_of_the_contents(instances):
    assert digest(instances[0]) == hashlib.sha256(b"instance 0").hexdigest()
