import numpy as np
import pandas as pd
import pytest

from bayes_distnet import BayesDistNet, make_runs, predictions, train
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.errors import FeatureError, SettingError
from bayes_distnet.models.predictions import aligned


@pytest.fixture(scope="module")
def data():
    return make_runs(n_instances=30, n_runs=4, n_features=3, random_state=0)


def test_columns_are_taken_by_name(data):
    model = train(data, "ridge")
    shuffled = data.features.iloc[:, ::-1].assign(more=1.0)
    pd.testing.assert_frame_equal(aligned(shuffled, model), data.features)
    with pytest.raises(FeatureError, match="1 of the 3"):
        aligned(data.features.iloc[:, :2], model)


def test_predictions_are_those_of_the_distribution(data):
    model = train(data, "ridge")
    rtd = model.predict_distribution(data.features)
    table = predictions(model, data.features, quantiles=[0.5, 0.975], within=[2.5])
    assert list(table) == ["mean", "median", "q50", "q97.5", "within_2.5", "low", "high", "unsure", "familiar"]
    np.testing.assert_array_equal(table["mean"], rtd.mean())
    np.testing.assert_array_equal(table["q97.5"], rtd.quantile(0.975))
    np.testing.assert_array_equal(table["within_2.5"], rtd.cdf(2.5))
    assert table[["low", "high", "unsure"]].isna().all(axis=None)  # ridge does not express how sure it is
    assert (table["familiar"] == "familiar").all()
    assert table.index.equals(data.features.index)
    left = predictions(model, data.features, elapsed=10.0)
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
        predictions(train(data, "marginal"), data.features, **asked)


@pytest.fixture(scope="module")
def unsure(data):
    return BayesDistNet(max_iter=50, n_members=2, random_state=0).fit(data.features, data.seconds)


def test_runs_that_have_been_made_count(unsure, data):
    new = data.features.iloc[:3]
    runs = pd.DataFrame({"solver": "s", "instance": new.index[[0, 0, 2]], "seed": [7, 8, 7]})
    runs = RunTable.from_frame(
        runs.assign(status=["solved", "timeout", "solved"], seconds=[90.0, 100.0, 0.01], cutoff=100)
    )
    before, after = (predictions(unsure, new, seen=seen) for seen in (None, runs))
    assert after["median"].iloc[0] > 1.2 * before["median"].iloc[0]
    assert after["median"].iloc[1] == pytest.approx(before["median"].iloc[1], rel=1e-4)  # nothing was seen of it
    assert after["median"].iloc[2] < before["median"].iloc[2]
    rtd = unsure.predict_distribution(new).given_runs(
        [[90.0, 100.0], [np.nan, np.nan], [0.01, np.nan]], [[True, False], [False, False], [True, False]]
    )
    np.testing.assert_allclose(after["median"], rtd.median())


def test_runs_that_cannot_count_are_refused(unsure, data):
    runs = RunTable.from_frame(
        pd.DataFrame({"solver": "s", "instance": ["other"], "seed": [1], "status": ["solved"], "seconds": [1.0]})
    )
    with pytest.raises(SettingError, match="Names have to match"):
        predictions(unsure, data.features, seen=runs)
    with pytest.raises(SettingError, match="this model cannot learn from runs of a new instance"):
        predictions(train(data, "ridge"), data.features, seen=runs)
