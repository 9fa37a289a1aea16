import multiprocessing
import sqlite3

import pytest

from bayes_distnet.data.run import Run
from bayes_distnet.data.store import Store
from bayes_distnet.data.tables import read_runs
from bayes_distnet.errors import StoreError


def run(instance="a.cnf", seed=1, status="solved", seconds=0.5, cutoff=10.0, solver="clasp"):
    return Run(solver, instance, seed, status, seconds, wall_seconds=seconds + 0.1, cutoff=cutoff)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.sqlite"


def test_runs_are_read_as_they_were_stored(path):
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


def test_a_run_is_stored_once_and_the_first_stays(path):
    with Store(path) as store:
        store.add([run(seconds=0.5)])
        store.add([run(seconds=0.7), run(seed=2)])
        assert store.runs().seconds.tolist() == [0.5, 0.5]


def test_an_interrupted_run_may_be_made_again(path):
    with Store(path) as store:
        store.add([run(status="interrupted")])
        assert store.done() == set()
        assert store.claim([("clasp", "a.cnf", 1)]) == [("clasp", "a.cnf", 1)]
        store.add([run()])
        assert store.done() == {("clasp", "a.cnf", 1)}
        assert store.runs().observed().seconds.tolist() == [0.5]


def test_half_a_batch_is_never_stored(path):
    with Store(path) as store:
        with pytest.raises(StoreError, match="cannot be written"):
            store.add([run(seed=1), run(seed=2, status="no such status"), run(seed=3, cutoff=-1.0)])
        assert len(store.runs()) == 0


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


def test_a_changed_instance_is_refused(path):
    with Store(path) as store:
        store.register_instances({"a.cnf": "1", "b.cnf": "2"})
        store.register_instances({"a.cnf": "1", "c.cnf": "3"})
        with pytest.raises(StoreError, match=r"b.cnf is not the file that was run before \(1 such files\)"):
            store.register_instances({"b.cnf": "changed"})


def test_a_changed_solver_is_refused(path):
    with Store(path) as store:
        store.register_solver("s", ("s", "{instance}"), "^yes", "1.0")
        store.register_solver("s", ("s", "{instance}"), "^yes", "1.0")
        with pytest.raises(StoreError, match=r"version '1.0', and now it is '2.0'"):
            store.register_solver("s", ("s", "{instance}"), "^yes", "2.0")
        with pytest.raises(StoreError, match="command"):
            store.register_solver("s", ("s", "-x", "{instance}"), "^yes", "1.0")


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


def test_a_file_that_sqlite_opens_and_cannot_read_is_named(path):
    with Store(path) as store:
        store.add(run(seed=seed) for seed in range(2000))
    content = bytearray(path.read_bytes())
    content[8192:] = b"\xff" * (len(content) - 8192)
    path.write_bytes(content)
    for read in (Store.runs, Store.done):
        with Store(path, read_only=True) as store, pytest.raises(StoreError, match=r"runs\.sqlite: cannot be read"):
            read(store)


def test_values_of_another_kind_are_named_with_the_file(path):
    with Store(path) as store:
        store.add([run()])
        store.begin_session("2026", {"cores": 2})
    database = sqlite3.connect(path)
    database.execute("DROP TRIGGER no_update")
    database.execute("UPDATE runs SET seconds = 'soon'")
    database.execute("UPDATE sessions SET facts = '[1]'")
    database.commit()
    database.close()
    with Store(path, read_only=True) as store:
        with pytest.raises(StoreError, match=r"runs\.sqlite: run table: seconds must be numbers"):
            store.runs()
        with pytest.raises(StoreError, match=r"runs\.sqlite, table sessions: the content is a list"):
            store.sessions()


def test_numbers_and_names_that_sqlite_cannot_hold_are_refused_with_the_file(path):
    with Store(path) as store:
        for strange in (run(seed=2**64), run(instance="\udcff.cnf")):
            with pytest.raises(StoreError, match=r"runs\.sqlite: cannot be written"):
                store.add([strange])
        assert store.add([run()]) == 1
