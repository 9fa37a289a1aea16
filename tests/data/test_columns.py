import numpy as np
import pandas as pd
import pytest

from bayes_distnet.data.columns import Kind, identifies_rows, recognise


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2], Kind.NUMBER),
        (["1", "2.5", ""], Kind.NUMBER),
        (["00:01:00", "1-00:00:00"], Kind.NUMBER),
        ([True, False], Kind.TRUTH),
        (["yes", "No"], Kind.TRUTH),
        (["2026-03-01 08:30:00", "2026-03-02 00:00:00"], Kind.DATE),
        (pd.to_datetime(["2026-03-01"]), Kind.DATE),
        (["fast", "slow"], Kind.LEVELS),
        (pd.Categorical([1, 2]), Kind.LEVELS),
        ([None, None], Kind.EMPTY),
        (["", "NA"], Kind.EMPTY),
    ],
)
def test_kinds_are_recognised(values, kind):
    assert recognise(pd.Series(values)) is kind


def test_a_few_stray_words_leave_a_column_of_numbers():
    assert recognise(pd.Series(["1.5"] * 99 + ["broken"])) is Kind.NUMBER
    assert recognise(pd.Series(["1.5"] * 9 + ["broken"])) is Kind.LEVELS


def test_names_and_running_numbers_identify_rows():
    def found(values, name="column"):
        column = pd.Series(values, name=name)
        return identifies_rows(column, recognise(column))

    assert found([f"job-{k}" for k in range(30)])
    assert not found(["a", "b"] * 15)
    assert found(np.arange(5000, 5100))
    assert found(np.random.default_rng(0).permutation(100))
    assert not found(10 ** np.arange(10), "size")
    assert found(10 ** np.arange(10), "job_id")
    assert not found(np.random.default_rng(0).normal(size=100), "id")  # no whole numbers
    assert not found([f"2026-01-{k + 1:02d}" for k in range(30)])  # dates may all differ
