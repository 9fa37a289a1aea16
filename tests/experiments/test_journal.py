import pandas as pd
import pytest
from fake_results import fake_results

from bayes_distnet import Results
from bayes_distnet.errors import ResultsError
from bayes_distnet.experiments.journal import fold_journal, locked, remove
from bayes_distnet.experiments.results import COLUMNS


def test_a_folder_has_one_writer(tmp_path):
    folder = tmp_path / "new"
    refused = pytest.raises(ResultsError, match="another experiment is writing to this folder")
    with locked(folder), refused, locked(folder):
        pass
    with locked(folder):  # it is free again
        assert folder.is_dir()


def test_tables_on_disk_have_no_roles(tmp_path):
    folder = tmp_path / "r"
    before = fake_results(folder, folds=1, seeds=1)
    after = fold_journal(folder)
    assert (folder / "journal.jsonl").read_text() == ""
    assert not (folder / "decisions.parquet").exists()  # no experiment on decisions was done
    for name, columns in list(COLUMNS.items())[:5]:
        assert list(pd.read_parquet(folder / f"{name}.parquet").columns) == columns
    assert list(pd.read_csv(folder / "results.csv").columns) == COLUMNS["results"]
    pd.testing.assert_frame_equal(after.table, before.table)
    pd.testing.assert_frame_equal(Results.load(folder).table, before.table)


def test_jobs_are_removed_from_all_tables(tmp_path):
    folder = tmp_path / "r"
    results = fake_results(folder, folds=1, seeds=1)
    ridge = {key for key in results.done() if "Ridge" in key}
    remove(folder, ridge)
    assert Results.load(folder).done() == results.done() - ridge
    assert "Ridge" not in set(Results.load(folder).calibration["model"])
