import pandas as pd
import pytest

from bayes_distnet.data.feature_groups import FeatureGroup, FeatureGroups, read_groups, write_groups
from bayes_distnet.errors import FeatureError, RuntimeDataError

NAMES = pd.Index(["a", "b", "c"], name="instance")


def feature_groups():
    groups = (
        FeatureGroup("probing", ("depth", "ratio"), requires=("parsing",)),
        FeatureGroup("parsing", ("size",), requires=("reading",)),
        FeatureGroup("reading", ()),
        FeatureGroup("extra", ("ratio", "count"), default=False),
    )
    cost = pd.DataFrame(
        {"probing": [4.0, None, 1.0], "parsing": 2.0, "reading": [0.5, 0.5, None], "extra": 8.0}, index=NAMES
    )
    status = pd.DataFrame({"probing": ["ok", "presolved", "crash"], "parsing": "ok", "reading": "ok", "extra": "ok"})
    return FeatureGroups(groups, cost, status.set_axis(NAMES, axis=0))


def test_required_groups_of_required_groups_are_included_in_the_published_order():
    groups = feature_groups()
    assert groups.with_required(["probing"]) == ("probing", "parsing", "reading")
    assert groups.with_required(["extra", "reading"]) == ("reading", "extra")
    assert groups.with_required([]) == ()


def test_groups_that_require_each_other_do_not_hang():
    ring = (FeatureGroup("x", ("f",), requires=("y",)), FeatureGroup("y", (), requires=("x",)))
    table = pd.DataFrame({"x": [1.0], "y": [1.0]})
    assert FeatureGroups(ring, table, table.astype(str)).needed_for(["f"]) == ("x", "y")


def test_a_feature_needs_its_group_and_what_that_requires():
    groups = feature_groups()
    assert groups.needed_for(["size"]) == ("parsing", "reading")
    assert groups.needed_for(["made by the user"]) == ()


def test_a_feature_of_two_groups_is_taken_from_the_one_that_is_needed_anyway_else_from_the_first():
    groups = feature_groups()
    assert groups.needed_for(["ratio", "count"]) == ("extra",)
    assert groups.needed_for(["ratio"]) == ("probing", "parsing", "reading")


def test_groups_provide_the_features_of_what_they_require():
    assert feature_groups().features_of(["probing"]) == ["depth", "ratio", "size"]
    assert feature_groups().features_of(["probing", "extra"]) == ["depth", "ratio", "size", "count"]


def test_cost_includes_required_groups_and_counts_unknown_ones_as_nothing():
    groups = feature_groups()
    assert groups.seconds(["probing"]).to_dict() == {"a": 6.5, "b": 2.5, "c": 3.0}
    assert groups.seconds().to_dict() == {"a": 14.5, "b": 10.5, "c": 11.0}
    assert groups.seconds([]).to_dict() == {"a": 0.0, "b": 0.0, "c": 0.0}


def test_an_instance_is_presolved_only_if_the_group_that_solved_it_is_computed():
    groups = feature_groups()
    assert groups.presolved().tolist() == [False, True, False]
    assert groups.presolved(["parsing"]).tolist() == [False, False, False]


def test_taken_instances_have_the_order_asked_for():
    some = feature_groups().take(pd.Index(["c", "a"]))
    assert some.cost["probing"].tolist() == [1.0, 4.0]
    assert some.status["probing"].tolist() == ["crash", "ok"]


def test_groups_are_the_same_after_saving(tmp_path):
    groups = feature_groups()
    write_groups(groups, tmp_path)
    back = read_groups(tmp_path, NAMES)
    assert back.groups == groups.groups
    pd.testing.assert_frame_equal(back.cost, groups.cost)
    pd.testing.assert_frame_equal(back.status, groups.status, check_dtype=False)
    write_groups(None, tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert read_groups(tmp_path, NAMES) is None


def test_unknown_groups_and_broken_files_are_refused(tmp_path):
    groups = feature_groups()
    with pytest.raises(FeatureError, match="asked for 'probin'; groups are probing, parsing, reading, extra"):
        groups.seconds(["probin"])
    with pytest.raises(FeatureError, match="group 'x' requires 'y'"):
        FeatureGroups((FeatureGroup("x", (), ("y",)),), pd.DataFrame({"x": [1.0]}), pd.DataFrame({"x": ["ok"]}))
    with pytest.raises(RuntimeDataError, match="status needs one column per group"):
        FeatureGroups(groups.groups, groups.cost, groups.status.drop(columns="extra"))
    (tmp_path / "feature_groups.json").write_text('[{"name": "x"}]')
    with pytest.raises(RuntimeDataError, match=r"feature_groups.json: \[0\] has no 'features'"):
        read_groups(tmp_path, NAMES)
