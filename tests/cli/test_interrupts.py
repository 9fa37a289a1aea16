"""Ctrl-C at any moment: exit code 130 and one line. `scripts/interrupt_commands.py` tries many moments."""

import os
import signal
import subprocess
import sys
import time

import pytest

from bayes_distnet import load_model

CONSOLE = [sys.executable, "-c", "import sys; from bayes_distnet_start import main; sys.exit(main())"]


def interrupted(line, folder, seconds, number=signal.SIGINT):
    """Start a command, send a signal to its process group, as a terminal does; return code, errors and seconds."""
    process = subprocess.Popen(
        [*CONSOLE, *line.split()],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    time.sleep(seconds)
    os.killpg(process.pid, number)
    began = time.monotonic()
    _, errors = process.communicate(timeout=60)
    return process.returncode, errors, time.monotonic() - began


def assert_stopped(code, errors, seconds):
    if code == 0 or (code == -signal.SIGINT and errors == ""):
        return  # it had ended, or the interpreter had not begun
    if "Failed to import the site module" in errors:
        return  # inside the start of the interpreter itself, before any line of this package: see docs/sandbox.md
    assert code == 130
    assert errors.endswith("stopped.\n")
    assert "Traceback" not in errors
    assert seconds < 20  # 5 s and the load of the machine


@pytest.mark.parametrize("seconds", [0.1, 0.2, 0.4])
def test_start_up_can_be_interrupted(tmp_path, seconds):
    assert_stopped(*interrupted("info clasp-factoring", tmp_path, seconds))


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [1.0, 2.5, 5.0])
@pytest.mark.parametrize(
    "line",
    [
        "fit clasp-factoring --model distnet --out model",
        "experiment low-samples --data lpg-zenotravel --models distnet,ridge --quick --cores 2 --out results",
    ],
)
def test_work_can_be_interrupted(tmp_path, line, seconds):
    code, errors, took = interrupted(line, tmp_path, seconds)
    assert_stopped(code, errors, took)
    if (tmp_path / "model").exists():  # it had been written whole
        load_model(tmp_path / "model")


def console(code):
    """Run code as a command in the console script; the signal comes from the code."""
    program = f"""
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import bayes_distnet_start
bayes_distnet_start.PATIENCE = 0.5
def run(parsed):
    {code}
import bayes_distnet.cli.info as info
info._info = run
sys.argv = ["bayes-distnet", "info", "clasp-factoring"]
sys.exit(bayes_distnet_start.main())
"""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)


def test_an_interrupt_that_is_lost_in_compiled_code_ends_the_program_all_the_same():
    lost = console(
        "try: os.kill(os.getpid(), signal.SIGINT); time.sleep(9)\n    except KeyboardInterrupt: time.sleep(30)"
    )
    assert (lost.returncode, lost.stderr) == (130, "bayes-distnet: stopped.\n")


def test_an_interrupt_that_python_drops_in_a_callback_comes_again():
    ended = console(
        "class Loses:\n        def __del__(self): os.kill(os.getpid(), signal.SIGINT); time.sleep(0)\n"
        "    Loses()\n    time.sleep(30)"
    )
    assert (ended.returncode, ended.stderr) == (130, "bayes-distnet info: stopped.\n")


def test_a_second_signal_does_not_disturb_the_end():
    ended = console(
        "try: os.kill(os.getpid(), signal.SIGINT); time.sleep(9)\n"
        "    finally: os.kill(os.getpid(), signal.SIGINT); time.sleep(0.1)"
    )
    assert (ended.returncode, ended.stderr) == (130, "bayes-distnet info: stopped.\n")


def test_an_error_that_a_library_makes_of_the_interrupt_counts_as_the_interrupt():
    ended = console(
        "try: os.kill(os.getpid(), signal.SIGINT); time.sleep(9)\n"
        "    except KeyboardInterrupt: raise RuntimeError('callback failed')"
    )
    assert (ended.returncode, ended.stderr) == (130, "bayes-distnet info: stopped.\n")


def test_a_signal_while_python_ends_does_not_change_the_exit_code_of_a_command_that_is_done():
    ended = console(
        "class Late:\n        def __del__(self, kill=os.kill, me=os.getpid(), number=signal.SIGINT): kill(me, number)\n"
        "    sys.late = Late()  # deleted with the modules"
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_the_console_script_loads_nothing_before_it_handles_signals():
    code = "import sys; before = set(sys.modules); import bayes_distnet_start; print(*set(sys.modules) - before)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert set(loaded) <= {"bayes_distnet_start", "atexit"}  # atexit is compiled into Python
