import numpy as np
import pytest

from bayes_distnet.report.words import condition_name, joined, plain, short_seconds, signed, without


@pytest.mark.parametrize(
    ("texts", "found"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_lists_in_words(texts, found):
    assert joined(texts) == found


def test_missing_numbers_are_dashes():
    assert {signed(np.nan), plain(np.nan), short_seconds(np.nan)} == {"–"}
    assert [signed(-0.5), signed(0.5), plain(-0.5), short_seconds(0.01234), short_seconds(12.345)] == [
        "−0.500",
        "+0.500",
        "−0.500",
        "0.012",
        "12.3",
    ]


def test_conditions_name_the_runs_cut_off():
    assert condition_name(1, "none", 0.0) == "1 run per instance to learn from"
    assert condition_name(8, "random", 0.6).startswith("8 runs per instance to learn from, 60 % of them cut off, ")


def test_models_left_out_are_named():
    assert without([]) == ""
    assert without(["A", "B"]) == " Without A and B: fewer folds."
