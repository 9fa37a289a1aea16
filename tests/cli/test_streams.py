import os
import subprocess
import sys

import pytest

from bayes_distnet.cli.main import main


def shell(line, tmp_path, **environment):
    """Run a line of the shell, in which $B is the command line."""
    program = f"{sys.executable} -m bayes_distnet.cli"
    return subprocess.run(
        ["bash", "-c", line.replace("$B", program)],
        capture_output=True,
        cwd=tmp_path,
        env=os.environ | environment,
        timeout=120,
    )


def one_line(done):
    (line,) = done.stderr.decode().splitlines()
    return line


@pytest.mark.parametrize(
    ("where", "found"),
    [(">&-", "Bad file descriptor: 'standard output'"), ("> /dev/full", "No space left on device: 'standard output'")],
)
def test_output_that_cannot_be_written_is_one_line_after_the_work_is_done(tmp_path, where, found):
    done = shell(f"$B generate random-ksat 2 --out made {where}", tmp_path)
    assert done.returncode == 2
    assert found in one_line(done)
    assert len(list((tmp_path / "made").iterdir())) == 2


def test_help_into_a_full_disk_is_one_line(tmp_path):
    done = shell("$B --help > /dev/full", tmp_path)
    assert done.returncode == 2
    assert "standard output" in one_line(done)


def test_a_pipe_that_is_closed_early_is_no_error(tmp_path):
    done = shell("$B completion bash | head -1; exit ${PIPESTATUS[0]}", tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")


def test_closed_input_and_errors_do_not_disturb_a_command(tmp_path):
    done = shell("$B generate random-ksat 1 --out made <&- 2>&-", tmp_path)
    assert done.returncode == 0
    assert b"1 instances in made" in done.stdout


def test_errors_that_cannot_be_printed_leave_the_exit_code(tmp_path):
    assert shell("$B info none 2> /dev/full", tmp_path).returncode == 2


def test_output_in_ascii_shows_codes(tmp_path):
    done = shell("$B generate random-ksat 1 --out é", tmp_path, PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert rb"1 instances in \xe9:" in done.stdout


def test_json_in_ascii_is_json(capsys, monkeypatch):
    import io
    import json

    from bayes_distnet.cli.arguments import print_json

    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, encoding="ascii", write_through=True))
    print_json({"name": "é\udcff"})
    assert json.loads(written.getvalue()) == {"name": "é\udcff"}


def test_a_file_name_that_is_not_utf_8_is_refused(tmp_path):
    (tmp_path / os.fsdecode(b"bad\xff.cnf")).write_text("p cnf 1 1\n1 0\n")
    done = shell("$B features . --out ../features.csv", tmp_path)
    assert done.returncode == 2
    assert r"b'bad\xff.cnf': a file name that is not UTF-8" in done.stderr.decode()
    assert not (tmp_path.parent / "features.csv").exists()


@pytest.mark.parametrize("place", ["{seed:9999999999}", "{seed:{cutoff}}", "{seed:.99999999f}"])
def test_formats_of_placeholders_are_bounded(place, tmp_path, capsys):
    (tmp_path / "a.cnf").write_text("")
    words = ["--command", f"echo {place} {{instance}}", "--seeds", "1", "--cutoff", "1"]
    assert main(["collect", str(tmp_path / "a.cnf"), *words, "--store", str(tmp_path / "r.sqlite")]) == 2
    assert "a width below 100" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ("fit", "clasp-factoring", "--out", "model", "--seed", "99999999999999999999"),
        ("fit", "clasp-factoring", "--out", "model", "--cores", "99999999"),
        ("generate", "factoring", "99999999999", "--out", "made"),
        ("run", "a.cnf", "--model", "model", "--memory", "nan"),
        ("run", "a.cnf", "--model", "model", "--deadline", "1e300"),
        ("features", "a.cnf", "--out", "f.csv", "--time-limit", "1e300"),
        ("experiment", "all", "--out", "results", "--seeds", "999999999"),
        ("experiment", "all", "--out", "results", "--folds", "999999999"),
        ("experiment", "all", "--out", "results", "--runs", "1,99999999999999999999"),
    ],
)
def test_numbers_that_no_machine_can_do_are_refused(words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main([*words])
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "at most" in line


@pytest.mark.parametrize("seeds", ["99999999999999999999", "2000000000", "1-99999999999999999999"])
def test_absurd_numbers_of_seeds_are_refused(seeds, capsys, tmp_path):
    (tmp_path / "a.cnf").write_text("")
    words = ["--command", "true {instance}", "--seeds", seeds, "--cutoff", "1", "--store", str(tmp_path / "r.sqlite")]
    assert main(["collect", str(tmp_path / "a.cnf"), *words]) == 2
    assert "at most a million seeds" in capsys.readouterr().err


def test_a_full_disk_names_the_file(tmp_path, monkeypatch, capsys):
    import errno

    import pandas as pd

    (tmp_path / "runs.csv").write_text("instance,seconds,status\na,1,solved\n")

    def full(self, *args, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pd.DataFrame, "to_csv", full)
    assert main(["convert", str(tmp_path / "runs.csv"), str(tmp_path / "again.csv")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "No space left on device" in line
    assert "again.csv" in line
    assert not (tmp_path / "again.csv").exists()
