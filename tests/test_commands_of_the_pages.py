"""Commands and snippets of the documentation: all of them are accepted, and those marked `<!-- run -->` are run.

A marked block runs in a folder with small data under the names that the pages use, together with the other marked
blocks of its page, in their order.
"""

import ast
import importlib
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from shell_blocks import ROOT, blocks

from bayes_distnet import generate_instances, make_runs
from bayes_distnet.cli.main import build_parser

STOP = {"|", ">", "<", ">>", ";", "&&", "2>"}
MARKED = sorted({block.page.relative_to(ROOT).as_posix() for block in blocks("sh") if block.runs})


def words_of(command):
    """Words of the first program of a line, without comment, redirections and pipes."""
    lexer = shlex.shlex(command.replace('eval "$(', "").replace(')"', ""), posix=True, punctuation_chars="|<>;&")
    lexer.whitespace_split, lexer.commenters = True, "#"
    words = list(lexer)
    ends = [i for i, word in enumerate(words) if word in STOP]
    return words[: ends[0]] if ends else words


def every_command():
    return [(block.page.name, command) for block in blocks("sh", "console") for command in block.commands()]


def calls_of(program):
    return [(page, words_of(command)) for page, command in every_command() if words_of(command)[:1] == [program]]


def accepted(words):
    try:
        build_parser().parse_args(words[1:])
    except SystemExit as stop:
        return stop.code == 0  # --help and --version
    return True


def test_the_command_line_accepts_every_command_of_the_pages():
    calls = calls_of("bayes-distnet")
    assert len(calls) > 50
    assert [(page, words) for page, words in calls if not accepted(words)] == []


def test_every_target_of_make_and_every_script_on_the_pages_exists():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for page, words in calls_of("make"):
        assert f"\n{words[1]}:" in makefile, (page, words)
    for page, words in calls_of("python"):
        if words[1].endswith(".py"):
            assert (ROOT / words[1]).exists(), (page, words)


@pytest.mark.parametrize("block", [b for b in blocks("python") if ">>>" not in b.text], ids=lambda b: b.name)
def test_a_snippet_without_output_has_valid_syntax_and_its_imports_exist(block):
    for node in ast.walk(ast.parse(block.text)):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("bayes_distnet"):
            module = importlib.import_module(node.module)
            assert [name.name for name in node.names if not hasattr(module, name.name)] == []


def scratch(folder: Path) -> None:
    """Write the files that pages speak of, in small: instances, runs, features, a solver."""
    generate_instances("quasigroup-small", 14, folder=folder / "instances")
    (folder / "problem.cnf").write_bytes(sorted((folder / "instances").iterdir())[0].read_bytes())
    data = make_runs(n_instances=24, n_runs=3, n_features=3, random_state=0).cut_off(0.2)
    data.features.to_csv(folder / "features.csv")
    data.features.head(3).to_csv(folder / "new-features.csv")
    data.runs.frame.to_csv(folder / "runs.csv", index=False)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="solvers are run on Linux")
@pytest.mark.parametrize("page", MARKED)
def test_marked_blocks_of_a_page_run(page, tmp_path):
    scratch(tmp_path)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    commands = [line for block in blocks("sh") if block.runs and block.page == ROOT / page for line in block.commands()]
    assert commands
    for command in commands:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            timeout=600,
        )
        # `run` ends with the exit code of the solver that answered: satisfiable, unsatisfiable.
        expected = (10, 20) if words_of(command)[:2] == ["bayes-distnet", "run"] else (0,)
        assert done.returncode in expected, f"{command}\n{done.stderr[-2000:]}"
