import pytest

from bayes_distnet.collect.plan import plan_runs
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.collect.try_out import try_out
from bayes_distnet.collect.workers import local_workers
from bayes_distnet.errors import CollectError


def trial(solver, instances, **settings):
    with local_workers(1) as workers:
        try_out(plan_runs([solver], instances, 1, 5.0, {}), workers, **settings)


def test_an_answer_that_is_not_recognised_is_shown(instances):
    mute = Solver("mute", ("echo", "no {seed}", "{instance}"), "^yes")
    with pytest.raises(CollectError, match=r"mute: its output has no line that matches '\^yes', in 3 of 3(.|\n)*no 1"):
        trial(mute, instances)


def test_a_crash_is_shown_with_its_exit_code_and_command(instances):
    broken = Solver("broken", ("sh", "-c", "exit 7", "sh", "{instance}"), "^yes")
    with pytest.raises(CollectError, match=r"crashed \(exit code 7\)(.|\n)*sh -c 'exit 7'(.|\n)*\(nothing\)"):
        trial(broken, instances)


def test_one_success_is_enough(instances):
    moody = Solver("moody", ("sh", "-c", "case $1 in *i3*) echo yes;; *) exit 1;; esac", "sh", "{instance}"), "^yes")
    failing = [instances[0], instances[1]]
    trial(moody, [*failing, instances[3]])
    with pytest.raises(CollectError, match="in 2 of 2 trials"):
        trial(moody, failing)


def test_a_solver_tried_before_is_not_tried_again(instances):
    trial(Solver("broken", ("false", "{instance}"), "^yes"), instances, tried={"broken"})
