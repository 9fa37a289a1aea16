import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from bayes_distnet import Ridge, TableEncoder
from bayes_distnet.errors import FeatureError


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "queue": rng.choice(["fast", "slow", None], 300),
            "user": [f"u{k}" for k in rng.integers(0, 40, 300)],
            "urgent": rng.choice([True, False], 300),
            "submit": pd.Timestamp("2026-03-02 06:00") + pd.to_timedelta(np.arange(300), unit="h"),
            "size": rng.normal(size=300),
            "limit": rng.choice(["01:00:00", "1-00:00:00"], 300),
            "site": "here",
            "note": None,
        }
    )


def test_every_kind_of_column_becomes_numbers(table):
    encoder = TableEncoder().fit(table)
    out = encoder.transform(table)
    assert list(out) == list(encoder.get_feature_names_out())
    assert out.dtypes.eq(float).all()
    levels = [name for name in out if name.startswith("queue=") and name != "queue=(unseen)"]
    assert (out[levels].sum(axis=1) == 1).all()
    assert "queue=(missing)" in levels
    assert out["queue=fast"].tolist() == (table["queue"] == "fast").astype(float).tolist()
    assert (out["submit.weekday"].iloc[0], out["submit.hour"].iloc[0]) == (0.0, 6.0)  # a Monday
    assert {*out["limit"]} == {3600.0, 86400.0}
    assert "left out: column site, which is constant" in encoder.notes_
    assert "left out: column note, which is empty" in encoder.notes_


def test_many_levels_share_columns_and_stay_apart(table):
    out = TableEncoder().fit(table).transform(table)
    mine = [name for name in out if name.startswith("user")]
    assert len(mine) == 16 + 1 + 8 + 1  # frequent levels, frequency, hash, unseen
    counts = table["user"].map(table["user"].value_counts())
    np.testing.assert_allclose(out["user.frequency"], np.log1p(counts))
    assert out[mine].drop_duplicates().shape[0] == table["user"].nunique()


def test_new_levels_are_marked_and_missing_values_are_missing(table):
    encoder = TableEncoder().fit(table)
    new = table[:3].assign(queue=["new", "fast", "slow"], user=["u1", None, "who"], size=["x", 1.0, None])
    out = encoder.transform(new)
    assert out["queue=(unseen)"].tolist() == [1.0, 0.0, 0.0]
    assert out["queue=fast"].tolist() == [0.0, 1.0, 0.0]
    assert out["user=(unseen)"].tolist()[::2] == [0.0, 1.0]
    assert out.filter(like="user").iloc[1].isna().all()  # no user was missing in training
    assert out["size"].isna().tolist() == [True, False, True]


def test_the_same_values_as_text_have_the_same_encoding(table):
    encoder = TableEncoder().fit(table)
    text = table.map(lambda value: "" if value is None or value is pd.NaT else str(value))
    pd.testing.assert_frame_equal(encoder.transform(text), encoder.transform(table))


def test_numbers_can_be_names():
    table = pd.DataFrame({"version": [12.0, 13.0, 12.0]})
    assert list(TableEncoder().fit(table).transform(table)) == ["version"]
    encoder = TableEncoder(categorical=["version"]).fit(table)
    assert encoder.transform(table.astype(int).astype(str))["version=12"].tolist() == [1.0, 0.0, 1.0]


def test_json_restores_the_encoder(table):
    encoder = TableEncoder().fit(table)
    again = TableEncoder.from_dict(json.loads(json.dumps(encoder.to_dict())))
    pd.testing.assert_frame_equal(again.transform(table), encoder.transform(table))


def test_runtimes_do_not_change_it_and_it_is_a_transformer(table):
    y = np.random.default_rng(1).uniform(1.0, 2.0, 300)
    encoder = clone(TableEncoder()).fit(table, y)
    pd.testing.assert_frame_equal(encoder.transform(table), TableEncoder().fit(table).transform(table))
    assert make_pipeline(TableEncoder(), Ridge()).fit(table, y).predict(table[:2]).shape == (2,)


def test_missing_columns_and_tables_without_information_are_refused(table):
    with pytest.raises(FeatureError, match=r"no column queue, user \(2 of the 6"):
        TableEncoder().fit(table).transform(table.drop(columns=["queue", "user"]))
    with pytest.raises(FeatureError, match="all 2 columns are empty or constant"):
        TableEncoder().fit(table[["site", "note"]])
    with pytest.raises(FeatureError, match="occur more than once"):
        TableEncoder().fit(table[["site", "site"]])
