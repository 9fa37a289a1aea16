"""Solvers that attack their supervisor: no run hangs, none is faked, and nothing is left behind."""

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from pathlib import Path

import pytest

from bayes_distnet.collect.connection import SupervisorGone
from bayes_distnet.collect.executor import Executor

# Every attack starts with this: `above` lists the processes of the supervisor, the nearest first; and a daemon that
# must not survive.
PRELUDE = """
import os, signal, subprocess, sys, time
def parent(process):
    return int(open(f"/proc/{process}/stat").read().rpartition(")")[2].split()[1])
def above():
    found = [os.getppid()]
    while "supervisor.main" in open(f"/proc/{parent(found[-1])}/cmdline").read():
        found.append(parent(found[-1]))
    return found
above = above()
subprocess.Popen(["sleep", "61"], start_new_session=True)
os.mkdir("inside"); open("inside/file", "w").write("x")
"""


@pytest.fixture
def places(tmp_path, monkeypatch):
    """Folder of temporary files of these tests alone."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def attack(places):
    """Run an attack in an executor of its own; return the outcome, or the error of a lost run."""
    with Executor() as executor:

        def run(code, **limits):
            command = [sys.executable, "-I", "-S", "-c", PRELUDE + textwrap.dedent(code)]
            try:
                return executor.run(command, **({"cutoff": 5.0} | limits))
            except SupervisorGone as error:
                return error

        run.executor = executor
        yield run


def sleepers():
    """Processes that an attack left running."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            line = Path(f"/proc/{process}/cmdline").read_bytes()
            if line == b"sleep\x0061\x00" or b"above = above()" in line:
                found.append(int(process))
    return found


def assert_nothing_is_left(places):
    end = time.monotonic() + 10
    while (sleepers() or any(places.iterdir())) and time.monotonic() < end:
        time.sleep(0.02)
    assert sleepers() == []
    assert list(places.iterdir()) == []


def test_killing_the_supervisor_ends_the_solver(attack, places):
    assert isinstance(attack("os.kill(above[0], 9); time.sleep(60)"), SupervisorGone)
    assert_nothing_is_left(places)


def test_killing_supervisor_and_guardian_ends_the_solver(attack, places):
    lost = attack("assert len(above) == 2\nfor process in above: os.kill(process, 9)\ntime.sleep(60)")
    assert isinstance(lost, SupervisorGone)
    assert_nothing_is_left(places)


def test_killing_the_guardian_ends_the_solver(attack, places):
    assert isinstance(attack("os.kill(above[1], 9); time.sleep(60)"), SupervisorGone)
    assert_nothing_is_left(places)


@pytest.mark.parametrize("stopped", ["above[:1]", "above[1:]", "above"])
def test_a_stopped_supervisor_is_ended_from_outside(attack, places, monkeypatch, stopped):
    monkeypatch.setattr("bayes_distnet.collect.executor.GRACE_SECONDS", 0.5)
    began = time.monotonic()
    ended = attack(f"for process in {stopped}: os.kill(process, signal.SIGSTOP)\ntime.sleep(60)", wall_limit=0.5)
    if stopped == "above[1:]":  # the guardian has nothing to do with the run
        assert ended.status == "timeout"
    else:
        assert "something has stopped it" in str(ended)
    attack.executor.close()
    assert time.monotonic() - began < 10
    assert_nothing_is_left(places)


@pytest.mark.parametrize(("stopped", "killed"), [(0, 1), (1, 0)])
def test_a_stopped_process_continues_to_clean_up_when_its_parent_and_the_collector_are_killed(places, stopped, killed):
    attack = PRELUDE + f"os.kill(above[{stopped}], signal.SIGSTOP); os.kill(above[{killed}], 9); time.sleep(60)"
    code = f"""
import os, signal, sys, threading, time
from bayes_distnet.collect.executor import Executor
executor = Executor()
threading.Timer(1.5, os.kill, (os.getpid(), 9)).start()
executor.run([sys.executable, "-I", "-S", "-c", {attack!r}], cutoff=60.0)
time.sleep(60)
"""
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(places)})
    assert_nothing_is_left(places)


def test_stopping_the_clock_does_not_lengthen_a_run(attack):
    code = """
        os.kill(above[0], signal.SIGSTOP)
        time.sleep(1.6)
        os.kill(above[0], signal.SIGCONT)
    """
    outcome = attack(code, wall_limit=1.2)  # longer than the solver takes to start on a busy machine
    assert outcome.status == "timeout"
    assert outcome.wall_seconds > 1.5


FAKE = (
    '{"reason": null, "seconds": 0.001, "wall_seconds": 0.001, "exit_code": 0, "memory": 1, "output": "faked", '
    '"errors": ""}'
)


