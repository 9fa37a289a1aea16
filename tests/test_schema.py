import json

import pytest

from bayes_distnet.errors import RuntimeDataError
from bayes_distnet.schema import Count, Fields, OneOf, Row, mismatch, parse_json, read_json

FORM = Fields(
    {"name": str, "sizes": [Count(9)], "pair": Row(float, 2)},
    {"kind": OneOf(("a", None)), "versions": {str: str}},
)
GOOD = {"name": "x", "sizes": [1, 2], "pair": [1, 2.5], "kind": None, "versions": {"python": "3"}, "more": [[]]}


def test_a_value_of_the_form_has_no_mismatch():
    assert mismatch(GOOD, FORM) is None


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"name": 3}, "name is 3; expected a text"),
        ({"sizes": [1, 10]}, "sizes[1] is 10; expected a whole number from 0 to 9"),
        ({"sizes": [True]}, "sizes[0] is True; expected a whole number from 0 to 9"),
        ({"sizes": {}}, "sizes is an object; expected a list"),
        ({"pair": [1.0]}, "pair has 1 values; expected 2"),
        ({"pair": [1.0, 10**30]}, "pair[1] is a number beyond 64 bits; expected a number"),
        ({"kind": "b"}, "kind is 'b'; expected 'a' or null"),
        ({"versions": {"python": 3}}, "versions.python is 3; expected a text"),
    ],
)
def test_the_first_mismatch_is_named_with_its_place(change, found):
    assert mismatch(GOOD | change, FORM) == found


def test_an_entry_that_is_missing_is_named():
    assert mismatch({"name": "x", "sizes": []}, FORM) == "the object has no 'pair'"


def test_errors_name_the_file_and_lists_in_lists_in_lists_are_one(tmp_path):
    path = tmp_path / "file.json"
    path.write_text(json.dumps(GOOD))
    assert read_json(path, FORM, RuntimeDataError) == GOOD
    for text in ("{", "[" * 100_000, "\udcff".encode("utf-8", "surrogateescape").decode("latin-1")):
        path.write_text(text, "latin-1")
        with pytest.raises(RuntimeDataError, match=r"file\.json"):
            read_json(path, FORM, RuntimeDataError)
    with pytest.raises(RuntimeDataError, match=r"file\.json: cannot be read"):
        read_json(tmp_path / "none" / "file.json", FORM, RuntimeDataError)


def test_a_line_of_json_is_checked_like_a_file():
    with pytest.raises(RuntimeDataError, match=r"line 3: the content is 7; expected an object"):
        parse_json("7", FORM, "line 3", RuntimeDataError)
