import numpy as np
import pandas as pd
import pytest

from bayes_distnet import RunTable
from bayes_distnet.errors import RuntimeDataError


def table(**changes):
    columns = {"instance": ["a", "a", "b"], "seconds": [1.0, 2.0, 30.0], "status": ["solved", "solved", "timeout"]}
    return pd.DataFrame(columns | {"cutoff": 30.0} | changes)


def test_run_table_keeps_its_values():
    runs = RunTable.from_frame(table())
    assert runs.seconds.tolist() == [1.0, 2.0, 30.0]
    assert runs.finished.tolist() == [True, True, False]


def test_finishing_past_the_cutoff_is_an_error_with_advice():
    with pytest.raises(RuntimeDataError, match=r"finished after 31.2 s, past its cutoff of 30 s.*not finished"):
        RunTable.from_frame(table(seconds=[1.0, 31.2, 30.0]))
    assert len(RunTable.from_frame(table(seconds=[1.0, 31.2, 30.0]), cutoff=60.0)) == 3


def test_crashes_are_no_observations():
    runs = RunTable.from_frame(table(status=["solved", "crashed", "timeout"]))
    assert runs.observed().seconds.tolist() == [1.0, 30.0]


def test_a_missing_column_is_reported():
    with pytest.raises(RuntimeDataError, match=r"no column \['status'\]"):
        RunTable.from_frame(table().drop(columns="status"))


@pytest.mark.parametrize(
    ("changes", "cutoff", "message"),
    [
        ({}, 0, "row 0: cutoff is 0.0 .* positive"),
        ({}, -1.0, "cutoff is -1.0"),
        ({}, np.nan, "cutoff is nan"),
        ({}, "long", "cutoff must be numbers"),
        ({}, True, "cutoff must be numbers"),
        ({}, [1.0, 2.0], r"cutoff has shape \(2,\); give a number, or one per row: \(3,\)"),
        ({"cutoff": [30.0, np.nan, 30.0]}, None, "row 1: cutoff is nan"),
        ({"instance": ["a", None, "b"]}, None, "row 1: instance is (None|nan) .* needs its instance"),
        ({"solver": ["s", "s", np.nan]}, None, "row 2: solver is nan"),
        ({"seconds": [1.0, np.nan, 30.0]}, None, "row 1: seconds is nan"),
        ({"seconds": [1.0, -2.0, 30.0]}, None, "^run table, row 1: a negative runtime"),
        ({"seconds": ["1", "two", "3"]}, None, "seconds must be numbers"),
        ({"status": ["SOLVED", "solved", "ok"]}, None, "row 0: status is 'SOLVED' .*timeout.*found: 'SOLVED', 'ok'"),
        ({"status": [True, True, False]}, None, "status is True"),
        ({"status": ["solved", None, "timeout"]}, None, "row 1: status is (None|nan)"),
        ({"seconds": [1.0, 31.2, 30.0]}, None, "^run table, row 1: finished after 31.2 s"),
    ],
)
def test_a_bad_run_is_reported_with_its_row(changes, cutoff, message):
    with pytest.raises(RuntimeDataError, match=message):
        RunTable.from_frame(table(**changes), cutoff=cutoff)


def test_a_run_table_is_made_from_a_data_frame():
    with pytest.raises(RuntimeDataError, match="expected a pandas DataFrame, found list"):
        RunTable.from_frame([1.0, 2.0])


def test_a_timeout_noticed_late_is_censored_at_its_cutoff():
    assert RunTable.from_frame(table(seconds=[1.0, 2.0, 30.7])).seconds.tolist() == [1.0, 2.0, 30.0]
    assert RunTable.from_frame(table(), cutoff=[10.0, 20.0, 25.0]).seconds.tolist() == [1.0, 2.0, 25.0]


def test_runs_that_are_no_observations_may_have_any_or_no_seconds():
    statuses = ["solved", "crashed", "unreadable"]
    seconds = RunTable.from_frame(table(status=statuses, seconds=[1.0, 0.0, np.nan])).seconds
    np.testing.assert_equal(seconds, [1.0, 0.0, np.nan])


