"""Everything except collecting works where `fcntl`, `resource` and `os.sched_getaffinity` do not exist.

Windows has none of the three, macOS lacks the last. Each test starts an interpreter in which they are hidden, and in
which all processes that it starts hide them, too.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Python imports a module of this name when it starts.
SITECUSTOMIZE = """
import os
import sys


class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name in ("fcntl", "resource"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Hidden())
for name in ("fcntl", "resource"):
    sys.modules.pop(name, None)
if hasattr(os, "sched_getaffinity"):
    del os.sched_getaffinity
"""

IMPORT_ALL = """
import importlib, pkgutil
import bayes_distnet

failed = []
for module in pkgutil.walk_packages(bayes_distnet.__path__, "bayes_distnet."):
    # The supervisor is a program of its own: it is started by a bare interpreter on Linux and never imported.
    if not module.name.endswith("__main__") and ".collect.supervisor." not in module.name:
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            if error.name in ("fcntl", "resource") or error.name.startswith("bayes_distnet"):
                failed.append(f"{module.name}: {error}")
assert not failed, failed
"""

LEARN = """
from bayes_distnet import DistNet, Ridge, load_dataset, load_model, make_runs
from bayes_distnet.scoring import evaluate

train, test = load_dataset("lpg-zenotravel").split(test_size=0.2, random_state=0)
model = Ridge().fit(train.features, train.seconds, finished=train.finished)
medians = model.predict(test.features)
model.save("ridge")
assert (load_model("ridge").predict(test.features) == medians).all()
assert evaluate(model, test)["nllh"].mean() < 0

few = make_runs(n_instances=20, n_runs=2, random_state=0)
network = DistNet(max_iter=20, random_state=0).fit(few.features, few.seconds, finished=few.finished)
assert (network.predict_distribution(few.features).quantile(0.9) > 0).all()
"""

EXPERIMENT = """
from bayes_distnet import load_dataset, run_experiment
from bayes_distnet.report.write import write_report

if __name__ == "__main__":
    data = load_dataset("lpg-zenotravel")
    models = ["ridge", "marginal", "limit-lognormal"]
    conditions = {"families": ["lognormal"], "runs": [1, 2], "only_folds": 1, "seeds": 1}
    again = {"name": "lpg", "models": models, **conditions, "cores": 1, "progress": False}
    done = run_experiment("low-samples", data, "results", **again)
    assert set(done.table["model"]) == {"Ridge", "Marginal", "limit: lognormal"}
    assert len(run_experiment("low-samples", data, "results", **again).table) == len(done.table)
    assert write_report("results").is_file()
"""

COMMANDS = """
from bayes_distnet import load_dataset
from bayes_distnet.cli import main

load_dataset("lpg-zenotravel").features[:3].to_csv("new.csv")
for line in (
    "fit lpg-zenotravel --model ridge --holdout 0.2 --out model",
    "info model",
    "evaluate model lpg-zenotravel --holdout 0.2",
    "predict model new.csv",
    "--help",  # ends the program with exit code 0
):
    assert main(line.split()) == 0, line
"""

ON_MACOS = """
import sys
import bayes_distnet.collect.collector  # and pandas, whose import asks for the platform
from bayes_distnet.cli import main

sys.platform = "darwin"
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def python(tmp_path):
    """Return a function that runs Python with arguments in an empty folder, the modules hidden."""
    hidden, folder = tmp_path / "hidden", tmp_path / "work"
    hidden.mkdir()
    folder.mkdir()
    (hidden / "sitecustomize.py").write_text(SITECUSTOMIZE, "utf-8")
    paths = [str(hidden), os.environ.get("PYTHONPATH", "")]
    # A relative path, such as src, would not be found from the other folder.
    paths += [str(Path(path).resolve()) for path in sys.path if path.endswith("src")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}

    def run(*arguments):
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8")

    run.folder = folder
    return run


def passes(done):
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_modules_are_hidden_in_child_processes_too(python):
    inner = "import os, sys; print(hasattr(os, 'sched_getaffinity'), 'Hidden' in str(sys.meta_path[0])); import fcntl"
    outer = f"import subprocess, sys; sys.exit(subprocess.run([sys.executable, '-c', {inner!r}]).returncode)"
    done = python("-c", outer)
    assert done.returncode == 1
    assert done.stdout.split() == ["False", "True"]
    assert "No module named 'fcntl'" in done.stderr


def test_every_module_can_be_imported(python):
    passes(python("-c", IMPORT_ALL))


@pytest.mark.slow
def test_models_learn_predict_and_are_saved(python):
    passes(python("-c", LEARN))


@pytest.mark.slow
@pytest.mark.slow
def test_an_experiment_runs_resumes_and_is_reported(python):
    pytest.importorskip("matplotlib")
    script = python.folder / "experiment.py"  # processes that do jobs read the script: it must be a file
    script.write_text(EXPERIMENT, "utf-8")
    passes(python(script))


def test_the_command_line_fits_predicts_evaluates_and_informs(python):
    done = passes(python("-c", COMMANDS))
    assert "usage: bayes-distnet" in done
    assert all(word in done for word in ("Ridge", "nllh", "unsure"))


def test_collect_refuses_in_one_line(python):
    (python.folder / "a.cnf").write_text("p cnf 1 1\n1 0\n", "utf-8")
    solver = f"{Path(sys.executable).as_posix()} {{instance}} {{seed}}"
    given = ("a.cnf", "--command", solver, "--seeds", "1", "--cutoff", "1", "--store", "runs.sqlite")
    done = python("-c", ON_MACOS, "collect", *given)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("bayes-distnet collect: ")
    assert "Linux" in done.stderr
