import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from bayes_distnet import Ridge
from bayes_distnet.data.observations import Observations
from bayes_distnet.errors import ModelFileError
from bayes_distnet.models.explanation.background import ROWS, background_of, evenly_spaced, raw_background
from bayes_distnet.models.saving import read_model, write_model


def test_places_are_evenly_spaced_and_different():
    assert evenly_spaced(5, 64).tolist() == [0, 1, 2, 3, 4]
    assert evenly_spaced(100, 3).tolist() == [0, 50, 99]
    assert len(evenly_spaced(1000, ROWS)) == ROWS


def test_rows_are_ordered_by_the_mean_log_time_of_their_runs():
    features = np.arange(3.0)[:, None]
    runs = Observations(np.array([0, 0, 1, 2]), np.array([9.0, 1.0, 2.0, 4.0]), np.ones(4, bool), 3)
    assert background_of(features, runs).ravel().tolist() == [1.0, 0.0, 2.0]  # 2, the mean of 9 and 1 is 3, 4


def test_raw_rows_are_those_of_different_instances():
    table = pd.DataFrame({"a": ["x", "y", "x", "z"], "b": [1, 2, 1, 3]})
    rows = raw_background(table, [5.0, 1.0, 6.0, 3.0])
    assert rows.to_dict("list") == {"a": ["y", "z", "x"], "b": [2, 3, 1]}
    matrix = raw_background(table[["b"]].to_numpy(), np.array([[5.0, np.nan], [1.0, 1.0], [6.0, 6.0], [3.0, 3.0]]))
    assert matrix.tolist() == [[2], [3], [1]]
    assert raw_background(csr_matrix(np.eye(3)), [1.0, 2.0, 3.0]) is None


@pytest.mark.parametrize("damaged", [np.zeros((3, 9)), np.zeros((0, 4)), np.full((2, 4), np.inf), np.zeros(4, int)])
def test_a_damaged_background_is_refused(tmp_path, damaged):
    x = np.random.default_rng(0).normal(size=(20, 4))
    Ridge().fit(x, np.exp(x[:, 0])).save(tmp_path)
    saved = read_model(tmp_path, "Ridge")
    arrays = saved.arrays | {"background": damaged}
    write_model(
        tmp_path, "Ridge", parameters=saved.parameters, n_features=saved.n_features, feature_names=None, arrays=arrays
    )
    with pytest.raises(ModelFileError, match=r"the arrays do not form a model.*background"):
        Ridge.load(tmp_path)
