import numpy as np
import pandas as pd

from bayes_distnet import load_dataset
from bayes_distnet.data.feature_groups import FeatureGroup, FeatureGroups
from bayes_distnet.models.explanation.grouping import group_features


def test_features_that_order_rows_alike_are_one_group():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 60))
    table = pd.DataFrame({"a": a, "cube": a**3, "minus": -np.exp(a), "b": b, "same": 1.0, "word": "w"})
    found = group_features("correlated", list(table), table)
    assert found == {"a (+2)": ("a", "cube", "minus"), "b": ("b",), "same": ("same",), "word": ("word",)}


def test_all_features_of_a_group_correlate():
    rng = np.random.default_rng(0)
    walk = np.cumsum(rng.normal(size=(60, 30)) * 0.5, axis=1) + rng.normal(size=(60, 1))
    table = pd.DataFrame(walk).rename(columns=str)
    found = group_features("correlated", list(table), table)
    assert 1 < len(found) < 30
    ranks = table.rank().corr().abs()
    for features in found.values():
        assert ranks.loc[list(features), list(features)].min().min() >= 0.9 - 1e-6


def test_missing_together_is_alike():
    a = np.random.default_rng(0).normal(size=(50, 2))
    a[:20] = np.nan
    table = pd.DataFrame(a, columns=["a", "b"])
    assert len(group_features("correlated", ["a", "b"], table)) == 2  # their other values differ


def test_features_that_are_computed_together():
    data = load_dataset("clasp-factoring")
    found = group_features("computed", list(data.features), data.features)
    assert list(found)[:5] == ["size", "structure", "propagation", "probe100", "probe1000"]
    assert sorted(name for features in found.values() for name in features) == sorted(data.features)


def test_groups_of_a_data_set_may_overlap():
    names = pd.Index(["i"])
    parts = pd.DataFrame({"base": [0.1], "more": [1.0]}, index=names)
    groups = FeatureGroups(
        (FeatureGroup("base", ("a", "b")), FeatureGroup("more", ("b", "c"))), parts, parts.astype(object)
    )
    assert group_features(groups, ["a", "b", "c", "d"], pd.DataFrame()) == {
        "base": ("a", "b"),
        "more": ("c",),
        "d": ("d",),
    }
