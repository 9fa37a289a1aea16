import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bayes_distnet.collect.collector import collect
from bayes_distnet.collect.plan import plan
from bayes_distnet.collect.repeat import relative_difference, repeat
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.collect.solvers.registry import find_solver
from bayes_distnet.data.store import Store
from bayes_distnet.errors import CollectError, SettingError, StoreError

# A solver in a shell: it takes some 20 ms by the clock, and answers with what it was given.
SLEEPER = Solver("sleeper", ("sh", "-c", "sleep 0.02; echo answer $1", "sh", "{seed}", "{instance}"), "^answer (.*)")


@pytest.fixture
def instances(tmp_path):
    folder = tmp_path / "instances"
    folder.mkdir()
    files = [folder / f"i{index}.txt" for index in range(6)]
    for index, file in enumerate(files):
        file.write_text(f"instance {index}")
    return files


def keys(table):
    frame = table.frame
    return sorted(zip(frame["solver"], frame["instance"], frame["seed"], strict=True))


def grid(solvers, files, seeds):
    return sorted((s.name, f.name, seed) for s in solvers for f in files for seed in seeds)


def test_every_cell_of_the_grid_is_run_once(instances, tmp_path):
    table = collect([SLEEPER], instances, 3, store=tmp_path / "r.sqlite", cutoff=5.0)
    assert keys(table) == grid([SLEEPER], instances, (1, 2, 3))
    assert set(table.frame["status"]) == {"solved"}
    assert table.frame["answer"].tolist() == [str(seed) for seed in table.frame["seed"]]


def test_collecting_again_does_only_what_is_missing(instances, tmp_path):
    store = tmp_path / "r.sqlite"
    first = collect([SLEEPER], instances[:3], 2, store=store, cutoff=5.0)
    second = collect([SLEEPER], instances, 3, store=store, cutoff=5.0)
    assert keys(second) == grid([SLEEPER], instances, (1, 2, 3))
    assert second.frame.iloc[: len(first)]["started"].tolist() == first.frame["started"].tolist()


def test_an_instance_may_have_a_cutoff_of_its_own(instances, tmp_path):
    busy = Solver("busy", ("sh", "-c", "while :; do :; done", "{instance}", "{seed}"), "^never")
    table = collect(
        [busy], instances[:2], 1, store=tmp_path / "r.sqlite", cutoff=0.1, cutoffs={"i1.txt": 0.2}
    ).frame.set_index("instance")
    assert table["cutoff"].to_dict() == {"i0.txt": 0.1, "i1.txt": 0.2}
    assert set(table["status"]) == {"timeout"}
    assert table["seconds"].to_dict() == {"i0.txt": 0.1, "i1.txt": 0.2}


def test_a_run_is_bound_to_the_core_that_is_recorded(instances, tmp_path):
    code = "import os; print('cores', *os.sched_getaffinity(0))"
    where = Solver("where", (sys.executable, "-c", code, "{instance}", "{seed}"), r"^cores (.*)")
    frame = collect([where], instances, 2, store=tmp_path / "r.sqlite", cutoff=5.0).frame
    bound = frame[frame["core"].notna()]  # none if another test holds all cores
    assert [str(int(core)) for core in bound["core"]] == bound["answer"].tolist()


def test_a_solver_whose_answer_is_not_understood_stops_before_anything_is_stored(instances, tmp_path):
    mute = Solver("mute", ("echo", "no {seed}", "{instance}"), "^yes")
    with pytest.raises(CollectError, match=r"solver mute: its output has no line that matches '\^yes'(.|\n)*no 1"):
        collect([mute], instances, 2, store=tmp_path / "r.sqlite", cutoff=5.0)
    with Store(tmp_path / "r.sqlite") as store:
        assert len(store.runs()) == 0
    corrected = Solver("mute", mute.template, "^no")
    assert len(collect([corrected], instances, 2, store=tmp_path / "r.sqlite", cutoff=5.0)) == 12


def test_a_solver_that_fails_on_some_instances_is_collected(instances, tmp_path):
    code = 'case $0 in *i3*) exit 3;; esac; echo answer "$1"'
    moody = Solver("moody", ("sh", "-c", code, "{instance}", "{seed}"), "^answer")
    frame = collect([moody], instances, 2, store=tmp_path / "r.sqlite", cutoff=5.0).frame
    assert frame.set_index("instance")["status"].loc["i3.txt"].tolist() == ["crashed", "crashed"]
    assert (frame["status"] == "solved").sum() == 10


