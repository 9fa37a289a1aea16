import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bayes_distnet.collect.collector import collect_runs
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.data.store import Store
from bayes_distnet.errors import CollectError, StoreError

# A solver in a shell: it takes about 20 ms of wall-clock time, and answers with its seed.
SLEEPER = Solver("sleeper", ("sh", "-c", "sleep 0.02; echo answer $1", "sh", "{seed}", "{instance}"), "^answer (.*)")


def keys(table):
    """Solver, instance and seed of every run, sorted."""
    frame = table.frame
    return sorted(zip(frame["solver"], frame["instance"], frame["seed"], strict=True))


def grid(solvers, files, seeds):
    """Every combination of solver, instance and seed, sorted."""
    return sorted((s.name, f.name, seed) for s in solvers for f in files for seed in seeds)


def test_every_run_of_the_grid_is_done_once(instances, tmp_path):
    table = collect_runs([SLEEPER], instances, 3, store=tmp_path / "r.sqlite", cutoff=5.0)
    assert keys(table) == grid([SLEEPER], instances, (1, 2, 3))
    assert set(table.frame["status"]) == {"solved"}
    assert table.frame["answer"].tolist() == [str(seed) for seed in table.frame["seed"]]


def test_collecting_again_does_only_missing_runs(instances, tmp_path):
    store = tmp_path / "r.sqlite"
    first = collect_runs([SLEEPER], instances[:3], 2, store=store, cutoff=5.0)
    second = collect_runs([SLEEPER], instances, 3, store=store, cutoff=5.0)
    assert keys(second) == grid([SLEEPER], instances, (1, 2, 3))
    assert second.frame.iloc[: len(first)]["started"].tolist() == first.frame["started"].tolist()


def test_an_instance_can_have_its_own_cutoff(instances, tmp_path):
    busy = Solver("busy", ("sh", "-c", "while :; do :; done", "{instance}", "{seed}"), "^never")
    table = collect_runs(
        [busy], instances[:2], 1, store=tmp_path / "r.sqlite", cutoff=0.1, cutoffs={"i1.txt": 0.2}
    ).frame.set_index("instance")
    assert table["cutoff"].to_dict() == {"i0.txt": 0.1, "i1.txt": 0.2}
    assert set(table["status"]) == {"timeout"}
    assert table["seconds"].to_dict() == {"i0.txt": 0.1, "i1.txt": 0.2}


def test_a_run_is_bound_to_the_core_that_is_recorded(instances, tmp_path):
    code = "import os; print('cores', *os.sched_getaffinity(0))"
    where = Solver("where", (sys.executable, "-c", code, "{instance}", "{seed}"), r"^cores (.*)")
    frame = collect_runs([where], instances, 2, store=tmp_path / "r.sqlite", cutoff=5.0).frame
    bound = frame[frame["core"].notna()]  # empty if another test holds all cores
    assert [str(int(core)) for core in bound["core"]] == bound["answer"].tolist()


def test_a_solver_without_a_recognised_answer_stops_the_collection_before_any_run_is_stored(instances, tmp_path):
    mute = Solver("mute", ("echo", "no {seed}", "{instance}"), "^yes")
    with pytest.raises(CollectError, match=r"solver mute: its output has no line that matches '\^yes'(.|\n)*no 1"):
        collect_runs([mute], instances, 2, store=tmp_path / "r.sqlite", cutoff=5.0)
    with Store(tmp_path / "r.sqlite") as store:
        assert len(store.runs()) == 0
    corrected = Solver("mute", mute.template, "^no")
    assert len(collect_runs([corrected], instances, 2, store=tmp_path / "r.sqlite", cutoff=5.0)) == 12


def test_a_solver_that_fails_on_some_instances_is_collected(instances, tmp_path):
    code = 'case $0 in *i3*) exit 3;; esac; echo answer "$1"'
    moody = Solver("moody", ("sh", "-c", code, "{instance}", "{seed}"), "^answer")
    frame = collect_runs([moody], instances, 2, store=tmp_path / "r.sqlite", cutoff=5.0).frame
    assert frame.set_index("instance")["status"].loc["i3.txt"].tolist() == ["crashed", "crashed"]
    assert (frame["status"] == "solved").sum() == 10


def test_a_changed_instance_is_refused(instances, tmp_path):
    collect_runs([SLEEPER], instances[:1], 1, store=tmp_path / "r.sqlite", cutoff=5.0)
    instances[0].write_text("something else")
    with pytest.raises(StoreError, match=r"i0.txt is not the file that was run before"):
        collect_runs([SLEEPER], instances[:1], 2, store=tmp_path / "r.sqlite", cutoff=5.0)


COMMAND = [sys.executable, "-m", "bayes_distnet.cli", "collect", "--quiet", "--cutoff", "5"]
SLEEPER_LINE = "sh -c 'sleep 0.02; echo answer $1' sh {seed} {instance}"


def command_line(folder, store, seeds):
    words = ["--command", SLEEPER_LINE, "--answer", "^answer", "--name", "sleeper"]
    return [*COMMAND, str(folder), "--store", str(store), "--seeds", str(seeds), *words]


