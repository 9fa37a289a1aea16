import pandas as pd
import pytest

from bayes_distnet.collect.collector import collect_runs
from bayes_distnet.collect.repeat import relative_difference, repeat_runs
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.data.store import Store
from bayes_distnet.errors import CollectError, SettingError

ECHO = Solver("echo", ("echo", "answer {seed}", "{instance}"), "^answer")


def test_repeated_runs_are_returned_and_stored(instances, tmp_path):
    runs = collect_runs([ECHO], instances, 1, store=tmp_path / "r.sqlite", cutoff=5.0).frame
    again = repeat_runs([ECHO], instances, 5, store=tmp_path / "r.sqlite")
    assert len(again) == 5
    first = again.merge(runs, on=["solver", "instance", "seed"], suffixes=("", "_stored"))
    assert (first["seconds"] == first["seconds_stored"]).all()
    assert relative_difference(again).between(0, 2).all()
    with Store(tmp_path / "r.sqlite") as store:
        assert store.repeats().equals(again)


def test_a_difference_is_relative_to_the_mean_of_both_times():
    repeats = pd.DataFrame({"seconds": [1.0, 2.0, 1.0], "again": [1.0, 1.0, 3.0]})
    assert relative_difference(repeats).tolist() == pytest.approx([0.0, 2 / 3, 1.0])


def test_without_solved_runs_there_is_nothing_to_repeat(instances, tmp_path):
    with pytest.raises(CollectError, match="no solved run of these solvers on these instances"):
        repeat_runs([ECHO], instances, 5, store=tmp_path / "r.sqlite")


def test_a_count_below_one_is_refused(instances, tmp_path):
    with pytest.raises(SettingError, match="count=0"):
        repeat_runs([ECHO], instances, 0, store=tmp_path / "r.sqlite")