def test_no_reply_can_be_written_into_the_channel(attack):
    code = f"""
        opened = 0
        for process in above:
            for number in range(20):
                try:
                    file = os.open(f"/proc/{{process}}/fd/{{number}}", os.O_WRONLY)
                except OSError:
                    continue
                opened += 1
                os.write(file, {FAKE!r}.encode() + b"\\n")
        print("opened", opened)
        time.sleep(0.3)
        sys.exit(7)
    """
    outcome = attack(code)
    assert (outcome.exit_code, outcome.output) == (7, "opened 0\n")


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers of these calls are those of x86-64")
@pytest.mark.parametrize(
    "call",
    [
        "101, 16, above[0], 0, 0",  # PTRACE_ATTACH
        "438, os.pidfd_open(above[0]), 0, 0",  # pidfd_getfd of the channel
        "310, above[0], local, 1, remote, 1, 0",  # process_vm_readv
    ],
)
def test_the_supervisor_cannot_be_traced(attack, call):
    code = f"""
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        text = ctypes.create_string_buffer(8)
        local = (ctypes.c_size_t * 2)(ctypes.addressof(text), 8)
        remote = (ctypes.c_size_t * 2)(ctypes.addressof(text), 8)
        print(libc.syscall({call}), ctypes.get_errno())
    """
    assert attack(code).output == "-1 1\n"  # EPERM


def test_a_deep_folder_and_one_without_permissions_are_deleted(attack, places):
    code = """
        os.makedirs("closed/inside"); os.chmod("closed", 0)
        for _ in range(3000):
            os.mkdir("d"); os.chdir("d")
    """
    assert attack(code).status == "solved"
    attack.executor.close()
    assert_nothing_is_left(places)


def test_a_solver_that_deletes_its_folders_harms_only_itself(attack):
    assert attack("import shutil; shutil.rmtree(os.path.dirname(os.getcwd()))").status == "solved"
    assert attack("print(os.listdir())").output == "['inside']\n"


def test_ctrl_c_ends_a_collection_whose_supervisors_are_stopped(tmp_path):
    (tmp_path / "i.txt").write_text("instance")
    attack = tmp_path / "attack.py"
    attack.write_text(PRELUDE + "for process in above: os.kill(process, signal.SIGSTOP)\ntime.sleep(60)\n")
    line = f"{sys.executable} -I -S {attack} {{seed}} {{instance}}"
    words = ["collect", str(tmp_path / "i.txt"), "--command", line, "--name", "bad", "--seeds", "4", "--cutoff", "60"]
    collector = subprocess.Popen(
        [sys.executable, "-m", "bayes_distnet.cli", *words, "--store", str(tmp_path / "r.sqlite"), "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    end = time.monotonic() + 60
    while not any("sleep" in Path(f"/proc/{p}/cmdline").read_text() for p in sleepers()) and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.2)
    began = time.monotonic()
    collector.send_signal(signal.SIGINT)
    _, errors = collector.communicate(timeout=30)
    assert (collector.returncode, errors) == (130, b"bayes-distnet collect: stopped.\n")
    assert time.monotonic() - began < 8
    assert sleepers() == []
    assert not list(tmp_path.glob("bayes-distnet-run-*"))


def test_closing_from_another_thread_ends_a_stopped_run(attack, places):
    timer = threading.Timer(0.7, attack.executor.close)
    timer.start()
    assert isinstance(attack("for p in above: os.kill(p, signal.SIGSTOP)\ntime.sleep(60)"), SupervisorGone)
    timer.join()
    assert_nothing_is_left(places)


def test_a_lock_folder_of_another_user_is_not_used(tmp_path, monkeypatch):
    from bayes_distnet.collect.supervisor.folders import lock_folder

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    mine = tmp_path / f"bayes-distnet-cores-{os.getuid()}"
    assert lock_folder() == str(mine)
    assert mine.stat().st_mode & 0o777 == 0o700
    mine.rmdir()
    mine.symlink_to("/")  # prepared by somebody else
    fallback = lock_folder()
    assert fallback.startswith(str(tmp_path / "home"))
    mine.unlink()
    mine.mkdir(mode=0o755)  # others can read it
    mine.chmod(0o777)
    assert lock_folder() == fallback


def test_the_folder_of_a_run_is_closed_to_other_users(attack):
    outcome = attack("import stat; print(*(oct(os.stat(p).st_mode & 0o777) for p in ('.', '..')))")
    assert outcome.output == "0o700 0o700\n"


def test_the_folder_of_processes_that_were_all_killed_at_once_is_deleted_by_the_next_ones(places):
    old, young, used = (places / f"bayes-distnet-run-{name}" for name in ("old", "young", "used"))
    for folder in (old, young, used):
        (folder / "run").mkdir(parents=True)
    held = os.open(used, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    for folder in (old, used):
        os.utime(folder, (0, 0))
    with Executor() as executor:
        executor.run(["true"], cutoff=5.0)
        end = time.monotonic() + 10
        while old.exists() and time.monotonic() < end:
            time.sleep(0.02)
    os.close(held)
    assert (old.exists(), young.exists(), used.exists()) == (False, True, True)
