"""The supervisor, through an executor: limits, measurements, and process trees that leave nothing behind."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from bayes_distnet.collect.connection import START, SUPERVISOR
from bayes_distnet.errors import SettingError

MIB = 1 << 20


def processes_with(mark):
    """Return the processes whose command line contains a mark."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            line = Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if mark in line and int(process) != os.getpid():
            found.append(process)
    return found


def test_it_needs_only_the_standard_library(tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-I", "-S", "-c", START, str(SUPERVISOR.parent), str(folder)]
    with subprocess.Popen(command, stdin=theirs, stderr=subprocess.PIPE) as guardian:
        theirs.close()
        assert json.loads(ours.recv(1000))["core"] is None
        ours.close()
        assert guardian.stderr.read() == b""
    assert guardian.returncode == 0
    assert not folder.exists()


def test_a_solver_that_aborts_writes_no_core_dump(executor, python):
    code = "import os, resource; print(resource.getrlimit(resource.RLIMIT_CORE), flush=True); os.abort()"
    outcome = executor.run(python(code), cutoff=5.0)
    assert (outcome.output, outcome.exit_code) == ("(0, 0)\n", -signal.SIGABRT)


def test_the_folder_of_a_run_is_empty_and_deleted_afterwards(executor, python):
    code = "import os; print(os.listdir(), os.getcwd()); open('left', 'w').write('x')"
    listing, folder = executor.run(python(code), cutoff=5.0).output.split()
    assert listing == "[]"
    assert not Path(folder).exists()


def test_a_failed_start_leaves_no_open_file(executor, tmp_path):
    script = tmp_path / "solver"
    script.write_text("no interpreter line")
    script.chmod(0o755)
    before = len(os.listdir(f"/proc/{executor._supervisor.supervisor}/fd"))
    for _ in range(3):
        with pytest.raises(SettingError, match="solver: Exec format error"):
            executor.run([str(script)], cutoff=1.0)
    assert len(os.listdir(f"/proc/{executor._supervisor.supervisor}/fd")) == before


def test_a_very_large_cutoff_is_accepted(executor):
    assert executor.run(["true"], cutoff=1e30).status == "solved"


def test_a_run_is_stopped_at_its_cutoff(executor, python):
    outcome = executor.run(python("while True: pass"), cutoff=0.3)
    assert outcome.status == "timeout"
    assert 0.3 <= outcome.seconds < 0.4


def test_a_run_is_stopped_at_a_short_cutoff(executor):
    outcome = executor.run(["sh", "-c", "while :; do :; done"], cutoff=0.02)
    assert outcome.status == "timeout"
    assert 0.02 <= outcome.seconds < 0.06


def test_a_sleeping_run_uses_no_cpu_time_and_is_stopped_at_the_wall_limit(executor):
    outcome = executor.run(["sleep", "60"], cutoff=0.2, wall_limit=0.3)
    assert outcome.status == "timeout"
    assert outcome.seconds < 0.1
    assert 0.3 <= outcome.wall_seconds < 1.0


def test_seconds_include_all_processes(executor, python):
    child = "import time\nwhile time.process_time() < 0.15: pass"
    code = f"import subprocess, sys; [subprocess.run([sys.executable, '-I', '-S', '-c', {child!r}]) for _ in range(3)]"
    assert 0.45 < executor.run(python(code), cutoff=5.0).seconds < 0.9


def test_seconds_include_children_that_are_not_waited_for(executor, python):
    code = """
        import os, signal, time
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel drops their times
        end, held = os.pipe()
        for _ in range(2):
            if os.fork() == 0:
                while time.process_time() < 0.2: pass
                os._exit(0)
        os.close(held)
        os.read(end, 1)  # until both have ended
    """
    assert executor.run(python(code), cutoff=5.0).seconds > 0.3


def test_children_share_the_cutoff(executor):
    outcome = executor.run(["sh", "-c", "for i in 1 2 3 4; do (while :; do :; done) & done; wait"], cutoff=0.4)
    assert outcome.status == "timeout"
    assert 0.4 <= outcome.seconds < 0.6


def test_a_solver_that_ignores_sigterm_is_killed(executor, python):
    mark = "ignores-sigterm-4711"
    code = f"import signal; '{mark}'; [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 3, 15)]\nwhile True: pass"
    assert executor.run(python(code), cutoff=0.1).status == "timeout"
    assert processes_with(mark) == []


def test_a_daemon_in_its_own_session_is_killed(executor, python):
    mark = "daemon-4712"
    code = f"""
        import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                '{mark}'
                time.sleep(60)
            os._exit(0)
        time.sleep(0.2)
    """
    assert executor.run(python(code), cutoff=5.0).status == "solved"
    assert processes_with(mark) == []


def test_no_zombies_are_left(executor, python):
    code = "import os, time\nfor _ in range(30):\n    if os.fork() == 0: os._exit(0)\ntime.sleep(0.1)"
    assert executor.run(python(code), cutoff=5.0).status == "solved"
    supervisor = executor._supervisor.supervisor
    assert Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text() == ""


def test_a_process_that_keeps_forking_is_killed(executor, python):
    mark = "forks-on-4713"
    code = f"""
        import os, time
        '{mark}'
        for _ in range(400):
            if os.fork() > 0: os._exit(0)
            time.sleep(0.001)
        while True: pass
    """
    executor.run(python(code), cutoff=0.2, wall_limit=5.0)
    assert processes_with(mark) == []


def test_an_answer_after_gigabytes_of_output_is_found(executor, python):
    code = """
        import os
        for _ in range(2048): os.write(1, b'x' * (1 << 20))
        os.write(1, b'\\ns YES\\n')
    """
    outcome = executor.run(python(code), cutoff=60.0, read_answer=lambda out, code: "YES" if "s YES" in out else None)
    assert outcome.status == "solved"
    assert len(outcome.output) < MIB


def test_a_file_of_gigabytes_is_stopped(executor, python):
    code = "f = open('big', 'wb')\nfor _ in range(3000): f.write(bytes(1 << 20))"
    assert executor.run(python(code), cutoff=60.0).status == "crashed"


def test_memory_beyond_the_limit_is_a_memout(executor, python):
    code = "import time; held = [bytearray(b'x') * (8 << 20) for _ in range(60) if not time.sleep(0.005)]"
    outcome = executor.run(python(code), cutoff=20.0, memory_limit=150 * MIB)
    assert outcome.status == "memout"
    assert 150 * MIB < outcome.memory < 400 * MIB


def test_memory_of_all_processes_counts(executor, python):
    child = "import time; held = bytearray(b'x') * (60 << 20); time.sleep(30)"
    code = f"import subprocess, sys; [subprocess.Popen([sys.executable, '-I', '-S', '-c', {child!r}]) for _ in '123']"
    outcome = executor.run(python(code + "; import time; time.sleep(30)"), cutoff=20.0, memory_limit=150 * MIB)
    assert outcome.status == "memout"


def test_memory_that_processes_share_counts_once(executor, python):
    code = """
        import os, time
        held = bytearray(b'x') * (60 << 20)
        for _ in range(4):
            if os.fork() == 0: time.sleep(0.3); os._exit(0)
        time.sleep(0.4)
    """
    assert executor.run(python(code), cutoff=20.0, memory_limit=150 * MIB).status == "solved"


def test_input_is_empty_and_no_shell_is_used(executor):
    assert executor.run(["cat"], cutoff=5.0).output == ""
    assert executor.run(["echo", "$HOME; ls"], cutoff=5.0).output == "$HOME; ls\n"


def test_the_tree_is_killed_when_its_owner_is_killed(tmp_path):
    mark = "orphan-4714"
    code = f"from bayes_distnet import execute; execute(['sh', '-c', 'sleep 61; : {mark}'], cutoff=30.0)"
    owner = subprocess.Popen([sys.executable, "-c", code])
    deadline = time.time() + 60
    while len(processes_with(mark)) < 2 and time.time() < deadline:
        time.sleep(0.02)
    seen = processes_with(mark)
    owner.kill()
    owner.wait()
    assert len(seen) >= 2, "the owner and its solver (and a fork of the solver, until it starts another program)"
    while processes_with(mark) and time.time() < deadline:
        time.sleep(0.02)
    assert processes_with(mark) == []


def test_the_supervisor_leaves_signals_to_its_owner(executor):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        os.kill(executor._supervisor.supervisor, number)
    assert executor.run(["sh", "-c", "kill -TERM $$"], cutoff=5.0).exit_code == -signal.SIGTERM


def test_a_copy_of_the_output_is_complete_where_the_kept_text_has_a_gap(executor, python):
    with tempfile.TemporaryFile() as copy:
        outcome = executor.run(python("print('x' * 3_000_000, end='')"), cutoff=5.0, copy=copy)
        copy.seek(0)
        assert copy.read() == b"x" * 3_000_000
    assert "bytes left out" in outcome.output


def test_an_output_that_cannot_be_copied_ends_the_run(executor, python):
    with open("/dev/full", "wb") as full:
        outcome = executor.run(python("print('s YES', flush=True); input()\nwhile True: pass"), cutoff=5.0, copy=full)
    assert (outcome.status, outcome.answer) == ("unreadable", None)
    assert executor.run(["echo", "on"], cutoff=5.0).output == "on\n"
