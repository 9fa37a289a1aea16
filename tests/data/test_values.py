import numpy as np
import pandas as pd
import pytest

from bayes_distnet.data.values import as_dates, as_floats, as_text, as_truth


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90.0), ("1.5e3", 1500.0), ("00:01:30", 90.0), ("2:30", 9000.0), ("1-02:00:00.5", 93600.5), (" 7 ", 7.0)],
)
def test_numbers_and_durations_are_seconds(text, seconds):
    numbers, stray = as_floats(pd.Series([text], dtype=object))
    assert (numbers[0], stray[0]) == (seconds, False)


@pytest.mark.parametrize("text", ["red", "12GB", "1:99", "inf"])
def test_other_text_is_no_number(text):
    numbers, stray = as_floats(pd.Series([text], dtype=object))
    assert np.isnan(numbers[0])
    assert stray[0]


def test_columns_of_other_types_are_read():
    assert as_floats(pd.Series(pd.to_timedelta(["90s", None])))[0].tolist()[0] == 90.0
    assert as_floats(pd.Series([1, None], dtype="Int64"))[0].tolist()[0] == 1.0
    assert as_truth(pd.Series([True, False]))[0].tolist() == [1.0, 0.0]
    assert as_text(pd.Series(["a", "b"], dtype="category")).tolist() == ["a", "b"]
    assert as_text(pd.Series([3.0, 3.5, np.nan])).tolist() == ["3", "3.5", None]


def test_dates_with_a_zone_are_in_utc():
    dates, stray = as_dates(pd.Series(["2026-03-01T01:00:00+02:00", "2026-03-01", "", "soon"]))
    assert dates[0] == np.datetime64("2026-02-28T23:00:00")
    assert dates[1] == np.datetime64("2026-03-01")
    assert np.isnat(dates[2:]).all()
    assert stray.tolist() == [False, False, False, True]
