"""First steps with a solver of one's own: what is recognised without an option, and which option a message names."""

import gzip

import pytest

from bayes_distnet.cli.main import main
from bayes_distnet.collect.collector import collect_runs
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.collect.solvers.command import from_command
from bayes_distnet.errors import CollectError


@pytest.mark.parametrize(("code", "answer"), [(10, "SATISFIABLE"), (20, "UNSATISFIABLE"), (0, None), (1, None)])
def test_exit_codes_of_sat_solvers_are_answers(code, answer):
    assert from_command("mysolver {instance}").read_answer("nothing", code) == answer


def test_the_output_is_asked_first_and_a_pattern_of_the_user_alone():
    assert from_command("mysolver {instance}").read_answer("s UNSATISFIABLE\n", 10) == "UNSATISFIABLE"
    assert from_command("mysolver {instance}", answer="^yes").read_answer("no", 10) is None


def test_a_solver_that_only_has_exit_codes_is_collected(instances, tmp_path):
    solver = from_command("sh -c 'exit 10' {seed} {instance}")
    frame = collect_runs([solver], instances[:2], 1, store=tmp_path / "r.sqlite", cutoff=5.0).frame
    assert set(zip(frame["status"], frame["answer"], strict=True)) == {("solved", "SATISFIABLE")}


@pytest.mark.parametrize(
    ("line", "options", "named"),
    [
        ("echo {seed} {instance}", {}, r"no line that matches(.|\n)*--answer REGEX"),
        ("sh -c 'exit 3' {seed} {instance}", {}, r"crashed \(exit code 3\)(.|\n)*--command LINE"),
        ("python3 -c 'x=bytearray(10**8); input()' {seed} {instance}", {"memory_limit": 10**7}, "--memory GIB"),
    ],
)
def test_three_failures_name_the_option_to_change(instances, tmp_path, line, options, named):
    if "bytearray" in line:
        line = line.replace("input()", "import time; time.sleep(9)")
    with pytest.raises(CollectError, match=named):
        collect_runs([from_command(line)], instances, 2, store=tmp_path / "r.sqlite", cutoff=5.0, **options)


def test_a_compressed_instance_is_given_to_the_solver_as_a_plain_file(tmp_path):
    packed = tmp_path / "in" / "a.cnf.gz"
    packed.parent.mkdir()
    packed.write_bytes(gzip.compress(b"the formula"))
    shown = Solver("cat", ("sh", "-c", "cat $0; echo; echo $0 $1", "{instance}", "{folder}", "{seed}"), "(?s)(.*)")
    (row,) = collect_runs([shown], [packed], 1, store=tmp_path / "r.sqlite", cutoff=5.0).frame.to_dict("records")
    text, names = row["answer"].strip().splitlines()
    copy, folder = names.split()
    assert (text, folder, row["instance"]) == ("the formula", str(packed.parent), "a.cnf.gz")
    assert copy.endswith("/a.cnf")


def test_the_files_of_each_folder_are_printed(tmp_path, capsys):
    for name in ("a/x.txt", "a/b/y.txt", "a/b/z.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    words = ["--command", "echo s SATISFIABLE {seed}{instance}", "--answer", "^s SAT", "--seeds", "1", "--cutoff", "5"]
    assert main(["collect", str(tmp_path / "a"), *words, "--store", str(tmp_path / "r.sqlite")]) == 0
    assert f"{tmp_path}/a: 1 file\n{tmp_path}/a/b: 2 files\n" in capsys.readouterr().err
