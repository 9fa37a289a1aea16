import pytest

from bayes_distnet.collect import workers
from bayes_distnet.collect.cores import usable_cores
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.collect.workers import Job, dask_workers, local_workers, run_job
from bayes_distnet.errors import CollectError, SettingError

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


def test_local_workers_have_one_slot_per_core():
    with local_workers() as local:
        assert local.slots() == usable_cores()


@pytest.mark.parametrize(("cores", "message"), [(0, "cores=0"), (10_000, "cores=10000: this program may use")])
def test_an_impossible_number_of_cores_is_refused(cores, message):
    with pytest.raises(SettingError, match=message), local_workers(cores):
        pass


def test_a_cluster_that_does_not_exist_is_named(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(workers, "CONNECT_SECONDS", 1)
    with (
        pytest.raises(CollectError, match=r"cluster tcp://127.0.0.1:1: no scheduler answers at this address"),
        dask_workers("tcp://127.0.0.1:1"),
    ):
        pass
