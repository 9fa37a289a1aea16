import multiprocessing
import os
import sqlite3

import pytest

from bayes_distnet.data.run import Run
from bayes_distnet.data.store import Store


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.sqlite"


def test_two_collectors_claim_different_runs(path):
    keys = [("clasp", "a.cnf", seed) for seed in range(4)]
    with Store(path) as first, Store(path) as second:
        assert first.claim(keys[:2]) == keys[:2]
        assert second.claim(keys) == keys[2:]
        first.add([Run("clasp", "a.cnf", 0, "solved", 0.5, 0.6, cutoff=10.0)])
        assert second.claim(keys[:1]) == []  # stored
    with Store(path) as third:
        assert third.claim(keys) == keys[1:]  # the others released the runs that they had not made


def _claim_and_exit(path):
    Store(path).claim([("clasp", "a.cnf", 1)])
    os._exit(0)


def test_claims_of_a_collector_that_ended_are_released(path):
    process = multiprocessing.get_context("spawn").Process(target=_claim_and_exit, args=(path,))
    process.start()
    process.join()
    database = sqlite3.connect(path)
    assert database.execute("SELECT count(*) FROM claims").fetchone() == (1,)
    database.close()
    with Store(path) as store:
        assert store.claim([("clasp", "a.cnf", 1)]) == [("clasp", "a.cnf", 1)]


def test_claims_of_a_collector_on_another_machine_are_released_if_it_is_silent(path, monkeypatch):
    with Store(path) as here, Store(path) as elsewhere:
        monkeypatch.setattr("bayes_distnet.data.claims._machine", lambda: "elsewhere")
        elsewhere.claim([("clasp", "a.cnf", 1)])
        monkeypatch.undo()
        assert here.claim([("clasp", "a.cnf", 1)]) == []
        monkeypatch.setattr("bayes_distnet.data.claims.SILENT_SECONDS", -1.0)
        assert here.claim([("clasp", "a.cnf", 1)]) == [("clasp", "a.cnf", 1)]


def test_a_collector_that_returns_after_silence_leaves_no_claims(path, monkeypatch):
    keys = [("clasp", "a.cnf", 1), ("clasp", "a.cnf", 2)]
    with Store(path) as here:
        monkeypatch.setattr("bayes_distnet.data.claims._machine", lambda: "elsewhere")
        elsewhere = Store(path)
        elsewhere.claim(keys[:1])
        monkeypatch.undo()
        monkeypatch.setattr("bayes_distnet.data.claims.SILENT_SECONDS", -1.0)
        assert here.claim(keys[:1]) == keys[:1]
        monkeypatch.setattr("bayes_distnet.data.claims._machine", lambda: "elsewhere")
        assert elsewhere.claim(keys[1:]) == keys[1:]
        elsewhere._database.close()  # now it has ended
        monkeypatch.undo()
        monkeypatch.setattr("bayes_distnet.data.claims.SILENT_SECONDS", -1.0)
        assert here.claim(keys[1:]) == keys[1:]


def test_without_a_list_of_processes_silence_decides(path, monkeypatch):
    monkeypatch.setattr("bayes_distnet.data.claims._start_of", lambda process: None)
    with Store(path) as first, Store(path) as second:
        key = ("clasp", "a.cnf", 1)
        assert first.claim([key]) == [key]
        assert second.claim([key]) == []
        monkeypatch.setattr("bayes_distnet.data.claims.SILENT_SECONDS", -1.0)
        assert second.claim([key]) == [key]