def done_in(store):
    """Number of runs in a store that a collector may be writing."""
    if not store.exists():
        return 0
    try:
        with Store(store, read_only=True) as database:
            return len(database.done())
    except StoreError:  # the file is just being created
        return 0


def wait_for(store, runs):
    """Wait until a store has this number of runs."""
    deadline = time.time() + 60
    while done_in(store) < runs:
        assert time.time() < deadline, "the collector makes no progress"
        time.sleep(0.01)


@pytest.mark.slow
def test_after_20_kills_at_random_moments_every_run_is_stored_once(instances, tmp_path):
    store, moments = tmp_path / "r.sqlite", random.Random(4)
    command = command_line(instances[0].parent, store, 120)
    seen = 0
    for _ in range(20):
        collector = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        wait_for(store, seen + 1)  # the collector is at work; it is killed at a random moment
        time.sleep(moments.uniform(0.0, 0.25))
        assert collector.poll() is None, "the collector ended before it was killed"
        collector.send_signal(signal.SIGKILL)
        collector.wait()
        now = done_in(store)
        assert now >= seen
        seen = now
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with Store(store) as database:
        assert keys(database.runs()) == grid([SLEEPER], instances, range(1, 121))


@pytest.mark.slow
def test_two_collectors_share_the_runs(instances, tmp_path):
    store = tmp_path / "r.sqlite"
    command = command_line(instances[0].parent, store, 30)
    command[command.index(SLEEPER_LINE)] = "sh -c 'sleep 0.02; echo answer $WHO' {seed} {instance}"
    command[command.index("^answer")] = "^answer (.*)"
    collectors = [
        subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, "WHO": who}) for who in ("a", "b")
    ]
    assert [collector.wait() for collector in collectors] == [0, 0]
    with Store(store) as database:
        table = database.runs()
    assert keys(table) == grid([SLEEPER], instances, range(1, 31))
    assert set(table.frame["answer"]) == {"a", "b"}


@pytest.mark.slow
def test_runs_claimed_by_a_dead_collector_are_done_by_another(instances, tmp_path):
    store = tmp_path / "r.sqlite"
    command = command_line(instances[0].parent, store, 40)
    first, second = (subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2))
    wait_for(store, 20)
    first.kill()
    first.wait()
    assert done_in(store) < 240, "the collector ended before it was killed"
    assert second.wait() == 0
    with Store(store) as database:
        assert keys(database.runs()) == grid([SLEEPER], instances, range(1, 41))


@pytest.fixture
def ctrl_c_enabled():
    """Enable Ctrl-C as in a terminal: a background job of a shell, such as these tests, inherits that it is ignored."""
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, handler)


@pytest.mark.usefixtures("ctrl_c_enabled")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_collector_cleanly(instances, tmp_path, number):
    store = tmp_path / "r.sqlite"
    command = command_line(instances[0].parent, store, 500)
    collector = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(store, 6)
    collector.send_signal(number)
    _, errors = collector.communicate(timeout=10)
    assert collector.returncode == 130
    assert "Traceback" not in errors
    assert "stopped" in errors
    with Store(store) as database:
        done = len(database.done())
        assert set(database.runs().frame["status"]) == {"solved"}
        assert len(database.claim([("sleeper", "i0.txt", 500)])) == 1  # no claim is left
    assert 5 < done < 3000


@pytest.mark.slow
def test_no_run_is_lost_when_supervisors_are_killed(instances, tmp_path):
    store = tmp_path / "r.sqlite"
    collector = subprocess.Popen(command_line(instances[0].parent, store, 60), stdout=subprocess.DEVNULL)
    wait_for(store, 10)
    children = Path(f"/proc/{collector.pid}/task/{collector.pid}/children").read_text().split()
    tasks = Path(f"/proc/{collector.pid}/task").iterdir()
    children += [child for task in tasks for child in (task / "children").read_text().split()]
    for child in set(children):
        os.kill(int(child), signal.SIGKILL)
    assert children
    assert collector.wait() == 0
    with Store(store) as database:
        assert keys(database.runs()) == grid([SLEEPER], instances, range(1, 61))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Dask warns about the dead worker
def test_no_run_is_lost_when_two_of_four_dask_workers_are_killed(instances, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=4, threads_per_worker=1, dashboard_address=None) as cluster:
        pids = [nanny.pid for nanny in cluster.workers.values()]
        store = tmp_path / "r.sqlite"

        def kill_two():
            wait_for(store, 20)
            for pid in pids[:2]:
                os.kill(pid, signal.SIGKILL)

        killer = threading.Thread(target=kill_two)
        killer.start()
        table = collect_runs([SLEEPER], instances, 40, store=store, cutoff=5.0, cluster=cluster.scheduler_address)
        killer.join()
        assert not any(Path(f"/proc/{pid}").exists() for pid in pids[:2])
    assert keys(table) == grid([SLEEPER], instances, range(1, 41))  # as on one machine: see above