def test_a_changed_instance_is_refused(instances, tmp_path):
    collect([SLEEPER], instances[:1], 1, store=tmp_path / "r.sqlite", cutoff=5.0)
    instances[0].write_text("something else")
    with pytest.raises(StoreError, match=r"i0.txt is not the file that was run before"):
        collect([SLEEPER], instances[:1], 2, store=tmp_path / "r.sqlite", cutoff=5.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"solvers": []}, "solvers: none given"),
        ({"solvers": [SLEEPER, SLEEPER]}, "have the same name"),
        ({"seeds": 0}, "seeds=0"),
        ({"seeds": []}, "seeds: none"),
        ({"seeds": [-1]}, "seed=-1"),
        ({"seeds": [2**40]}, "sleeper takes seeds from 0 to"),
        ({"cutoff": 0.0}, "cutoff=0.0"),
        ({"cutoffs": {"nobody.cnf": 1.0}}, "'nobody.cnf' is none of the instances"),
        ({"cutoffs": {"i0.txt": -1.0}}, "cutoffs"),
        ({"solvers": [Solver("fixed", ("x", "{instance}"), "y")]}, "has no {seed}, so its 2 runs would be the same"),
    ],
)
def test_bad_settings_are_named(instances, change, message):
    settings = {"solvers": [SLEEPER], "seeds": 2, "cutoff": 1.0, "cutoffs": {}} | change
    with pytest.raises(SettingError, match=message):
        plan(settings["solvers"], instances, settings["seeds"], settings["cutoff"], settings["cutoffs"])


def test_missing_and_equal_named_instances_are_named(instances, tmp_path):
    with pytest.raises(SettingError, match="no such file"):
        plan([SLEEPER], [tmp_path / "none"], 1, 1.0, {})
    with pytest.raises(SettingError, match="instances: none"):
        plan([SLEEPER], [], 1, 1.0, {})
    twin = tmp_path / "i0.txt"
    twin.write_text("")
    with pytest.raises(SettingError, match="have the same name"):
        plan([SLEEPER], [instances[0], twin], 1, 1.0, {})


def test_seeds_come_one_after_the_other_and_instances_in_changing_order(instances):
    jobs = plan([SLEEPER], instances, 3, 1.0, {})
    assert [job.seed for job in jobs] == sorted(job.seed for job in jobs)
    orders = {tuple(job.path.name for job in jobs if job.seed == seed) for seed in (1, 2, 3)}
    assert len(orders) == 3


def test_repeating_runs_tells_how_far_times_differ(instances, tmp_path):
    collect([SLEEPER], instances, 1, store=tmp_path / "r.sqlite", cutoff=5.0)
    again = repeat([SLEEPER], instances, 5, store=tmp_path / "r.sqlite")
    assert relative_difference(again).between(0, 2).all()
    with Store(tmp_path / "r.sqlite") as store:
        assert store.repeats().equals(again)


COMMAND = [sys.executable, "-m", "bayes_distnet.cli", "collect", "--quiet", "--cutoff", "5"]
SLEEPER_LINE = "sh -c 'sleep 0.02; echo answer $1' sh {seed} {instance}"


def command_line(folder, store, seeds):
    words = ["--command", SLEEPER_LINE, "--answer", "^answer", "--name", "sleeper"]
    return [*COMMAND, str(folder), "--store", str(store), "--seeds", str(seeds), *words]


def done_in(store):
    if not store.exists():
        return 0
    try:
        with Store(store, read_only=True) as database:
            return len(database.done())
    except StoreError:  # looked at in the moment of its making
        return 0


def wait_for(store, runs):
    """Wait until the store has so many runs."""
    deadline = time.time() + 60
    while done_in(store) < runs:
        assert time.time() < deadline, "the collector does not get on"
        time.sleep(0.01)


def test_killed_at_20_random_moments_every_run_is_there_once(instances, tmp_path):
    store, moments = tmp_path / "r.sqlite", random.Random(4)
    command = command_line(instances[0].parent, store, 120)
    seen = 0
    for _ in range(20):
        collector = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        wait_for(store, seen + 1)  # it is at work; the moment of its death is any
        time.sleep(moments.uniform(0.0, 0.25))
        assert collector.poll() is None, "it was killed at work, not after"
        collector.send_signal(signal.SIGKILL)
        collector.wait()
        now = done_in(store)
        assert now >= seen
        seen = now
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with Store(store) as database:
        assert keys(database.runs()) == grid([SLEEPER], instances, range(1, 121))


def test_two_collectors_share_the_work(instances, tmp_path):
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


