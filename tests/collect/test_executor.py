import signal
import threading

import pytest

from bayes_distnet.collect.connection import SupervisorGone
from bayes_distnet.collect.executor import Executor, execute
from bayes_distnet.errors import SettingError


def test_exit_code_zero_counts_as_solved_by_default(executor):
    outcome = executor.run(["echo", "hello"], cutoff=5.0)
    assert (outcome.status, outcome.output, outcome.exit_code) == ("solved", "hello\n", 0)


def test_the_answer_is_read_from_the_output(executor):
    outcome = executor.run(["echo", "s YES"], cutoff=5.0, read_answer=lambda out, code: out[2:5])
    assert (outcome.status, outcome.answer) == ("solved", "YES")


def test_output_without_an_answer_is_unreadable(executor):
    assert executor.run(["echo", "?"], cutoff=5.0, read_answer=lambda out, code: None).status == "unreadable"


def test_an_error_exit_without_an_answer_is_a_crash(executor):
    assert executor.run(["false"], cutoff=5.0).status == "crashed"


def test_a_signal_is_a_crash_even_after_an_answer(executor, python):
    code = "import os; print('s YES', flush=True); os.kill(os.getpid(), 11)"
    outcome = executor.run(python(code), cutoff=5.0, read_answer=lambda out, code: "YES" if "YES" in out else None)
    assert (outcome.status, outcome.exit_code) == ("crashed", -signal.SIGSEGV)


def test_a_run_killed_from_outside_is_interrupted(executor):
    assert executor.run(["sh", "-c", "kill -TERM $$"], cutoff=5.0).status == "interrupted"


def test_stop_interrupts_the_current_run(executor):
    timer = threading.Timer(0.2, executor.stop)
    timer.start()
    outcome = executor.run(["sleep", "60"], cutoff=30.0)
    timer.join()
    assert outcome.status == "interrupted"
    assert executor.run(["echo", "on"], cutoff=5.0).output == "on\n"


def test_stop_without_a_run_has_no_effect(executor):
    executor.stop()
    assert executor.run(["echo", "on"], cutoff=5.0).output == "on\n"


def test_a_solver_that_gives_up_at_its_cutoff_is_a_timeout(executor, python):
    code = "import time\nwhile time.process_time() < 0.295: pass"
    assert executor.run(python(code), cutoff=0.3, read_answer=lambda out, code: None).status == "timeout"


def test_a_pinned_executor_has_a_core_of_its_own(python):
    with Executor(pin=True) as first, Executor(pin=True) as second:
        cores = [e.core for e in (first, second) if e.core is not None]
        assert len(set(cores)) == len(cores)
        if first.core is not None:
            shown = first.run(python("import os; print(os.sched_getaffinity(0))"), cutoff=5.0).output
            assert shown == f"{{{first.core}}}\n"


@pytest.mark.parametrize(
    ("command", "limits", "message"),
    [
        ([], {}, "expected a program"),
        (["no-such-solver"], {}, "no program 'no-such-solver'"),
        (["true"], {"cutoff": 0}, "cutoff=0: expected a positive number"),
        (["true"], {"cutoff": float("nan")}, "cutoff=nan"),
        (["true"], {"wall_limit": -1}, "wall_limit=-1"),
        (["true"], {"memory_limit": 0}, "memory_limit=0"),
        (["tr\0ue"], {}, "expected a program"),
    ],
)
def test_unusable_arguments_are_named(command, limits, message):
    with pytest.raises(SettingError, match=message):
        execute(command, **({"cutoff": 1.0} | limits))


def test_a_closed_executor_refuses_runs():
    with Executor() as executor:
        assert not executor.closed
    assert executor.closed
    with pytest.raises(SupervisorGone, match="the supervisor process is gone"):
        executor.run(["true"], cutoff=1.0)


def test_execute_starts_a_new_supervisor_after_an_error():
    def refuse(output, exit_code):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        execute(["true"], cutoff=1.0, read_answer=refuse)
    assert execute(["true"], cutoff=1.0).status == "solved"