def test_solvers_of_mixed_types_are_listed_and_found():
    runs = RunTable.from_frame(table(solver=["b", 1, "a"]))
    assert list(runs.solvers()) == [1, "a", "b"]
    assert len(runs.of("a")) == 1
    with pytest.raises(RuntimeDataError, match=r"no run of solver 'c'; found \[1, 'a', 'b'\]"):
        runs.of("c")


def test_medians_account_for_different_cutoffs():
    # Two runs were cut off at 1 s: of the other two, half had finished by 5 s (Kaplan and Meier).
    frame = pd.DataFrame({"instance": "a", "seconds": [1.0, 1.0, 5.0, 20.0], "cutoff": [1.0, 1.0, 30.0, 30.0]})
    table = RunTable.from_frame(frame.assign(status=["timeout", "timeout", "solved", "solved"]))
    assert table.medians().to_dict() == {"a": 5.0}
    alone = RunTable.from_frame(frame.assign(status="timeout"))
    assert np.isnan(alone.medians()["a"])


def test_counts_and_summary_describe_every_solver():
    runs = RunTable.from_frame(table(solver=["s", "t", "s"], status=["solved", "crashed", "timeout"]))
    assert runs.counts() == {
        "runs": 3,
        "solvers": {
            "s": {
                "instances": 2,
                "runs": 2,
                "statuses": {"solved": 1, "timeout": 1},
                "mean_seconds": 15.5,
                "instance_medians": [1.0, np.inf, np.inf],
                "cutoff": 30.0,
            },
            "t": runs.counts()["solvers"]["t"],
        },
    }
    assert runs.counts()["solvers"]["t"]["statuses"] == {"crashed": 1}
    summary = runs.summary()
    assert summary.loc["s", ["solved", "cut off", "failed"]].tolist() == ["50.0%", "50.0%", 0]
    assert summary.loc["t", "failed"] == 1
    with pytest.raises(RuntimeDataError, match="no runs"):
        RunTable(runs.frame[:0]).summary()


def test_instances_that_were_not_solved_count_as_slower_than_the_cutoff():
    frame = pd.DataFrame({"instance": list("abc"), "solver": "s", "seconds": [1.5, 100.0, 100.0]})
    table = RunTable.from_frame(frame.assign(status=["solved", "timeout", "timeout"], cutoff=100.0))
    row = table.summary().loc["s"]
    medians = [row[f"{which} median s"] for which in ("least", "median", "largest")]
    assert medians == [1.5, "> 100", "> 100"]
    facts = table.counts()["solvers"]["s"]
    assert facts["instance_medians"] == [1.5, np.inf, np.inf]
    assert facts["cutoff"] == 100.0


@pytest.mark.parametrize("value", [{"a": 1}, [1, 2], np.array([1, 2]), b"a", 10**400])
@pytest.mark.parametrize("column", ["instance", "solver"])
def test_names_that_are_lists_objects_or_bytes_are_refused(column, value):
    frame = pd.DataFrame({"instance": "a", "solver": "x", "seconds": 1.0, "status": "solved"}, index=[0, 1])
    frame[column] = pd.Series([value, value], dtype=object)
    with pytest.raises(RuntimeDataError, match=rf"row 0: {column} is .*Expected a name"):
        RunTable.from_frame(frame)


@pytest.mark.parametrize("seed", [np.inf, 1e30, 0.5])
def test_seeds_beyond_whole_numbers_are_refused(seed):
    frame = pd.DataFrame({"instance": ["a"], "seed": [seed], "seconds": 1.0, "status": "solved"})
    with pytest.raises(RuntimeDataError, match="seed is"):
        RunTable.from_frame(frame)


def test_runtimes_whose_sum_is_infinite_are_refused():
    frame = pd.DataFrame({"instance": "a", "seconds": [1e308, 1e308], "status": "solved", "seed": [1, 2]})
    with pytest.raises(RuntimeDataError, match="an absurd runtime"):
        RunTable.from_frame(frame)