def test_a_run_left_by_a_dead_collector_is_taken_over(instances, tmp_path):
    store = tmp_path / "r.sqlite"
    command = command_line(instances[0].parent, store, 40)
    first, second = (subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2))
    wait_for(store, 20)
    first.kill()
    first.wait()
    assert done_in(store) < 240, "it was killed at work, not after"
    assert second.wait() == 0
    with Store(store) as database:
        assert keys(database.runs()) == grid([SLEEPER], instances, range(1, 41))


@pytest.fixture
def ctrl_c_heeded():
    """As in a terminal: a shell's background job, which these tests may be, hands down that Ctrl-C is ignored."""
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, handler)


@pytest.mark.usefixtures("ctrl_c_heeded")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_stops_cleanly(instances, tmp_path, number):
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
        assert len(database.claim([("sleeper", "i0.txt", 500)])) == 1  # nothing is left claimed
    assert 5 < done < 3000


def test_a_supervisor_that_is_killed_costs_no_run(instances, tmp_path):
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


@pytest.mark.filterwarnings("ignore")  # Dask warns of the worker's death in its own ways
def test_a_dask_worker_that_is_killed_costs_no_run(instances, tmp_path):
    distributed = pytest.importorskip("distributed")
    import threading

    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        pids = [nanny.pid for nanny in cluster.workers.values()]
        store = tmp_path / "r.sqlite"

        def kill_one():
            wait_for(store, 20)
            os.kill(pids[0], signal.SIGKILL)

        killer = threading.Thread(target=kill_one)
        killer.start()
        table = collect([SLEEPER], instances, 40, store=store, cutoff=5.0, cluster=cluster.scheduler_address)
        killer.join()
        assert not Path(f"/proc/{pids[0]}").exists()
    assert keys(table) == grid([SLEEPER], instances, range(1, 41))


def test_a_cluster_that_is_not_there_is_named(instances, tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("bayes_distnet.collect.workers.CONNECT_SECONDS", 1)
    with pytest.raises(CollectError, match="no scheduler answers there"):
        collect([SLEEPER], instances, 1, store=tmp_path / "r.sqlite", cutoff=1.0, cluster="tcp://127.0.0.1:1")


@pytest.mark.parametrize("name", ["clasp", "kissat", "glucose"])
def test_real_sat_solvers_answer(name, tmp_path):
    yes, no = tmp_path / "yes.cnf", tmp_path / "no.cnf"
    yes.write_text("p cnf 2 2\n1 2 0\n-1 2 0\n")
    no.write_text("p cnf 1 2\n1 0\n-1 0\n")
    frame = collect([find_solver(name)], [yes, no], 2, store=tmp_path / "r.sqlite", cutoff=10.0).frame
    answers = dict(zip(frame["instance"], frame["answer"], strict=True))
    assert answers == {"yes.cnf": "SATISFIABLE", "no.cnf": "UNSATISFIABLE"}
    assert set(frame["status"]) == {"solved"}


def test_real_clasp_from_its_python_package_answers(tmp_path, monkeypatch):
    pytest.importorskip("clingo")
    monkeypatch.setattr("shutil.which", lambda name, **_: None if name == "clasp" else os.path.abspath(name))
    yes = tmp_path / "yes.cnf"
    yes.write_text("p cnf 2 2\n1 2 0\n-1 2 0\n")
    solver = find_solver("clasp")
    assert solver.template[1:3] == ("-m", "clingo")
    frame = collect([solver], [yes], 2, store=tmp_path / "r.sqlite", cutoff=10.0).frame
    assert frame["answer"].tolist() == ["SATISFIABLE"] * 2


def test_real_lpg_finds_a_plan(tmp_path):
    from bayes_distnet.collect.instances.registry import generate

    files = generate("zenotravel", 1, random_state=3, folder=tmp_path / "z")
    frame = collect([find_solver("lpg")], files, 2, store=tmp_path / "r.sqlite", cutoff=60.0).frame
    assert frame["status"].tolist() == ["solved"] * 2


def test_the_seed_changes_real_runs_and_the_same_seed_repeats_them(tmp_path):
    """Conflicts, not seconds: the search itself must depend on the seed and on nothing else."""
    import re

    from bayes_distnet.collect.executor import execute
    from bayes_distnet.collect.instances.registry import generate

    (file,) = generate("factoring", 1, random_state=1, folder=tmp_path)
    solver = find_solver("clasp")

    def conflicts(seed):
        words = [*solver.command(file, seed=seed, cutoff=10.0), "--stats=1"]
        return int(re.search(r"Conflicts\s*:\s*(\d+)", execute(words, cutoff=20.0).output)[1])

    assert conflicts(1) == conflicts(1)
    assert len({conflicts(seed) for seed in range(1, 6)}) > 2
