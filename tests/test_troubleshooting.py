"""Every heading of docs/troubleshooting.md is the text of a message: produced here, or asserted by the named test."""

import re
import warnings
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bayes_distnet import BayesDistNet, Marginal, RandomForest, Ridge, RunTable, load_model, make_runs, open_dataset
from bayes_distnet import predictions as predictions_of
from bayes_distnet.collect.solvers.registry import find_solver
from bayes_distnet.data.tables import write_frame
from bayes_distnet.experiments.processes import _result
from bayes_distnet.experiments.run import run_experiment
from bayes_distnet.models.network.nuts import _announce
from bayes_distnet.models.network.sampled_posterior import _check_convergence
from bayes_distnet.models.registry import find_model

ROOT = Path(__file__).parents[1]
X = np.random.default_rng(0).normal(size=(12, 2))
SECONDS = np.exp(X[:, 0])


def headings():
    text = (ROOT / "docs" / "troubleshooting.md").read_text("utf-8")
    return re.findall(r"^### (.*)$", text, flags=re.MULTILINE)


def pattern(heading):
    """The heading as a pattern: each "…" stands for any text."""
    return ".*?".join(re.escape(part.strip()) for part in re.split(r"\[?…\]?", heading))


def message_of(call, *arguments):
    """The text of the error, or of the warning, of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call(*arguments)
        except Exception as error:
            return str(error)
    return "\n".join(str(one.message) for one in caught)


# -- messages that are produced here ---------------------------------------------------------------------------------


def chains_that_disagree(*_):
    _check_convergence(1.7, 0.2)


def a_long_sampling(*_):
    _announce(3e4)


def flags_as_numbers(*_):
    Ridge().fit(X, SECONDS, finished=np.ones(12, int))


def none_finished(*_):
    Ridge().fit(X, SECONDS, finished=np.zeros(12, bool))


def nan_runtime(*_):
    Ridge().fit(X, np.where(np.arange(12) == 3, np.nan, SECONDS))


def zero_seconds(*_):
    Ridge().fit(X, np.where(np.arange(12) == 3, 0.0, SECONDS))


def column_vector(*_):
    Ridge().fit(X, SECONDS[:, None])


def one_instance(*_):
    RandomForest().fit(X[:1], SECONDS[:1])


def other_columns(*_):
    frame = pd.DataFrame(X, columns=["a", "b"])
    Ridge().fit(frame, SECONDS).predict(frame.rename(columns={"b": "c"}))


def words_as_features(*_):
    Ridge().fit(pd.DataFrame({"a": X[:, 0], "b": ["x"] * 12}), SECONDS)


def settings_of_the_preset(*_):
    BayesDistNet(preset="paper", max_iter=9).fit(X, SECONDS)


def runs_table(**changes):
    row = {"instance": "queens", "seconds": 31.2, "status": "solved", "cutoff": 30.0} | changes
    return RunTable.from_frame(pd.DataFrame([row]))


def late_finish(*_):
    runs_table()


def unknown_status(*_):
    runs_table(status="SAT", seconds=3.0)


def several_solvers(*_):
    open_dataset("sat-portfolio").seconds  # noqa: B018


def damaged_model(tmp_path, _):
    Marginal().fit(X, SECONDS).save(tmp_path / "model")
    file = tmp_path / "model" / "model.safetensors"
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(bytes(data))
    load_model(tmp_path / "model")


def missing_features(*_):
    frame = pd.DataFrame(X, columns=["a", "b"])
    predictions_of(Ridge().fit(frame, SECONDS), frame[["a"]])


def no_clasp(_, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("importlib.util.find_spec", lambda *names: None)
    find_solver("clasp")


def other_contents(tmp_path, _):
    (tmp_path / "thesis.tex").write_text("x")
    run_experiment("low-samples", make_runs(n_instances=12, n_runs=2), tmp_path, models=["marginal"], name="made")


def other_settings(tmp_path, _):
    data = make_runs(n_instances=12, n_runs=2, random_state=0)
    for folds in (2, 3):
        run_experiment("low-samples", data, tmp_path, models=["marginal"], name="made", folds=folds, runs=[1], cores=1)


def dead_process(*_):
    future = Future()
    future.set_exception(BrokenProcessPool())
    _result(future)


def missing_package(_, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda *names: None)
    find_model("ngboost").build()


def mixed_types(folder, _):
    write_frame(pd.DataFrame({"a": [1, "x", [2]]}), folder / "mixed.parquet")


PRODUCED = {
    "the table cannot be written in this form (…)": mixed_types,
    "None of the … runs finished": none_finished,
    "finished: expected booleans, found int64": flags_as_numbers,
    "finished after 31.2 s, past its cutoff of 30 s": late_finish,
    "status is … Allowed: solved, timeout, memout, crashed, interrupted, unreadable": unknown_status,
    "The chains have not converged": chains_that_disagree,
    "posterior='nuts' takes about … hours at this rate": a_long_sampling,
    "runs of …; choose one (solver=, --solver)": several_solvers,
    "… runs took 0 s; they are taken as …": zero_seconds,
    "NaN runtime": nan_runtime,
    "… needs runs of at least 2 instances": one_instance,
    "The feature names should match those that were passed during fit": other_columns,
    "columns […] are not numeric": words_as_features,
    "truncated or changed since it was saved (the checksum differs)": damaged_model,
    "preset='paper' has settings of its own and would ignore …": settings_of_the_preset,
    "A column-vector y was passed when a 1d array was expected": column_vector,
    "solver clasp: no program 'clasp' on PATH, and the package 'clingo' is not installed": no_clasp,
    "no column … (… of the … that the model was fitted on are missing)": missing_features,
    "not empty, and no results in it": other_contents,
    "holds results of …, not of … with these settings": other_settings,
    "a process that did jobs has died": dead_process,
    "ngboost is not installed": missing_package,
}

# -- messages whose cause takes a solver, a cluster or an experiment: the test that asserts each, and its words -------

ASSERTED = {
    "blackjax is not installed": ("models/network/test_sampled_posterior.py", "blackjax is not installed"),
    "No instance has both runs and features": ("data/test_dataset.py", "No instance has both runs and features"),
    "… of … instances are not familiar (… unusual, … outside the training data)": (
        "models/test_familiarity.py",
        "instances are not familiar",
    ),
    "this model holds no background instances": (
        "models/explanation/test_explain.py",
        "holds no background instances",
    ),
    "format version … ; this release reads version …": ("models/test_saving.py", "this release reads version"),
    "solver …: its output has no line that matches …": (
        "collect/test_try_out.py",
        "its output has no line that matches",
    ),
    "… is not the file that was run before": ("data/test_store.py", "is not the file that was run before"),
    "runs of … here had the …, and now it is …": ("data/test_store.py", "and now it is"),
    "none of the solvers of the model can be run here": ("cli/test_run.py", "none of the solvers of the model"),
    "solver …: the model knows …": ("cli/test_run.py", "the model knows"),
    "…: a model without a record of its solver": ("decide/test_planners.py", "a model without a record of its solver"),
    "the instance file is gone": ("decide/test_running.py", "the instance file is gone"),
    "no answer after … s": ("cli/test_run.py", "no answer after"),
    "solvers contradict each other": ("cli/test_run.py", "solvers contradict each other"),
    "the features take about … s, longer than the deadline, and are left out": (
        "decide/test_running.py",
        "s, longer than the deadline, and are left out",
    ),
    "cores=…: this program may use …": ("collect/test_workers.py", "this program may use"),
    "a portfolio of several solvers, which run and advise use": ("cli/test_run.py", "a portfolio of several solvers"),
    "cluster …: no scheduler answers at this address": (
        "collect/test_workers.py",
        "no scheduler answers at this address",
    ),
    "no such file on …. Workers need the same files.": ("collect/test_jobs.py", "Workers need the same files"),
    "another experiment is writing to this folder": ("experiments/test_journal.py", "another experiment is writing"),
    "holds results of another model called …": ("experiments/test_folder.py", "another model called"),
    "… has changed since its results were written to …: they stay": ("experiments/test_folder.py", "they stay"),
    "…: in …, of which every file is read as INSTANCE": (
        "cli/test_paths.py",
        "of which every file is read as INSTANCE",
    ),
    "…: also written by …; give two different paths": ("cli/test_paths.py", "also written by"),
    "an empty path; is a variable of the shell unset?": ("cli/test_paths.py", "an empty path"),
    "… jobs failed": ("cli/test_experiments.py", "jobs failed"),
    "Bad file descriptor: 'standard output'": ("cli/test_streams.py", "Bad file descriptor: 'standard output'"),
    "No space left on device: …": ("cli/test_streams.py", "No space left on device: "),
    "a file name that is not UTF-8; rename it": ("cli/test_streams.py", "a file name that is not UTF-8"),
}


def test_every_heading_has_a_test():
    assert sorted(headings()) == sorted(PRODUCED | ASSERTED)


@pytest.mark.parametrize("heading", PRODUCED)
def test_the_message_is_produced(heading, tmp_path, monkeypatch):
    message = message_of(PRODUCED[heading], tmp_path, monkeypatch)
    assert re.search(pattern(heading), message.replace("\n", " ")), message


@pytest.mark.parametrize("heading", ASSERTED)
def test_another_test_asserts_the_message(heading):
    file, words = ASSERTED[heading]
    assert words in heading
    plain = (ROOT / "tests" / file).read_text("utf-8").replace("\\", "")
    assert words in plain
