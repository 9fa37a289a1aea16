import pandas as pd
import pytest

from bayes_distnet.data.run_table import RunTable
from bayes_distnet.data.tables import read_frame, read_runs, write_frame, write_runs
from bayes_distnet.errors import RuntimeDataError, SettingError


@pytest.mark.parametrize("name", ["runs.csv", "runs.csv.gz", "runs.parquet", "runs.sqlite"])
def test_runs_are_read_as_they_were_written(tmp_path, name):
    frame = pd.DataFrame(
        {
            "instance": ["007", "NA", "ü, b"],
            "solver": ["1", "", "x"],
            "seed": [1, 2, 3],
            "seconds": [0.1 + 0.2, 10.0, 5.0],
            "status": ["solved", "timeout", "memout"],
            "cutoff": [10.0, 10.0, 20.0],
        }
    )
    table = RunTable.from_frame(frame)
    write_runs(table, tmp_path / name)
    back = read_runs(tmp_path / name).frame
    for column in frame:
        assert back[column].tolist() == table.frame[column].tolist()


def test_a_bad_table_is_reported_with_its_row(tmp_path):
    bad = tmp_path / "runs.csv"
    bad.write_text("instance,seconds,status,cutoff\na,31.2,solved,30\n")
    with pytest.raises(RuntimeDataError, match=r"runs.csv: run table, row 0: finished after 31.2 s, past its cutoff"):
        read_runs(bad)
    with pytest.raises(RuntimeDataError, match="no such file"):
        read_runs(tmp_path / "none.parquet")
    with pytest.raises(SettingError, match=r"ends in .parquet, .csv, .csv.gz"):
        read_frame(tmp_path / "runs.txt")
    (tmp_path / "runs.parquet").write_text("not parquet")
    with pytest.raises(RuntimeDataError, match="cannot be read as a table"):
        read_runs(tmp_path / "runs.parquet")


def test_a_write_that_fails_leaves_the_old_file(tmp_path):
    target = tmp_path / "t.parquet"
    write_frame(pd.DataFrame({"a": [1]}), target)
    with pytest.raises(ValueError, match="object"):
        write_frame(pd.DataFrame({"a": [object()]}), target)
    assert read_frame(target)["a"].tolist() == [1]
    assert [p.name for p in tmp_path.iterdir()] == ["t.parquet"]


def test_two_runs_with_one_seed_do_not_go_into_a_store(tmp_path):
    frame = pd.DataFrame({"instance": ["a", "a"], "seconds": [1.0, 2.0], "status": "solved"})
    with pytest.raises(RuntimeDataError, match="row 1: a second run of the same solver, instance and seed"):
        write_runs(RunTable.from_frame(frame.assign(seed=1)), tmp_path / "runs.sqlite")
