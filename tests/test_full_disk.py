"""A full disk: one error with the name of the file, and nothing half-written. A limit on sizes stands for it."""

import contextlib

import numpy as np
import pytest
from fake_results import fake_results

from bayes_distnet import BayesDistNetError, Marginal, generate_instances, load_dataset, load_model
from bayes_distnet.cli import main
from bayes_distnet.experiments.journal import append, open_journal, write_about
from bayes_distnet.files import written_folder, written_together
from bayes_distnet.models.library import save_model
from bayes_distnet.report.write import write_report

resource = pytest.importorskip("resource")  # Unix


@contextlib.contextmanager
def full_disk(size=100):
    """Let no file grow beyond a size in bytes; Python ignores the signal and reports an error, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextlib.contextmanager
def fails_with(*names, size=100):
    with pytest.raises((OSError, BayesDistNetError)) as caught, full_disk(size):
        yield
    message = str(caught.value)
    assert "too large" in message
    assert ".writing" not in message
    assert any(str(name) in message for name in names), message


def below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.fixture(scope="module")
def model():
    X = np.random.default_rng(0).normal(size=(20, 2))
    return Marginal().fit(X, np.exp(X[:, 0]))


def test_a_model_is_saved_whole_or_not_at_all(model, tmp_path):
    with fails_with(tmp_path / "model"):
        save_model(model, tmp_path / "model")
    assert below(tmp_path) == []


def test_a_model_that_cannot_be_replaced_stays(model, tmp_path):
    save_model(model, tmp_path / "model")
    before = below(tmp_path)
    with fails_with(tmp_path / "model" / "model.safetensors"):
        save_model(model, tmp_path / "model", overwrite=True)
    assert below(tmp_path) == before
    load_model(tmp_path / "model")


def test_the_save_of_a_model_leaves_no_draft(model, tmp_path):
    with fails_with(tmp_path / "model.safetensors"):
        model.save(tmp_path)
    assert below(tmp_path) == []


def test_instances_are_written_whole(tmp_path):
    with fails_with(tmp_path / "factoring-0000.cnf"):
        generate_instances("factoring", 2, folder=tmp_path)
    assert below(tmp_path) == []


def test_a_data_set_is_written_with_all_of_its_files_or_none(tmp_path):
    data = load_dataset("lpg-zenotravel")
    with fails_with(tmp_path / "features.parquet", size=20_000):  # runs.parquet has room
        data.select(data.features.index[:5]).save(tmp_path)
    assert below(tmp_path) == []


def test_about_and_journal_of_results_are_named(tmp_path):
    write_about(tmp_path, {"data": "old"})
    with fails_with(tmp_path / "about.json"):
        write_about(tmp_path, {"data": "x" * 1000})
    assert "old" in (tmp_path / "about.json").read_text()
    with fails_with(tmp_path / "journal.jsonl"), open_journal(tmp_path) as journal:
        append(journal, {"key": "x" * 1000})
    with open_journal(tmp_path) as journal:
        append(journal, {"key": "small"})
    assert (tmp_path / "journal.jsonl").read_text() == '{"key": "small"}\n'


def test_a_report_that_cannot_be_written_names_its_file(tmp_path):
    pytest.importorskip("matplotlib")
    models = {"Ridge": (("",), -0.40, 0.2, 0.5)}
    fake_results(tmp_path, folds=2, seeds=1, models=models, experiments=["low-samples"])
    before = below(tmp_path)
    with fails_with(tmp_path / "tables", tmp_path / "figures", size=50):
        write_report(tmp_path)
    assert set(below(tmp_path)) - set(before) <= {"tables", "figures"}


def test_the_command_line_prints_one_line(tmp_path, capsys):
    with full_disk():
        code = main(["generate", "factoring", "1", "--out", str(tmp_path / "made")])
    assert code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert str(tmp_path / "made" / "factoring-0000.cnf") in line


def test_a_folder_is_replaced_only_when_all_of_it_is_written(tmp_path):
    folder = tmp_path / "folder"
    for text in ("old", "new"):
        with written_folder(folder) as draft:
            draft.mkdir()
            (draft / text).write_text(text)
    assert below(tmp_path) == ["folder", "folder/new"]


def test_files_written_together_replace_each_other_and_leave_others_alone(tmp_path):
    for name in ("a", "b", "mine"):
        (tmp_path / name).write_text("old")
    with written_together(tmp_path, ("a", "b")) as drafts:
        (drafts / "a").write_text("new")
    assert below(tmp_path) == ["a", "mine"]
    assert (tmp_path / "a").read_text() == "new"
