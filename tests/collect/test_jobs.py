import threading

import pytest

from bayes_distnet.collect.connection import SupervisorGone
from bayes_distnet.collect.executor import Executor
from bayes_distnet.collect.jobs import Job, ThreadExecutors, run_job
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.collect.workers import local_workers
from bayes_distnet.errors import CollectError

ECHO = Solver("echo", ("echo", "answer {seed}", "{instance}"), "^answer (.*)")


def test_a_job_becomes_a_run(instances):
    job = Job(ECHO, instances[0], 7, 5.0, None, None)
    with local_workers(1) as local:
        result = local.pool.submit(run_job, job).result()
    assert result.run.key == job.key == ("echo", "i0.txt", 7)
    assert (result.run.status, result.run.answer, result.run.cutoff) == ("solved", f"7 {instances[0]}", 5.0)
    assert result.printed == f"answer 7 {instances[0]}\n"


def test_a_file_that_a_worker_does_not_have_is_named(tmp_path):
    with pytest.raises(CollectError, match=r"none.txt: no such file on .*Workers need the same files"):
        run_job(Job(ECHO, tmp_path / "none.txt", 1, 1.0, None, None))


def test_closing_a_group_of_executors_ends_their_runs(instances):
    endless = Job(Solver("sleep", ("sh", "-c", "sleep 60", "sh", "{instance}"), ""), instances[0], 1, 30.0, None, None)
    errors, group = [], ThreadExecutors()

    def work():
        group.join()
        try:
            run_job(endless)
        except SupervisorGone as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    while not group.executors:
        thread.join(0.01)
    group.close()
    thread.join(10.0)
    assert len(errors) == 1


def test_an_executor_that_joins_a_closed_group_is_closed():
    group = ThreadExecutors()
    group.close()
    with Executor() as executor:
        group.add(executor)
        assert executor.closed
