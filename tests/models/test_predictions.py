import numpy as np
import pandas as pd
import pytest

from bayes_distnet import Dataset, FeatureError, Marginal, Ridge, RunTable, SettingError, make_runs
from bayes_distnet.models.library import learn
from bayes_distnet.models.predictions import aligned, predictions


@pytest.fixture(scope="module")
def data():
    made = make_runs(n_instances=30, n_runs=4, n_features=3, random_state=0)
    names = [f"i{k}" for k in range(30)]
    rows = [(name, seed, made.seconds[k, seed]) for k, name in enumerate(names) for seed in range(4)]
    runs = pd.DataFrame(rows, columns=["instance", "seed", "seconds"]).assign(status="solved", solver="s")
    return Dataset(RunTable.from_frame(runs), made.features.set_axis(names, axis=0).rename_axis("instance"))


def test_columns_are_taken_by_name(data):
    model = learn(Ridge(), data)
    shuffled = data.features.iloc[:, ::-1].assign(more=1.0)
    pd.testing.assert_frame_equal(aligned(shuffled, model), data.features)
    with pytest.raises(FeatureError, match="1 of the 3"):
        aligned(data.features.iloc[:, :2], model)


def test_predictions_are_those_of_the_distribution(data):
    model = learn(Ridge(), data)
    rtd = model.predict_distribution(data.features)
    table = predictions(model, data.features, quantiles=[0.5, 0.975], within=[2.5])
    assert list(table) == ["mean", "median", "q50", "q97.5", "within_2.5", "low", "high", "epistemic"]
    np.testing.assert_array_equal(table["mean"], rtd.mean())
    np.testing.assert_array_equal(table["q97.5"], rtd.quantile(0.975))
    np.testing.assert_array_equal(table["within_2.5"], rtd.cdf(2.5))
    assert table[["low", "high", "epistemic"]].isna().all(axis=None)  # ridge does not say how sure it is
    assert table.index.equals(data.features.index)
    left = predictions(model, data.features, alive=10.0)
    np.testing.assert_array_equal(left["median"], rtd.given_alive(10.0).median())


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"quantiles": [1.0]}, "quantiles"),
        ({"band": 0.0}, "band"),
        ({"within": [0.0]}, "within"),
        ({"within": [np.nan]}, "within"),
    ],
)
def test_questions_without_an_answer_are_refused(data, asked, message):
    with pytest.raises(SettingError, match=message):
        predictions(learn(Marginal(), data), data.features, **asked)
