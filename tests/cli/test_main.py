import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bayes_distnet.cli import main
from bayes_distnet.cli.main import build_parser

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
COMMANDS = (
    "demo",
    "generate",
    "collect",
    "features",
    "import",
    "convert",
    "fit",
    "predict",
    "explain",
    "evaluate",
    "importance",
    "suggest",
    "advise",
    "run",
    "serve",
    "experiment",
    "report",
    "info",
    "completion",
)


def bayes_distnet(*words, **options):
    return subprocess.run(
        [sys.executable, "-m", "bayes_distnet.cli", *map(str, words)], capture_output=True, text=True, **options
    )


def parser_of(command):
    (commands,) = (action for action in build_parser()._actions if action.dest == "command")
    return commands.choices[command]


def section_of(command):
    sections = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)
    return next(section for section in sections if section.startswith(f"{command}\n"))


def test_help_names_every_command_in_the_order_of_the_work():
    shown = bayes_distnet("--help").stdout
    assert tuple(re.findall(r"^    ([a-z]+) +\w", shown, re.MULTILINE)) == COMMANDS


def test_without_arguments_there_is_help(capsys):
    assert main([]) == 0
    assert capsys.readouterr().out.startswith("usage: bayes-distnet")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert f"bayes-distnet {command}" in capsys.readouterr().out.split("examples:")[1]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_example_in_help_can_be_parsed(command):
    import shlex

    lines = parser_of(command).epilog.replace("\\\n", " ").splitlines()
    for line in lines:
        for words in re.findall(r"bayes-distnet ([^|<>)]+)", line.split("  #")[0]):
            build_parser().parse_args(shlex.split(words))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_every_option_of_it_is_in_the_docs(command):
    section = section_of(command)
    assert f"$ bayes-distnet {command}" in section
    options = [word for action in parser_of(command)._actions for word in action.option_strings]
    missing = [word for word in options if word.startswith("--") and word != "--help" and f"`{word}" not in section]
    assert missing == []


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from bayes_distnet.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "assert not {'numpy', 'pandas', 'jax', 'sklearn'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


@pytest.mark.parametrize(("words", "own"), [(["--version"], set()), (["run", "--help"], {"run"})])
def test_a_command_imports_no_module_of_another(words, own):
    code = (
        "import sys; from bayes_distnet.cli import main\n"
        f"try: main({words})\n"
        "except SystemExit: pass\n"
        "print(*(name.rpartition('.')[2] for name in sys.modules if name.startswith('bayes_distnet.cli.')))"
    )
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    modules = set(printed.splitlines()[-1].split())
    assert modules - {"main", "arguments", "paths", "streams"} <= own


def test_help_answers_at_once():
    def seconds():
        started = os.times()
        bayes_distnet("--help")
        ended = os.times()
        return ended.children_user + ended.children_system - started.children_user - started.children_system

    # CPU seconds, and the best of three: what else the machine does is not ours.
    assert min(seconds() for _ in range(3)) < 0.3


@pytest.mark.slow
def test_from_nothing_to_a_training_set(tmp_path):
    folder, store = tmp_path / "instances", tmp_path / "runs.sqlite"
    assert "3 instances" in bayes_distnet("generate", "factoring", 3, "--out", folder).stdout
    words = ("collect", folder, "--solver", "clasp", "--seeds", "2", "--cutoff", 20, "--store", store, "--repeat", 2)
    done = bayes_distnet(*words)
    assert done.returncode == 0, done.stderr
    assert re.search(r"clasp\s+3\s+6\s+100.0%", done.stdout)
    assert "runs repeated with the same seeds" in done.stdout
    assert "6/6" in done.stderr  # the progress bar
    costs = tmp_path / "costs.csv"
    done = bayes_distnet("features", folder, "--out", tmp_path / "features.csv", "--costs", costs, "--quiet")
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "features.csv").read_text().splitlines()) == 4
    assert costs.read_text().startswith("instance,seconds,size,structure,")
    assert "6 runs" in bayes_distnet("convert", store, tmp_path / "runs.csv").stdout
    again = ("convert", tmp_path / "runs.csv", tmp_path / "again.sqlite")
    assert "6 runs written" in bayes_distnet(*again).stdout
    assert "0 runs written" in bayes_distnet(*again).stdout
    assert re.search(r"clasp\s+3\s+6", bayes_distnet("info", tmp_path / "again.sqlite").stdout)


