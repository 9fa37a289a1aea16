"""A race of solvers: the first answer wins, whatever the others do, and nothing is left of them."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from bayes_distnet.collect.attempts import Attempt
from bayes_distnet.collect.cores import usable_cores
from bayes_distnet.collect.race import race as start_race
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.errors import CollectError, SettingError

needs_two_cores = pytest.mark.skipif(usable_cores() < 2, reason="needs two cores")


@pytest.fixture
def instance(tmp_path):
    path = tmp_path / "a.cnf"
    path.write_text("p cnf 1 1\n1 0\n")
    return path


@pytest.fixture
def race():
    """The function `race`; what it returns is closed after the test."""
    with contextlib.ExitStack() as stack:
        yield lambda *given, **settings: stack.enter_context(start_race(*given, **settings))


def solver(name, code):
    """A solver that is a program text."""
    text = textwrap.dedent(code).replace("{", "{{").replace("}", "}}")
    return Solver(name, (sys.executable, "-I", "-S", "-c", text, "{instance}", "{seed}"), r"^s (\w+)")


FAST = solver("fast", "print('s YES')\nraise SystemExit(10)")
HANGS = solver("hangs", "import time; time.sleep(600)")
BURNS = solver("burns", "while True: pass")
CRASHES = solver("crashes", "import os; os.abort()")
KILLED = solver("killed", "import os; os.kill(os.getpid(), 9)")


def lane(*attempts):
    """A core that makes these attempts in order."""
    return lambda past: attempts[len(past)] if len(past) < len(attempts) else None


def statuses(finish):
    return [(one.attempt.solver.name, one.outcome.status) for one in finish.tried]


def test_the_attempts_of_a_core_follow_each_other_until_one_has_an_answer(race, instance):
    attempts = [Attempt(CRASHES, 1), Attempt(KILLED, 2), Attempt(BURNS, 3, 0.05), Attempt(FAST, 4), Attempt(FAST, 5)]
    finish = race(instance, [lane(*attempts)])
    assert statuses(finish) == [
        ("crashes", "crashed"),
        ("killed", "interrupted"),
        ("burns", "timeout"),
        ("fast", "solved"),
    ]
    assert (finish.winner.attempt.seed, finish.winner.outcome.exit_code) == (4, 10)
    assert finish.output.read() == b"s YES\n"
    assert finish.seconds >= 0.05


def test_the_output_of_the_winner_is_complete(race, instance):
    chatty = solver("chatty", "print('v 1\\n' * 1_000_000 + 's YES')")
    finish = race(instance, [lane(Attempt(chatty, 1))])
    assert finish.output.read() == b"v 1\n" * 1_000_000 + b"s YES\n"
    assert "bytes left out" in finish.winner.outcome.output


@needs_two_cores
def test_the_first_answer_stops_the_others_which_are_censored(race, instance):
    finish = race(instance, [lane(Attempt(BURNS, 1)), lane(Attempt(BURNS, 2, 0.1), Attempt(FAST, 3))])
    assert finish.winner.attempt.solver.name == "fast"
    (loser,) = [one for one in finish.tried if one.beaten]
    assert (loser.attempt.seed, loser.outcome.status) == (1, "interrupted")
    run = loser.run("a.cnf")
    assert (run.status, run.cutoff) == ("timeout", run.seconds)
    assert finish.winner.run("a.cnf").status == "solved"


@needs_two_cores
def test_a_core_that_has_nothing_to_do_waits_for_the_others(race, instance):
    finish = race(instance, [lambda past: None, lane(Attempt(FAST, 1))])
    assert (finish.winner.core, len(finish.tried)) == (1, 1)


def test_a_wrong_answer_costs_the_attempt_only(race, instance):
    liar = solver("liar", "print('s YES but wrong')")
    finish = race(
        instance, [lane(Attempt(liar, 1), Attempt(FAST, 2))], check=lambda tried, out: "wrong" * (b"but" in out.read())
    )
    assert statuses(finish) == [("liar", "crashed"), ("fast", "solved")]
    assert (finish.tried[0].wrong, finish.tried[0].outcome.answer) == ("wrong", None)


def test_a_program_that_cannot_be_started_costs_the_attempt_only(race, instance, tmp_path):
    broken = tmp_path / "broken"
    broken.write_text("no interpreter line")
    broken.chmod(0o755)
    finish = race(instance, [lane(Attempt(Solver("broken", (str(broken), "{instance}"), "s"), 1), Attempt(FAST, 2))])
    assert statuses(finish) == [("broken", "crashed"), ("fast", "solved")]
    assert "Exec format error" in finish.tried[0].outcome.errors


def test_a_hung_solver_is_stopped_at_the_deadline(race, instance):
    started = time.monotonic()
    finish = race(instance, [lane(Attempt(HANGS, 1), Attempt(FAST, 2))], deadline=0.5)
    assert statuses(finish) == [("hangs", "timeout")]
    assert finish.winner is None
    assert finish.output is None
    assert 0.5 <= time.monotonic() - started < 60  # it would sleep for ten minutes


def test_a_hung_solver_with_a_cutoff_is_followed_by_the_next(race, instance):
    finish = race(instance, [lane(Attempt(HANGS, 1, 0.01), Attempt(FAST, 2))])
    assert statuses(finish) == [("hangs", "timeout"), ("fast", "solved")]


def test_a_hung_solver_leaves_half_of_the_time_before_a_deadline_to_the_next(race, instance):
    finish = race(instance, [lane(Attempt(HANGS, 1, 1.0), Attempt(FAST, 2))], deadline=10.0)  # ten times 1 s, and 2 s
    assert statuses(finish) == [("hangs", "timeout"), ("fast", "solved")]


def test_the_attempts_of_a_core_share_its_cpu_limit(race, instance):
    finish = race(instance, [lane(*[Attempt(BURNS, seed, 0.1) for seed in range(1, 9)])], cpu_limit=0.25)
    assert 2 <= len(finish.tried) <= 3
    assert sum(one.outcome.cutoff for one in finish.tried) < 0.3


def test_memory_is_limited(race, instance):
    greedy = solver("greedy", "x = bytearray(10**9)\nimport time; time.sleep(600)")
    finish = race(instance, [lane(Attempt(greedy, 1), Attempt(FAST, 2))], memory_limit=10**8)
    assert statuses(finish) == [("greedy", "memout"), ("fast", "solved")]


def test_a_supervisor_that_is_killed_is_replaced(race, instance):
    suicidal = solver("suicidal", "import os; os.kill(os.getppid(), 9); import time; time.sleep(600)")
    finish = race(instance, [lane(Attempt(suicidal, 1), Attempt(FAST, 2))])
    assert statuses(finish) == [("suicidal", "interrupted"), ("fast", "solved")]


def test_an_instance_that_is_gone_is_named(race, instance):
    def next_attempt(past):
        instance.unlink()
        return Attempt(CRASHES, 1)

    with pytest.raises(CollectError, match=r"a\.cnf: the instance file is gone\."):
        race(instance, [lambda past: next_attempt(past)])


def test_more_lanes_than_cores_are_refused(race, instance):
    many = usable_cores() + 1
    with pytest.raises(SettingError, match=f"cores={many}: this program may use {many - 1}"):
        race(instance, [lane(Attempt(FAST, 1))] * many)


def test_every_start_and_end_is_reported(race, instance):
    events = []
    race(instance, [lane(Attempt(CRASHES, 1), Attempt(FAST, 2))], report=lambda event, core: events.append(event))
    assert [type(event).__name__ for event in events] == ["Attempt", "Tried", "Attempt", "Tried"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_signals_leave_no_process_behind(instance, number):
    mark = f"mark-{os.getpid()}-{number}"
    program = f"""
        import signal, sys
        from pathlib import Path
        from bayes_distnet.collect.attempts import Attempt
        from bayes_distnet.collect.race import race
        from bayes_distnet.collect.solvers.base import Solver
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a program in the background ignores it
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(5))
        code = "import subprocess, sys; subprocess.Popen(['sleep', '600'], start_new_session=True); sys.stdin.read()"
        code += chr(10) + "while True: pass"
        solver = Solver("burns", (sys.executable, "-c", code, "{mark}", "{{instance}}"), "^s")
        print("ready", flush=True)
        race(Path({str(instance)!r}), [lambda past: Attempt(solver, 1)])
    """
    owner = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert owner.stdout.readline() == "ready\n"
    assert _until(lambda: len(_processes_with(mark)) >= 2)  # the owner and the solver
    owner.send_signal(number)
    owner.wait(timeout=120)
    owner.stdout.close()
    assert _until(lambda: not _processes_with(mark))


def _until(true):
    for _ in range(600):
        if true():
            return True
        threading.Event().wait(0.05)
    return False


def _processes_with(mark):
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            line = Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if mark in line and int(process) != os.getpid():
            found.append(process)
    return found
