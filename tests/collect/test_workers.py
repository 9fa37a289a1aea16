import pytest

from bayes_distnet.collect import workers
from bayes_distnet.collect.cores import usable_cores
from bayes_distnet.collect.workers import dask_workers, local_workers
from bayes_distnet.errors import CollectError, SettingError


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