def test_collect_prints_its_summary_as_json(tmp_path):
    (tmp_path / "a.txt").write_text("")
    words = [
        "--command",
        "echo yes {seed} {instance}",
        "--answer",
        "yes",
        "--name",
        "quick",
        "--seeds",
        "2",
        "--cutoff",
        "5",
    ]
    done = bayes_distnet("collect", tmp_path / "a.txt", *words, "--store", tmp_path / "r.sqlite", "--quiet", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["runs"] == 2
    assert said["solvers"]["quick"]["statuses"] == {"solved": 2}


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
        (["generate", "sudoku", "3", "--out", "x"], "invalid choice: 'sudoku'"),
        (
            ["collect", "none.cnf", "--solver", "clasp", "--seeds", "2", "--cutoff", "1", "--store", "r.sqlite"],
            "no such",
        ),
        (["collect", "i", "--seeds", "2", "--cutoff", "1", "--store", "r.sqlite"], "give --solver or --command"),
        (["collect", "i", "--solver", "x", "--seeds", "2", "--cutoff", "1", "--store", "r.sqlite"], "solver 'x'"),
        (["collect", "i", "--solver", "clasp", "--seeds", "2x", "--cutoff", "1", "--store", "r.sqlite"], "--seeds 2x"),
        (
            ["collect", "i", "--command", "x {sed}", "--seeds", "2", "--cutoff", "1", "--store", "r.sqlite"],
            "unknown placeholder {sed}",
        ),
        (
            ["collect", "i", "--command", "x {seed}", "--seeds", "2", "--cutoff", "1", "--store", "r.sqlite"],
            "has no {instance}",
        ),
        (["features", "none.cnf", "--out", "f.csv"], "none.cnf"),
        (["features", "none.cnf", "--out", "f.xls"], "f.xls: expected a name that ends in"),
        (["features", "none.cnf", "--out", "nowhere/f.csv"], "no folder"),
        (["convert", "runs.csv", "nowhere/x.csv"], "no folder"),
        (["convert", "twice.csv", "x.sqlite"], "a second run of the same solver, instance and seed"),
        (["generate", "factoring", "1", "--out", "file.txt"], "file.txt"),
        (["collect", "i", "--solver", "clasp", "--seeds", "2", "--cutoff", "1", "--store", "r.csv"], "ends in .sqlite"),
        (
            ["collect", "i", "--command", "x {seed:q} {instance}", "--seeds", "1", "--cutoff", "1", "--store", "r.db"],
            "a width below 100",
        ),
        (["import", "aslib", "nowhere", "--out", "x"], "nowhere"),
        (["convert", "none.csv", "x.parquet"], "no such file"),
        (["info", "none.sqlite"], "no such file"),
        (["info", "no-such-data"], "data sets are clasp-factoring, lpg-zenotravel, sat-portfolio"),
        (["info", "."], "no data set here"),
        (["fti"], "invalid choice: 'fti'"),
        (["fit"], "required: DATA, --out"),
        (["fit", "runs.csv", "--out", "m", "--colour", "red"], "unrecognized arguments: --colour red"),
        (["fit", "runs.csv", "--out", "m"], "give the features of the instances"),
        (["fit", "clasp-factoring", "--features", "features.csv", "--out", "m"], "clasp-factoring is no file of runs"),
        (["fit", "none.csv", "--features", "features.csv", "--out", "m"], "none.csv: no such file"),
        (["fit", "runs.csv", "--features", "none.csv", "--out", "m"], "none.csv: no such file"),
        (["fit", "runs.csv", "--features", "constant.csv", "--out", "m"], "all 2 columns are empty or constant"),
        (["fit", "runs.csv", "--time", "secs", "--out", "m"], "runs.csv: no column 'secs' for --time; found instance"),
        (["fit", "runs.csv", "--status", "status", "--out", "m"], "--status goes with --time"),
        (["fit", "runs.csv", "--time", "seconds", "--features", "features.csv", "--out", "m"], "--features goes with"),
        (["fit", "runs.csv", "--time", "seconds", "--portfolio", "--out", "m"], "a portfolio needs runs of several"),
        (["fit", "runs.csv", "--features", "two.csv", "--out", "m"], "No instance has both runs and features"),
        (["fit", "sat-portfolio", "--out", "m"], "choose one"),
        (["fit", "sat-portfolio", "--solver", "minisat", "--out", "m"], "no run of solver 'minisat'"),
        (["fit", "clasp-factoring", "--holdout", "1.5", "--out", "m"], "holdout=1.5: expected a fraction"),
        (["fit", "clasp-factoring", "--model", "hybrid", "--family", "weibull", "--out", "m"], "leave family out"),
        (["fit", "clasp-factoring", "--model", "bayes", "--family", "normal", "--out", "m"], "family 'normal'"),
        (
            ["fit", "clasp-factoring", "--seed", "-1", "--model", "marginal", "--holdout", "0.2", "--out", "m"],
            "random_state",
        ),
        (["fit", "clasp-factoring", "--out", "."], "holds something other than a model"),
        (["fit", "clasp-factoring", "--out", "file.txt"], "a file is in the way"),
        (["predict", "none", "features.csv"], "none: no model there"),
        (["predict", ".", "-"], "no model there"),
        (["predict", "none", "features.csv", "--columns", "p50"], "columns: no column named 'p50'; expected some of"),
        (["predict", "none", "features.csv", "--columns", "q90", "--within", "3"], "--within beside --columns"),
        (["predict", "none", "features.csv", "--quantiles", "0.1;0.5"], "invalid list of numbers value: '0.1;0.5'"),
        (["predict", "none", "features.csv", "--out", "p.xls"], "p.xls: expected a name that ends in"),
        (["predict", "none", "features.csv", "--json", "--out", "p.csv"], "not allowed with argument"),
        (["evaluate", "none", "clasp-factoring"], "none: no model there"),
        (["evaluate", "none", "clasp-factoring", "--by-instance", "nowhere/s.csv"], "no folder"),
        (["explain", "none", "features.csv"], "none: no model there"),
        (
            ["explain", "none", "features.csv", "--plot", "p.xls"],
            "p.xls: expected a name that ends in .png",
        ),
        (["explain", "none", "features.csv", "--plot", "nowhere/p.png"], "no folder nowhere"),
        (["explain", "none", "features.csv", "--groups", "all"], "invalid choice: 'all'"),
        (["explain", "none", "features.csv", "--top", "0"], "--top"),
        (["importance", "none", "clasp-factoring"], "none: no model there"),
        (["importance", "none", "clasp-factoring", "--json", "--out", "i.csv"], "not allowed with argument"),
        (["experiment", "low-sample", "--out", "x"], "invalid choice: 'low-sample'"),
        (["experiment", "censoring", "--censored", "0,100", "--out", "x"], "expected per cent below 100"),
        (["experiment", "censoring", "--censored", "0.2,0.4", "--out", "x"], "these are per cent; give 20 for a fifth"),
        (["experiment", "low-samples", "--models", "foo", "--out", "x"], "foo"),
        (["experiment", "low-samples", "--runs", "1000", "--out", "x"], "the data have 100 runs per instance"),
        (["report", "."], "no results here"),
        (["completion", "tcsh"], "invalid choice: 'tcsh'"),
    ],
)
def test_bad_input_is_one_line_and_an_exit_code(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file.txt").write_text("x")
    (tmp_path / "runs.csv").write_text("instance,seconds,status\na,1,solved\n")
    (tmp_path / "features.csv").write_text("instance,size\na,1\nb,2\n")
    (tmp_path / "two.csv").write_text("instance,size\nx,1\ny,2\n")
    (tmp_path / "constant.csv").write_text("instance,size,queue\na,1,fast\n")
    (tmp_path / "twice.csv").write_text("instance,seconds,status\na,1,solved\na,2,solved\n")
    try:
        code = main(words)
    except SystemExit as ended:  # argparse's own
        code = ended.code
    said = capsys.readouterr()
    assert code == 2
    assert message in said.err
    assert len(said.err.strip().splitlines()) == 1
    assert said.out == ""
    there = {"file.txt", "runs.csv", "twice.csv", "features.csv", "two.csv", "constant.csv"}
    assert {path.name for path in tmp_path.iterdir()} == there


def test_serve_without_its_packages_names_the_extra(monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "bayes_distnet.serve.run", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["serve", "--model", "m"]) == 2
    assert "uvicorn is not installed; run pip install '.[serve]'" in capsys.readouterr().err
