import os

import pytest

from bayes_distnet.cli.main import build_parser, main


def refused(capsys, *words):
    with pytest.raises(SystemExit) as ended:
        main([*map(str, words)])
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


@pytest.fixture
def table(tmp_path):
    (tmp_path / "runs.csv").write_text("instance,seconds,status\na,1,solved\n")
    return tmp_path / "runs.csv"


def test_two_outputs_with_one_path_are_refused(tmp_path, capsys):
    words = ("features", tmp_path, "--out", tmp_path / "same.csv", "--costs", f"{tmp_path}/./same.csv")
    assert "--out" in (line := refused(capsys, *words))
    assert "--costs" in line
    assert "same.csv" in line
    assert list(tmp_path.iterdir()) == []


def test_two_outputs_are_the_same_through_a_link_that_points_to_nothing_yet(tmp_path, capsys):
    (tmp_path / "link.csv").symlink_to(tmp_path / "same.csv")
    words = ("features", tmp_path, "--out", tmp_path / "same.csv", "--costs", tmp_path / "link.csv")
    assert "also written by --costs" in refused(capsys, *words)


@pytest.mark.parametrize(
    "words",
    [
        ("collect", "folder", "--solver", "clasp", "--seeds", "1", "--cutoff", "1", "--store", "folder/runs.sqlite"),
        ("features", "folder", "--out", "folder/below/features.csv"),
        ("features", "a.cnf", "folder", "--out", "features.csv", "--costs", "./folder/../folder/costs.csv"),
    ],
)
def test_an_output_that_the_next_call_would_take_for_an_instance_is_refused(words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder" / "below").mkdir(parents=True)
    assert "in folder, of which every file is read as INSTANCE" in refused(capsys, *words)
    assert list((tmp_path / "folder").iterdir()) == [tmp_path / "folder" / "below"]


def test_an_output_beside_instances_is_allowed_where_only_files_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    build_parser().parse_args(["features", "folder/a.cnf", "--out", "folder/features.csv"])
    build_parser().parse_args(["features", "folder", "--out", "folder/.features.csv"])


@pytest.mark.parametrize("link", [None, os.symlink, os.link])
def test_an_output_that_is_an_input_is_refused_and_the_input_stays(table, capsys, link):
    before, target = table.read_text(), table
    if link is not None:
        target = table.with_name("link.csv")
        link(table, target)
    assert "read by source" in refused(capsys, "convert", table, target)
    assert table.read_text() == before


@pytest.mark.parametrize(
    "words",
    [
        ("predict", "model", "runs.csv", "--out", "runs.csv"),
        ("predict", "model", "new.csv", "--seen", "runs.csv", "--out", "runs.csv"),
        ("fit", "runs.csv", "--time", "seconds", "--out", "runs.csv"),
        ("evaluate", "model", "runs.csv", "--by-instance", "runs.csv"),
        ("import", "aslib", "folder", "--out", "folder"),
        ("experiment", "all", "--data", "folder", "--out", "folder"),
        ("collect", "runs.csv", "--solver", "clasp", "--seeds", "1", "--cutoff", "1", "--store", "runs.csv"),
        ("run", "runs.csv", "--model", "folder", "--store", "runs.csv"),
    ],
)
def test_no_command_overwrites_what_it_reads(words, table, capsys, monkeypatch):
    monkeypatch.chdir(table.parent)
    (table.parent / "folder").mkdir()
    assert "read by" in refused(capsys, *words)


def test_a_folder_may_have_the_name_of_a_data_set(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clasp-factoring").mkdir()
    parsed = build_parser().parse_args(["experiment", "all", "--data", "clasp-factoring", "--out", "clasp-factoring"])
    assert parsed.data == "clasp-factoring"


@pytest.mark.parametrize(
    "words",
    [
        ("collect", "", "--solver", "clasp", "--seeds", "1", "--cutoff", "1", "--store", "runs.sqlite"),
        ("collect", "a.cnf", "--solver", "clasp", "--seeds", "1", "--cutoff", "1", "--store", ""),
        ("generate", "factoring", "1", "--out", ""),
        ("generate", "factoring", "1", "--out", " "),
        ("info", ""),
        ("predict", "model", ""),
        ("fit", "", "--out", "model"),
        ("serve", "--model", ""),
    ],
)
def test_an_empty_path_is_refused(words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "an empty path" in refused(capsys, *words)
    assert list(tmp_path.iterdir()) == []


def test_every_path_of_every_command_is_declared_as_read_or_written():
    from pathlib import Path

    (commands,) = (action for action in build_parser()._actions if action.dest == "command")
    plain = [(name, a.dest) for name, sub in commands.choices.items() for a in sub._actions if a.type is Path]
    assert plain == []
    undeclared = [
        (name, a.dest)
        for name, sub in commands.choices.items()
        for a in sub._actions
        if a.metavar in ("FILE", "FOLDER", "DATA", "SOURCE", "INSTANCE", "INPUT") and a.type is None
    ]
    assert undeclared == []
