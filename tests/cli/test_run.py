"""The commands run and advise, and portfolios from the command line."""

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pandas as pd
import pytest

from bayes_distnet.cli import main
from bayes_distnet.data.store import Store


def program(folder, name, code):
    """A solver in a file of its own; returns its command line."""
    file = folder / f"{name}.py"
    file.write_text(textwrap.dedent(code))
    return f"{name}={sys.executable} -I -S {file} {{instance}} {{seed}}"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A portfolio of two solvers, `small` and `large`, in a folder with an instance and programs."""
    folder = tmp_path_factory.mktemp("made")
    rng = np.random.default_rng(0)
    size = rng.uniform(0, 1, 40)
    rows = []
    for solver, seconds in (("small", 0.1 + 10 * size), ("large", 0.1 + 10 * (1 - size))):
        for i, centre in enumerate(seconds):
            for seed in range(3):
                taken = min(centre * np.exp(0.2 * rng.normal()), 8.0)
                rows.append((solver, f"i{i}", seed, taken, "solved" if taken < 8 else "timeout", 8.0))
    columns = ["solver", "instance", "seed", "seconds", "status", "cutoff"]
    pd.DataFrame(rows, columns=columns).to_csv(folder / "runs.csv", index=False)
    names = [*(f"i{i}" for i in range(40)), "a.cnf"]
    pd.DataFrame({"instance": names, "size": [*size, 0.1]}).to_csv(folder / "features.csv", index=False)
    words = ["fit", folder / "runs.csv", "--features", folder / "features.csv", "--model", "ridge"]
    assert main([*map(str, words), "--portfolio", "--out", str(folder / "model"), "--cores", "1"]) == 0
    assert main([*map(str, words), "--solver", "small", "--out", str(folder / "one")]) == 0
    (folder / "a.cnf").write_text("p cnf 1 1\n1 0\n")
    return folder


def run(made, *words):
    given = ["run", made / "a.cnf", "--model", made / "model", "--features", made / "features.csv", *words]
    return main([*map(str, given)])


YES = "print('c hello\\ns SATISFIABLE\\nv 1 0'); raise SystemExit(10)"
NO = "print('s UNSATISFIABLE'); raise SystemExit(20)"
BURNS = "while True: pass"


def test_output_and_exit_code_are_those_of_the_solver(made, capfdbinary):
    words = ["--solver", program(made, "small", YES), "--solver", program(made, "large", YES)]
    assert run(made, *words) == 10
    assert capfdbinary.readouterr().out == b"c hello\ns SATISFIABLE\nv 1 0\n"


def test_nothing_but_the_solver_prints_to_stdout(made, capfdbinary):
    words = ["--solver", program(made, "small", NO), "--solver", program(made, "large", NO), "--verbose"]
    assert run(made, *words) == 20
    shown = capfdbinary.readouterr()
    assert shown.out == b"s UNSATISFIABLE\n"
    assert b"core 0: " in shown.err


def test_the_plan_is_printed_and_no_solver_is_run(made, capsys):
    words = ["--solver", program(made, "small", BURNS), "--solver", program(made, "large", BURNS), "--plan"]
    assert run(made, *words) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("plan for a.cnf\n")
    assert "core 0" in shown
    assert run(made, *words, "--json") == 0
    assert json.loads(capsys.readouterr().out)["slots"]


def test_no_answer_has_an_exit_code_of_its_own(made, capsys):
    words = ["--solver", program(made, "small", BURNS), "--solver", program(made, "large", BURNS), "--deadline", 1]
    assert run(made, *words) == 124
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "bayes-distnet run: no answer after" in shown.err.splitlines()[-1]


def test_a_solver_that_is_not_installed_is_named(made, capsys):
    assert run(made, "--solver", program(made, "small", YES)) == 10
    assert "note: large is not a solver of this package" in capsys.readouterr().err


def test_no_installed_solver_is_an_error_in_one_line(made, capsys):
    assert run(made) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("bayes-distnet run: none of the solvers of the model can be run here")


def test_contradicting_solvers_are_both_named(made, capsys):
    silent = "print('s SATISFIABLE'); raise SystemExit(10)"
    words = ["--solver", program(made, "small", silent), "--solver", program(made, "large", NO), "--verify"]
    assert run(made, *words) == 125
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.splitlines()[-1] == (
        "bayes-distnet run: solvers contradict each other: small found a solution, large that there is none."
    )


def test_the_result_can_be_json(made, capsys, tmp_path):
    store = tmp_path / "runs.sqlite"
    words = ["--solver", program(made, "small", YES), "--solver", program(made, "large", YES), "--store", store]
    assert run(made, *words, "--json", "--seed", 7) == 10
    result = json.loads(capsys.readouterr().out)
    assert (result["answer"], result["proven"], result["attempts"][-1]["seed"]) == ("SATISFIABLE", True, 7)
    with Store(store) as database:
        assert len(database.runs()) == len(result["attempts"])


def test_a_model_of_one_solver_runs_it(made, capfdbinary):
    words = ["--features", made / "features.csv", "--solver", program(made, "small", YES)]
    assert main([*map(str, ["run", made / "a.cnf", "--model", made / "one", *words])]) == 10
    assert b"s SATISFIABLE" in capfdbinary.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--solver", "other"], "solver 'other': the model knows "),
        (["--solver", "small="], "expected NAME or NAME=COMMAND"),
        (["--cores", "100000"], "cores=100000: this program may use"),
        (["--deadline", "-1"], "deadline=-1.0: expected a positive number"),
        (["--solver", "small", "--answer", "^s"], "--answer goes with --solver NAME=COMMAND."),
    ],
)
def test_bad_input_is_one_line(made, words, message, capsys):
    assert run(made, *words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


@pytest.mark.parametrize("command", ["run", "advise"])
@pytest.mark.parametrize("name", ["quantile", "par", "par0", "fastest"])
def test_objectives_that_need_python_are_refused_in_one_line(made, command, name, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, str(made / "a.cnf"), "--model", str(made / "model"), "--objective", name])
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"--objective: {name}: expected time, deadline, par10, par2 or another parK." in line


def test_an_instance_or_model_that_is_missing_is_one_line(made, capsys):
    assert main(["run", str(made / "none.cnf"), "--model", str(made / "model")]) == 2
    assert "none.cnf: no such file." in capsys.readouterr().err
    assert main(["run", str(made / "a.cnf"), "--model", str(made / "none")]) == 2
    assert "none: no model there" in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_solver(made, number):
    words = ["run", made / "a.cnf", "--model", made / "one", "--features", made / "features.csv"]
    words += ["--solver", program(made, "small", BURNS)]
    mark = str(made / "small.py")
    code = (
        "import signal, sys; from bayes_distnet.cli import main\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # a program in the background ignores it\n"
        f"sys.exit(main({[*map(str, words)]!r}))"
    )
    started = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE)
    for _ in range(2400):
        if len(processes_with(mark)) >= 2:  # this program, and the solver
            break
        time.sleep(0.05)
    started.send_signal(number)
    _, errors = started.communicate(timeout=120)
    assert (started.returncode, errors.decode().splitlines()[-1]) == (130, "bayes-distnet run: stopped.")
    assert processes_with(mark) == []


def processes_with(mark):
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                if mark in file.read().decode(errors="replace") and int(process) != os.getpid():
                    found.append(process)
        except OSError:
            continue
    return found


# -- portfolios in folders -------------------------------------------------------------------------------------------


def test_info_describes_a_portfolio(made, capsys):
    assert main(["info", str(made / "model")]) == 0
    shown = capsys.readouterr().out
    assert "PortfolioModel of 1 features" in shown
    assert "solvers: large, small" in shown
    assert main(["info", str(made / "model"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["model"] == "PortfolioModel"


def test_predict_refuses_a_portfolio_in_one_line(made, capsys):
    assert main(["predict", str(made / "model"), str(made / "features.csv")]) == 2
    assert "a portfolio of several solvers, which run and advise use" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--portfolio", "--solver", "small"], "runs of all solvers are needed"),
        (["--portfolio", "--family", "weibull"], "leave it out"),
        (["--costs", "costs.csv", "--solver", "small"], "--costs goes with --portfolio"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(made, words, message, capsys, tmp_path):
    given = ["fit", made / "runs.csv", "--features", made / "features.csv", "--out", tmp_path / "m", *words]
    assert main([*map(str, given)]) == 2
    assert message in capsys.readouterr().err


# -- advise ----------------------------------------------------------------------------------------------------------


def advise(made, *words):
    return main(["advise", str(made / "features.csv"), "--row", "i0", "--model", str(made / "model"), *map(str, words)])


def test_advice_answers_which_solver_which_cutoff_and_how_many_copies(made, capsys):
    assert advise(made, "--deadline", 5, "--cores", 2) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("i0\n")
    for part in ("two copies", "within 5 s", "Run on 2 cores: ", "Restarts of small: ", "Restarts of large: "):
        assert part in shown


@pytest.mark.parametrize("deadline", [[], ["--deadline", 0.001]])
def test_the_columns_of_advice_are_in_line(made, capsys, deadline):
    assert advise(made, *deadline) == 0
    names, small, large = capsys.readouterr().out.splitlines()[2:5]
    assert names.index("90 %") == re.search(r"(?<=   )\S+ s to ", small).start()
    assert names.index("90 %") == re.search(r"(?<=   )\S+ s to ", large).start()
    assert len(names) == len(small) == len(large)  # the last column ends in line


def test_advice_for_a_run_that_is_going_on(made, capsys):
    assert advise(made, "--elapsed", 4, "--running", "small", "--json") == 0
    advice = json.loads(capsys.readouterr().out)["advice"]
    assert advice["action"] in ("continue", "restart", "switch")
    assert set(advice["expected"]) == {"continue", "restart", "switch"}
    assert "after 4 s, small needs" in advice["why"]


def test_advice_from_a_model_of_one_solver(made, capsys):
    words = ["advise", made / "features.csv", "--row", "i0", "--model", made / "one", "--elapsed", 1]
    assert main([*map(str, words)]) == 0
    assert "after 1 s" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--running", "other", "--elapsed", "1"], "solver 'other': the model knows"),
        (["--elapsed", "-1"], "elapsed=-1.0"),
        (["--elapsed", "9", "--deadline", "5"], "deadline=5.0: expected more than the 9 s"),
        (["--cores", "0"], "cores=0"),
        (["--running", "small"], "--running goes with --elapsed"),
    ],
)
def test_advice_names_bad_input_in_one_line(made, words, message, capsys):
    assert advise(made, *words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


def test_a_row_must_be_chosen_from_a_table_of_several(made, capsys):
    words = ["advise", made / "features.csv", "--model", made / "model"]
    assert main([*map(str, words)]) == 2
    assert "41 rows; choose one with --row" in capsys.readouterr().err
    assert main([*map(str, words), "--row", "none"]) == 2
    assert "no instance 'none'" in capsys.readouterr().err


# -- start-up --------------------------------------------------------------------------------------------------------


def test_a_presolver_starts_without_loading_anything_heavy(made, tmp_path):
    header = json.loads((made / "model" / "model.json").read_text())
    slot = {"solver": "small", "start": 0.0, "seconds": 5.0, "core": 0, "cutoff": None}
    header["parameters"]["about"]["presolver"] = [slot]
    (tmp_path / "model.json").write_text(json.dumps(header))
    words = ["run", made / "a.cnf", "--model", tmp_path, "--solver", program(made, "small", YES)]
    words += ["--solver", program(made, "large", YES), "--store", tmp_path / "runs.sqlite"]
    code = (
        "import sys; from bayes_distnet.cli import main\n"
        f"assert main({[*map(str, words)]!r}) == 10\n"
        "assert not {'numpy', 'pandas', 'scipy', 'sklearn', 'jax'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
