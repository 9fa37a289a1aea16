import pytest

from bayes_distnet.data.importers.description import parse_description, read_description
from bayes_distnet.errors import RuntimeDataError


def provided(text):
    return {group.name: group.features for group in parse_description(text).groups}


@pytest.mark.parametrize(
    "steps",
    [
        "feature_steps:\n  s:\n    provides:\n    - a\n    - 'b c'\n    requires:\n    - t\nnext: 1",
        'feature_steps:\n    s:\n        provides:\n            - a   # first\n\n            - "b c"\nnext:\n- 1',
        "---\nfeature_steps:\n\ts:\n\t\tprovides: [a, b c]\n",
        "feature_steps:\n  's':\n    provides: a, b c",
    ],
)
def test_lists_of_a_description_may_be_written_in_any_way(steps):
    assert provided(steps) == {"s": ("a", "b c")}


def test_a_step_has_the_steps_that_it_requires_and_may_be_a_default():
    steps = "feature_steps:\n  s: {provides: [a]}\n  t: {provides: [b], requires: [s]}\n"
    s, t = parse_description(steps + "default_steps:\n- s\n").groups
    assert (s.requires, s.default) == ((), True)
    assert (t.requires, t.default) == (("s",), False)
    assert all(group.default for group in parse_description(steps).groups)


@pytest.mark.parametrize("value", ["?", "? # unknown", "'?'", "?\r"])
def test_a_question_mark_needs_no_quotes(value):
    assert parse_description(f"algorithm_cutoff_time: {value}\nscenario_id: x").cutoff == "?"
    assert parse_description(f"performance_type:\n- {value}\nscenario_id: x").types == ("?",)


def test_values_are_text_as_they_are_written():
    text = "algorithm_cutoff_time: 1e3\nfeature_steps: {007: {provides: [no, 1.10, null, 2020-01-01]}}"
    found = parse_description(text)
    assert found.cutoff == "1e3"
    assert provided(text) == {"007": ("no", "1.10", "null", "2020-01-01")}


def test_missing_entries_are_empty():
    text = "scenario_id: x\nfeature_steps:\n  s:\n    requires: t\n  u: '?'\n"
    found = parse_description(text)
    assert (found.measures, found.types, found.cutoff) == ((), (), "")
    assert provided(text) == {"s": (), "u": ()}
    assert provided("") == {}


def test_characters_that_yaml_forbids_are_replaced(tmp_path):
    file = tmp_path / "description.txt"
    file.write_bytes("scenario_id: a \x96 b\nalgorithm_cutoff_time: 60\n".encode("latin-1"))
    assert read_description(file).cutoff == "60"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: --restarts: 7\n", r"description\.txt, line 2: not YAML \(mapping values are not allowed here\)"),
        ("a: [1, 2\nb: 3\n", r"description\.txt, line 2: not YAML"),
        ("hello", r"description\.txt: the description is 'hello'; expected entries"),
        ("- a\n- b\n", "the description is .* expected entries"),
        ("feature_steps:\n- a\n", "feature_steps is .* expected entries"),
        ("feature_steps:\n  s: text\n", "s is 'text'; expected entries"),
    ],
)
def test_errors_name_file_and_line(tmp_path, text, message):
    file = tmp_path / "description.txt"
    file.write_text(text)
    with pytest.raises(RuntimeDataError, match=message) as raised:
        read_description(file)
    assert str(raised.value).startswith(str(file))
