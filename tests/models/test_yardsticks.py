import numpy as np
import pandas as pd
import pytest

from bayes_distnet import Marginal, RandomForest, load_model, make_runs, open_table, train
from bayes_distnet.models.yardsticks import load_yardsticks


def test_yardsticks_are_fitted_to_the_training_rows_and_stored(tmp_path):
    data = make_runs(n_instances=40, n_runs=2, n_features=3, random_state=0)
    model = train(data, "ridge", holdout=0.25, out=tmp_path / "m", yardsticks=True)
    found = load_yardsticks(tmp_path / "m", load_model(tmp_path / "m"))
    assert list(found) == ["Marginal", "RandomForest"]
    used = data.split(0.25, random_state=0)[0]
    expected = Marginal().fit(used.features, used.seconds).predict(data.features[:1])
    assert found["Marginal"].predict(data.features[:1]) == pytest.approx(expected)
    assert model.training_record_.instances == len(used)


def test_a_model_is_no_yardstick_of_itself_and_others_may_have_none(tmp_path):
    data = make_runs(n_instances=20, n_runs=2, n_features=3, random_state=0)
    train(data, "forest", out=tmp_path / "forest", yardsticks=True)
    forest = load_model(tmp_path / "forest")
    assert isinstance(forest, RandomForest)
    assert list(load_yardsticks(tmp_path / "forest", forest)) == ["Marginal"]
    train(data, "ridge", out=tmp_path / "alone")
    assert load_yardsticks(tmp_path / "alone", load_model(tmp_path / "alone")) == {}


def test_yardsticks_of_a_table_take_raw_tables(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"queue": ["fast", "slow"] * 50, "size": rng.normal(size=100)})
    frame = frame.assign(seconds=np.exp(rng.normal(size=100) + 3.0 * (frame["queue"] == "slow")))
    train(open_table(frame, "seconds"), "ridge", out=tmp_path / "m", yardsticks=True)
    forest = load_yardsticks(tmp_path / "m", load_model(tmp_path / "m"))["RandomForest"]
    fast, slow = forest.predict(pd.DataFrame({"queue": ["fast", "slow"], "size": [0.0, 0.0]}))
    assert slow > 5 * fast
