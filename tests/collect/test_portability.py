"""The package can be imported on systems without Linux's modules; only running solvers is refused."""

import subprocess
import sys

# A program that runs as if on another system. The supervisor is left out: it is a program, and never imported.
WITHOUT_LINUX = """
import importlib.abc, os, pkgutil, signal, sys

class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in ("fcntl", "resource"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

for name in ("fcntl", "resource"):
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Refuse())
del os.sched_getaffinity, signal.SIGHUP, signal.SIGKILL

import bayes_distnet.collect

for module in pkgutil.walk_packages(bayes_distnet.collect.__path__, "bayes_distnet.collect."):
    if not module.name.startswith("bayes_distnet.collect.supervisor."):
        importlib.import_module(module.name)
assert "bayes_distnet.collect.instances.zenotravel" in sys.modules
assert "bayes_distnet.collect.solvers.lpg" in sys.modules

sys.platform = "darwin"
"""


def run(code):
    return subprocess.run([sys.executable, "-c", WITHOUT_LINUX + code], capture_output=True, text=True)


def refusal(call):
    """The message of the `SettingError` that a call raises on another system."""
    done = run(f"""
from bayes_distnet.collect.executor import Executor, execute
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.collect.collector import collect_runs
from bayes_distnet.collect.repeat import repeat_runs
from bayes_distnet.errors import SettingError
try:
    {call}
except SettingError as error:
    print(error)
""")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_module_can_be_imported_and_instances_can_be_generated(tmp_path):
    done = run(f"""
from bayes_distnet.collect.instances.registry import generate_instances
from bayes_distnet.collect.cores import usable_cores
assert usable_cores() == os.cpu_count()
print(len(generate_instances("factoring", 2, folder={str(tmp_path)!r})))
""")
    assert (done.stdout, done.stderr) == ("2\n", "")


def test_running_solvers_is_refused_in_one_line(tmp_path):
    store = tmp_path / "runs.sqlite"
    solver = "Solver('s', ('true', '{instance}'), '')"
    calls = (
        f"collect_runs([{solver}], ['a.cnf'], 1, store={str(store)!r}, cutoff=1.0)",
        f"repeat_runs([{solver}], ['a.cnf'], 1, store={str(store)!r})",
        "execute(['true'], cutoff=1.0)",
        "Executor()",
    )
    expected = (
        "collecting runs and computing CNF features need Linux, and this system is darwin; "
        "reading, fitting, predicting and reporting work everywhere.\n"
    )
    assert {refusal(call) for call in calls} == {expected}
    assert not store.exists()
