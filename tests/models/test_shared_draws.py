"""Draws that instances share, of every kind of model that has them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import StandardScaler

from bayes_distnet import HybridDistNet, KNearest, RandomForest, RuntimePipeline, make_runs
from bayes_distnet.errors import SettingError
from bayes_distnet.models.shared_draws import SharedDraws, shared_draws
from bayes_distnet.models.table_model import TableModel


@pytest.fixture(scope="module")
def data():
    return make_runs(n_instances=40, n_runs=2, n_features=3, random_state=0)


@pytest.fixture(scope="module")
def hybrid(data):
    return HybridDistNet(n_members=2, max_iter=50, n_estimators=20, random_state=0).fit(data.features, data.seconds)


def test_the_covariance_is_that_of_the_weighted_draws():
    draws = SharedDraws(np.array([[0.0, 1.0, 2.0], [3.0, 1.0, -1.0]]), np.array([0.25, 0.5, 0.25]))
    a = draws.deviations()
    np.testing.assert_allclose(a @ a.T, [[0.5, -1.0], [-1.0, 2.0]])


def test_trees_of_a_forest_are_draws(data):
    model = RandomForest(n_estimators=7).fit(data.features, data.seconds)
    draws = shared_draws(model, data.features)
    assert draws.log_medians.shape == (40, 7)
    np.testing.assert_allclose(np.exp(draws.log_medians.mean(axis=1)), model.predict(data.features))


def test_the_hybrid_has_the_draws_of_its_networks_and_its_trees(data, hybrid):
    draws = shared_draws(hybrid, data.features)
    assert draws.log_medians.shape[1] == hybrid.ensemble_.weights[..., 0].size + 20
    assert draws.weights.sum() == pytest.approx(1.0)
    middle, log_median = draws.log_medians @ draws.weights, np.log(hybrid.predict(data.features))
    assert np.corrcoef(middle, log_median)[0, 1] > 0.95


def test_networks_alone_have_weight_draws(data, hybrid):
    draws = SharedDraws.of(hybrid.ensemble_.network(hybrid.ensemble_.inputs(data.features.to_numpy())))
    pooled = shared_draws(hybrid, data.features)
    np.testing.assert_array_equal(pooled.log_medians[:, : draws.log_medians.shape[1]], draws.log_medians)


def test_a_pipeline_and_a_model_of_tables_have_the_draws_of_the_model_inside(data):
    forest = RandomForest(n_estimators=5)
    pipeline = RuntimePipeline([("scale", StandardScaler()), ("model", forest)]).fit(data.features, data.seconds[:, 0])
    assert shared_draws(pipeline, data.features).log_medians.shape == (40, 5)
    table = data.features.assign(kind=pd.Series(["a", "b"] * 20, index=data.features.index))
    model = TableModel(forest).fit(table, data.seconds[:, 0])
    assert shared_draws(model, table).log_medians.shape == (40, 5)


def test_models_without_draws_are_refused_with_those_that_have_them(data):
    for model in (KNearest(), TableModel(KNearest())):
        with pytest.raises(SettingError, match="Use HybridDistNet, BayesDistNet or RandomForest"):
            shared_draws(model.fit(data.features, data.seconds), data.features)
    with pytest.raises(SettingError, match="a single draw"):
        shared_draws(RandomForest(n_estimators=1).fit(data.features, data.seconds), data.features)
