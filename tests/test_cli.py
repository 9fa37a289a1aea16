import re
import subprocess
import sys
from pathlib import Path

import pytest

from bayes_distnet.cli import main

PAGES = Path(__file__).parents[1] / "docs"
COMMANDS = ("generate", "collect", "features", "import", "convert", "info")


def bayes_distnet(*words, **options):
    return subprocess.run(
        [sys.executable, "-m", "bayes_distnet.cli", *map(str, words)], capture_output=True, text=True, **options
    )


def test_help_names_every_command():
    shown = bayes_distnet("--help").stdout
    for command in COMMANDS:
        assert re.search(rf"^    {command} ", shown, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples_and_a_place_in_the_docs(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert f"  bayes-distnet {command} " in shown.split("examples:")[1]
    assert any(f"bayes-distnet {command} " in page.read_text() for page in PAGES.glob("*.md"))


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from bayes_distnet.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "assert not {'numpy', 'pandas', 'jax', 'sklearn'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_from_nothing_to_a_training_set(tmp_path):
    folder, store = tmp_path / "instances", tmp_path / "runs.sqlite"
    assert "3 instances" in bayes_distnet("generate", "factoring", 3, "--folder", folder).stdout
    words = ("collect", folder, "--solver", "clasp", "--seeds", "2", "--cutoff", 20, "--store", store, "--repeat", 2)
    done = bayes_distnet(*words)
    assert done.returncode == 0, done.stderr
    assert re.search(r"clasp\s+3\s+6\s+100.0%", done.stdout)
    assert "runs again with the same seeds" in done.stdout
    assert "6/6" in done.stderr  # the progress bar
    costs = tmp_path / "costs.csv"
    done = bayes_distnet("features", folder, "--out", tmp_path / "features.csv", "--costs", costs, "--quiet")
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "features.csv").read_text().splitlines()) == 4
    assert costs.read_text().startswith("instance,seconds\n")
    assert "6 runs" in bayes_distnet("convert", store, tmp_path / "runs.csv").stdout
    again = ("convert", tmp_path / "runs.csv", tmp_path / "again.sqlite")
    assert "6 runs written" in bayes_distnet(*again).stdout
    assert "0 runs written" in bayes_distnet(*again).stdout
    assert re.search(r"clasp\s+3\s+6", bayes_distnet("info", tmp_path / "again.sqlite").stdout)


def test_the_cutoff_of_single_instances_comes_from_a_table(tmp_path):
    (tmp_path / "a.txt").write_text("")
    (tmp_path / "b.txt").write_text("")
    (tmp_path / "cutoffs.csv").write_text("instance,cutoff\nb.txt,0.1\n")
    words = ["--command", "sh -c 'while :; do :; done' {instance}", "--answer", "x", "--name", "busy", "--seeds", "1"]
    store = tmp_path / "r.sqlite"
    limits = ["--cutoff", "0.05", "--cutoffs", tmp_path / "cutoffs.csv", "--store", store, "--quiet"]
    done = bayes_distnet("collect", tmp_path / "a.txt", tmp_path / "b.txt", *words, *limits)
    assert done.returncode == 0, done.stderr
    from bayes_distnet import read_runs

    frame = read_runs(store).frame.set_index("instance")
    assert frame["cutoff"].to_dict() == {"a.txt": 0.05, "b.txt": 0.1}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["generate", "sudoku", "3", "--folder", "x"], "kind='sudoku': expected one of"),
        (
            ["collect", "none.cnf", "--solver", "clasp", "--seeds", "2", "--cutoff", "1", "--store", "r.sqlite"],
            "no such",
        ),
        (["collect", ".", "--seeds", "2", "--cutoff", "1", "--store", "r.sqlite"], "give --solver or --command"),
        (["collect", ".", "--solver", "x", "--seeds", "2", "--cutoff", "1", "--store", "r.sqlite"], "solver 'x'"),
        (["collect", ".", "--solver", "clasp", "--seeds", "2x", "--cutoff", "1", "--store", "r.sqlite"], "--seeds 2x"),
        (
            ["collect", ".", "--command", "x {sed}", "--seeds", "2", "--cutoff", "1", "--store", "r.sqlite"],
            "unknown placeholder {sed}",
        ),
        (
            ["collect", ".", "--command", "x {seed}", "--seeds", "2", "--cutoff", "1", "--store", "r.sqlite"],
            "has no {instance}",
        ),
        (["features", "none.cnf", "--out", "f.csv"], "none.cnf"),
        (["features", "none.cnf", "--out", "f.xls"], "f.xls: expected a name that ends in"),
        (["features", "none.cnf", "--out", "nowhere/f.csv"], "no folder"),
        (["convert", "runs.csv", "nowhere/x.csv"], "no folder"),
        (["convert", "twice.csv", "x.sqlite"], "a second run of the same solver, instance and seed"),
        (["generate", "factoring", "1", "--folder", "file.txt"], "file.txt"),
        (["collect", ".", "--solver", "clasp", "--seeds", "2", "--cutoff", "1", "--store", "r.csv"], "ends in .sqlite"),
        (
            ["collect", ".", "--command", "x {seed:q} {instance}", "--seeds", "1", "--cutoff", "1", "--store", "r.db"],
            "fill",
        ),
        (["import", "aslib", "nowhere", "--out", "x"], "nowhere"),
        (["convert", "none.csv", "x.parquet"], "no such file"),
        (["info", "none.sqlite"], "no such file"),
        (["info", "no-such-data"], "data sets are clasp-factoring, lpg-zenotravel, sat-portfolio"),
    ],
)
def test_bad_input_is_one_line_and_an_exit_code(words, message, tmp_path):
    (tmp_path / "file.txt").write_text("x")
    (tmp_path / "runs.csv").write_text("instance,seconds,status\na,1,solved\n")
    (tmp_path / "twice.csv").write_text("instance,seconds,status\na,1,solved\na,2,solved\n")
    done = bayes_distnet(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "r.sqlite").exists()
