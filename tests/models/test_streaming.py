import numpy as np
import pytest

from bayes_distnet import HybridDistNet, Ridge, make_runs
from bayes_distnet.errors import SettingError
from bayes_distnet.models import hybrid
from bayes_distnet.models.streaming import in_blocks


@pytest.fixture(scope="module")
def data():
    return make_runs(n_instances=60, n_runs=3, n_features=5, random_state=0)


def quantiles(rtd):
    return rtd.quantile([0.5, 0.9])


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_blocks_answer_as_the_whole_table_does(data, n_jobs):
    model = Ridge().fit(data.features, data.seconds)
    parts = list(in_blocks(model, data.features, quantiles, rows=25, n_jobs=n_jobs))
    assert [len(part) for part in parts] == [25, 25, 10]
    np.testing.assert_allclose(np.concatenate(parts), quantiles(model.predict_distribution(data.features)))


def test_an_array_is_cut_into_blocks_like_a_table(data):
    rows = np.asarray(data.features)
    model = Ridge().fit(rows, data.seconds)
    parts = list(in_blocks(model, rows, quantiles, rows=25))
    np.testing.assert_allclose(np.concatenate(parts), quantiles(model.predict_distribution(rows)))


def test_blocks_of_no_rows_are_refused(data):
    model = Ridge().fit(data.features, data.seconds)
    with pytest.raises(SettingError, match="rows"):
        list(in_blocks(model, data.features, quantiles, rows=0))


def test_the_blocks_of_a_hybrid_do_not_change_its_prediction(data, monkeypatch):
    model = HybridDistNet(n_estimators=5, max_iter=50, n_members=2).fit(data.features, data.seconds)
    whole = model.predict_distribution(data.features)
    monkeypatch.setattr(hybrid, "PREDICTED_ROWS", 25)
    parts = model.set_params(n_jobs=2).predict_distribution(data.features)
    np.testing.assert_allclose(parts.quantile([0.1, 0.9]), whole.quantile([0.1, 0.9]), rtol=1e-9)
    for a, b in zip(parts.band(), whole.band(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)
