import numpy as np
import pandas as pd
import pytest

from bayes_distnet import open_table
from bayes_distnet.errors import BayesDistNetError

STATES = ["COMPLETED", "OK", "TIMEOUT", "FAILED", "CANCELLED"]


def jobs(n=20):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "job": [f"j{k}" for k in range(n)],
            "queue": ["fast", "slow"] * (n // 2),
            "size": rng.integers(1, 4, n),
            "state": [STATES[k % 5] for k in range(n)],
            "elapsed": rng.uniform(1.0, 9.0, n),
        }
    )


@pytest.mark.parametrize("name", ["jobs.csv", "jobs.csv.gz", "jobs.parquet"])
def test_files_and_frames_give_the_same_data(tmp_path, name):
    frame = jobs()
    (frame.to_parquet if name.endswith("parquet") else frame.to_csv)(tmp_path / name, index=False)
    asked = {"status": "state", "finished_values": ["completed", "OK"]}
    data, same = open_table(tmp_path / name, "elapsed", **asked), open_table(frame, "elapsed", **asked)
    np.testing.assert_array_equal(data.seconds, same.seconds)
    np.testing.assert_array_equal(data.finished, same.finished)
    assert list(data.features) == ["queue", "size"]
    assert data.features["queue"].tolist() == same.features["queue"].tolist()
    assert data.features.index[0] == "j0"  # the column that identifies rows names them


def test_rows_that_neither_finished_nor_were_cut_off_are_left_out_and_counted():
    data = open_table(jobs(), "elapsed", status="state")
    assert (len(data), int((~data.finished).sum())) == (12, 4)
    assert data.notes[0].startswith("left out: 8 of 20 rows, whose state is neither finished nor cut off:")
    assert {"FAILED (4)", "CANCELLED (4)"} <= {*data.notes[0].split(": ")[-1].split(", ")}
    more = open_table(jobs(), "elapsed", status="state", censored_values=["TIMEOUT", "CANCELLED"])
    assert (len(more), int((~more.finished).sum())) == (16, 8)


def test_a_column_of_truth_values_marks_finished_runs():
    frame = jobs().assign(done=["yes", "no"] * 10)
    frame.loc[3, "done"] = None
    data = open_table(frame, "elapsed", finished="done", drop=["state"])
    assert (len(data), int(data.finished.sum())) == (19, 10)
    assert "left out: 1 of 20 rows without a value in done" in data.notes


def test_rows_without_a_time_are_left_out():
    frame = jobs()
    frame.loc[[0, 3], "elapsed"] = np.nan  # row 3 has failed: its time does not matter
    data = open_table(frame, "elapsed", status="state")
    assert len(data) == 11
    assert "left out: 1 of 20 rows without a time in elapsed" in data.notes


def test_rows_of_a_group_with_equal_features_are_runs_of_one_instance():
    frame = pd.DataFrame({"file": list("aabbc"), "size": [1, 1, 2, 2, 3], "seconds": [1.0, 2.0, 3.0, 4.0, 5.0]})
    data = open_table(frame, "seconds", group="file")
    assert data.features.index.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(data.seconds, [[1.0, 2.0], [3.0, 4.0], [5.0, np.nan]])
    apart = open_table(frame.assign(size=[1, 7, 2, 2, 3]), "seconds", group="file")
    assert len(apart) == 4  # the rows of a differ in their features
    assert apart.groups.tolist() == ["a", "a", "b", "c"]


def test_a_split_never_divides_a_group():
    rng = np.random.default_rng(0)
    users = [f"u{k % 10}" for k in range(200)]
    frame = pd.DataFrame({"user": users, "size": rng.normal(size=200), "seconds": rng.uniform(1.0, 2.0, 200)})
    train, test = open_table(frame, "seconds", group="user").split(0.3, random_state=1)
    assert (train.groups.nunique(), test.groups.nunique()) == (7, 3)
    assert not {*train.groups} & {*test.groups}
    assert len(train) + len(test) == 200


def test_durations_and_limits_are_read():
    frame = pd.DataFrame(
        {
            "size": [1, 2, 3],
            "elapsed": ["00:10:02", "1-00:00:00", "00:00:05"],
            "limit": ["00:10:00", "2-00:00:00", "00:10:00"],
            "state": ["TIMEOUT", "COMPLETED", "COMPLETED"],
        }
    )
    data = open_table(frame, "elapsed", status="state", cutoff="limit")
    assert data.seconds[:, 0].tolist() == [600.0, 86400.0, 5.0]  # a limit is enforced a little late
    assert data.runs.frame["cutoff"].tolist() == [600.0, 172800.0, 600.0]
    assert list(data.features) == ["size", "limit"]


def test_features_that_follow_the_time_come_with_a_warning():
    rng = np.random.default_rng(0)
    start = pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.integers(0, 10**6, 100), unit="s")
    seconds = rng.uniform(1.0, 900.0, 100).round()
    frame = pd.DataFrame({"size": rng.normal(size=100), "start": start, "end": start + pd.to_timedelta(seconds, "s")})
    notes = open_table(frame.assign(cpu=2.0 * seconds, seconds=seconds), "seconds").notes
    assert [note.split(": ")[-1] for note in notes if note.startswith("warning: ")] == ["--drop cpu", "--drop end"]


@pytest.mark.parametrize(
    ("change", "asked", "message"),
    [
        ({}, {"time": "secs"}, r"table: no column 'secs' for --time; found job, queue, size"),
        ({}, {"status": "State"}, r"no column 'State' for --status"),
        ({}, {"group": "user"}, r"no column 'user' for --group"),
        ({}, {"drop": ["foo"]}, r"no column 'foo' for --drop"),
        ({}, {"status": "state", "finished": "done"}, "the outcome is in one column"),
        ({}, {"status": "state", "finished_values": ["DONE"]}, r"no row has a finished status .* expected DONE; found"),
        ({}, {"status": "state", "finished_values": ["timeout"]}, "'timeout' is among finished_values and among"),
        ({"elapsed": "soon"}, {}, r"row 1: elapsed is 'soon', expected seconds .* \(20 such rows\)"),
        ({"elapsed": -1.0}, {}, r"row 1: elapsed is -1.0, expected seconds"),
        ({"elapsed": 0.0}, {}, "every runtime is 0 s"),
        ({"done": "perhaps"}, {"finished": "done"}, r"row 1: done is 'perhaps', expected true or false"),
        ({"done": False}, {"finished": "done"}, "no row is a finished run"),
        ({"user": None}, {"group": "user"}, r"row 1: no value in 'user' \(20 such rows\)"),
        ({}, {"drop": ["queue", "size", "state"]}, r"no column is left as a feature; without roles are job"),
    ],
)
def test_bad_tables_are_one_line_that_names_the_column(change, asked, message):
    with pytest.raises(BayesDistNetError, match=message) as error:
        open_table(jobs().assign(**change), **{"time": "elapsed", **asked})
    assert "\n" not in str(error.value)
