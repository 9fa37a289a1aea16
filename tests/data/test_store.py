import multiprocessing
import sqlite3

import pandas as pd
import pytest

from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.data.store import Run, Store
from bayes_distnet.data.tables import read_frame, read_runs, write_frame, write_runs
from bayes_distnet.errors import RuntimeDataError, SettingError, StoreError


def run(instance="a.cnf", seed=1, status="solved", seconds=0.5, cutoff=10.0, solver="clasp"):
    return Run(solver, instance, seed, status, seconds, wall_seconds=seconds + 0.1, cutoff=cutoff)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.sqlite"


def test_runs_come_back_as_they_were(path):
    with Store(path) as store:
        store.add([run(), run(seed=2, status="timeout", seconds=10.0)])
    table = read_runs(path)
    assert table.seconds.tolist() == [0.5, 10.0]
    assert table.finished.tolist() == [True, False]
    assert table.frame["cutoff"].tolist() == [10.0, 10.0]


def test_runs_can_only_be_added(path):
    with Store(path) as store:
        store.add([run()])
    database = sqlite3.connect(path)
    for statement in ("DELETE FROM runs", "UPDATE runs SET seconds = 1"):
        with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
            database.execute(statement)
    database.close()


def test_a_run_is_there_once_and_the_first_stays(path):
    with Store(path) as store:
        store.add([run(seconds=0.5)])
        store.add([run(seconds=0.7), run(seed=2)])
        assert store.runs().seconds.tolist() == [0.5, 0.5]


def test_an_interrupted_run_may_be_done_again(path):
    with Store(path) as store:
        store.add([run(status="interrupted")])
        assert store.done() == set()
        assert store.claim([("clasp", "a.cnf", 1)]) == [("clasp", "a.cnf", 1)]
        store.add([run()])
        assert store.done() == {("clasp", "a.cnf", 1)}
        assert store.runs().observed().seconds.tolist() == [0.5]


def test_half_a_batch_is_never_there(path):
    with Store(path) as store:
        with pytest.raises(StoreError, match="cannot be written"):
            store.add([run(seed=1), run(seed=2, status="no such status"), run(seed=3, cutoff=-1.0)])
        assert len(store.runs()) == 0


def test_two_collectors_claim_different_runs(path):
    keys = [("clasp", "a.cnf", seed) for seed in range(4)]
    with Store(path) as first, Store(path) as second:
        assert first.claim(keys[:2]) == keys[:2]
        assert second.claim(keys) == keys[2:]
        first.add([run(seed=0)])
        assert second.claim(keys[:1]) == []  # done
    with Store(path) as third:
        assert third.claim(keys) == keys[1:]  # what the others had not done is free again


def _claim_and_die(path):
    Store(path).claim([("clasp", "a.cnf", 1)])
    import os

    os._exit(0)


def test_the_claims_of_the_dead_are_free(path):
    process = multiprocessing.get_context("spawn").Process(target=_claim_and_die, args=(path,))
    process.start()
    process.join()
    database = sqlite3.connect(path)
    assert database.execute("SELECT count(*) FROM claims").fetchone() == (1,)
    database.close()
    with Store(path) as store:
        assert store.claim([("clasp", "a.cnf", 1)]) == [("clasp", "a.cnf", 1)]


def test_a_silent_collector_on_another_machine_is_dead_after_a_while(path, monkeypatch):
    with Store(path) as here, Store(path) as there:
        monkeypatch.setattr("bayes_distnet.data.store._machine", lambda: "elsewhere")
        there.claim([("clasp", "a.cnf", 1)])
        monkeypatch.undo()
        assert here.claim([("clasp", "a.cnf", 1)]) == []
        monkeypatch.setattr("bayes_distnet.data.store.SILENT_SECONDS", -1.0)
        assert here.claim([("clasp", "a.cnf", 1)]) == [("clasp", "a.cnf", 1)]


def test_a_collector_taken_for_dead_that_comes_back_leaves_no_claims(path, monkeypatch):
    keys = [("clasp", "a.cnf", 1), ("clasp", "a.cnf", 2)]
    with Store(path) as here:
        monkeypatch.setattr("bayes_distnet.data.store._machine", lambda: "elsewhere")
        there = Store(path)
        there.claim(keys[:1])
        monkeypatch.undo()
        monkeypatch.setattr("bayes_distnet.data.store.SILENT_SECONDS", -1.0)
        assert here.claim(keys[:1]) == keys[:1]
        monkeypatch.setattr("bayes_distnet.data.store._machine", lambda: "elsewhere")
        assert there.claim(keys[1:]) == keys[1:]
        there._database.close()  # and now it is dead
        monkeypatch.undo()
        monkeypatch.setattr("bayes_distnet.data.store.SILENT_SECONDS", -1.0)
        assert here.claim(keys[1:]) == keys[1:]


