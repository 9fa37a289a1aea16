import json

import numpy as np
import pandas as pd
import pytest

from bayes_distnet import Ridge, load_model, open_table, train
from bayes_distnet.errors import ModelFileError
from bayes_distnet.models.base import fit_runs
from bayes_distnet.models.table_model import ENCODER, TableModel


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"queue": rng.choice(["fast", "slow"], 200), "size": rng.uniform(0.0, 2.0, 200)})
    loc = frame["size"] + 2.0 * (frame["queue"] == "slow")
    return frame.assign(seconds=np.exp(rng.normal(loc, 0.1)))


@pytest.fixture(scope="module")
def data(table):
    return open_table(table, "seconds")


def test_a_model_of_a_table_predicts_the_law_behind_it(data):
    model = train(data, "ridge")
    new = pd.DataFrame({"size": [1.0, 1.0], "queue": ["fast", "slow"]})
    np.testing.assert_allclose(np.log(model.predict(new)), [1.0, 3.0], atol=0.1)


def test_a_saved_model_takes_raw_tables(data, table, tmp_path):
    model = train(data, "ridge", out=tmp_path / "m")
    again = load_model(tmp_path / "m")
    assert isinstance(again, TableModel)
    assert again.layout.time == "seconds"
    np.testing.assert_array_equal(again.predict(table), model.predict(table))
    np.testing.assert_array_equal(TableModel.load(tmp_path / "m").predict(table), model.predict(table))
    encoded = model.encoder_.transform(table)
    np.testing.assert_array_equal(Ridge.load(tmp_path / "m").predict(encoded), model.predict(table))


@pytest.mark.parametrize(
    "change",
    [
        lambda plain: plain.update(sha256="0"),
        lambda plain: plain["encoder"]["columns"].pop(),
        lambda plain: plain["encoder"]["columns"][0].update(kind="pickle"),
        lambda plain: plain["encoder"]["columns"][0].update(levels={"fast": -1}),
        lambda plain: plain["layout"].update(drop="all"),
        lambda plain: plain.clear(),
    ],
)
def test_a_changed_encoder_is_refused(data, tmp_path, change):
    train(data, "marginal", out=tmp_path / "m")
    file = tmp_path / "m" / ENCODER
    plain = json.loads(file.read_text())
    change(plain)
    file.write_text(json.dumps(plain))
    with pytest.raises(ModelFileError, match="not the encoder of this model"):
        load_model(tmp_path / "m")


def test_a_new_level_is_not_familiar(data):
    model = train(data, "ridge")
    new = pd.DataFrame({"size": [1.0, 1.0], "queue": ["fast", "other"]})
    verdict = model.familiarity(new)
    assert verdict["verdict"].tolist() == ["familiar", "unusual"]
    assert verdict["out_of_range"].iloc[1] == ("queue=(unseen)",)


def test_features_that_are_all_numbers_need_no_encoder(table):
    from bayes_distnet import make_runs

    made = make_runs(n_instances=20, n_runs=2, random_state=0)
    assert type(train(made, "ridge")) is Ridge


def test_instances_with_many_and_few_runs_are_fitted_without_a_matrix():
    rng = np.random.default_rng(0)
    names = ["many"] * 400 + [f"i{k}" for k in range(100)]
    size = np.r_[np.zeros(400), rng.uniform(0.0, 2.0, 100)]
    frame = pd.DataFrame({"name": names, "size": size, "seconds": np.exp(rng.normal(size, 0.1))})
    data = open_table(frame, "seconds", group="name")
    assert len(data) == 101
    model = train(data, "ridge")
    assert "_matrices" not in vars(data)
    as_matrix = fit_runs(TableModel(Ridge()), data.features, data.seconds, data.finished)
    np.testing.assert_allclose(model.predict(data.features), as_matrix.predict(data.features))
