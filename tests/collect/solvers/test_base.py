import hashlib
import shutil
from pathlib import Path

import pytest

from bayes_distnet.collect.solvers.base import Solver, program
from bayes_distnet.errors import SettingError


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (("a b", ("x", "{instance}"), ""), "solver name 'a b'"),
        (("a", ("x", "{instance}"), "("), r"answer pattern '\('"),
        (("a", ("x", "{sed}"), ""), r"unknown placeholder \{sed\}; allowed: \{instance\}, \{seed\}"),
        (("a", ("x", "{seed}"), ""), r"has no \{instance\}"),
        (("a", ("x", "{instance"), ""), r"Write \{\{ and \}\} for braces"),
        (("a", ("x", "{seed:q}", "{instance}"), ""), "a width below 100"),
    ],
)
def test_solvers_that_cannot_work_are_refused(settings, message):
    with pytest.raises(SettingError, match=message):
        Solver(*settings)


def test_all_placeholders_are_filled_in():
    solver = Solver("a", ("x", "{folder}/domain", "{instance}", "{seed}", "{cutoff}", "{{}}"), "")
    command = solver.command(Path("/data/p.pddl"), seed=3, cutoff=0.1)
    assert command == ["x", "/data/domain", "/data/p.pddl", "3", "0.1", "{}"]
    assert solver.takes_seed


def test_the_answer_is_the_first_group_or_the_whole_match():
    output = "c comment\ns YES\n"
    assert Solver("a", ("{instance}",), r"^s (\w+)$").read_answer(output, 0) == "YES"
    assert Solver("a", ("{instance}",), r"^s \w+$").read_answer(output, 0) == "s YES"
    assert Solver("a", ("{instance}",), r"^t").read_answer(output, 0) is None


def test_the_version_is_the_first_line_printed_or_the_digest_of_the_program():
    printed = Solver("a", ("true", "{instance}"), "", version_command=("printf", r"\n v1.2 \nmore"))
    assert printed.version() == "v1.2"
    path = shutil.which("true")
    digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    assert Solver("a", (path, "{instance}"), "").version() == f"sha256 {digest[:16]}"


def test_a_program_is_found_on_path_or_inside_a_package(monkeypatch):
    assert program("sh", wheel="none", inside="none/sh", solver="s") == shutil.which("sh")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    inside = program("sh", wheel="pytest", inside="pytest/__init__.py", solver="s")
    assert Path(inside).name == "__init__.py"
    with pytest.raises(SettingError, match=r"solver s: no program 'sh' on PATH, .* pip install none"):
        program("sh", wheel="none", inside="no_such_package/sh", solver="s")