def test_a_store_that_may_only_be_read_can_be_read(path):
    with Store(path) as store:
        store.add([run()])
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        assert len(read_runs(path)) == 1
    finally:
        path.parent.chmod(0o755)


def _add_many(path, first):
    with Store(path) as store:
        for seed in range(first, first + 50):
            store.add([run(seed=seed)])


def test_two_writers_do_not_disturb_each_other(path):
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_add_many, args=(path, first)) for first in (0, 25)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert sorted(read_runs(path).frame["seed"]) == list(range(75))


def test_a_changed_instance_is_noticed(path):
    with Store(path) as store:
        store.know_instances({"a.cnf": "1", "b.cnf": "2"})
        store.know_instances({"a.cnf": "1", "c.cnf": "3"})
        with pytest.raises(StoreError, match=r"b.cnf is not the file that was run before \(1 such files\)"):
            store.know_instances({"b.cnf": "changed"})


def test_a_changed_solver_is_noticed(path):
    with Store(path) as store:
        store.know_solver(Solver("s", ("s", "{instance}"), "^yes"), "1.0")
        store.know_solver(Solver("s", ("s", "{instance}"), "^yes"), "1.0")
        with pytest.raises(StoreError, match=r"version '1.0', and now it is '2.0'"):
            store.know_solver(Solver("s", ("s", "{instance}"), "^yes"), "2.0")
        with pytest.raises(StoreError, match="command"):
            store.know_solver(Solver("s", ("s", "-x", "{instance}"), "^yes"), "1.0")


def test_files_that_are_no_store_are_refused(tmp_path):
    with pytest.raises(StoreError, match="no such file"):
        Store(tmp_path / "none.sqlite", read_only=True)
    with pytest.raises(StoreError, match=r"expected a name that ends in .sqlite"):
        Store(tmp_path / "runs.csv")
    with pytest.raises(StoreError, match="no folder"):
        Store(tmp_path / "none" / "runs.sqlite")
    text = tmp_path / "text.sqlite"
    text.write_text("instance,seconds\n" * 100)
    with pytest.raises(StoreError, match="cannot be opened as a store of runs"):
        Store(text)
    other = tmp_path / "other.sqlite"
    database = sqlite3.connect(other)
    database.execute("CREATE TABLE precious (x)")
    database.close()
    with pytest.raises(StoreError, match="an SQLite file, but not a store of runs"):
        Store(other)


def test_a_newer_format_is_refused(path):
    Store(path).close()
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(StoreError, match="format 99"):
        Store(path)


@pytest.mark.parametrize("name", ["runs.csv", "runs.csv.gz", "runs.parquet", "runs.sqlite"])
def test_tables_survive_the_way_there_and_back(tmp_path, name):
    frame = pd.DataFrame(
        {
            "instance": ["007", "NA", "ü, b"],
            "solver": ["1", "", "x"],
            "seed": [1, 2, 3],
            "seconds": [0.1 + 0.2, 10.0, 5.0],
            "status": ["solved", "timeout", "memout"],
            "cutoff": [10.0, 10.0, 20.0],
        }
    )
    table = RunTable.from_frame(frame)
    write_runs(table, tmp_path / name)
    back = read_runs(tmp_path / name).frame
    for column in frame:
        assert back[column].tolist() == table.frame[column].tolist()


def test_a_bad_table_is_named_with_its_row(tmp_path):
    bad = tmp_path / "runs.csv"
    bad.write_text("instance,seconds,status,cutoff\na,31.2,solved,30\n")
    with pytest.raises(RuntimeDataError, match=r"runs.csv: run table, row 0: finished after 31.2 s, past its cutoff"):
        read_runs(bad)
    with pytest.raises(RuntimeDataError, match="no such file"):
        read_runs(tmp_path / "none.parquet")
    with pytest.raises(SettingError, match=r"ends in .parquet, .csv, .csv.gz"):
        read_frame(tmp_path / "runs.txt")
    (tmp_path / "runs.parquet").write_text("not parquet")
    with pytest.raises(RuntimeDataError, match="cannot be read as a table"):
        read_runs(tmp_path / "runs.parquet")


def test_a_write_that_fails_leaves_the_old_file(tmp_path):
    target = tmp_path / "t.parquet"
    write_frame(pd.DataFrame({"a": [1]}), target)
    with pytest.raises(ValueError, match="object"):
        write_frame(pd.DataFrame({"a": [object()]}), target)
    assert read_frame(target)["a"].tolist() == [1]
    assert [p.name for p in tmp_path.iterdir()] == ["t.parquet"]
